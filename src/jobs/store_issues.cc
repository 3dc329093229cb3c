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

// The findings as rows of lade_issue, in the database's own form.
class IssueTuples final : public db::TupleSource {
 public:
  IssueTuples(const Job& job, const staging::IssueLog& findings, const std::set<std::uint32_t>& stored,
              db::Backend backend)
      : job_(job),
        reader_(findings),
        stored_(stored),
        most_warnings_(share_of_part(job.plan)),
        sqlite_(backend == db::Backend::sqlite) {}

  std::optional<std::string_view> next() override {
    for (;;) {
      auto more = reader_.next(finding_);
      if (!more) error = more.error();
      if (!more || !*more) return std::nullopt;
      if (finding_.verdict == model::Outcome::unprocessed || stored_.contains(finding_.place.row_id)) continue;
      if (finding_.verdict == model::Outcome::failed || ++warnings_ <= most_warnings_) return tuple();
    }
  }
  std::optional<Error> error;

 private:
  std::string_view tuple() {
    tuple_.clear();
    integer<std::int32_t>(job_.id);
    integer<std::int32_t>(job_.options.company);
    integer<std::int64_t>(finding_.place.row_id);
    integer<std::int64_t>(finding_.place.line);
    text(finding_.issue.severity == model::Severity::error ? "error" : "warning");
    text(finding_.issue.code);
    text(finding_.issue.column);
    text(finding_.issue.value);
    text(finding_.issue.message);
    text(finding_.issue.hint);
    return tuple_;
  }
  template <class Int>
  void integer(std::int64_t value) {
    if (sqlite_) {
      db::append_big_endian<std::int32_t>(tuple_, 9);
      tuple_.push_back('i');
      db::append_big_endian<std::int64_t>(tuple_, value);
    } else {
      db::append_big_endian<std::int32_t>(tuple_, sizeof(Int));
      db::append_big_endian<Int>(tuple_, static_cast<Int>(value));
    }
  }
  void text(std::string_view value) {
    db::append_big_endian<std::int32_t>(tuple_, static_cast<std::int32_t>(value.size() + (sqlite_ ? 1 : 0)));
    if (sqlite_) tuple_.push_back('t');
    tuple_.append(value);
  }

  const Job& job_;
  staging::IssueReader reader_;
  const std::set<std::uint32_t>& stored_;
  const std::int64_t most_warnings_;
  const bool sqlite_;
  staging::Finding finding_;
  std::int64_t warnings_ = 0;
  std::string tuple_;
};

}  // namespace

Result<void> store_issues(db::Connection& connection, const Job& job, const staging::IssueLog& findings,
                          const std::set<std::uint32_t>& stored) {
  if (findings.ranges().empty()) return {};
  static const std::string columns[] = {"job_id", "company_id",  "row_id", "line",    "severity",
                                        "code",   "column_name", "value",  "message", "hint"};
  IssueTuples tuples(job, findings, stored, connection.backend());
  LADE_TRY(connection.copy_in("lade_issue", columns, tuples));
  if (tuples.error) return fail(*tuples.error);
  return {};
}

}  // namespace lade::jobs
