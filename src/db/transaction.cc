#include "base/assert.h"
#include "db/connection.h"

namespace lade::db {
namespace {

// Nested savepoints may share a name in both databases: the innermost is meant.
constexpr std::string_view kBeginSavepoint = "SAVEPOINT lade";
constexpr std::string_view kReleaseSavepoint = "RELEASE SAVEPOINT lade";
constexpr std::string_view kUndoSavepoint = "ROLLBACK TO SAVEPOINT lade";

}  // namespace

Result<Transaction> Transaction::begin(Connection& connection) {
  LADE_ASSERT(!connection.in_transaction());
  LADE_TRY(connection.run(connection.backend() == Backend::sqlite ? "BEGIN IMMEDIATE"
                                                                  : "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"));
  return Transaction(connection);
}

Result<Transaction> Transaction::begin_snapshot(Connection& connection) {
  LADE_ASSERT(!connection.in_transaction());
  const bool sqlite = connection.backend() == Backend::sqlite;
  LADE_TRY(connection.run(sqlite ? "BEGIN DEFERRED" : "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"));
  Transaction transaction(connection);
  // Both databases fix the snapshot with the first read only.
  LADE_TRY(connection.query(sqlite ? "SELECT 1 FROM main.sqlite_schema LIMIT 1" : "SELECT 1"));
  return transaction;
}

Transaction::~Transaction() {
  if (connection_ != nullptr) (void)rollback();
}

Result<void> Transaction::commit() {
  LADE_ASSERT(connection_ != nullptr);
  LADE_TRY(connection_->run("COMMIT"));
  connection_ = nullptr;
  return {};
}

Result<void> Transaction::rollback() {
  LADE_ASSERT(connection_ != nullptr);
  Connection& connection = *std::exchange(connection_, nullptr);
  // SQLite rolls back by itself when the disk is full or a write fails.
  if (!connection.in_transaction()) return {};
  return connection.run("ROLLBACK");
}

Result<Savepoint> Savepoint::begin(Connection& connection) {
  // A lost session or a full disk ends a transaction without asking.
  if (!connection.in_transaction() && connection.usable())
    return fail("db_error", "a savepoint needs an open transaction, and the database has none open");
  LADE_TRY(connection.run(kBeginSavepoint));
  return Savepoint(connection);
}

Savepoint::~Savepoint() {
  if (connection_ != nullptr) (void)rollback();
}

Result<void> Savepoint::release() {
  LADE_ASSERT(connection_ != nullptr);
  LADE_TRY(connection_->run(kReleaseSavepoint));
  connection_ = nullptr;
  return {};
}

Result<void> Savepoint::rollback() {
  LADE_ASSERT(connection_ != nullptr);
  Connection& connection = *std::exchange(connection_, nullptr);
  if (!connection.in_transaction()) return {};
  LADE_TRY(connection.run(kUndoSavepoint));
  return connection.run(kReleaseSavepoint);
}

}  // namespace lade::db
