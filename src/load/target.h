#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/program.h"
#include "base/result.h"
#include "db/connection.h"

namespace lade::load {

// The SQL of one load entry on one connection. Names come from the catalogue, values travel as tuples and parameters.
class Target {
 public:
  Target(db::Connection& connection, const analysis::EntryProgram& entry);

  // Asks the database what it must know about the table. Call it once.
  Result<void> prepare();

  // From now on only rows with this value are read.
  void read_only(const db::Column& column, std::int64_t value);

  using OnRow = std::function<Result<void>(std::string_view tuple)>;
  // The stored rows with keys from `first` to `last` (tuples of this entry), for keys that the database sorts as lade
  // does. Gives false without reading when the range holds far more rows than the `rows` wanted.
  Result<bool> read_range(std::string_view first, std::string_view last, std::size_t rows, const OnRow& on_row);
  // The stored rows with these keys (tuples of the key columns alone).
  Result<void> read_keys(db::TupleSource& keys, const OnRow& on_row);
  Result<void> insert(db::TupleSource& tuples);
  // The row (1-based) of the last insert() that the database refused; 0 when it did not say.
  std::int64_t refused_row() const;
  // Puts the tuples aside, locks the stored rows in key order and shows them; then apply_update() writes the tuples.
  Result<void> stage_update(db::TupleSource& tuples, const OnRow& on_locked);
  Result<void> apply_update();
  // The stored rows with these keys, locked in key order.
  Result<void> lock_keys(db::TupleSource& keys, const OnRow& on_locked);
  // Puts tuples aside for apply_update(), or keys for apply_delete(), whose rows are locked already.
  Result<void> stage(db::TupleSource& tuples) { return fill(columns_, tuples); }
  Result<void> stage_keys(db::TupleSource& keys) { return fill(key_columns_, keys); }
  // Deletes the rows that were put aside instead.
  Result<void> apply_delete();
  // `count` new values for a column with a sequence, as fields of a tuple.
  Result<std::vector<std::string>> draw(const db::Column& column, std::size_t count);

  // Whether a foreign key of this table refers to that one.
  Result<bool> refers_to(const db::Table& other);

  // Whether the last refusal came from the key's own index: somebody inserted the key meanwhile.
  bool key_was_taken() const;
  bool can_update() const { return !update_sql_.empty(); }

 private:
  Result<void> lock_staged(const OnRow& on_locked);
  Result<void> fill(std::span<const std::string> columns, db::TupleSource& tuples);
  enum class Reading { range, keys };
  Result<void> steer_planner(Reading reading);
  std::string not_null(std::size_t part) const;
  Result<std::string> range_condition(std::string_view first, std::string_view last);
  Result<bool> is_sparse(const std::string& condition, std::size_t rows);
  bool is_postgresql() const { return connection_.backend() == db::Backend::postgresql; }

  db::Connection& connection_;
  const analysis::EntryProgram& entry_;
  std::size_t common_parts_ = 0;      // of the key, in which the ends of the last range are equal (PostgreSQL)
  std::vector<std::string> columns_;  // names, unquoted
  std::vector<std::string> key_columns_;
  std::string column_list_;
  std::string staged_table_;  // temporary: keys to look for, rows to update
  std::string key_join_;
  std::string key_list_;
  std::string update_sql_;
  std::string only_;                 // a condition on all that is read, behind the others; mostly empty
  bool insert_in_portions_ = false;  // the table refers to others, and no row of it to another one
  std::int64_t inserted_ = 0;        // by the last insert()
};

// The number as a field of a tuple; empty when it does not fit the column.
std::string integer_field(const db::Column& column, std::int64_t number);

// Lets the server choose its plans again, in a transaction in which a Target has read.
Result<void> free_planner(db::Connection& connection);

}  // namespace lade::load
