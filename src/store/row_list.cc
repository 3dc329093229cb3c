#include "store/row_list.h"

#include <fmt/format.h>

#include <limits>
#include <queue>
#include <vector>

#include "store/outcome_blob.h"
#include "store/outcomes.h"
#include "store/sql.h"

namespace lade::store {
namespace {

using db::Value;
using model::Outcome;

constexpr std::int64_t kPageRows = 1000;

// The outcomes of all buckets in the order of rows. Each bucket has its own in that order.
class OutcomeMerge {
 public:
  // `buckets` outlives it.
  static Result<OutcomeMerge> of(const std::vector<BucketOutcomes>& buckets) {
    OutcomeMerge merge;
    for (const BucketOutcomes& bucket : buckets) merge.readers_.emplace_back(bucket.packed);
    for (std::size_t i = 0; i < merge.readers_.size(); ++i) LADE_TRY(merge.advance(i));
    return merge;
  }
  // False at the end.
  Result<bool> next(RowOutcome& row) {
    if (heads_.empty()) return false;
    const Head head = heads_.top();
    heads_.pop();
    row = head.row;
    LADE_TRY(advance(head.bucket));
    return true;
  }

 private:
  struct Head {
    RowOutcome row;
    std::size_t bucket;
    bool operator<(const Head& other) const { return row.row_id > other.row.row_id; }
  };
  Result<void> advance(std::size_t bucket) {
    RowOutcome row;
    LADE_ASSIGN(const bool more, readers_[bucket].next(row));
    if (more) heads_.push({row, bucket});
    return {};
  }

  std::vector<OutcomeReader> readers_;
  std::priority_queue<Head> heads_;  // smallest row first
};

// The ids of rows with errors, one after another.
class FailedRows {
 public:
  FailedRows(db::Connection& connection, std::int64_t job) : connection_(connection), job_(job) {}
  // 0 at the end.
  Result<std::int64_t> next() {
    if (at_ == page_.size()) {
      const Value values[] = {job_, last_, kPageRows};
      LADE_ASSIGN(page_, connection_.query("SELECT DISTINCT row_id FROM lade_issue WHERE job_id = $1 AND row_id > $2 "
                                           "AND severity = 'error' ORDER BY row_id LIMIT $3",
                                           values));
      at_ = 0;
      if (page_.empty()) return 0;
    }
    last_ = integer_of(page_[at_++][0]);
    return last_;
  }

 private:
  db::Connection& connection_;
  std::int64_t job_;
  std::int64_t last_ = 0;
  std::vector<db::Row> page_;
  std::size_t at_ = 0;
};

// How many rows the filter still lets through.
class Allowance {
 public:
  explicit Allowance(const RowFilter& filter)
      : left_(filter.limit == 0 ? std::numeric_limits<std::int64_t>::max() : filter.limit) {}
  std::int64_t left() const { return left_; }
  void use(std::int64_t rows = 1) { left_ -= rows; }

 private:
  std::int64_t left_;
};

Result<void> list_failed(db::Connection& connection, const JobRecord& job, const RowFilter& filter,
                         const std::function<void(const ListedRow&)>& take) {
  Allowance allowance(filter);
  std::int64_t last = filter.after;
  while (allowance.left() > 0) {
    const std::int64_t page = std::min(allowance.left(), kPageRows);
    const Value values[] = {job.id, last, page};
    LADE_ASSIGN(const auto rows,
                connection.query("SELECT row_id, line, code, column_name, value, message, hint FROM lade_issue "
                                 "WHERE job_id = $1 AND severity = 'error' AND row_id IN (SELECT DISTINCT row_id FROM "
                                 "lade_issue WHERE job_id = $1 AND row_id > $2 AND severity = 'error' "
                                 "ORDER BY row_id LIMIT $3) ORDER BY row_id, code, column_name",
                                 values));
    if (rows.empty()) return {};
    for (const db::Row& row : rows)
      take({integer_of(row[0]),
            integer_of(row[1]),
            {model::Severity::error, text_of(row[2]), text_of(row[3]), text_of(row[4]), text_of(row[5]),
             text_of(row[6])}});
    last = integer_of(rows.back()[0]);
    allowance.use(page);
  }
  return {};
}

Result<void> list_by_outcome(const std::vector<BucketOutcomes>& buckets, const RowFilter& filter,
                             const std::function<void(const ListedRow&)>& take) {
  Allowance allowance(filter);
  LADE_ASSIGN(OutcomeMerge merge, OutcomeMerge::of(buckets));
  RowOutcome row;
  while (allowance.left() > 0) {
    LADE_ASSIGN(const bool more, merge.next(row));
    if (!more) return {};
    if (row.outcome != filter.outcome || row.row_id <= filter.after) continue;
    model::Issue issue;
    issue.code = row.code;
    take({row.row_id, 0, std::move(issue)});
    allowance.use();
  }
  return {};
}

// Rows of which nothing else is known.
Result<void> list_unprocessed(db::Connection& connection, const JobRecord& job,
                              const std::vector<BucketOutcomes>& buckets, const RowFilter& filter,
                              const std::function<void(const ListedRow&)>& take) {
  Allowance allowance(filter);
  LADE_ASSIGN(OutcomeMerge merge, OutcomeMerge::of(buckets));
  FailedRows failed_rows(connection, job.id);
  LADE_ASSIGN(std::int64_t failed, failed_rows.next());
  RowOutcome known;
  LADE_ASSIGN(bool more, merge.next(known));
  for (std::int64_t row = 1; row <= job.rows_total.value_or(0) && allowance.left() > 0; ++row) {
    bool unprocessed = true;
    while (failed != 0 && failed <= row) {
      if (failed == row) unprocessed = false;
      LADE_ASSIGN(failed, failed_rows.next());
    }
    while (more && known.row_id <= row) {
      if (known.row_id == row && known.outcome != Outcome::unprocessed) unprocessed = false;
      LADE_ASSIGN(more, merge.next(known));
    }
    if (!unprocessed || row <= filter.after) continue;
    take({row, 0, {}});
    allowance.use();
  }
  return {};
}

// Whether the counts speak of rows that only stored outcomes can name.
bool needs_outcomes(const model::RowCounts& rows, Outcome outcome) {
  if (outcome != Outcome::unprocessed) return rows[outcome] > 0;
  return rows[Outcome::inserted] + rows[Outcome::updated] + rows[Outcome::unchanged] + rows[Outcome::skipped] > 0;
}

}  // namespace

Result<void> list_rows(db::Connection& connection, const JobRecord& job, const RowFilter& filter,
                       const std::function<void(const ListedRow&)>& take) {
  if (filter.outcome == Outcome::failed) return list_failed(connection, job, filter, take);
  LADE_ASSIGN(const auto buckets, outcomes_of(connection, job.id, 0, std::numeric_limits<std::int32_t>::max()));
  if (buckets.empty() && needs_outcomes(job.rows, filter.outcome))
    return fail(
        "outcomes_not_kept",
        fmt::format("job {} kept counts, but not which of its rows were {}", job.slug, to_string(filter.outcome)),
        "failed rows are always kept: ask for --state failed", ErrorKind::invalid);
  if (filter.outcome == Outcome::unprocessed) return list_unprocessed(connection, job, buckets, filter, take);
  return list_by_outcome(buckets, filter, take);
}

}  // namespace lade::store
