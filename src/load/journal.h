#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/program.h"
#include "base/result.h"

// What a load has changed, so that it can be taken back: written in the transaction that changes it.
namespace lade::load {

// A row that was written. Its views live in what gave it.
//
// Of tables that keep history each slice is a row: its key is that of the entity (or its id) and the day on which it
// begins. A slice that was deleted has its image and, as `after`, the fingerprint of nothing; the images hold all
// columns, so timelines can be put back whole. When an entity had to be loaded row by row, a slice may be told more
// than once: the first image is the oldest.
struct JournalEntry {
  std::string_view key;     // its key columns, as fields
  std::string_view before;  // the tuple that was stored; empty: the row is new
  std::uint64_t after = 0;  // fingerprint() of the tuple that is stored now
  // Where it comes from: the row of the file, and its line. 0: from no row.
  std::uint32_t row_id = 0;
  std::uint32_t line = 0;
};

// Equal for equal tuples. Only a row that still has it is what this load has left.
std::uint64_t fingerprint(std::string_view tuple);

// Rows of one table, packed.
struct JournalBlock {
  std::string table;                // schema and name, quoted
  std::string first_key, last_key;  // of its rows, in the form that sorts
  std::int64_t rows = 0;
  std::string packed;  // empty: rows of a table without a key by which they could be found again
};
using JournalSink = std::function<Result<void>(const JournalBlock&)>;

// The blocks of jobs made after this one that have written to a table between two keys (in the form that sorts).
using LaterBlocks = std::function<Result<std::vector<std::string>>(std::string_view table, std::string_view first_key,
                                                                   std::string_view last_key)>;

// Packs the rows of one table into blocks of bounded size and hands them on.
class JournalWriter {
 public:
  JournalWriter(const analysis::EntryProgram& entry, JournalSink sink);
  // `sort_key`: the key in the form that sorts.
  Result<void> add(std::string_view sort_key, const JournalEntry& entry);
  // Hands on what is left.
  Result<void> finish();

 private:
  const JournalSink sink_;
  std::string head_;  // what the columns are called
  JournalBlock block_;
  std::string entries_;
  std::string last_;  // key, which the next one shares its beginning with
};

// The rows of a block, in the order they were added.
class JournalReader {
 public:
  // `packed` outlives the reader.
  static Result<JournalReader> open(std::string_view packed);
  const std::vector<std::string>& key_columns() const { return key_columns_; }
  const std::vector<std::string>& columns() const { return columns_; }
  // False after the last one. The views hold until the next call.
  Result<bool> next(JournalEntry& entry);

 private:
  std::vector<std::string> key_columns_, columns_;
  bool has_places_ = false;
  std::string entries_, key_;
  std::size_t at_ = 0;
};

}  // namespace lade::load
