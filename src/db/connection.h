#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"
#include "db/catalogue.h"

namespace lade::db {

enum class Backend { sqlite, postgresql };

// A parameter for columns of bytes (bytea, BLOB); unlike text it may hold NUL.
struct Bytes {
  std::string bytes;
  bool operator==(const Bytes&) const = default;
};

// Parameters and results of plain statements. Booleans are 0 and 1 in both databases. Results have no Bytes: SQLite
// gives them as a string, PostgreSQL as text in its hexadecimal form.
using Value = std::variant<std::monostate, std::int64_t, double, std::string, Bytes>;
using Row = std::vector<Value>;

// What the database said about the last refused statement of a connection.
struct Diagnosis {
  std::string sqlstate = {};    // five characters; SQLite's result codes are mapped to the nearest SQLSTATE
  std::string constraint = {};  // name of the violated constraint or index, when known
  std::string table = {};
  std::string column = {};
  std::string message = {};  // the database's own words
  std::string detail = {};
  std::int64_t copy_row = 0;  // the guilty row (1-based) of a refused bulk copy, when known
};

// Rows for copy_in. next() gives the tuple of the next row (all fields of the copy's columns), nullopt at the end.
// The view must stay valid until the following call. A source that breaks off early gives nullopt, and whoever made it
// asks it why before committing.
class TupleSource {
 public:
  virtual ~TupleSource() = default;
  virtual std::optional<std::string_view> next() = 0;
};

// A session with one database, owned by one thread. Statements use $1, $2 … in both databases and are prepared once.
// A refused statement inside a transaction of PostgreSQL spoils that transaction (or savepoint), in SQLite only itself:
// code for both rolls back after a refusal.
class Connection {
 public:
  Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  virtual ~Connection() = default;
  virtual Backend backend() const = 0;
  // Different for every session that this process opens.
  std::uint64_t number() const { return number_; }

  // One or several statements without parameters and results.
  virtual Result<void> run(std::string_view sql) = 0;
  // One statement; gives the number of rows it changed.
  virtual Result<std::int64_t> execute(std::string_view sql, std::span<const Value> parameters = {}) = 0;
  virtual Result<std::vector<Row>> query(std::string_view sql, std::span<const Value> parameters = {}) = 0;

  // Appends rows to `columns` of `table` in bulk: binary COPY, or INSERT … SELECT from a virtual table. All or nothing
  // of this call is undone by the surrounding transaction or savepoint. Gives the number of rows. `columns` is not
  // empty.
  virtual Result<std::int64_t> copy_in(const std::string& quoted_table, std::span<const std::string> columns,
                                       TupleSource& rows) = 0;
  // Streams the result of a SELECT as tuples, in SQLite with the tags of the stored values. No parameters: values come
  // from tables. The consumer must not use this connection meanwhile; its error stops the statement and is handed back
  // (PostgreSQL: the transaction can then only be rolled back).
  virtual Result<void> copy_out(std::string_view select, const std::function<Result<void>(std::string_view)>& row) = 0;

  // Checks now what deferred constraints would check at COMMIT, so that a refusal still hits the savepoint it belongs
  // to. In PostgreSQL they stay immediate for the rest of the transaction.
  virtual Result<void> check_deferred() = 0;

  // The table as the catalogue has it, nullopt when there is none (views and temporary tables are none). `name` is
  // data, compared as it is: what stands before its first dot is tried as a schema ("register.unit"), then the whole is
  // tried as a name.
  virtual Result<std::optional<Table>> describe(std::string_view name) = 0;
  // All tables outside the system schemas as describe() takes them, sorted.
  virtual Result<std::vector<std::string>> table_names() = 0;

  // Waits until a channel is notified that this session has asked for by LISTEN, until `descriptor` (-1: none) can be
  // read, or until the time is over. Gives the channels notified since the last call, each once. No transaction is
  // open. SQLite has no channels and waits for the rest alone.
  virtual Result<std::vector<std::string>> wait_notified(std::chrono::milliseconds timeout, int descriptor = -1) = 0;

  virtual bool in_transaction() const = 0;
  // False once the server is gone; costs no round trip.
  virtual bool usable() = 0;
  virtual const Diagnosis& diagnosis() const = 0;
  // Asks a running statement to stop; the only call allowed from another thread.
  virtual void interrupt() = 0;

  static std::string quote_name(std::string_view name);
  // The name of a session's temporary table that `shape` describes (its columns and their types): whatever a session
  // does one after another, a table that is there has the shape that is wanted.
  static std::string temporary_name(std::string_view prefix, std::string_view shape);

 private:
  const std::uint64_t number_;
};

// Opens sqlite:PATH[?mode=ro|rw|rwc], sqlite::memory: or postgresql://… (also postgres:// and libpq's key=value form).
// SQLite: foreign keys on, busy timeout 5 s, a new file gets WAL and an old one keeps its journal; the file is created
// unless the mode says otherwise, its folder is not. PostgreSQL: UTF-8, UTC, ISO dates, connect timeout 10 s unless the
// URL has one, search_path as the role has it. Fails with database_url_invalid or cannot_connect.
Result<std::unique_ptr<Connection>> connect(const std::string& url);
Backend backend_of(const std::string& url);
// How far a command goes: `read` changes no byte of a SQLite file, `write` does not create it.
enum class Access { read, write };
// The URL of the same database, opened only so far; what the URL itself forbids stays forbidden. Servers keep their own
// rules.
std::string limited_to(Access access, const std::string& url);
// The URL as it may be shown: without its passwords.
std::string without_password(const std::string& url);

// begin() … commit(); the destructor rolls back what was not committed.
class Transaction {
 public:
  // May write: SQLite takes its write lock at once.
  static Result<Transaction> begin(Connection& connection);
  // Reads one unchanging state of the database and writes nothing.
  static Result<Transaction> begin_snapshot(Connection& connection);
  Transaction(Transaction&& other) noexcept : connection_(std::exchange(other.connection_, nullptr)) {}
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction();
  // After an error the transaction is still there, for rollback() or the destructor; db_lost leaves it unknown whether
  // the database has committed.
  Result<void> commit();
  Result<void> rollback();

 private:
  explicit Transaction(Connection& connection) : connection_(&connection) {}
  Connection* connection_;
};

// The same inside a transaction; may be nested.
class Savepoint {
 public:
  static Result<Savepoint> begin(Connection& connection);
  Savepoint(Savepoint&& other) noexcept : connection_(std::exchange(other.connection_, nullptr)) {}
  Savepoint& operator=(Savepoint&&) = delete;
  ~Savepoint();
  Result<void> release();
  Result<void> rollback();

 private:
  explicit Savepoint(Connection& connection) : connection_(&connection) {}
  Connection* connection_;
};

}  // namespace lade::db
