#include "store/row_list.h"

#include <fmt/format.h>

#include <limits>
#include <map>
#include <optional>
#include <queue>
#include <span>
#include <vector>

#include "store/outcome_blob.h"
#include "store/outcomes.h"
#include "store/sql.h"

namespace lade::store {
namespace {

using db::Value;
using model::Outcome;
using model::RowState;

constexpr std::int64_t kPageRows = 1000;

// What is stored of a row.
struct KnownRow {
  RowOutcome row;
  bool settled = false;  // only that: it is not loaded yet
};

// The outcomes of all buckets in the order of rows. Each bucket has its own in that order.
class KnownRows {
 public:
  // `buckets` outlives it.
  static Result<KnownRows> of(const std::vector<BucketOutcomes>& buckets) {
    KnownRows merge(buckets);
    for (const BucketOutcomes& bucket : buckets) merge.readers_.emplace_back(bucket.packed);
    for (std::size_t i = 0; i < merge.readers_.size(); ++i) LADE_TRY(merge.advance(i));
    return merge;
  }
  // False at the end.
  Result<bool> next(KnownRow& known) {
    if (heads_.empty()) return false;
    const Head head = heads_.top();
    heads_.pop();
    const BucketOutcomes& bucket = buckets_[head.bucket];
    known = {head.row, bucket.settled || (bucket.partial && head.row.outcome == Outcome::unprocessed)};
    LADE_TRY(advance(head.bucket));
    return true;
  }
  // Passes over all rows before this one; nullopt when nothing is stored of it.
  Result<std::optional<KnownRow>> find(std::int64_t row) {
    KnownRow known;
    while (!heads_.empty() && heads_.top().row.row_id <= row) {
      LADE_TRY(next(known));
      if (known.row.row_id == row) return known;
    }
    return std::nullopt;
  }

 private:
  struct Head {
    RowOutcome row;
    std::size_t bucket;
    bool operator<(const Head& other) const { return row.row_id > other.row.row_id; }
  };
  explicit KnownRows(std::span<const BucketOutcomes> buckets) : buckets_(buckets) {}
  Result<void> advance(std::size_t bucket) {
    RowOutcome row;
    LADE_ASSIGN(const bool more, readers_[bucket].next(row));
    if (more) heads_.push({row, bucket});
    return {};
  }

  std::span<const BucketOutcomes> buckets_;
  std::vector<OutcomeReader> readers_;
  std::priority_queue<Head> heads_;  // smallest row first
};

// The ids of rows with errors, one after another.
class FailedRows {
 public:
  FailedRows(db::Connection& connection, std::int64_t job) : connection_(connection), job_(job) {}
  // Rows are asked for in ascending order.
  Result<bool> contains(std::int64_t row) {
    while (ahead_ < row) {
      LADE_ASSIGN(const std::int64_t found, next());
      ahead_ = found == 0 ? std::numeric_limits<std::int64_t>::max() : found;
    }
    return ahead_ == row;
  }

 private:
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

  db::Connection& connection_;
  std::int64_t job_;
  std::int64_t ahead_ = 0;  // the next failed row
  std::int64_t last_ = 0;
  std::vector<db::Row> page_;
  std::size_t at_ = 0;
};

// Which issues a filter wants, as a condition on lade_issue; its parameters are $2 and $3, which are always there.
std::string issue_condition(const db::Connection& connection) {
  // A finding about several columns names them all, with commas between.
  const bool sqlite = connection.backend() == db::Backend::sqlite;
  return fmt::format("($2 = '' OR code = $2) AND ($3 = '' OR {}(', ' || column_name || ', ', ', ' || $3 || ', ') > 0)",
                     sqlite ? "instr" : "strpos");
}

// The first warning of each row that the filter wants.
using Warnings = std::map<std::int64_t, model::Issue>;
Result<Warnings> wanted_warnings(db::Connection& connection, std::int64_t job, const RowFilter& filter) {
  Warnings warnings;
  const auto* outcome = std::get_if<Outcome>(&filter.wanted);
  if (!filter.by_issue() && (outcome == nullptr || *outcome != Outcome::skipped)) return warnings;
  const Value values[] = {job, filter.code, filter.column};
  LADE_ASSIGN(const auto rows,
              connection.query(fmt::format("SELECT row_id, code, column_name, value, message, hint FROM lade_issue "
                                           "WHERE job_id = $1 AND severity = 'warning' AND {} ORDER BY row_id, code, "
                                           "column_name",
                                           issue_condition(connection)),
                               values));
  for (const db::Row& row : rows)
    warnings.emplace(integer_of(row[0]), model::Issue{model::Severity::warning, text_of(row[1]), text_of(row[2]),
                                                      text_of(row[3]), text_of(row[4]), text_of(row[5])});
  return warnings;
}

// Takes the rows that a filter lets through, up to its limit.
class Taker {
 public:
  using Take = std::function<void(const ListedRow&)>;
  Taker(const JobRecord& job, const RowFilter& filter, const Take& take, Warnings warnings)
      : job_(job),
        filter_(filter),
        take_(take),
        warnings_(std::move(warnings)),
        left_(filter.limit == 0 ? std::numeric_limits<std::int64_t>::max() : filter.limit) {}

