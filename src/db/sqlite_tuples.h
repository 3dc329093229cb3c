#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "db/connection.h"

namespace lade::db {

// The virtual tables lade_tuples_N (N columns c0, c1 …) of one SQLite connection: a SELECT from one reads the tuples of
// the source that is being fed, once. Texts are handed over without a copy and live until the next row.
class TupleFeed {
 public:
  // Makes the table for `columns` columns known to `database`; gives its name. This object outlives the database.
  Result<std::string> provide(sqlite3* database, std::size_t columns);

  void start(TupleSource& source);
  void stop() { source_ = nullptr; }
  // The row (1-based) that a SELECT stands on; 0 before the first and after the last.
  std::int64_t current_row() const { return at_end_ ? 0 : row_; }

  // For the virtual table.
  void advance(std::size_t columns);
  bool at_end() const { return at_end_; }
  std::int64_t row() const { return row_; }
  void give(sqlite3_context* context, std::size_t column) const;

 private:
  TupleSource* source_ = nullptr;
  std::vector<WireField> fields_;
  std::int64_t row_ = 0;
  bool at_end_ = true;
  std::set<std::size_t> provided_;
};

}  // namespace lade::db
