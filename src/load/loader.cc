#include "load/loader.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace lade::load {
namespace {

using model::Outcome;

constexpr int kMaxComparisons = 3;

Outcome outcome_of(Action action) {
  switch (action) {
    case Action::insert: return Outcome::inserted;
    case Action::update: return Outcome::updated;
    case Action::unchanged: return Outcome::unchanged;
    case Action::skip_exists:
    case Action::skip_no_target:
    case Action::skip_superseded: return Outcome::skipped;
  }
  return Outcome::failed;
}

model::Issue why_skipped(Action action) {
  model::Issue issue;
  issue.severity = model::Severity::warning;
  if (action == Action::skip_superseded) {
    issue.code = "superseded";
    issue.message = "a later import has written the stored row";
  } else {
    const bool exists = action == Action::skip_exists;
    issue.code = exists ? "exists" : "no_target";
    issue.message = exists ? "a row with this key is stored already" : "no stored row has this key";
  }
  return issue;
}

std::string_view refusal_code(std::string_view sqlstate) {
  if (sqlstate == "23505" || sqlstate == "23P01") return "unique_violation";
  if (sqlstate == "23503") return "foreign_key_violation";
  if (sqlstate == "23502") return "not_null_violation";
  if (sqlstate == "23514") return "check_violation";
  return "database_refused";
}

// The end of the group of rows that belong to one root entity.
std::size_t group_end(const Slice& slice, std::size_t at, std::size_t end) {
  const std::string_view root = slice.rows[at].root();
  while (at < end && slice.rows[at].root() == root) ++at;
  return at;
}

}  // namespace

bool is_data_refusal(const db::Diagnosis& diagnosis) {
  const std::string_view state(diagnosis.sqlstate);
  for (const std::string_view group : {"22", "23", "44", "54", "P0"})
    if (state.starts_with(group)) return true;
  return false;
}

bool is_transient(const db::Diagnosis& diagnosis) {
  const std::string_view state(diagnosis.sqlstate);
  for (const std::string_view group : {"40", "53", "55", "57", "08", "25P03"})
    if (state.starts_with(group)) return true;
  return false;
}

Loader::Loader(const analysis::Program& program, db::Connection& connection, db::Connection* reader)
    : program_(program), connection_(connection), has_reader_(reader != nullptr) {
  for (std::size_t i = 0; i < program.entries.size(); ++i) {
    entries_.push_back(std::make_unique<EntryLoad>(program, i, connection, reader));
    views_.push_back(entries_.back().get());
  }
}

Result<void> Loader::prepare() {
  for (auto& entry : entries_) {
    LADE_TRY(entry->prepare());
    for (const auto& other : entries_) {
      LADE_ASSIGN(const bool refers, entry->refers_to(*other));
      has_own_parents_ = has_own_parents_ || refers;
    }
  }
  if (has_reader_) {
    LADE_ASSIGN(version_, data_version());
  }
  return {};
}

// Assembles and compares one entry. False when rows were found that cannot be loaded and the range must start again.
Result<bool> Loader::decide(Slice& slice, std::size_t begin, std::size_t end, std::size_t index, bool by_reader) {
  EntryLoad& entry = *entries_[index];
  bool refused = false;
  do {
    LADE_TRY(entry.assemble(slice, begin, end, std::span(views_).first(index)));
    LADE_TRY(entry.compare(by_reader));
    if (later_ && entry.program().by_key()) LADE_TRY(entry.give_way(later_));
    LADE_TRY(entry.complete_new_rows());
    refused = false;
    for (const EntryRow& row : entry.rows()) {
      if (row.action != Action::insert) continue;
      const db::Column* column = entry.forbidden_null(row);
      if (column == nullptr) continue;
      model::Issue issue;
      issue.code = "not_null";
      issue.column = column->name;
      issue.message = fmt::format("a new row of {} needs a value in '{}'", entry.program().table.name, column->name);
      issue.hint = "fill in the cell";
      slice.rows[row.row].outcome = Outcome::failed;
      refusals_.push_back({row.row, std::move(issue)});
      refused = true;
    }
    if (refused && index > 0) return false;
  } while (refused);
  return true;
}

