#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/program.h"
#include "base/result.h"
#include "db/connection.h"
#include "load/journal.h"
#include "staging/row_place.h"

namespace lade::load {

// Deletes rows of a table by their keys and tells the journal what they were, all columns of them.
class RowRemover {
 public:
  RowRemover(db::Connection& connection, const analysis::EntryProgram& entry);

  // Which rows: their keys as tuples of the key columns, or what a SELECT of those columns gives. Replaces what was
  // chosen before.
  Result<void> choose(db::TupleSource& keys);
  // Gives how many there are.
  Result<std::int64_t> choose_by(const std::string& select);

  using OnRow = std::function<Result<void>(std::string_view tuple)>;
  // Shows the chosen rows, as tuples of all columns. `on_row` may use the connection.
  Result<void> show(const OnRow& on_row);
  // Deletes them, having shown them to `on_row`; gives how many there were.
  Result<std::int64_t> remove(const OnRow& on_row);

  void journal_to(const JournalSink& sink) { journal_.emplace(whole_, sink); }
  // Tells the journal of a row that was removed, and from which row of the file that comes, if from one.
  Result<void> tell(std::string_view tuple, const staging::RowPlace& place = {});
  Result<void> finish_journal() { return journal_ ? journal_->finish() : Result<void>(); }

  // All columns of the table that can be written, with the entry's key.
  const analysis::EntryProgram& whole() const { return whole_; }
  // The names of the key's columns, quoted, with commas between.
  const std::string& key_list() const { return key_list_; }
  // The key of such a tuple, in the form that sorts; or only what a file says of it, without the scope of a set. It
  // lives until the next call.
  std::string_view sort_key_of(std::string_view tuple, bool own_only = false);

 private:
  Result<void> make_table();

  db::Connection& connection_;
  analysis::EntryProgram whole_;
  std::string chosen_;  // temporary table: keys
  std::vector<std::string> key_columns_;
  std::string key_list_, join_, column_list_;
  std::optional<JournalWriter> journal_;
  analysis::TextArena arena_;
  std::vector<db::WireField> fields_;
  std::string key_, sort_key_;
};

}  // namespace lade::load
