#include "jobs/scope.h"

#include <fmt/format.h>

#include <algorithm>

#include "db/values.h"

namespace lade::jobs {
namespace {

using definition::ActiveRow;
using definition::FixedValue;

constexpr std::string_view kCompany = "company_id";

std::string text_of(const FixedValue& value, const ImportOptions& options) {
  if (!value.is_context) return value.text;
  if (value.text == "company") return std::to_string(options.company);
  if (value.text == "project") return options.project == 0 ? "" : std::to_string(options.project);
  if (value.text == "user_id") return options.user_id == 0 ? "" : std::to_string(options.user_id);
  return options.user;
}

Result<void> check_value(const FixedValue& value) {
  if (!value.is_context || (value.text != "job" && value.text != "now")) return {};
  return fail("scope_invalid", fmt::format("${} cannot say which set a file is about", value.text),
              "use a value, {active: table}, $company, $project or $user", ErrorKind::invalid);
}

Result<void> check_columns(const ActiveRow& active, const db::Table& table) {
  for (const std::string* name : {&active.flag, &active.take})
    if (table.find(*name) == nullptr)
      return fail("column_not_found", fmt::format("table '{}' has no column '{}'", active.table, *name),
                  "scope: {…: {active: {table, flag, take}}} says what they are called", ErrorKind::invalid);
  for (const auto& [column, value] : active.where)
    if (table.find(column) == nullptr)
      return fail("column_not_found", fmt::format("table '{}' has no column '{}'", active.table, column), "",
                  ErrorKind::invalid);
  return {};
}

// The one active row, among those of the company where the table tells companies apart.
Result<std::string> active_value(const ActiveRow& active, db::Connection& connection, const ImportOptions& options) {
  LADE_ASSIGN(const auto table, connection.describe(active.table));
  if (!table)
    return fail("table_not_found", fmt::format("there is no table '{}'", active.table), "", ErrorKind::invalid);
  LADE_TRY(check_columns(active, *table));
  std::vector<std::pair<std::string, FixedValue>> where = active.where;
  if (table->find(kCompany) != nullptr &&
      std::ranges::find(where, kCompany, [](const auto& w) { return w.first; }) == where.end())
    where.emplace_back(kCompany, FixedValue{"company", true});
  std::string condition = db::Connection::quote_name(active.flag);
  std::vector<db::Value> values;
  for (const auto& [column, value] : where) {
    values.emplace_back(text_of(value, options));
    condition += fmt::format(" AND CAST({} AS text) = ${}", db::Connection::quote_name(column), values.size());
  }
  LADE_ASSIGN(const auto rows,
              connection.query(fmt::format("SELECT CAST({} AS text) FROM {} WHERE {} LIMIT 2",
                                           db::Connection::quote_name(active.take), table->quoted, condition),
                               values));
  if (rows.empty())
    return fail("no_active_row", fmt::format("no row of '{}' is active ({})", active.table, active.flag),
                "make the one active that the file is about", ErrorKind::invalid);
  if (rows.size() > 1)
    return fail("several_active_rows", fmt::format("several rows of '{}' are active ({})", active.table, active.flag),
                "leave one of them active, or narrow the choice with 'where'", ErrorKind::invalid);
  return db::text_of(rows.front().front());
}

}  // namespace

Result<void> resolve_scope(definition::WholeSet& set, db::Connection& connection, const ImportOptions& options) {
  for (definition::ScopeColumn& column : set.scope) {
    if (column.active) {
      LADE_ASSIGN(std::string value, active_value(*column.active, connection, options));
      column.value = {std::move(value), false};
      column.active.reset();
    } else {
      LADE_TRY(check_value(column.value));
      column.value = {text_of(column.value, options), false};
    }
  }
  return {};
}

}  // namespace lade::jobs