  std::int64_t left() const { return left_; }
  void use(std::int64_t rows) { left_ -= rows; }

  // Fills in how far the row has come.
  void judge(ListedRow& row, const std::optional<KnownRow>& known) const {
    const bool all_settled = job_.buckets > 0 && job_.buckets_settled >= job_.buckets;
    model::RowProgress progress{.settled = known && known->settled, .loaded = known && !known->settled};
    progress.analysed =
        progress.settled || progress.loaded || row.outcome == Outcome::failed || is_analysed(row.row_id);
    if (all_settled && progress.analysed && row.outcome != Outcome::failed) progress.settled = true;
    progress.outcome = row.outcome;
    row.state = model::row_state(job_.standing, progress);
    row.last_completed_priority = model::last_completed_priority(progress);
  }
  // Takes the row if it is wanted.
  void offer(ListedRow row, const std::optional<KnownRow>& known) {
    if (row.row_id <= filter_.after) return;
    judge(row, known);
    const auto* outcome = std::get_if<Outcome>(&filter_.wanted);
    if (outcome != nullptr ? row.outcome != *outcome : row.state != std::get<RowState>(filter_.wanted)) return;
    if (!has_wanted_issue(row) && filter_.by_issue()) return;
    take_(row);
    --left_;
  }
  // Takes the row whatever it is.
  void take(const ListedRow& row) const { take_(row); }

 private:
  // Why it was skipped, or a warning, which is then shown with it.
  bool has_wanted_issue(ListedRow& row) const {
    const auto warning = warnings_.find(row.row_id);
    if (warning == warnings_.end()) return filter_.column.empty() && row.issue.code == filter_.code;
    row.issue = warning->second;
    return true;
  }
  bool is_analysed(std::int64_t row) const {
    return filter_.is_analysed ? filter_.is_analysed(row) : job_.chunks > 0 && job_.chunks_done >= job_.chunks;
  }

