#include "store/row_versions.h"

#include <fmt/format.h>

#include "store/sql.h"

namespace lade::store {
namespace {

using db::Value;

constexpr std::string_view kColumns =
    "row_id, version, records, line, position, changes, issues FROM lade_row_version v WHERE job_id = $1";

RowVersion version_of(const db::Connection& connection, const db::Row& row) {
  return {.row_id = integer_of(row[0]),
          .version = integer_of(row[1]),
          .records = bytes_of(connection, row[2]),
          .line = integer_of(row[3]),
          .position = static_cast<std::uint64_t>(integer_of(row[4])),
          .changes = text_of(row[5]),
          .issues = text_of(row[6])};
}

}  // namespace

Result<void> save_row_version(db::Connection& connection, std::int64_t job, const RowVersion& version,
                              const std::string& actor) {
  const Value values[] = {job,
                          version.row_id,
                          version.version,
                          db::Bytes{version.records},
                          version.line,
                          static_cast<std::int64_t>(version.position),
                          version.changes,
                          version.issues,
                          actor};
  LADE_TRY(connection.execute(
      fmt::format(
          "INSERT INTO lade_row_version (job_id, row_id, version, company_id, records, line, position, changes, "
          "issues, created_by, created_at) VALUES ($1, $2, $3, (SELECT company_id FROM lade_job WHERE id = $1), "
          "$4, $5, $6, $7, $8, $9, {})",
          now_sql(connection)),
      values));
  return {};
}

Result<std::optional<RowVersion>> find_row_version(db::Connection& connection, std::int64_t job, std::int64_t row) {
  const Value values[] = {job, row};
  LADE_ASSIGN(
      const auto rows,
      connection.query(fmt::format("SELECT {} AND row_id = $2 ORDER BY version DESC LIMIT 1", kColumns), values));
  if (rows.empty()) return std::nullopt;
  return version_of(connection, rows.front());
}

Result<std::vector<RowVersion>> newest_row_versions(db::Connection& connection, std::int64_t job) {
  const Value values[] = {job};
  LADE_ASSIGN(
      const auto rows,
      connection.query(fmt::format("SELECT {} AND version = (SELECT max(n.version) FROM lade_row_version n WHERE "
                                   "n.job_id = v.job_id AND n.row_id = v.row_id) ORDER BY row_id",
                                   kColumns),
                       values));
  std::vector<RowVersion> versions;
  for (const db::Row& row : rows) versions.push_back(version_of(connection, row));
  return versions;
}

Result<std::vector<model::Issue>> issues_of_row(db::Connection& connection, std::int64_t job, std::int64_t row) {
  const Value values[] = {job, row};
  LADE_ASSIGN(
      const auto rows,
      connection.query("SELECT severity, code, column_name, value, message, hint FROM lade_issue WHERE job_id = "
                       "$1 AND row_id = $2 ORDER BY severity, code, column_name",
                       values));
  std::vector<model::Issue> issues;
  for (const db::Row& found : rows)
    issues.push_back({text_of(found[0]) == "error" ? model::Severity::error : model::Severity::warning,
                      text_of(found[1]), text_of(found[2]), text_of(found[3]), text_of(found[4]), text_of(found[5])});
  return issues;
}

Result<void> forget_issues(db::Connection& connection, std::int64_t job, std::int64_t row, const std::string& code) {
  const Value values[] = {job, row, code};
  LADE_TRY(
      connection.execute("DELETE FROM lade_issue WHERE job_id = $1 AND row_id = $2 AND ($3 = '' OR (severity = "
                         "'error' AND code = $3))",
                         values));
  return {};
}

}  // namespace lade::store