Result<Loader::Attempt> Loader::attempt(Slice& slice, std::size_t begin, std::size_t end) {
  const auto refused = [this](Error error) -> Result<Attempt> {
    if (is_data_refusal(connection_.diagnosis())) return Attempt::refused;
    return fail(std::move(error));
  };
  const bool ahead = std::exchange(decided_ahead_, false);
  if (!ahead) drafted_.clear();
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    failed_entry_ = i;
    auto decided = ahead ? true : decide(slice, begin, end, i);
    if (!decided) return refused(std::move(decided).error());  // a key that not even a temporary table takes
    if (!*decided) return Attempt::again;
    auto written = entries_[i]->write();
    if (!written) return refused(std::move(written).error());
    if (!*written) return Attempt::again;
  }
  if (auto checked = connection_.check_deferred(); !checked) return refused(std::move(checked).error());
  return Attempt::done;
}

Result<void> Loader::load_range(Slice& slice, std::size_t begin, std::size_t end) {
  for (int comparison = 0; comparison < kMaxComparisons + static_cast<int>(entries_.size()); ++comparison) {
    LADE_ASSIGN(db::Savepoint savepoint, db::Savepoint::begin(connection_));
    LADE_ASSIGN(const Attempt result, attempt(slice, begin, end));
    if (result == Attempt::done) {
      LADE_TRY(savepoint.release());
      LADE_TRY(journal());
      set_outcomes(slice, begin, end);
      return {};
    }
    const db::Diagnosis refusal = connection_.diagnosis();
    const std::size_t guilty = result == Attempt::refused ? entries_[failed_entry_]->refused_row().value_or(end) : end;
    LADE_TRY(savepoint.rollback());
    if (result == Attempt::again) continue;
    if (end - begin == 1) return refuse(slice, begin, refusal);
    return guilty < end ? load_around(slice, begin, end, guilty) : halve(slice, begin, end);
  }
  if (end - begin > 1) return halve(slice, begin, end);
  return refuse(slice, begin, {.sqlstate = {}, .message = "somebody else keeps changing the stored row"});
}

void Loader::journal_to(const JournalSink& sink) {
  sink_ = sink;
  journals_.clear();
  for (const auto& entry : entries_) {
    journals_.emplace_back();
    if (entry->program().by_key()) journals_.back().emplace(entry->program(), sink);
  }
}

Result<void> Loader::draft_journal() {
  const EntryLoad& entry = *entries_.front();
  drafted_.clear();
  if (!entry.program().by_key() || !entry.is_stored_as_written()) return {};
  JournalWriter writer(entry.program(), [this](const JournalBlock& block) -> Result<void> {
    drafted_.push_back(block);
    return {};
  });
  LADE_TRY(entries_.front()->journal(writer));
  return writer.finish();
}

Result<void> Loader::journal() {
  if (!sink_) return {};
  for (const JournalBlock& block : drafted_) LADE_TRY(sink_(block));
  if (!std::exchange(drafted_, {}).empty()) return {};
  for (std::size_t i = 0; i < journals_.size(); ++i)
    if (journals_[i]) LADE_TRY(entries_[i]->journal(*journals_[i]));
  return {};
}

Result<void> Loader::finish_journal() {
  for (auto& writer : journals_)
    if (writer) LADE_TRY(writer->finish());
  return {};
}

Result<void> Loader::refuse(Slice& slice, std::size_t row, const db::Diagnosis& refusal) {
  if (hold_orphans_ && has_own_parents_ && refusal.sqlstate == "23503") return {};
  model::Issue issue;
  issue.code = refusal.sqlstate.empty() ? "changed_meanwhile" : refusal_code(refusal.sqlstate);
  issue.column = refusal.column;
  const bool secret =
      std::any_of(program_.columns.begin(), program_.columns.end(), [](const auto& c) { return c.column.sensitive; });
  issue.message = refusal.message + (refusal.detail.empty() || secret ? "" : ": " + refusal.detail);
  issue.hint =
      refusal.constraint.empty() ? "correct the row" : fmt::format("see the constraint '{}'", refusal.constraint);
  slice.rows[row].outcome = Outcome::failed;
  refusals_.push_back({row, std::move(issue)});
  return {};
}

// The database named the guilty row: what stands around its entity is loaded at once, the entity apart.
Result<void> Loader::load_around(Slice& slice, std::size_t begin, std::size_t end, std::size_t guilty) {
  std::size_t first = guilty;
  const std::size_t last = group_end(slice, guilty, end);
  while (first > begin && slice.rows[first - 1].root() == slice.rows[guilty].root()) --first;
  if (first == begin && last == end) return halve(slice, begin, end);
  if (first > begin) LADE_TRY(load_range(slice, begin, first));
  LADE_TRY(load_range(slice, first, last));
  return last < end ? load_range(slice, last, end) : Result<void>();
}