  const JobRecord& job_;
  const RowFilter& filter_;
  const Take& take_;
  const Warnings warnings_;
  std::int64_t left_;
};

ListedRow failed_row_of(const db::Row& row) {
  ListedRow listed;
  listed.row_id = integer_of(row[0]);
  listed.line = integer_of(row[1]);
  listed.issue = {model::Severity::error, text_of(row[2]), text_of(row[3]),
                  text_of(row[4]),        text_of(row[5]), text_of(row[6])};
  listed.outcome = Outcome::failed;
  return listed;
}

Result<void> list_failed(db::Connection& connection, const JobRecord& job, KnownRows& rows_known,
                         const RowFilter& filter, Taker& taker) {
  std::int64_t last = filter.after;
  const std::string wanted = fmt::format("job_id = $1 AND severity = 'error' AND {}", issue_condition(connection));
  while (taker.left() > 0) {
    const std::int64_t page = std::min(taker.left(), kPageRows);
    const Value values[] = {job.id, filter.code, filter.column, last, page};
    LADE_ASSIGN(const auto rows,
                connection.query(fmt::format("SELECT row_id, line, code, column_name, value, message, hint FROM "
                                             "lade_issue WHERE {0} AND row_id IN (SELECT DISTINCT row_id FROM "
                                             "lade_issue WHERE {0} AND row_id > $4 ORDER BY row_id LIMIT $5) "
                                             "ORDER BY row_id, code, column_name",
                                             wanted),
                                 values));
    if (rows.empty()) return {};
    std::optional<KnownRow> known;
    for (const db::Row& row : rows) {
      ListedRow listed = failed_row_of(row);
      if (listed.row_id != last) {
        LADE_ASSIGN(known, rows_known.find(listed.row_id));
      }
      last = listed.row_id;
      taker.judge(listed, known);
      taker.take(listed);
    }
    taker.use(page);
  }
  return {};
}

// Rows whose outcome is stored.
Result<void> list_known(KnownRows& rows, Taker& taker) {
  KnownRow known;
  while (taker.left() > 0) {
    LADE_ASSIGN(const bool more, rows.next(known));
    if (!more) return {};
    ListedRow row;
    row.row_id = known.row.row_id;
    row.issue.code = known.row.code;
    row.outcome = known.row.outcome;
    taker.offer(std::move(row), known);
  }
  return {};
}

// Rows that are neither failed nor loaded.
Result<void> list_unprocessed(db::Connection& connection, const JobRecord& job, KnownRows& rows, Taker& taker) {
  FailedRows failed_rows(connection, job.id);
  for (std::int64_t id = 1; id <= job.rows_total.value_or(0) && taker.left() > 0; ++id) {
    LADE_ASSIGN(const std::optional<KnownRow> known, rows.find(id));
    LADE_ASSIGN(const bool is_failed, failed_rows.contains(id));
    if (is_failed || (known && known->row.outcome != Outcome::unprocessed)) continue;
    ListedRow row;
    row.row_id = id;
    taker.offer(std::move(row), known);
  }
  return {};
}

// Which way of listing finds all rows that are wanted.
enum class Way { failed, known, unprocessed };

Way way_to(const std::variant<Outcome, RowState>& wanted) {
  if (wanted == std::variant<Outcome, RowState>(Outcome::failed)) return Way::failed;
  if (const auto* outcome = std::get_if<Outcome>(&wanted))
    return *outcome == Outcome::unprocessed ? Way::unprocessed : Way::known;
  const RowState state = std::get<RowState>(wanted);
  if (state == RowState::error) return Way::failed;
  return state == RowState::processed ? Way::known : Way::unprocessed;
}

// Whether the counts speak of rows that only stored outcomes can name.
bool needs_outcomes(const model::RowCounts& rows, const std::variant<Outcome, RowState>& wanted) {
  const auto* outcome = std::get_if<Outcome>(&wanted);
  if (outcome != nullptr && *outcome != Outcome::unprocessed) return rows[*outcome] > 0;
  return rows.accounted() - rows[Outcome::failed] - rows[Outcome::unprocessed] > 0;
}

std::string_view name_of(const std::variant<Outcome, RowState>& wanted) {
  return std::visit([](auto word) { return model::to_string(word); }, wanted);
}

Result<std::vector<BucketOutcomes>> all_outcomes(db::Connection& connection, const JobRecord& job) {
  return outcomes_of(connection, job.id, 0, std::numeric_limits<std::int32_t>::max());
}

Error outcomes_not_kept(const JobRecord& job, std::string_view which) {
  return {"outcomes_not_kept", fmt::format("job {} kept counts, but not which of its rows were {}", job.slug, which),
          "failed rows are always kept: ask for --state failed", ErrorKind::invalid};
}

}  // namespace

std::vector<std::pair<std::string, WantedRows>> row_words() {
  using model::Outcome;
  std::vector<std::pair<std::string, WantedRows>> all;
  for (const Outcome outcome : {Outcome::failed, Outcome::inserted, Outcome::updated, Outcome::deleted,
                                Outcome::unchanged, Outcome::skipped, Outcome::unprocessed})
    all.emplace_back(model::to_string(outcome), outcome);
  for (std::size_t i = 0; i < model::kRowStates; ++i)
    all.emplace_back(model::to_string(static_cast<model::RowState>(i)), static_cast<model::RowState>(i));
  return all;
}

Result<void> list_rows(db::Connection& connection, const JobRecord& job, const RowFilter& filter,
                       const std::function<void(const ListedRow&)>& take) {
  LADE_ASSIGN(const auto buckets, all_outcomes(connection, job));
  LADE_ASSIGN(KnownRows rows, KnownRows::of(buckets));
  LADE_ASSIGN(Warnings warnings, wanted_warnings(connection, job.id, filter));
  Taker taker(job, filter, take, std::move(warnings));
  const Way way = way_to(filter.wanted);
  if (way == Way::failed) return list_failed(connection, job, rows, filter, taker);
  if (buckets.empty() && needs_outcomes(job.rows, filter.wanted))
    return fail(outcomes_not_kept(job, name_of(filter.wanted)));
  return way == Way::known ? list_known(rows, taker) : list_unprocessed(connection, job, rows, taker);
}

struct RowFates::State {
  JobRecord job;
  RowFilter filter;
  std::vector<BucketOutcomes> buckets;
  std::function<void(const ListedRow&)> take;
  std::optional<KnownRows> known;
  std::optional<FailedRows> failed;
  std::optional<Taker> judge;
};

RowFates::RowFates(std::unique_ptr<State> state) : state_(std::move(state)) {}
RowFates::RowFates(RowFates&&) noexcept = default;
RowFates::~RowFates() = default;

Result<RowFates> RowFates::of(db::Connection& connection, const JobRecord& job,
                              std::function<bool(std::int64_t row)> is_analysed) {
  auto state = std::make_unique<State>();
  state->job = job;
  state->filter.is_analysed = std::move(is_analysed);
  LADE_ASSIGN(state->buckets, all_outcomes(connection, job));
  if (state->buckets.empty() && needs_outcomes(job.rows, Outcome::unprocessed))
    return fail(outcomes_not_kept(job, "processed"));
  LADE_ASSIGN(state->known, KnownRows::of(state->buckets));
  state->failed.emplace(connection, job.id);
  state->judge.emplace(state->job, state->filter, state->take, Warnings());
  return RowFates(std::move(state));
}

Result<ListedRow> RowFates::next(std::int64_t row) {
  LADE_ASSIGN(const std::optional<KnownRow> known, state_->known->find(row));
  LADE_ASSIGN(const bool failed, state_->failed->contains(row));
  ListedRow listed;
  listed.row_id = row;
  if (known) {
    listed.outcome = known->row.outcome;
    listed.issue.code = known->row.code;
  }
  if (failed) listed.outcome = Outcome::failed;
  state_->judge->judge(listed, known);
  return listed;
}

}  // namespace lade::store
