// What a rehearsal tells, and whether it still holds when the rows are loaded.
#include "load/seen_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "load/loader.h"
#include "load/tuple_fields.h"

namespace lade::load {

using model::Outcome;

bool is_watched(const analysis::Program& program, std::size_t index) {
  const analysis::EntryProgram& entry = program.entries[index];
  const std::size_t root = program.root();
  if (!entry.by_key() || entry.identifies >= 0) return false;
  if (index == root || program.definition.partition != definition::Partition::single ||
      !program.definition.steps.empty())
    return true;
  const auto refers_to_root = [&](const analysis::KeyPart& part) {
    return entry.fields[static_cast<std::size_t>(part.field)].ref_entry == static_cast<int>(root);
  };
  const auto is_in_key = [&](const analysis::KeyPart& own) {
    return own.column >= 0 && std::ranges::find(entry.key, own.column, &analysis::KeyPart::column) != entry.key.end();
  };
  const std::vector<analysis::KeyPart>& root_key = program.entries[root].key;
  return std::ranges::any_of(entry.key, refers_to_root) ||
         (!root_key.empty() && std::ranges::all_of(root_key, is_in_key));
}

// Of the portion that was decided about last, which has so many rows.
std::vector<std::uint64_t> Loader::stored_fingerprints(std::size_t rows) const {
  std::vector<std::uint64_t> fingerprints(rows);
  for (std::size_t i = 0; i < entries_.size(); ++i)
    if (watched_[i]) entries_[i]->mix_stored(fingerprints);
  return fingerprints;
}

Result<void> Loader::tell_rehearsed(const Slice& slice, const Rehearsed& told) {
  if (slice.rows.empty()) return {};
  if (told.seen != nullptr) {
    const std::vector<std::uint64_t> fingerprints = stored_fingerprints(slice.rows.size());
    for (std::size_t row = 0; row < slice.rows.size(); ++row)
      if (slice.rows[row].outcome != Outcome::failed) told.seen->add(row_id(slice, row), fingerprints[row]);
  }
  if (told.diff == nullptr) return {};
  for (const TableLoad* entry : views_) LADE_TRY(entry->tell_changes(views_, *told.diff));
  return {};
}

model::Issue Loader::changed_issue(std::size_t row, std::size_t entry, std::string_view how) const {
  const analysis::EntryProgram& program = entries_[entry]->program();
  std::string key;
  analysis::TextArena arena;
  for (const analysis::KeyPart& part : program.key) {
    const auto at = static_cast<std::size_t>(part.field);
    const auto value = entries_[entry]->field_of(row, at);
    analysis::Cell cell;
    if (!value || value->length < 0 || DiffTable(program_, entry).is_sensitive(at) ||
        !analysis::decode_value(*value, program.fields[at].column.wire, part.type, arena, cell))
      continue;
    key += fmt::format("{}{} = {}", key.empty() ? "" : ", ", program.fields[at].column.name,
                       analysis::to_text(cell, part.type));
  }
  model::Issue issue;
  issue.code = "changed_since_review";
  issue.message = fmt::format("what {} has for {} {} since the import was reviewed", program.table.name,
                              key.empty() ? "this row" : key, how);
  issue.hint = "look at the row again and import it once more";
  return issue;
}

// Refuses the rows of a portion, decided about whole, for which something else is stored than was seen; true when there
// are any. Rows left to a later job are not written anyway.
bool Loader::refuse_changed(Slice& slice, std::size_t begin, std::size_t end) {
  if (!checks_seen()) return false;
  const std::vector<std::uint64_t> stored = stored_fingerprints(end - begin);
  std::vector<Refusal> refused;
  for (std::size_t row = begin; row < end; ++row) {
    if (slice.rows[row].outcome != Outcome::unprocessed) continue;
    const auto seen = expected_->find(row_id(slice, row));
    const std::uint64_t now = stored[row - begin];
    const auto action = entries_[root_]->action_of(row);
    if (seen == now || (action && action->action == Action::skip_superseded)) continue;
    const std::string_view how = !seen || (*seen != 0 && now != 0) ? "has changed"
                                 : now == 0                        ? "has vanished"
                                                                   : "has appeared";
    refused.push_back({row, changed_issue(row, root_, how)});
  }
  if (refused.empty()) return false;
  add_refusals(slice, std::move(refused));
  return true;
}

// The same for an entity that the database has refused, before its rows are tried one by one.
Result<bool> Loader::is_as_seen(Slice& slice, std::size_t begin, std::size_t end) {
  if (!checks_seen()) return true;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    failed_entry_ = i;
    LADE_ASSIGN(const bool decided, decide(slice, begin, end, i));
    if (!decided) return false;
  }
  return !refuse_changed(slice, begin, end);
}

}  // namespace lade::load
