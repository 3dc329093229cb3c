#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "db/connection.h"

// The undo journal in the database (load/journal.h says what is in a block).
namespace lade::store {

struct JournalRecord {
  std::int64_t bucket = 0;
  std::string_view table;
  std::string_view first_key, last_key;
  std::int64_t rows = 0;
  std::string_view packed;
  bool kept = false;  // as long as the job, not only until it cannot be undone any more
};

// In the transaction that changes the rows; after the blocks that the job has for this bucket and table already.
Result<void> save_journal_block(db::Connection& connection, std::int64_t job, const JournalRecord& block);

// What stands before a block's rows.
struct JournalHead {
  std::int64_t bucket = 0;
  std::string table;  // schema and name, quoted
  std::int64_t block = 0;
  std::int64_t rows = 0;
  bool is_marker = false;  // it only says how many rows were written that nothing can find again
};
// All blocks of the job, by bucket, table and block.
Result<std::vector<JournalHead>> journal_heads(db::Connection& connection, std::int64_t job);
// The rows of one block. Fails with journal_damaged when it is not there.
Result<std::string> journal_block(db::Connection& connection, std::int64_t job, std::int64_t bucket,
                                  const std::string& table, std::int64_t block);

// What the job itself has written to the table, in the order it was written.
Result<std::vector<std::string>> journal_of(db::Connection& connection, std::int64_t job, std::string_view table);
// The same of one bucket.
Result<std::vector<std::string>> journal_of(db::Connection& connection, std::int64_t job, std::string_view table,
                                            std::int64_t bucket);
// Blocks of jobs that were made after this one and have written to the table between these keys. What was undone, and
// what has undone it, does not count.
Result<std::vector<std::string>> later_blocks(db::Connection& connection, std::int64_t job, std::string_view table,
                                              std::string_view first_key, std::string_view last_key);

// Whether a job made after this one has written to the table, or has built the version of it that readers see.
Result<bool> is_written_later(db::Connection& connection, std::int64_t job, std::string_view table);

}  // namespace lade::store
