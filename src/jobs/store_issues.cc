#include "jobs/job.h"
#include "store/definitions.h"

namespace lade::jobs {
namespace {

// Warnings beyond this many are counted but not stored one by one.
constexpr std::int64_t kMaxStoredWarnings = 10'000;

// The findings as rows of lade_issue, in the database's own form.
class IssueTuples final : public db::TupleSource {
 public:
  IssueTuples(const Job& job)
      : job_(job), reader_(*job.log), sqlite_(job.connection->backend() == db::Backend::sqlite) {}

  std::optional<std::string_view> next() override {
    for (;;) {
      auto more = reader_.next(finding_);
      if (!more) error = more.error();
      if (!more || !*more) return std::nullopt;
      if (finding_.verdict == model::Outcome::unprocessed) continue;
      if (finding_.verdict == model::Outcome::failed || ++warnings_ <= kMaxStoredWarnings) return tuple();
    }
  }
  std::optional<Error> error;

 private:
  std::string_view tuple() {
    tuple_.clear();
    integer<std::int32_t>(job_.id);
    integer<std::int32_t>(store::kDefaultCompany);
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
  const bool sqlite_;
  staging::Finding finding_;
  std::int64_t warnings_ = 0;
  std::string tuple_;
};

}  // namespace

Result<void> store_issues(Job& job) {
  static const std::string columns[] = {"job_id", "company_id",  "row_id", "line",    "severity",
                                        "code",   "column_name", "value",  "message", "hint"};
  IssueTuples tuples(job);
  LADE_TRY(job.connection->copy_in("lade_issue", columns, tuples));
  if (tuples.error) return fail(*tuples.error);
  return {};
}

}  // namespace lade::jobs
