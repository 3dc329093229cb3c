#include "store/row_versions.h"

#include <fmt/format.h>

#include <algorithm>

#include "store/sql.h"

namespace lade::store {
namespace {

using db::Value;

constexpr std::string_view kColumns =
    "row_id, version, records, line, position, changes, issues, revision FROM lade_row_version WHERE job_id = $1";
constexpr std::size_t kVersionsAtOnce = 200;
constexpr std::size_t kRowsAtOnce = 1000;

RowVersion version_of(const db::Connection& connection, const db::Row& row) {
  return {.row_id = integer_of(row[0]),
          .version = integer_of(row[1]),
          .records = bytes_of(connection, row[2]),
          .line = integer_of(row[3]),
          .position = static_cast<std::uint64_t>(integer_of(row[4])),
          .changes = text_of(row[5]),
          .issues = text_of(row[6]),
          .revision = integer_of(row[7])};
}

Result<void> save_some(db::Connection& connection, std::int64_t job, std::span<const RowVersion> versions,
                       const std::string& actor) {
  std::vector<Value> values = {job, actor};
  std::string rows;
  for (const RowVersion& version : versions) {
    rows += rows.empty() ? "(" : "), (";
    rows += "$1, (SELECT company_id FROM lade_job WHERE id = $1), $2, ";
    rows += now_sql(connection);
    const auto add = [&](Value value) {
      values.push_back(std::move(value));
      rows += fmt::format(", ${}", values.size());
    };
    add(version.row_id);
    add(version.version);
    add(db::Bytes{version.records});
    add(version.line);
    add(static_cast<std::int64_t>(version.position));
    add(version.changes);
    add(version.issues);
    add(version.revision);
  }
  LADE_TRY(connection.execute(
      fmt::format("INSERT INTO lade_row_version (job_id, company_id, created_by, created_at, row_id, version, records, "
                  "line, position, changes, issues, revision) VALUES {})",
                  rows),
      values));
  return {};
}

}  // namespace

Result<void> save_row_versions(db::Connection& connection, std::int64_t job, std::span<const RowVersion> versions,
                               const std::string& actor) {
  for (; !versions.empty(); versions = versions.subspan(std::min(versions.size(), kVersionsAtOnce)))
    LADE_TRY(save_some(connection, job, versions.first(std::min(versions.size(), kVersionsAtOnce)), actor));
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

Result<std::vector<RowVersion>> row_versions(db::Connection& connection, std::int64_t job) {
  const Value values[] = {job};
  LADE_ASSIGN(const auto rows, connection.query(fmt::format("SELECT {} ORDER BY row_id, version", kColumns), values));
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

Result<std::int64_t> line_of_issue(db::Connection& connection, std::int64_t job, std::int64_t row) {
  const Value values[] = {job, row};
  LADE_ASSIGN(const auto rows,
              connection.query("SELECT max(line) FROM lade_issue WHERE job_id = $1 AND row_id = $2", values));
  return integer_of(rows[0][0]);
}

Result<void> forget_issues(db::Connection& connection, std::int64_t job, std::span<const std::int64_t> rows,
                           const std::string& code) {
  const Value values[] = {job, code};
  for (; !rows.empty(); rows = rows.subspan(std::min(rows.size(), kRowsAtOnce)))
    LADE_TRY(connection.execute(
        fmt::format("DELETE FROM lade_issue WHERE job_id = $1 AND ($2 = '' OR code = $2) AND row_id IN ({})",
                    fmt::join(rows.first(std::min(rows.size(), kRowsAtOnce)), ", ")),
        values));
  return {};
}

Result<void> forget_issues(db::Connection& connection, std::int64_t job, std::span<const std::int64_t> rows) {
  return forget_issues(connection, job, rows, {});
}

}  // namespace lade::store
