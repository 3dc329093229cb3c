#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/program.h"
#include "base/result.h"
#include "load/journal.h"
#include "load/row_remover.h"
#include "load/slice.h"
#include "load/table_load.h"
#include "load/target.h"

namespace lade::load {

// A row of the table.
struct EntryRow {
  std::uint32_t row = 0;  // of the slice: the one whose values count
  Action action = Action::insert;
  bool deletes = false;     // the stored row is to go
  bool elsewhere = false;   // the stored row belongs to another set
  std::string_view tuple;   // what is written, in the entry's column order
  std::string_view key;     // sorts and compares like the stored keys
  std::string_view stored;  // the stored row, when it is to be changed
  std::uint64_t seen = 0;   // the fingerprint of the stored row, whatever is done; 0: there is none
  bool is_written() const { return action == Action::insert || action == Action::update; }
};

// A table that holds one row for each key: assembled, compared with what is stored, written.
class EntryLoad final : public TableLoad {
 public:
  // `reader`: another session, for comparing while this one writes; may be null.
  EntryLoad(const analysis::Program& program, std::size_t entry, db::Connection& connection, db::Connection* reader);
  Result<void> prepare() override;
  Result<bool> refers_to(const db::Table& table) override { return target_.refers_to(table); }
  // With partition hash or other orders the server matches the keys.
  Result<void> decide(const Portion& portion, std::vector<Refusal>& refusals) override;
  Result<bool> write() override;
  std::optional<std::size_t> refused_row() const override;

  void journal_to(const JournalSink& sink) override;
  Result<void> journal() override;
  Result<void> finish_journal() override;
  // Tells a journal what was written, as it is stored now; or, before that, what will be.
  Result<void> journal(JournalWriter& writer);
  // Whether that can be told before.
  bool can_draft_journal() const { return version_ < 0 && !entry_.journal_key().empty() && !respelled_ && !remover_; }
  void use_versions(std::optional<std::int64_t> active, std::optional<std::int64_t> building) override;

  std::optional<RowAction> action_of(std::size_t row) const override;
  std::optional<db::WireField> field_of(std::size_t row, std::size_t field) const override;
  bool is_new(std::size_t row) const override;
  Result<void> tell_changes(std::span<TableLoad* const> tables, DiffWriter& diff) const override;
  void mix_stored(std::span<std::uint64_t> fingerprints) const override;
  bool is_drawn(std::size_t row, std::size_t field) const override;

 private:
  void assemble(const Portion& portion);
  void assemble_row(const Portion& portion, std::size_t index);
  bool assemble_tuple(const Portion& portion, std::size_t index);
  bool share_row(const Portion& portion, std::size_t index, std::string_view tuple, std::string_view key, bool deletes);
  Result<void> compare(bool by_reader);
  bool journals() const { return entry_.by_key() && version_ < 0; }
  bool says_delete() const;
  void refuse_others(std::vector<Refusal>& refusals);
  Result<void> insert_rows();
  Result<bool> update_rows();
  Result<void> remove_rows();
  // Leaves rows alone that a later job has written.
  Result<void> give_way(const LaterBlocks& later);
  // Gives new rows their drawn ids, and NULL where there is no stored value to keep: from now on tuples are what will
  // be written.
  Result<void> complete_new_rows();
  void refuse_nulls(std::vector<Refusal>& refusals);
  // The first column that a new row leaves NULL though the table forbids it.
  const db::Column* forbidden_null(const EntryRow& row);
  // The entry row that carries slice row `row`.
  const EntryRow* row_of(std::size_t row) const;
  std::string_view key_of(std::string_view tuple, const Row* row);
  void sort_index();
  std::size_t find(std::string_view key);
  Result<void> match(std::string_view stored);
  Result<void> read_back();
  Result<void> read_back_appended();
  bool is_spelled_alike(std::string_view tuple, std::string_view stored);
  bool is_in_scope(std::string_view tuple, std::string_view stored);
  void decide_existing(EntryRow& row, std::string_view stored);
  bool overlay(std::string_view tuple, std::string_view stored);
  Result<void> draw_ids();
  std::string_view without_keep(std::string_view tuple);

  const bool key_is_root_;             // the rows' root keys are this table's keys
  std::vector<std::size_t> not_null_;  // fields that the table wants filled and that a row may leave blank
  bool may_keep_ = false;              // a tuple may say that a stored value stays
  bool respelled_ = false;             // what is stored may have other bytes than what was written
  const int version_;                  // the field that says to which version of a set a row belongs; -1: none
  const bool keeps_lineage_;
  bool has_active_ = true;             // there is something to compare with
  std::string building_;               // that field of new rows
  std::optional<RowRemover> remover_;  // of rows that say so
  Target target_;
  std::optional<Target> reader_;
  db::Connection& connection_;
  const Slice* slice_ = nullptr;  // the last one that was decided about
  std::vector<EntryRow> rows_;
  std::vector<std::uint32_t> carrier_;  // slice row - begin_ → entry row + 1, 0: none
  std::size_t begin_ = 0;
  std::vector<std::uint32_t> order_;  // rows_ by key, when they are not so already
  bool sorted_ = true;
  std::size_t cursor_ = 0;
  std::vector<std::uint32_t> written_;                                   // the rows of the last bulk copy
  std::vector<std::pair<std::string_view, staging::RowPlace>> removed_;  // by the last write: all columns
  bool in_insert_ = false;
  bool key_taken_ = false;  // the last insert found a key that somebody else had stored
  analysis::TextArena arena_;
  std::string scratch_, key_scratch_;
  std::vector<db::WireField> fields_, stored_fields_;
  std::optional<JournalWriter> journal_;  // of rows that can be found again
  JournalSink sink_;
  std::int64_t lost_ = 0;                              // rows that cannot
  std::optional<analysis::EntryProgram> found_entry_;  // of appended rows that must be read back: with what finds them
  std::optional<Target> finder_;
};

}  // namespace lade::load
