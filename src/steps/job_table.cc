#include "steps/job_table.h"

#include <fmt/format.h>
#include <boost/json.hpp>

#include <algorithm>
#include <unordered_map>

namespace lade::steps {
namespace {

namespace json = boost::json;
using analysis::StepRows;
using definition::TypeKind;

constexpr std::string_view kMetadata =
    "operation text, action text, state text NOT NULL, error jsonb, invalid_codes jsonb, "
    "last_completed_priority integer NOT NULL";

bool is_metadata(std::string_view name) {
  return name == "operation" || name == "action";
}

std::string_view type_of(const analysis::ColumnProgram& column) {
  if (column.column.purpose == definition::DataColumn::Purpose::source_input && !column.column.lookup) return "text";
  switch (column.type.kind) {
    case TypeKind::text: return "text";
    case TypeKind::integer: return "bigint";
    case TypeKind::decimal: return "numeric";
    case TypeKind::boolean: return "boolean";
    case TypeKind::date: return "date";
    case TypeKind::timestamp: return "timestamptz";
    case TypeKind::uuid: return "uuid";
    case TypeKind::json: return "jsonb";
  }
  return "text";
}

const std::string& text_in(const db::Value& value) {
  static const std::string kNothing;
  const std::string* text = std::get_if<std::string>(&value);
  return text == nullptr ? kNothing : *text;
}

// What is said by column; a text that is no JSON object is about the whole row.
std::vector<std::pair<std::string, std::string>> members_of(const std::string& text) {
  boost::system::error_code error;
  const json::value value = json::parse(text, error);
  const json::object* object = error ? nullptr : value.if_object();
  if (object == nullptr) return {{"", text}};
  std::vector<std::pair<std::string, std::string>> members;
  for (const auto& [key, member] : *object) {
    const json::string* said = member.if_string();
    members.emplace_back(key, said == nullptr ? json::serialize(member) : std::string(*said));
  }
  return members;
}

}  // namespace

JobTable::JobTable(const analysis::Program& program, int priority) : program_(program), priority_(priority) {}

std::string JobTable::array_of(std::span<const std::int64_t> row_ids) {
  return fmt::format("{{{}}}", fmt::join(row_ids, ","));
}

Result<std::string> JobTable::name_of(db::Connection& connection, std::int64_t job) {
  const db::Value id = job;
  LADE_ASSIGN(const auto slugs, connection.query("SELECT slug FROM lade_job WHERE id = $1", {&id, 1}));
  if (slugs.empty()) return fail("job_not_found", "the job was deleted");
  return db::Connection::quote_name(text_in(slugs.front().front()) + "_data");
}

Result<std::string> JobTable::create(db::Connection& connection, std::int64_t job) const {
  LADE_ASSIGN(std::string name, name_of(connection, job));
  std::string columns = "row_id integer PRIMARY KEY";
  for (const analysis::ColumnProgram& column : program_.columns)
    if (!is_metadata(column.column.name))
      columns += fmt::format(", {} {}", db::Connection::quote_name(column.column.name), type_of(column));
  LADE_TRY(connection.run(fmt::format("CREATE TABLE IF NOT EXISTS {} ({}, {})", name, columns, kMetadata)));
  return name;
}

Result<void> JobTable::put(db::Connection& connection, const std::string& name, const StepRows& rows) const {
  json::array all;
  std::vector<std::int64_t> ids;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (rows.is_refused(row)) continue;
    ids.push_back(rows.row_id(row));
    json::object& values = all.emplace_back(json::object()).as_object();
    values["row_id"] = rows.row_id(row);
    values["state"] = "analysing";
    values["last_completed_priority"] = priority_;
    for (std::size_t i = 0; i < program_.columns.size(); ++i)
      if (const auto column = static_cast<int>(i); rows.has_value(column, row))
        values[program_.columns[i].column.name] = analysis::to_text(rows.cell(column, row), program_.columns[i].type);
  }
  const db::Value known = array_of(ids);
  LADE_TRY(connection.execute(fmt::format("DELETE FROM {} WHERE row_id = ANY ($1::integer[])", name), {&known, 1}));
  const db::Value text = json::serialize(all);
  LADE_TRY(connection.execute(
      fmt::format("INSERT INTO {0} SELECT * FROM jsonb_populate_recordset(NULL::{0}, $1::jsonb)", name), {&text, 1}));
  return {};
}

Result<void> JobTable::read_back(db::Connection& connection, const std::string& name, std::span<const int> filled,
                                 StepRows& rows) const {
  std::unordered_map<std::int64_t, std::size_t> places;
  std::vector<std::int64_t> ids;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    places.emplace(rows.row_id(row), row);
    ids.push_back(rows.row_id(row));
  }
  std::string columns;
  for (const int column : filled)
    columns += fmt::format(", {}::text",
                           db::Connection::quote_name(program_.columns[static_cast<std::size_t>(column)].column.name));
  const db::Value wanted = array_of(ids);
  LADE_ASSIGN(
      const auto found,
      connection.query(fmt::format("SELECT row_id, state, error::text, invalid_codes::text{} FROM {} WHERE row_id "
                                   "= ANY ($1::integer[])",
                                   columns, name),
                       {&wanted, 1}));
  for (const db::Row& values : found) {
    const std::size_t row = places.at(std::get<std::int64_t>(values[0]));
    for (std::size_t i = 0; i < filled.size(); ++i) {
      const analysis::ColumnProgram& column = program_.columns[static_cast<std::size_t>(filled[i])];
      const std::string* text = std::get_if<std::string>(&values[4 + i]);
      if (text == nullptr) continue;
      analysis::Cell cell;
      if (analysis::cast_text(column, rows.keep_text(*text), cell)) continue;
      rows.set(filled[i], row, cell);
    }
    const auto tell = [&](const std::string& text, auto say) {
      for (const auto& [key, message] : members_of(text)) {
        const int column = analysis::column_named(program_, key);
        say(column < 0 ? std::span<const int>() : std::span<const int>(&column, 1), message);
      }
    };
    if (const std::string* codes = std::get_if<std::string>(&values[3]))
      tell(*codes, [&](std::span<const int> column, const std::string&) {
        rows.warning(row, column, "invalid_code", "the step does not know this code", "correct the cell");
      });
    if (const std::string* errors = std::get_if<std::string>(&values[2])) {
      tell(*errors, [&](std::span<const int> column, const std::string& message) {
        rows.error(row, column, "sql_step", message, "correct the row");
      });
    } else if (text_in(values[1]) == "error") {
      rows.error(row, {}, "sql_step", "the step refused the row", "correct the row");
    }
  }
  return {};
}

Result<std::vector<analysis::Step::RefusedRow>> JobTable::refused_rows(db::Connection& connection,
                                                                       const std::string& name,
                                                                       std::span<const std::int64_t> row_ids) {
  const db::Value wanted = array_of(row_ids);
  LADE_ASSIGN(const auto found,
              connection.query(fmt::format("SELECT row_id, error::text FROM {} WHERE state = 'error' AND row_id = ANY "
                                           "($1::integer[])",
                                           name),
                               {&wanted, 1}));
  std::vector<analysis::Step::RefusedRow> refused;
  for (const db::Row& values : found) {
    model::Issue issue{model::Severity::error, "sql_step", {}, {}, "the step refused the row", "correct the row"};
    if (const std::string* errors = std::get_if<std::string>(&values[1]))
      for (const auto& [key, message] : members_of(*errors)) issue.column = key, issue.message = message;
    refused.push_back({std::get<std::int64_t>(values[0]), std::move(issue)});
  }
  return refused;
}

}  // namespace lade::steps
