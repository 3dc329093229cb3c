#include "store/job_tables.h"

#include <fmt/format.h>

#include "store/sql.h"

namespace lade::store {
namespace {

using db::Connection;
using db::Value;

// PostgreSQL cuts off the rest of a name.
constexpr std::size_t kMostNameBytes = 63;

Result<void> check_schema(db::Connection& connection, const std::string& schema) {
  if (schema.empty()) return {};
  const bool sqlite = connection.backend() == db::Backend::sqlite;
  const Value values[] = {schema};
  LADE_ASSIGN(const auto rows,
              connection.query(sqlite ? "SELECT 1 FROM pragma_database_list WHERE name = $1"
                                      : "SELECT 1 FROM information_schema.schemata WHERE schema_name = $1",
                               values));
  if (!rows.empty()) return {};
  return fail("schema_not_found", fmt::format("the database has no schema '{}'", schema),
              sqlite ? "SQLite has only main" : "create it, or name another one", ErrorKind::invalid);
}

// Whether anything of that name is there, also a view.
Result<bool> is_taken(db::Connection& connection, const NewJobTable& table) {
  const bool sqlite = connection.backend() == db::Backend::sqlite;
  const Value values[] = {table.name, table.schema};
  LADE_ASSIGN(
      const auto rows,
      connection.query(sqlite ? "SELECT 1 FROM sqlite_master WHERE lower(name) = lower($1) AND $2 = $2"
                              : "SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE "
                                "c.relname = $1 AND n.nspname = CASE WHEN $2 = '' THEN current_schema() ELSE $2 "
                                "END",
                       values));
  return !rows.empty();
}

}  // namespace

Result<std::string> make_job_table(db::Connection& connection, std::int64_t job, const NewJobTable& table) {
  if (table.name.size() > kMostNameBytes)
    return fail("table_name_too_long", fmt::format("'{}' has more than {} bytes", table.name, kMostNameBytes),
                "give the definition a shorter slug", ErrorKind::invalid);
  LADE_TRY(check_schema(connection, table.schema));
  const std::string quoted =
      (table.schema.empty() ? "" : Connection::quote_name(table.schema) + ".") + Connection::quote_name(table.name);
  const Value ours[] = {job, quoted};
  LADE_ASSIGN(const std::int64_t made,
              connection.execute("DELETE FROM lade_job_table WHERE job_id = $1 AND table_name = $2", ours));
  if (made > 0) LADE_TRY(connection.run("DROP TABLE IF EXISTS " + quoted));
  LADE_ASSIGN(const bool taken, is_taken(connection, table));
  if (taken)
    return fail("table_name_taken", fmt::format("{} is there already, and was not made for this job", quoted),
                "rename it, or name another schema", ErrorKind::invalid);
  LADE_TRY(connection.run(fmt::format("CREATE TABLE {} ({})", quoted, table.declaration)));
  LADE_TRY(connection.execute(
      fmt::format("INSERT INTO lade_job_table (job_id, table_name, company_id, created_at) VALUES ($1, $2, (SELECT "
                  "company_id FROM lade_job WHERE id = $1), {})",
                  now_sql(connection)),
      ours));
  return quoted;
}

Result<void> drop_job_tables(db::Connection& connection, std::int64_t job) {
  const Value values[] = {job};
  LADE_ASSIGN(const auto rows,
              connection.query("DELETE FROM lade_job_table WHERE job_id = $1 RETURNING table_name", values));
  for (const db::Row& row : rows) LADE_TRY(connection.run("DROP TABLE IF EXISTS " + text_of(row[0])));
  return {};
}

}  // namespace lade::store
