#include "jobs/store_issues.h"

#include <algorithm>

#include "db/wire.h"
#include "store/definitions.h"

namespace lade::jobs {
namespace {

// Of findings that fail no row so many are stored, shared alike by the parts of the job whatever the order in which
// they come.
constexpr std::int64_t kMaxStoredWarnings = 10'000;
constexpr std::int64_t kMinStoredOfPart = 20;

std::int64_t share_of_part(const Plan& plan) {
  const auto parts = static_cast<std::int64_t>(plan.chunks() + plan.buckets());
  return std::max(kMinStoredOfPart, kMaxStoredWarnings / parts);
}

// Rows of lade_issue, in the database's own form.
class IssueTuple {
 public:
  IssueTuple(std::int64_t job, std::int64_t company, db::Backend backend)
      : job_(job), company_(company), sqlite_(backend == db::Backend::sqlite) {}
  // Lives until the next call.
  std::string_view of(const staging::RowPlace& place, const model::Issue& issue) {
    tuple_.clear();
    integer<std::int32_t>(job_);
    integer<std::int32_t>(company_);
    integer<std::int64_t>(place.row_id);
    integer<std::int64_t>(place.line);
    text(issue.severity == model::Severity::error ? "error" : "warning");
    text(issue.code);
    text(issue.column);
    text(issue.value);
    text(issue.message);
    text(issue.hint);
    return tuple_;
  }

 private:
  template <class Int>
  void integer(std::int64_t value) {
    if (sqlite_) {
      db::append_sqlite_integer(tuple_, value);
    } else {
      db::append_big_endian<std::int32_t>(tuple_, sizeof(Int));
      db::append_big_endian<Int>(tuple_, static_cast<Int>(value));
    }
  }
  void text(std::string_view value) {
    sqlite_ ? db::append_sqlite_text(tuple_, value) : db::append_field(tuple_, value);
  }

  const std::int64_t job_, company_;
  const bool sqlite_;
  std::string tuple_;
};

class Findings final : public db::TupleSource {
 public:
  Findings(const Job& job, const staging::IssueLog& findings, const std::set<std::uint32_t>& stored,
           db::Backend backend)
      : reader_(findings),
        stored_(stored),
        most_warnings_(share_of_part(job.plan)),
        tuple_(job.id, job.options.company, backend) {}

  std::optional<std::string_view> next() override {
    for (;;) {
      auto more = reader_.next(finding_);
      if (!more) error = more.error();
      if (!more || !*more) return std::nullopt;
      if (finding_.verdict == model::Outcome::unprocessed || stored_.contains(finding_.place.row_id)) continue;
      if (finding_.verdict == model::Outcome::failed || ++warnings_ <= most_warnings_)
        return tuple_.of(finding_.place, finding_.issue);
    }
  }
  std::optional<Error> error;

 private:
  staging::IssueReader reader_;
  const std::set<std::uint32_t>& stored_;
  const std::int64_t most_warnings_;
  IssueTuple tuple_;
  staging::Finding finding_;
  std::int64_t warnings_ = 0;
};

class NewIssues final : public db::TupleSource {
 public:
  NewIssues(const store::JobRecord& job, std::span<const NewIssue> issues, db::Backend backend)
      : issues_(issues), tuple_(job.id, job.company, backend) {}
  std::optional<std::string_view> next() override {
    if (at_ == issues_.size()) return std::nullopt;
    const NewIssue& issue = issues_[at_++];
    return tuple_.of(issue.place, issue.issue);
  }

 private:
  std::span<const NewIssue> issues_;
  IssueTuple tuple_;
  std::size_t at_ = 0;
};

const std::string kColumns[] = {"job_id", "company_id",  "row_id", "line",    "severity",
                                "code",   "column_name", "value",  "message", "hint"};

}  // namespace

Result<void> store_issues(db::Connection& connection, const Job& job, const staging::IssueLog& findings,
                          const std::set<std::uint32_t>& stored) {
  if (findings.ranges().empty()) return {};
  Findings tuples(job, findings, stored, connection.backend());
  LADE_TRY(connection.copy_in("lade_issue", kColumns, tuples));
  if (tuples.error) return fail(*tuples.error);
  return {};
}

Result<void> store_issues(db::Connection& connection, const store::JobRecord& job, std::span<const NewIssue> issues) {
  if (issues.empty()) return {};
  NewIssues tuples(job, issues, connection.backend());
  LADE_TRY(connection.copy_in("lade_issue", kColumns, tuples));
  return {};
}

}  // namespace lade::jobs