// Parts the range between two entities; a single entity is taken apart row by row.
Result<void> Loader::halve(Slice& slice, std::size_t begin, std::size_t end) {
  std::size_t middle = begin + (end - begin) / 2;
  while (middle > begin && slice.rows[middle - 1].root() == slice.rows[middle].root()) --middle;
  if (middle == begin) middle = group_end(slice, begin, end);
  if (middle < end) {
    LADE_TRY(load_range(slice, begin, middle));
    return load_range(slice, middle, end);
  }
  for (std::size_t row = begin; row < end; ++row) LADE_TRY(load_range(slice, row, row + 1));
  return {};
}

void Loader::set_outcomes(Slice& slice, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) {
    Row& row = slice.rows[i];
    if (row.outcome == Outcome::failed) continue;
    row.outcome = Outcome::skipped;
    const EntryRow* reason = nullptr;
    for (const auto& entry : entries_) {
      const EntryRow* carrier = entry->row_of(i);
      if (carrier == nullptr) continue;
      const Outcome own = outcome_of(carrier->action);
      if (own == Outcome::skipped && reason == nullptr) reason = carrier;
      row.outcome = std::max(row.outcome, carrier->row == i || own == Outcome::skipped ? own : Outcome::unchanged);
    }
    if (row.outcome != Outcome::skipped || reason == nullptr) continue;
    skips_.push_back({i, why_skipped(reason->action)});
  }
}

Result<void> Loader::count(Slice& slice, staging::IssueWriter& issues, model::RowCounts& counts) {
  for (const Row& row : slice.rows)
    if (row.outcome != Outcome::unprocessed) ++counts[row.outcome];
  for (Refusal& refusal : refusals_)
    LADE_TRY(tell(issues, slice.rows[refusal.row].place, Outcome::failed, std::move(refusal.issue)));
  for (Refusal& skip : skips_)
    LADE_TRY(tell(issues, slice.rows[skip.row].place, Outcome::skipped, std::move(skip.issue)));
  refusals_.clear();
  skips_.clear();
  return {};
}

Result<std::int64_t> Loader::data_version() {
  LADE_ASSIGN(const auto rows, connection_.query("PRAGMA data_version"));
  return std::get<std::int64_t>(rows.front().front());
}

Result<void> Loader::decide_ahead(Slice& slice) {
  const auto& fields = program_.entries.front().fields;
  // Ids are drawn from what the writer sees, a second table's rows refer to the first one's, and only the writer asks
  // for the journal.
  const bool depends =
      entries_.size() > 1 || std::any_of(fields.begin(), fields.end(), [](const auto& field) { return field.drawn; });
  if (!has_reader_ || depends || later_ || slice.rows.empty()) return {};
  refusals_.clear();
  LADE_ASSIGN(decided_ahead_, decide(slice, 0, slice.rows.size(), 0, true));
  return draft_journal();
}

// Inside the transaction nobody else can write any more: decisions made ahead hold, or are forgotten.
Result<void> Loader::confirm_decisions(Slice& slice) {
  if (decided_ahead_) {
    LADE_ASSIGN(const std::int64_t version, data_version());
    if (std::exchange(version_, version) == version) return {};
    for (Row& row : slice.rows) row.outcome = Outcome::unprocessed;
  }
  decided_ahead_ = false;
  refusals_.clear();
  return {};
}

Result<void> Loader::load(Slice& slice, staging::IssueWriter& issues, model::RowCounts& counts) {
  skips_.clear();
  LADE_TRY(confirm_decisions(slice));
  if (!slice.rows.empty()) LADE_TRY(load_range(slice, 0, slice.rows.size()));
  return count(slice, issues, counts);
}

Result<void> Loader::rehearse(Slice& slice, staging::IssueWriter& issues, model::RowCounts& counts) {
  refusals_.clear();
  skips_.clear();
  for (std::size_t i = 0; i < entries_.size() && !slice.rows.empty();) {
    LADE_ASSIGN(const bool decided, decide(slice, 0, slice.rows.size(), i));
    i = decided ? i + 1 : 0;
  }
  set_outcomes(slice, 0, slice.rows.size());
  return count(slice, issues, counts);
}

}  // namespace lade::load
