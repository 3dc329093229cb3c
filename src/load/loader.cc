#include "load/loader.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "load/refusal_code.h"
#include "load/seen_check.h"
#include "load/temporal_load.h"
#include "load/tuple_fields.h"

namespace lade::load {
namespace {

using model::Outcome;

constexpr int kMaxComparisons = 3;

Outcome outcome_of(Action action) {
  switch (action) {
    case Action::insert: return Outcome::inserted;
    case Action::update: return Outcome::updated;
    case Action::remove: return Outcome::deleted;
    case Action::unchanged: return Outcome::unchanged;
    case Action::skip_exists:
    case Action::skip_no_target:
    case Action::skip_superseded:
    case Action::skip_eclipsed: return Outcome::skipped;
  }
  return Outcome::failed;
}

model::Issue why_skipped(Action action) {
  model::Issue issue;
  issue.severity = model::Severity::warning;
  if (action == Action::skip_superseded) {
    issue.code = "superseded";
    issue.message = "a later import has written the stored row";
  } else if (action == Action::skip_eclipsed) {
    issue.code = "eclipsed";
    issue.message = "later rows of the file say something else for the whole of its period";
  } else {
    const bool exists = action == Action::skip_exists;
    issue.code = exists ? "exists" : "no_target";
    issue.message = exists ? "a row with this key is stored already" : "no stored row has this key";
  }
  return issue;
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
    : program_(program),
      connection_(connection),
      has_reader_(reader != nullptr),
      root_(program.root()),
      has_timelines_(program.entries[root_].period.has_value()),
      founds_(has_timelines_ && (program.entity_slot >= 0 || !program.step_names_entities)) {
  for (std::size_t i = 0; i < program.entries.size(); ++i) {
    if (program.entries[i].period) {
      entries_.push_back(std::make_unique<TemporalLoad>(program, i, connection));
    } else {
      auto entry = std::make_unique<EntryLoad>(program, i, connection, reader);
      if (program.entries.size() == 1) single_ = entry.get();
      entries_.push_back(std::move(entry));
    }
    views_.push_back(entries_.back().get());
    watched_.push_back(is_watched(program, i));
  }
}

Result<void> Loader::prepare() {
  for (auto& entry : entries_) {
    LADE_TRY(entry->prepare());
    for (const auto& other : entries_) {
      LADE_ASSIGN(const bool refers, entry->refers_to(other->program().table));
      has_own_parents_ = has_own_parents_ || refers;
    }
  }
  if (has_reader_) {
    LADE_ASSIGN(version_, data_version());
  }
  return {};
}

// Compares one entry. False when rows were found that cannot be loaded and the range must start again.
Result<bool> Loader::decide(Slice& slice, std::size_t begin, std::size_t end, std::size_t index, bool by_reader) {
  for (;;) {
    std::vector<Refusal> refused;
    LADE_TRY(entries_[index]->decide(
        {slice, begin, end, std::span(views_).first(index), later_, by_reader, !rehearsing_}, refused));
    if (refused.empty()) return recognise(slice, begin, end, index);
    failed_entry_ = index;
    add_refusals(slice, std::move(refused));
    if (index > 0) return false;
  }
}

// Gives the row the id of its entity, wherever its tuple has that.
void Loader::make_known(Slice& slice, std::size_t row, db::WireField id) {
  const int column = program_.slots[static_cast<std::size_t>(program_.entity_slot)].column;
  std::string tuple(slice.rows[row].tuple);
  for (std::size_t slot = 0; slot < program_.slots.size(); ++slot)
    if (program_.slots[slot].column == column) tuple = with_field(tuple, static_cast<int>(slot), id);
  slice.replace_tuple(slice.rows[row], slice.keep(tuple));
}

// An entity that was new when its rows were analysed may be stored by now: what identifies it is. False when rows have
// found out so, and the range must start again.
Result<bool> Loader::recognise(Slice& slice, std::size_t begin, std::size_t end, std::size_t index) {
  const int field = program_.entries[index].identifies;
  if (field < 0 || program_.entity_slot < 0) return true;
  bool same = true;
  std::vector<Refusal> refused;
  for (std::size_t row = begin; row < end; ++row) {
    const auto action = entries_[index]->action_of(row);
    if (!action || action->action != Action::skip_exists || slice.rows[row].outcome != Outcome::unprocessed) continue;
    const auto stored = entries_[index]->field_of(row, static_cast<std::size_t>(field));
    const db::WireField own = field_at(slice.rows[row].tuple, program_.entity_slot);
    if (!stored || stored->length < 0 || (own.length >= 0 && own.bytes() != stored->bytes())) {
      model::Issue issue;
      issue.code = "identifier_taken";
      issue.message = "another unit has got the identifier meanwhile";
      issue.hint = "import the row again";
      refused.push_back({row, std::move(issue)});
    } else if (own.length < 0) {
      make_known(slice, row, *stored);
      same = false;
    }
  }
  if (refused.empty()) return same;
  add_refusals(slice, std::move(refused));
  return false;
}

void Loader::add_refusals(Slice& slice, std::vector<Refusal> refused) {
  // A row that could have been loaded when it was reviewed cannot be any more: what is stored has changed.
  for (Refusal& refusal : refused)
    if (checks_seen() && refusal.issue.code != "changed_since_review" && expected_->find(row_id(slice, refusal.row)))
      refusal.issue = changed_issue(refusal.row, failed_entry_, "has changed");
  for (const Refusal& refusal : refused) slice.rows[refusal.row].outcome = Outcome::failed;
  for (Refusal& refusal : refused) {
    if (founds_ && is_new_entity(slice, refusal.row)) skip_siblings(slice, refusal.row);
    refusals_.push_back(std::move(refusal));
  }
}

// Whether the root has no timeline yet for the row's entity, as far as that is known.
bool Loader::is_new_entity(const Slice& slice, std::size_t row) const {
  if (program_.entity_slot < 0) return failed_entry_ >= root_ && entries_[root_]->is_new(row);
  return field_at(slice.rows[row].tuple, program_.entity_slot).length < 0;
}

// An entity that is not there yet comes whole or not at all.
void Loader::skip_siblings(Slice& slice, std::size_t guilty) {
  const std::string_view root = slice.rows[guilty].root();
  const auto skip = [&](std::size_t row) {
    if (slice.rows[row].outcome != Outcome::unprocessed) return;
    slice.rows[row].outcome = Outcome::skipped;
    skips_.push_back({row, sibling_failed(slice.rows[guilty].place.row_id)});
  };
  for (std::size_t row = guilty; row > 0 && slice.rows[row - 1].root() == root; --row) skip(row - 1);
  for (std::size_t row = guilty + 1; row < slice.rows.size() && slice.rows[row].root() == root; ++row) skip(row);
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
    if (i + 1 == entries_.size() && refuse_changed(slice, begin, end)) return Attempt::again;
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
    if (group_end(slice, begin, end) == end) {
      LADE_ASSIGN(const bool as_seen, is_as_seen(slice, begin, end));
      if (!as_seen) continue;
    }
    if (end - begin == 1) return refuse(slice, begin, refusal);
    if (group_end(slice, begin, end) == end) return load_entity(slice, begin, end, refusal);
    return guilty < end ? load_around(slice, begin, end, guilty) : halve(slice, begin, end);
  }
  const db::Diagnosis changed{.sqlstate = {}, .message = "somebody else keeps changing the stored row"};
  if (group_end(slice, begin, end) < end) return halve(slice, begin, end);
  return end - begin > 1 ? load_entity(slice, begin, end, changed) : refuse(slice, begin, changed);
}

void Loader::journal_to(const JournalSink& sink) {
  sink_ = sink;
  for (const auto& entry : entries_) entry->journal_to(sink);
}

void Loader::use_versions(std::optional<std::int64_t> active, std::optional<std::int64_t> building) {
  for (const auto& entry : entries_) entry->use_versions(active, building);
}

Result<void> Loader::draft_journal() {
  drafted_.clear();
  if (!single_->can_draft_journal()) return {};
  JournalWriter writer(single_->program(), [this](const JournalBlock& block) -> Result<void> {
    drafted_.push_back(block);
    return {};
  });
  LADE_TRY(single_->journal(writer));
  return writer.finish();
}

Result<void> Loader::journal() {
  if (!sink_) return {};
  for (const JournalBlock& block : drafted_) LADE_TRY(sink_(block));
  if (!std::exchange(drafted_, {}).empty()) return {};
  for (const auto& entry : entries_) LADE_TRY(entry->journal());
  return {};
}

Result<void> Loader::finish_journal() {
  for (const auto& entry : entries_) LADE_TRY(entry->finish_journal());
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
  if (first > begin) LADE_TRY(load_range(slice, begin, first));
  LADE_TRY(load_range(slice, first, last));
  return last < end ? load_range(slice, last, end) : Result<void>();
}

// Parts the range between two entities.
Result<void> Loader::halve(Slice& slice, std::size_t begin, std::size_t end) {
  std::size_t middle = begin + (end - begin) / 2;
  while (middle > begin && slice.rows[middle - 1].root() == slice.rows[middle].root()) --middle;
  if (middle == begin) middle = group_end(slice, begin, end);
  LADE_TRY(load_range(slice, begin, middle));
  return load_range(slice, middle, end);
}

// The rows of one entity, which were refused together, one by one in the order of the file.
Result<void> Loader::load_entity(Slice& slice, std::size_t begin, std::size_t end, const db::Diagnosis& refusal) {
  const bool nested = std::exchange(in_entity_, true);
  auto loaded = load_one_by_one(slice, begin, end, refusal);
  in_entity_ = nested;
  return loaded;
}

Result<void> Loader::load_one_by_one(Slice& slice, std::size_t begin, std::size_t end, const db::Diagnosis& refusal) {
  if (founds_ && is_new_entity(slice, begin)) return find_guilty(slice, begin, end, refusal);
  std::vector<std::size_t> rows(end - begin);
  std::iota(rows.begin(), rows.end(), begin);
  if (has_timelines_) std::ranges::sort(rows, {}, [&](std::size_t row) { return slice.rows[row].place.row_id; });
  for (const std::size_t row : rows) LADE_TRY(load_range(slice, row, row + 1));
  return {};
}

// Tries each row of a new entity alone. Those that are refused fail and the others are skipped; when only all of them
// together are refused, all fail.
Result<void> Loader::find_guilty(Slice& slice, std::size_t begin, std::size_t end, const db::Diagnosis& refusal) {
  std::vector<std::pair<std::size_t, db::Diagnosis>> guilty;
  for (std::size_t row = begin; row < end; ++row) {
    if (slice.rows[row].outcome != Outcome::unprocessed) continue;
    LADE_ASSIGN(db::Savepoint savepoint, db::Savepoint::begin(connection_));
    LADE_ASSIGN(const Attempt result, attempt(slice, row, row + 1));
    if (result == Attempt::refused) guilty.emplace_back(row, connection_.diagnosis());
    LADE_TRY(savepoint.rollback());
  }
  for (const auto& [row, diagnosis] : guilty) LADE_TRY(refuse(slice, row, diagnosis));
  if (!guilty.empty()) {
    const std::size_t first = guilty.front().first;
    if (slice.rows[first].outcome == Outcome::failed) skip_siblings(slice, first);  // otherwise all are held
    return {};
  }
  for (std::size_t row = begin; row < end; ++row)
    if (slice.rows[row].outcome == Outcome::unprocessed) LADE_TRY(refuse(slice, row, refusal));
  return {};
}

// What the strongest of its tables says. With timelines only the root founds something; elsewhere rows are changes.
void Loader::set_outcome(Slice& slice, std::size_t index) {
  Row& row = slice.rows[index];
  row.outcome = Outcome::skipped;
  std::optional<Action> reason;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const auto done = entries_[i]->action_of(index);
    if (!done) continue;
    Outcome own = outcome_of(done->action);
    if (own == Outcome::skipped && !reason) reason = done->action;
    if (!done->own && own != Outcome::skipped) own = Outcome::unchanged;
    if (has_timelines_ && (i != root_ || !founds_)) own = std::min(own, Outcome::updated);
    row.outcome = std::max(row.outcome, own);
  }
  if (row.outcome == Outcome::skipped && reason) skips_.push_back({index, why_skipped(*reason)});
}

void Loader::set_outcomes(Slice& slice, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i)
    if (slice.rows[i].outcome == Outcome::unprocessed) set_outcome(slice, i);
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
      single_ == nullptr || std::any_of(fields.begin(), fields.end(), [](const auto& field) { return field.drawn; });
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
  rehearsing_ = false;
  LADE_TRY(confirm_decisions(slice));
  if (!slice.rows.empty()) LADE_TRY(load_range(slice, 0, slice.rows.size()));
  return count(slice, issues, counts);
}

Result<void> Loader::rehearse(Slice& slice, staging::IssueWriter& issues, model::RowCounts& counts,
                              const Rehearsed& told) {
  rehearsing_ = true;
  refusals_.clear();
  skips_.clear();
  for (std::size_t i = 0; i < entries_.size() && !slice.rows.empty();) {
    LADE_ASSIGN(const bool decided, decide(slice, 0, slice.rows.size(), i));
    i = decided ? i + 1 : 0;
  }
  set_outcomes(slice, 0, slice.rows.size());
  LADE_TRY(tell_rehearsed(slice, told));
  return count(slice, issues, counts);
}

}  // namespace lade::load
