#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/program.h"
#include "base/result.h"
#include "load/journal.h"
#include "load/slice.h"
#include "load/target.h"

namespace lade::load {

// What one load entry does with one row of its table.
enum class Action : std::uint8_t { insert, update, unchanged, skip_exists, skip_no_target, skip_superseded };

struct EntryRow {
  std::uint32_t row = 0;  // of the slice: the one whose values count
  Action action = Action::insert;
  std::string_view tuple;   // what is written, in the entry's column order
  std::string_view key;     // sorts and compares like the stored keys
  std::string_view stored;  // the stored row, when it is to be changed
  bool is_written() const { return action == Action::insert || action == Action::update; }
};

// The rows of one range of a slice for one target table: assembled, compared with what is stored, written.
class EntryLoad {
 public:
  // `reader`: another session, for comparing while this one writes; may be null.
  EntryLoad(const analysis::Program& program, std::size_t entry, db::Connection& connection, db::Connection* reader);
  Result<void> prepare();
  Result<bool> refers_to(const EntryLoad& other) { return target_.refers_to(other.entry_.table); }

  // Assembles the rows [begin, end) that have not failed; `earlier` are the entries before this one.
  Result<void> assemble(const Slice& slice, std::size_t begin, std::size_t end, std::span<EntryLoad* const> earlier);
  // Reads what is stored and decides. With partition hash or other orders the server matches the keys.
  Result<void> compare(bool by_reader);
  // Leaves rows alone that a later job has written.
  Result<void> give_way(const LaterBlocks& later);
  // Gives new rows their drawn ids, and NULL where there is no stored value to keep: from now on tuples are what will
  // be written. Must be called before later entries assemble.
  Result<void> complete_new_rows();
  // Writes new and changed rows. False: a row was changed or taken by somebody else meanwhile, compare again.
  Result<bool> write();
  // Tells the journal what was written, as it is stored now; or, before that, what will be.
  Result<void> journal(JournalWriter& writer);
  // Whether that can be told before.
  bool is_stored_as_written() const { return !respelled_; }

  std::span<const EntryRow> rows() const { return rows_; }
  // The entry row that carries slice row `row`, and whether it is its own.
  const EntryRow* row_of(std::size_t row) const;
  // The field of the row that carries slice row `row`; nullopt when that row is not written and not stored.
  std::optional<db::WireField> field_of(std::size_t row, std::size_t field) const;
  // The first column that a new row leaves NULL though the table forbids it.
  const db::Column* forbidden_null(const EntryRow& row);
  // The slice row that the database refused in the last write, when it said so.
  std::optional<std::size_t> refused_row() const;
  const analysis::EntryProgram& program() const { return entry_; }

 private:
  void add(std::size_t row, std::string_view tuple);
  bool assemble_tuple(const Row& row, std::size_t index, std::span<EntryLoad* const> earlier);
  std::string_view key_of(std::string_view tuple, const Row* row);
  void sort_index();
  std::size_t find(std::string_view key);
  Result<void> match(std::string_view stored);
  Result<void> read_back();
  bool is_spelled_alike(std::string_view tuple, std::string_view stored);
  void decide_existing(EntryRow& row, std::string_view stored);
  bool overlay(std::string_view tuple, std::string_view stored);
  Result<void> draw_ids();
  std::string_view without_keep(std::string_view tuple);

  const analysis::Program& program_;
  const analysis::EntryProgram& entry_;
  const std::size_t index_;
  std::vector<std::size_t> not_null_;  // fields that the table wants filled and that a row may leave blank
  bool may_keep_ = false;              // a tuple may say that a stored value stays
  bool respelled_ = false;             // what is stored may have other bytes than what was written
  Target target_;
  std::optional<Target> reader_;
  db::Connection& connection_;
  std::vector<EntryRow> rows_;
  std::vector<std::uint32_t> carrier_;  // slice row - begin_ → entry row + 1, 0: none
  std::size_t begin_ = 0;
  std::vector<std::uint32_t> order_;  // rows_ by key, when they are not so already
  bool sorted_ = true;
  std::size_t cursor_ = 0;
  std::vector<std::uint32_t> written_;  // the rows of the last bulk copy
  bool in_insert_ = false;
  analysis::TextArena arena_;
  std::string scratch_, key_scratch_;
  std::vector<db::WireField> fields_, stored_fields_;
};

}  // namespace lade::load
