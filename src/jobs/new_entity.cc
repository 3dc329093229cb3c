#include "jobs/new_entity.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/one_line.h"
#include "db/values.h"

namespace lade::jobs {
namespace {

using db::Value;
using Values = std::vector<std::pair<std::string, std::optional<std::string>>>;

Result<db::Table> describe(db::Connection& connection, const steps::EntityTable& entities) {
  LADE_ASSIGN(auto table, connection.describe(entities.table));
  if (!table)
    return fail("table_not_found", fmt::format("there is no table '{}' any more", entities.table), "",
                ErrorKind::invalid);
  return std::move(*table);
}

Result<const db::Column*> column_of(const db::Table& table, const std::string& name) {
  const db::Column* const column = table.find(name);
  if (column != nullptr && !column->generated) return column;
  std::vector<std::string_view> known;
  for (const db::Column& one : table.columns)
    if (!one.generated) known.emplace_back(one.name);
  return fail("entity_column_unknown", fmt::format("table '{}' has no column '{}'", table.name, name),
              fmt::format("{}", fmt::join(known, ", ")), ErrorKind::invalid);
}

// Text as a value of the column. SQLite takes it as the column's affinity has it.
std::string placeholder(const db::Connection& connection, const db::Column& column, std::size_t number) {
  if (connection.backend() == db::Backend::sqlite) return fmt::format("${}", number);
  return fmt::format("CAST(CAST(${} AS text) AS {})", number, column.type);
}

Error refused(const db::Connection& connection, const std::string& table) {
  const db::Diagnosis& diagnosis = connection.diagnosis();
  return {"entity_refused",
          fmt::format("'{}' does not take it: {}", table,
                      one_line(diagnosis.message + (diagnosis.detail.empty() ? "" : " - " + diagnosis.detail))),
          "give other values, or pick one that is there", ErrorKind::invalid};
}

}  // namespace

Result<std::optional<std::string>> find_entity(db::Connection& connection, const steps::EntityTable& entities,
                                               const std::string& id) {
  LADE_ASSIGN(const db::Table table, describe(connection, entities));
  LADE_ASSIGN(const db::Column* const column, column_of(table, entities.id));
  const Value values[] = {id};
  const std::string name = db::Connection::quote_name(entities.names.front());
  const std::string key = db::Connection::quote_name(entities.id);
  // The id is what lade has shown as text; anything else, also what is no id at all, is not there.
  LADE_ASSIGN(db::Savepoint savepoint, db::Savepoint::begin(connection));
  const auto rows = connection.query(fmt::format("SELECT CAST({} AS text) FROM {} WHERE {} = {} AND CAST({} AS text) = "
                                                 "CAST($1 AS text)",
                                                 name, table.quoted, key, placeholder(connection, *column, 1), key),
                                     values);
  if (!rows) {
    const bool no_id = connection.diagnosis().sqlstate.starts_with("22");
    Error error = rows.error();
    LADE_TRY(savepoint.rollback());
    if (no_id) return std::nullopt;
    return fail(std::move(error));
  }
  LADE_TRY(savepoint.release());
  if (rows->empty()) return std::nullopt;
  return db::text_of(rows->front().front());
}

Result<std::string> create_entity(db::Connection& connection, const steps::EntityTable& entities,
                                  const std::string& name, const Values& given) {
  LADE_ASSIGN(const db::Table table, describe(connection, entities));
  Values values = given;
  const std::string& first = entities.names.front();
  if (std::ranges::find(values, first, &Values::value_type::first) == values.end()) values.emplace_back(first, name);
  std::string columns, places;
  std::vector<Value> parameters;
  for (const auto& [column_name, text] : values) {
    LADE_ASSIGN(const db::Column* const column, column_of(table, column_name));
    parameters.push_back(text ? Value(*text) : Value());
    columns += (columns.empty() ? "" : ", ") + db::Connection::quote_name(column->name);
    places += (places.empty() ? "" : ", ") + placeholder(connection, *column, parameters.size());
  }
  for (const db::Column& column : table.columns)
    if (column.not_null && !column.has_default && !column.generated &&
        std::ranges::find(values, column.name, &Values::value_type::first) == values.end())
      return fail("entity_incomplete", fmt::format("column '{}' of '{}' must have a value", column.name, table.name),
                  "give it", ErrorKind::invalid);
  LADE_ASSIGN(db::Savepoint savepoint, db::Savepoint::begin(connection));
  const auto rows =
      connection.query(fmt::format("INSERT INTO {} ({}) VALUES ({}) RETURNING CAST({} AS text)", table.quoted, columns,
                                   places, db::Connection::quote_name(entities.id)),
                       parameters);
  if (!rows) {
    const std::string& state = connection.diagnosis().sqlstate;
    const bool by_value = state.starts_with("22") || state.starts_with("23") || state.starts_with("P0");
    Error error = by_value ? refused(connection, table.name) : rows.error();
    LADE_TRY(savepoint.rollback());
    return fail(std::move(error));
  }
  LADE_TRY(savepoint.release());
  const std::string id = db::text_of(rows->front().front());
  if (id.empty())
    return fail("entity_incomplete", fmt::format("column '{}' of '{}' must have a value", entities.id, table.name),
                "give it", ErrorKind::invalid);
  return id;
}

}  // namespace lade::jobs
