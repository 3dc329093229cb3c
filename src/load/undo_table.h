#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/program.h"
#include "base/result.h"
#include "load/journal.h"
#include "load/references.h"
#include "load/target.h"
#include "model/issue.h"

namespace lade::load {

// What is done about a row of the journal.
enum class UndoAction : std::uint8_t {
  restore,   // it was changed: its image is written again
  remove,    // it was new
  put_back,  // it was deleted
  nothing,   // the job had made and deleted it, or told of it twice
  leave,     // somebody else has changed it since, or the database refuses
};

// A row that a job has written, with what is known about it now. Its views live in what gave it.
struct UndoRow {
  std::string_view key;
  std::string_view before;   // its oldest image; empty: it was new
  std::uint64_t after = 0;   // its newest fingerprint
  std::uint32_t number = 0;  // of its newest entry in the journal
  std::uint32_t row_id = 0;  // where it comes from
  std::uint32_t line = 0;
  std::vector<std::uint32_t> older = {};  // the numbers of its other entries

  std::string_view stored = {};  // all columns, as they are stored now; empty: there is no such row
  UndoAction action = UndoAction::leave;
  bool refused = false;      // it is left because the database refuses
  model::Issue issue = {};   // why it is left
  bool was_deleted() const;  // by the job: it is not expected to be stored
};

// Takes rows of one table back that were journalled with the same columns. The caller owns the transaction.
class UndoTable {
 public:
  // `key` and `columns` as a block of the journal names them. Fails with cannot_undo when the table lacks one of them.
  static Result<std::unique_ptr<UndoTable>> make(db::Connection& connection, const db::Table& table,
                                                 const std::vector<std::string>& key,
                                                 const std::vector<std::string>& columns);

  // Compares the rows with what is stored and says what is to be done. `lock`: nobody changes them any more.
  Result<void> decide(std::span<UndoRow> rows, bool lock);
  // Does it: removes, restores, puts back. When the database refuses, rows are halved until the guilty one stands
  // alone; that one is left.
  Result<void> write(std::span<UndoRow> rows);

  // What write() does is told to this journal.
  void journal_to(const JournalSink& sink);
  Result<void> finish_journal();

  // The key for people, column by column.
  std::string key_text(std::string_view key) const;

 private:
  UndoTable(db::Connection& connection, analysis::EntryProgram whole, analysis::EntryProgram image);
  Result<void> prepare();
  void compare(UndoRow& row);
  Result<bool> attempt(UndoAction action, std::span<UndoRow* const> rows);
  Result<void> apply(UndoAction action, std::span<UndoRow* const> rows);
  Result<void> carry_out(UndoAction action, std::span<UndoRow* const> rows);
  Result<void> remove(std::span<UndoRow* const> rows);
  // Leaves rows that others refer to; gives the others. `all`: also where the database itself would refuse.
  Result<std::vector<UndoRow*>> without_referred(std::span<UndoRow* const> rows, bool all);
  Result<void> journal(UndoAction action, std::span<UndoRow* const> rows);
  Result<void> read_back(std::span<UndoRow* const> rows);
  bool changes_ids(std::span<UndoRow* const> rows);
  model::Issue refusal_of(UndoAction action, const db::Diagnosis& refusal) const;
  // The columns of the image out of a whole row.
  std::string_view image_of(std::string_view whole);

  db::Connection& connection_;
  const analysis::EntryProgram whole_;     // all columns that can be written
  const analysis::EntryProgram image_;     // those that were journalled; drawn ids stay as they are
  const analysis::EntryProgram with_ids_;  // the same, ids too
  std::vector<Reference> references_;      // to this table
  std::vector<std::size_t> places_;        // of the image's columns among all
  Target rows_, images_, images_with_ids_;
  db::Diagnosis refusal_;  // of the last attempt
  analysis::TextArena arena_;
  std::vector<db::WireField> fields_;
  std::string scratch_;
  std::optional<JournalWriter> whole_journal_, image_journal_;
};

}  // namespace lade::load
