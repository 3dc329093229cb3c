#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "load/undo_table.h"

// Takes back what a job has written, by its journal.
namespace lade::load {

// A block of the journal. Its entries are numbered one after another, over all blocks of the job.
struct JournalPlace {
  std::string table;  // schema and name, quoted
  std::int64_t block = 0;
  std::uint32_t first = 0;  // the number of its first entry
  std::int64_t rows = 0;
};

// A row that stays as it is.
struct LeftRow {
  std::uint32_t row_id = 0;  // of the file from which it came
  std::uint32_t line = 0;
  bool refused = false;   // by the database: what stands in its way may go with other rows
  bool repeated = false;  // another entry tells the same of the same row
  model::Issue issue;     // `column` is its table, `value` its key
};

struct UndoResult {
  std::vector<std::pair<std::uint32_t, UndoAction>> done;  // by number
  std::map<std::uint32_t, LeftRow> left;                   // by number
};

// Undoes buckets of a job, one after the other, in the caller's transaction. Owned by one thread.
class Undoer {
 public:
  // `tables`: those that the job has loaded, in that order. `shows_keys`: keys may stand in issues.
  Undoer(db::Connection& connection, std::vector<db::Table> tables, bool shows_keys)
      : connection_(connection), tables_(std::move(tables)), shows_keys_(shows_keys) {}

  using ReadBlock = std::function<Result<std::string>(const JournalPlace&)>;
  using Numbers = std::set<std::uint32_t>;
  // The journal of one bucket, oldest block first. What it does is told to `journal`. `only`: entries with these
  // numbers. Fails with cannot_undo where a table is not what it was, and with `cancelled` when it is asked to stop.
  struct Bucket {
    std::span<const JournalPlace> blocks;
    const ReadBlock& read;
    const JournalSink& journal;  // empty: nothing is written, the result says what would be done
    const Numbers* only = nullptr;
  };
  Result<UndoResult> undo(const Bucket& bucket, const std::stop_token& stop);

 private:
  enum class Phase { take_back, put_back };
  Result<void> run(const Bucket& bucket, Phase phase, const std::stop_token& stop, UndoResult& result);
  Result<void> run_block(const Bucket& bucket, const JournalPlace& place, Phase phase, UndoResult& result);
  Result<void> run_rows(UndoTable& table, const JournalPlace& place, std::span<UndoRow> rows, bool writes,
                        UndoResult& result);
  Result<UndoTable*> table_for(const JournalPlace& place, const JournalReader& reader, const JournalSink& journal);
  Result<void> finish_journal();
  std::vector<UndoRow> merged(std::span<const UndoRow> entries, Phase phase) const;
  LeftRow left_row(const UndoTable& table, const JournalPlace& place, const UndoRow& row) const;

  db::Connection& connection_;
  const std::vector<db::Table> tables_;
  const bool shows_keys_;
  std::map<std::string, std::unique_ptr<UndoTable>> undo_tables_;  // by table and columns
  std::set<UndoTable*> journalling_;                               // of the bucket at hand
  std::set<std::string> with_deleted_;  // tables of the bucket at hand that have deleted rows
};

}  // namespace lade::load
