#pragma once

#include <sqlite3.h>

#include <memory>
#include <string>

#include "db/connection.h"
#include "db/sqlite_tuples.h"
#include "db/statement_cache.h"
#include "db/url.h"

namespace lade::db {

class SqliteConnection final : public Connection {
 public:
  static Result<std::unique_ptr<Connection>> open(const SqliteLocation& location);

  Backend backend() const override { return Backend::sqlite; }
  Result<void> run(std::string_view sql) override;
  Result<std::int64_t> execute(std::string_view sql, std::span<const Value> parameters) override;
  Result<std::vector<Row>> query(std::string_view sql, std::span<const Value> parameters) override;
  Result<std::int64_t> copy_in(const std::string& quoted_table, std::span<const std::string> columns,
                               TupleSource& rows) override;
  Result<void> copy_out(std::string_view select, const std::function<Result<void>(std::string_view)>& row) override;
  Result<void> check_deferred() override;
  Result<std::optional<Table>> describe(std::string_view name) override;
  Result<std::vector<std::string>> table_names() override;
  Result<std::vector<std::string>> wait_notified(std::chrono::milliseconds timeout, int descriptor) override;
  bool in_transaction() const override { return sqlite3_get_autocommit(database_.get()) == 0; }
  bool usable() override { return true; }
  const Diagnosis& diagnosis() const override { return diagnosis_; }
  void interrupt() override { sqlite3_interrupt(database_.get()); }

 private:
  struct Free {
    void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  struct Reset {
    void operator()(sqlite3_stmt* statement) const {
      sqlite3_reset(statement);
      sqlite3_clear_bindings(statement);
    }
  };
  using Database = std::unique_ptr<sqlite3, Free>;
  using Statement = std::unique_ptr<sqlite3_stmt, Free>;
  // A cached statement in use; reset when done, so that it holds no lock.
  using Running = std::unique_ptr<sqlite3_stmt, Reset>;

  explicit SqliteConnection(Database database);

  Result<void> set_up(const SqliteLocation& location);
  Result<Running> start(std::string_view sql, std::span<const Value> parameters);
  Result<sqlite3_stmt*> prepare(std::string_view sql);
  Result<void> bind(sqlite3_stmt* statement, std::span<const Value> parameters);
  // Steps to the next row; false at the end.
  Result<bool> step(sqlite3_stmt* statement);
  // Steps to the end, dropping rows; gives the number of rows changed.
  Result<std::int64_t> complete(sqlite3_stmt* statement);
  // Keeps what SQLite said last and gives it as an error.
  Error refusal();
  // Finds table, column and index in the words of a violated constraint.
  void name_constraint(Diagnosis& diagnosis);
  Result<std::vector<Column>> describe_columns(const Table& table, bool strict);
  Result<void> describe_rowid(Table& table);
  Result<std::vector<UniqueIndex>> describe_unique_indexes(const Table& table);

  TupleFeed tuples_;  // outlives the database, whose virtual tables read it
  Database database_;
  Diagnosis diagnosis_;
  StatementCache<Statement> statements_;
};

}  // namespace lade::db
