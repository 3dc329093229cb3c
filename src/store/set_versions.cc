#include "store/set_versions.h"

#include <fmt/format.h>

#include "store/sql.h"

namespace lade::store {
namespace {

using db::Value;

std::string select_versions(const db::Connection& connection) {
  return fmt::format(
      "SELECT v.id, v.company_id, v.job_id, coalesce(j.slug, ''), v.table_name, v.column_name, v.version_table, "
      "v.id_column, v.flag_column, v.scope, v.version_id, v.based_on, v.state, v.keep_days, v.rows, v.error, {}, {}, "
      "{} "
      "FROM lade_set_version v LEFT JOIN lade_job j ON j.id = v.job_id ",
      time_sql(connection, "v.created_at"), time_sql(connection, "v.activated_at"),
      time_sql(connection, "v.retired_at"));
}

SetVersion version_of(const db::Row& row) {
  SetVersion version{.id = integer_of(row[0]),
                     .company = integer_of(row[1]),
                     .job = integer_of(row[2]),
                     .job_slug = text_of(row[3]),
                     .table = text_of(row[4]),
                     .column = text_of(row[5]),
                     .version_table = text_of(row[6]),
                     .id_column = text_of(row[7]),
                     .flag_column = text_of(row[8]),
                     .scope = text_of(row[9]),
                     .version = integer_of(row[10])};
  if (const auto* based_on = std::get_if<std::int64_t>(&row[11])) version.based_on = *based_on;
  version.state = text_of(row[12]);
  version.keep_days = integer_of(row[13]);
  version.rows = integer_of(row[14]);
  version.error = text_of(row[15]);
  version.created_at = text_of(row[16]);
  version.activated_at = text_of(row[17]);
  version.retired_at = text_of(row[18]);
  return version;
}

Result<std::vector<SetVersion>> versions(db::Connection& connection, const std::string& condition,
                                         std::span<const Value> values) {
  LADE_ASSIGN(const auto rows, connection.query(select_versions(connection) + condition, values));
  std::vector<SetVersion> found;
  for (const db::Row& row : rows) found.push_back(version_of(row));
  return found;
}

Result<std::optional<SetVersion>> one_version(db::Connection& connection, const std::string& condition,
                                              std::span<const Value> values) {
  LADE_ASSIGN(auto found, versions(connection, condition, values));
  if (found.empty()) return std::nullopt;
  return std::move(found.front());
}

}  // namespace

Result<std::int64_t> create_set_version(db::Connection& connection, const SetVersion& version) {
  const Value values[] = {version.company,       version.job,
                          version.table,         version.column,
                          version.version_table, version.id_column,
                          version.flag_column,   version.scope,
                          version.version,       version.based_on ? Value(*version.based_on) : Value(),
                          version.keep_days};
  LADE_ASSIGN(
      const auto rows,
      connection.query(
          fmt::format("INSERT INTO lade_set_version (company_id, job_id, table_name, column_name, version_table, "
                      "id_column, flag_column, scope, version_id, based_on, state, keep_days, created_at) VALUES "
                      "($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 'building', $11, {}) RETURNING id",
                      now_sql(connection)),
          values));
  return integer_of(rows.front().front());
}

Result<std::optional<SetVersion>> set_version_of(db::Connection& connection, std::int64_t job) {
  const Value values[] = {job};
  return one_version(connection, "WHERE v.job_id = $1", values);
}

Result<std::optional<SetVersion>> find_set_version(db::Connection& connection, std::int64_t company, std::int64_t id) {
  const Value values[] = {company, id};
  return one_version(connection, "WHERE v.company_id = $1 AND v.id = $2", values);
}

Result<std::vector<SetVersion>> list_set_versions(db::Connection& connection, std::int64_t company,
                                                  const std::string& table) {
  const Value values[] = {company, table};
  return versions(connection, "WHERE v.company_id = $1 AND ($2 = '' OR v.table_name = $2) ORDER BY v.id DESC", values);
}

Result<void> note_seen(db::Connection& connection, const SetVersion& set, std::optional<std::int64_t> version) {
  const Value values[] = {set.company, set.table, set.scope, version ? Value(*version) : Value()};
  const std::string_view now = now_sql(connection);
  constexpr std::string_view of_set = "company_id = $1 AND table_name = $2 AND scope = $3 AND version_id";
  LADE_TRY(connection.execute(
      fmt::format("UPDATE lade_set_version SET state = 'retired', retired_at = {} WHERE {} IS DISTINCT FROM "
                  "CAST($4 AS bigint) AND state = 'active'",
                  now, of_set),
      values));
  LADE_TRY(connection.execute(
      fmt::format("UPDATE lade_set_version SET state = 'active', activated_at = {}, retired_at = NULL WHERE {} = "
                  "CAST($4 AS bigint)",
                  now, of_set),
      values));
  return {};
}

Result<bool> is_purged(db::Connection& connection, const SetVersion& set, std::optional<std::int64_t> version) {
  if (!version) return false;
  const Value values[] = {set.company, set.table, set.scope, *version};
  LADE_ASSIGN(const auto rows, connection.query("SELECT 1 FROM lade_set_version WHERE company_id = $1 AND table_name = "
                                                "$2 AND scope = $3 AND version_id = $4 AND state = 'purged'",
                                                values));
  return !rows.empty();
}

Result<void> note_rows(db::Connection& connection, std::int64_t id, std::int64_t rows) {
  const Value values[] = {rows, id};
  LADE_TRY(connection.execute("UPDATE lade_set_version SET rows = $1 WHERE id = $2", values));
  return {};
}

Result<void> note_state(db::Connection& connection, std::int64_t id, const std::string& state,
                        const std::string& error) {
  const Value values[] = {state, error, id};
  LADE_TRY(connection.execute("UPDATE lade_set_version SET state = $1, error = $2 WHERE id = $3", values));
  return {};
}

Result<std::vector<SetVersion>> expired_versions(db::Connection& connection) {
  const bool sqlite = connection.backend() == db::Backend::sqlite;
  const auto past = [&](std::string_view time) {
    return sqlite ? fmt::format("julianday({}) + v.keep_days < julianday('now')", time)
                  : fmt::format("{} + v.keep_days * interval '1 day' < clock_timestamp()", time);
  };
  return versions(
      connection,
      fmt::format("WHERE (v.state = 'retired' AND {}) OR (v.state IN ('building', 'abandoned') AND (j.id IS "
                  "NULL OR (j.outcome IS NOT NULL AND {}))) ORDER BY v.id",
                  past("v.retired_at"), past("j.finished_at")),
      {});
}

}  // namespace lade::store
