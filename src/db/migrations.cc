#include "db/migrations.h"

#include <fmt/format.h>
#include <openssl/sha.h>

#include <map>

#include "base/assert.h"

namespace lade::db {
namespace {

std::string_view text_of(const Connection& connection, const Migration& migration) {
  return connection.backend() == Backend::sqlite ? migration.sqlite : migration.postgresql;
}

std::string checksum_of(std::string_view text) {
  unsigned char digest[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest);
  std::string hexadecimal;
  for (const unsigned char byte : digest) hexadecimal += fmt::format("{:02x}", byte);
  return hexadecimal;
}

// Versions in the database with the checksum each was run with; empty without the table.
Result<std::map<int, std::string>> applied(Connection& connection, std::string_view version_table) {
  std::map<int, std::string> checksums;
  LADE_ASSIGN(const std::optional<Table> table, connection.describe(version_table));
  if (!table) return checksums;
  LADE_ASSIGN(const std::vector<Row> rows, connection.query("SELECT version, checksum FROM " + table->quoted));
  for (const Row& row : rows)
    checksums.emplace(static_cast<int>(std::get<std::int64_t>(row[0])), std::get<std::string>(row[1]));
  return checksums;
}

// The first migration that is not applied yet; nullptr when none is.
const Migration* first_missing(std::span<const Migration> migrations, const std::map<int, std::string>& done) {
  for (const Migration& migration : migrations)
    if (!done.contains(migration.version)) return &migration;
  return nullptr;
}

Result<void> check(const Connection& connection, std::span<const Migration> migrations,
                   const std::map<int, std::string>& done) {
  const int known = migrations.empty() ? 0 : migrations.back().version;
  if (!done.empty() && done.rbegin()->first > known)
    return fail("schema_too_new",
                fmt::format("this database was migrated by a newer lade (version {}, this one knows {})",
                            done.rbegin()->first, known),
                "update lade", ErrorKind::invalid);
  for (const Migration& migration : migrations) {
    const auto found = done.find(migration.version);
    if (found != done.end() && found->second != checksum_of(text_of(connection, migration)))
      return fail("schema_changed",
                  fmt::format("migration {} ({}) was run on this database with another text than this lade has",
                              migration.version, migration.name),
                  "use the lade that migrated this database, or one released after it", ErrorKind::invalid);
  }
  return {};
}

// Held until the end of the transaction. SQLite's write transaction is a lock by itself.
Result<void> lock(Connection& connection, std::string_view version_table) {
  if (connection.backend() == Backend::sqlite) return {};
  LADE_TRY(connection.query("SELECT pg_advisory_xact_lock(hashtextextended(current_schema() || '.' || $1, 0))",
                            std::vector<Value>{std::string(version_table)}));
  return {};
}

Result<void> run_one(Connection& connection, const Migration& migration, std::string_view version_table) {
  const std::string table = Connection::quote_name(version_table);
  LADE_TRY(connection.run("CREATE TABLE IF NOT EXISTS " + table +
                          " (version integer PRIMARY KEY, name text NOT NULL, applied_at text NOT NULL, "
                          "checksum text NOT NULL)"));
  const std::string_view text = text_of(connection, migration);
  LADE_TRY(connection.run(text));
  const std::string now = connection.backend() == Backend::sqlite
                              ? "strftime('%Y-%m-%dT%H:%M:%SZ', 'now')"
                              : "to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')";
  LADE_TRY(connection.execute(
      "INSERT INTO " + table + " (version, name, applied_at, checksum) VALUES ($1, $2, " + now + ", $3)",
      std::vector<Value>{std::int64_t{migration.version}, std::string(migration.name), checksum_of(text)}));
  return {};
}

// One step under the lock, which is given back in between: another program may do the next one. False: nothing to do.
Result<bool> migrate_once(Connection& connection, std::span<const Migration> migrations,
                          std::string_view version_table) {
  LADE_ASSIGN(Transaction transaction, Transaction::begin(connection));
  LADE_TRY(lock(connection, version_table));
  LADE_ASSIGN(const auto done, applied(connection, version_table));
  LADE_TRY(check(connection, migrations, done));
  const Migration* migration = first_missing(migrations, done);
  if (migration == nullptr) return false;
  const std::string context = fmt::format("migration {} ({})", migration->version, migration->name);
  if (Result<void> ran = run_one(connection, *migration, version_table); !ran)
    return fail(std::move(ran).error().within(context));
  if (Result<void> committed = transaction.commit(); !committed)
    return fail(std::move(committed).error().within(context));
  return true;
}

}  // namespace

Result<int> migrate(Connection& connection, std::span<const Migration> migrations, std::string_view version_table) {
  for (std::size_t i = 0; i < migrations.size(); ++i) LADE_ASSERT(migrations[i].version == static_cast<int>(i) + 1);
  int count = 0;
  // A current schema is found without taking the lock, so that a program can start while another one writes.
  while (true) {
    LADE_ASSIGN(const SchemaState state, schema_state(connection, migrations, version_table));
    if (state.is_current()) return count;
    LADE_ASSIGN(const bool ran, migrate_once(connection, migrations, version_table));
    if (ran) ++count;
  }
}

Result<SchemaState> schema_state(Connection& connection, std::span<const Migration> migrations,
                                 std::string_view version_table) {
  LADE_ASSIGN(const auto done, applied(connection, version_table));
  LADE_TRY(check(connection, migrations, done));
  SchemaState state;
  state.version = done.empty() ? 0 : done.rbegin()->first;
  state.known = migrations.empty() ? 0 : migrations.back().version;
  for (const Migration& migration : migrations)
    if (!done.contains(migration.version)) state.missing.emplace_back(migration.name);
  return state;
}

}  // namespace lade::db
