#include "load/undo.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace lade::load {
namespace {

// What is held in memory and written at once.
constexpr std::size_t kRowsAtOnce = 20'000;

Error stopped() {
  return {"cancelled", "the undo was cancelled", "", ErrorKind::cancelled};
}

}  // namespace

// Newer blocks are played back before older ones, so a row that was written several times goes back through all its
// states. Where blocks do not tell the order (tables written side by side, rows that wait for others), a row that does
// not fit yet is tried again as long as others could be taken back.
Result<UndoResult> Undoer::undo(const Bucket& bucket, const std::stop_token& stop) {
  UndoResult result;
  Numbers remaining;
  Bucket now = bucket;
  with_deleted_.clear();
  for (std::size_t before = 0;;) {
    result.left.clear();
    LADE_TRY(run(now, Phase::take_back, stop, result));
    if (!with_deleted_.empty()) LADE_TRY(run(now, Phase::put_back, stop, result));
    const bool moved = result.done.size() > before;
    before = result.done.size();
    if (result.left.empty() || !moved || !bucket.journal) break;
    remaining.clear();
    for (const auto& [number, row] : result.left) remaining.insert(number);
    now.only = &remaining;
  }
  LADE_TRY(finish_journal());
  return result;
}

// Rows are removed and restored in the order opposite to loading and put back in the order of loading, so that what
// others refer to is there.
Result<void> Undoer::run(const Bucket& bucket, Phase phase, const std::stop_token& stop, UndoResult& result) {
  std::vector<const JournalPlace*> blocks;
  for (const JournalPlace& place : bucket.blocks) {
    const auto last = place.first + static_cast<std::uint32_t>(place.rows);
    const bool concerned = bucket.only == nullptr || (bucket.only->lower_bound(place.first) != bucket.only->end() &&
                                                      *bucket.only->lower_bound(place.first) < last);
    if (concerned && (phase == Phase::take_back || with_deleted_.contains(place.table))) blocks.push_back(&place);
  }
  const auto order = [&](const JournalPlace* place) {
    const auto found = std::ranges::find(tables_, place->table, &db::Table::quoted);
    return std::pair(phase == Phase::put_back ? found - tables_.begin() : tables_.end() - found, -place->block);
  };
  std::ranges::stable_sort(blocks, {}, order);
  for (const JournalPlace* place : blocks) {
    if (stop.stop_requested()) return fail(stopped());
    LADE_TRY(run_block(bucket, *place, phase, result));
  }
  return {};
}

Result<UndoTable*> Undoer::table_for(const JournalPlace& place, const JournalReader& reader,
                                     const JournalSink& journal) {
  const auto table = std::ranges::find(tables_, place.table, &db::Table::quoted);
  if (table == tables_.end())
    return fail("cannot_undo", fmt::format("table {} is not there any more", place.table),
                "the rows went with it; correct the other tables by hand", ErrorKind::invalid);
  const std::string shape =
      fmt::format("{}\n{}\n{}", place.table, fmt::join(reader.key_columns(), "\n"), fmt::join(reader.columns(), "\n"));
  std::unique_ptr<UndoTable>& found = undo_tables_[shape];
  if (!found) {
    LADE_ASSIGN(found, UndoTable::make(connection_, *table, reader.key_columns(), reader.columns()));
  }
  if (journal && journalling_.insert(found.get()).second) found->journal_to(journal);
  return found.get();
}

Result<void> Undoer::finish_journal() {
  for (UndoTable* table : journalling_) LADE_TRY(table->finish_journal());
  journalling_.clear();
  return {};
}

Result<void> Undoer::run_block(const Bucket& bucket, const JournalPlace& place, Phase phase, UndoResult& result) {
  LADE_ASSIGN(const std::string packed, bucket.read(place));
  LADE_ASSIGN(JournalReader reader, JournalReader::open(packed));
  LADE_ASSIGN(UndoTable* const table, table_for(place, reader, bucket.journal));
  analysis::TextArena arena;
  std::vector<UndoRow> entries;
  for (std::uint32_t number = place.first;; ++number) {
    JournalEntry entry;
    LADE_ASSIGN(const bool more, reader.next(entry));
    if (!more) break;
    if (bucket.only != nullptr && !bucket.only->contains(number)) continue;
    entries.push_back({.key = arena.keep(entry.key),
                       .before = entry.before,
                       .after = entry.after,
                       .number = number,
                       .row_id = entry.row_id,
                       .line = entry.line});
    if (entries.back().was_deleted()) with_deleted_.insert(place.table);
  }
  for (std::size_t end = entries.size(); end > 0;) {
    const std::size_t begin = end - std::min(end, kRowsAtOnce);
    std::vector<UndoRow> rows = merged(std::span(entries).subspan(begin, end - begin), phase);
    LADE_TRY(run_rows(*table, place, rows, static_cast<bool>(bucket.journal), result));
    end = begin;
  }
  return {};
}

// Each row once: with its oldest image and its newest fingerprint.
std::vector<UndoRow> Undoer::merged(std::span<const UndoRow> entries, Phase phase) const {
  std::vector<UndoRow> rows;
  std::unordered_map<std::string_view, std::size_t> by_key;
  for (const UndoRow& entry : entries) {
    const auto [found, is_new] = by_key.emplace(entry.key, rows.size());
    if (is_new) {
      rows.push_back(entry);
      continue;
    }
    const UndoRow older = std::exchange(rows[found->second], entry);
    rows[found->second].before = older.before;
    rows[found->second].older = older.older;
    rows[found->second].older.push_back(older.number);
  }
  std::erase_if(rows, [&](const UndoRow& row) { return row.was_deleted() != (phase == Phase::put_back); });
  return rows;
}

Result<void> Undoer::run_rows(UndoTable& table, const JournalPlace& place, std::span<UndoRow> rows, bool writes,
                              UndoResult& result) {
  if (rows.empty()) return {};
  LADE_TRY(table.decide(rows, writes));
  if (writes) LADE_TRY(table.write(rows));
  for (const UndoRow& row : rows) {
    if (row.action != UndoAction::leave) {
      result.done.emplace_back(row.number, row.action);
      for (const std::uint32_t number : row.older) result.done.emplace_back(number, UndoAction::nothing);
      continue;
    }
    LeftRow left = left_row(table, place, row);
    result.left.insert_or_assign(row.number, left);
    left.repeated = true;
    for (const std::uint32_t number : row.older) result.left.insert_or_assign(number, left);
  }
  return {};
}

LeftRow Undoer::left_row(const UndoTable& table, const JournalPlace& place, const UndoRow& row) const {
  LeftRow left{.row_id = row.row_id, .line = row.line, .refused = row.refused, .issue = row.issue};
  const std::string& name = std::ranges::find(tables_, place.table, &db::Table::quoted)->name;
  left.issue.column = name;
  if (shows_keys_) left.issue.value = table.key_text(row.key);
  const std::string origin = row.row_id == 0 ? "" : fmt::format(" (row {} of the file)", row.row_id);
  left.issue.message = fmt::format("a row of {}{} {}", name, origin, row.issue.message);
  return left;
}

}  // namespace lade::load
