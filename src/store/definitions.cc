#include "store/definitions.h"

#include <fmt/format.h>

#include <algorithm>

#include "store/sql.h"
#include "store/steps.h"

namespace lade::store {
namespace {

using db::Value;

Value text_or_null(const std::optional<std::string>& text) {
  return text ? Value(*text) : Value();
}
Value flag(bool value) {
  return std::int64_t{value};
}

std::string select_definitions(const db::Connection& connection) {
  return fmt::format(
      "SELECT id, slug, version, name, note, strategy, source_text, snapshot, valid, validation_error, company_id, {}, "
      "mode, valid_time_from "
      "FROM lade_definition d ",
      time_sql(connection, "created_at"));
}

StoredDefinition from_row(const db::Row& row) {
  StoredDefinition definition;
  definition.id = std::get<std::int64_t>(row[0]);
  definition.slug = text_of(row[1]);
  definition.version = std::get<std::int64_t>(row[2]);
  definition.name = text_of(row[3]);
  definition.note = text_of(row[4]);
  definition.strategy = text_of(row[5]);
  definition.source_text = text_of(row[6]);
  definition.snapshot = text_of(row[7]);
  definition.valid = std::get<std::int64_t>(row[8]) != 0;
  definition.validation_error = text_of(row[9]);
  definition.company = std::get<std::int64_t>(row[10]);
  definition.created_at = text_of(row[11]);
  definition.mode = text_of(row[12]);
  definition.valid_time_from = text_of(row[13]);
  return definition;
}

std::vector<StoredDefinition> from_rows(const std::vector<db::Row>& rows) {
  std::vector<StoredDefinition> definitions;
  for (const db::Row& row : rows) definitions.push_back(from_row(row));
  return definitions;
}

Result<std::int64_t> inserted_id(db::Connection& connection, std::string_view sql, std::span<const Value> values) {
  LADE_ASSIGN(const auto rows, connection.query(sql, values));
  return std::get<std::int64_t>(rows.front().front());
}

using Ids = std::vector<std::pair<std::string, std::int64_t>>;

Value id_of(const Ids& ids, const std::string& name) {
  const auto found = std::find_if(ids.begin(), ids.end(), [&](const auto& entry) { return entry.first == name; });
  return found == ids.end() ? Value() : Value(found->second);
}

Result<Ids> save_source_columns(db::Connection& connection, const StoredDefinition& definition) {
  Ids ids;
  for (std::size_t i = 0; i < definition.source_columns.size(); ++i) {
    const Value values[] = {definition.company, definition.id, definition.source_columns[i],
                            static_cast<std::int64_t>(i + 1)};
    LADE_ASSIGN(const auto id,
                inserted_id(connection,
                            "INSERT INTO lade_source_column (company_id, definition_id, column_name, priority) "
                            "VALUES ($1, $2, $3, $4) RETURNING id",
                            values));
    ids.emplace_back(definition.source_columns[i], id);
  }
  return ids;
}

Result<Ids> save_data_columns(db::Connection& connection, const StoredDefinition& definition, const Ids& steps) {
  Ids ids;
  for (std::size_t i = 0; i < definition.data_columns.size(); ++i) {
    const auto& column = definition.data_columns[i];
    const Value values[] = {definition.company,
                            definition.id,
                            static_cast<std::int64_t>(i + 1),
                            column.name,
                            column.type,
                            column.purpose,
                            flag(column.nullable),
                            text_or_null(column.default_value),
                            flag(column.identifying),
                            id_of(steps, column.step)};
    LADE_ASSIGN(
        const auto id,
        inserted_id(
            connection,
            "INSERT INTO lade_data_column (company_id, definition_id, priority, column_name, column_type, purpose, "
            "is_nullable, default_value, is_uniquely_identifying, step_id) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, "
            "$9, $10) RETURNING id",
            values));
    ids.emplace_back(column.name, id);
  }
  return ids;
}

Result<void> save_columns(db::Connection& connection, const StoredDefinition& definition) {
  LADE_ASSIGN(const StepIds steps, save_steps(connection, definition));
  LADE_ASSIGN(const Ids sources, save_source_columns(connection, definition));
  LADE_ASSIGN(const Ids targets, save_data_columns(connection, definition, steps));
  for (const auto& mapping : definition.mappings) {
    const Value values[] = {definition.company,
                            definition.id,
                            mapping.source_column ? id_of(sources, *mapping.source_column) : Value(),
                            text_or_null(mapping.source_value),
                            text_or_null(mapping.source_expression),
                            id_of(targets, mapping.data_column)};
    LADE_TRY(
        connection.execute("INSERT INTO lade_mapping (company_id, definition_id, source_column_id, source_value, "
                           "source_expression, target_data_column_id) "
                           "VALUES ($1, $2, $3, $4, $5, $6)",
                           values));
  }
  return {};
}

Result<void> read_columns(db::Connection& connection, StoredDefinition& definition) {
  const Value id[] = {definition.id};
  LADE_ASSIGN(definition.steps, read_steps(connection, definition.id));
  LADE_ASSIGN(
      const auto sources,
      connection.query("SELECT column_name FROM lade_source_column WHERE definition_id = $1 ORDER BY priority", id));
  for (const auto& row : sources) definition.source_columns.push_back(text_of(row[0]));
  LADE_ASSIGN(
      const auto columns,
      connection.query("SELECT c.column_name, c.column_type, c.purpose, c.is_nullable, c.default_value, "
                       "c.is_uniquely_identifying, s.code FROM lade_data_column c LEFT JOIN lade_step s ON s.id = "
                       "c.step_id WHERE c.definition_id = $1 ORDER BY c.priority",
                       id));
  const auto optional_text = [](const Value& value) {
    return std::holds_alternative<std::monostate>(value) ? std::nullopt : std::optional(text_of(value));
  };
  for (const auto& row : columns)
    definition.data_columns.push_back({text_of(row[0]), text_of(row[1]), text_of(row[2]),
                                       std::get<std::int64_t>(row[3]) != 0, optional_text(row[4]),
                                       std::get<std::int64_t>(row[5]) != 0, text_of(row[6])});
  LADE_ASSIGN(
      const auto mappings,
      connection.query("SELECT s.column_name, m.source_value, m.source_expression, d.column_name FROM lade_mapping m "
                       "JOIN lade_data_column d ON d.id = m.target_data_column_id LEFT JOIN lade_source_column s ON "
                       "s.id = m.source_column_id "
                       "WHERE m.definition_id = $1 ORDER BY m.id",
                       id));
  for (const auto& row : mappings)
    definition.mappings.push_back(
        {optional_text(row[0]), optional_text(row[1]), optional_text(row[2]), text_of(row[3])});
  return {};
}

}  // namespace

namespace {

Result<void> save(db::Connection& connection, StoredDefinition& definition) {
  const Value slug[] = {definition.company, definition.slug};
  LADE_ASSIGN(const auto newest, connection.query("SELECT id, version, source_text FROM lade_definition WHERE "
                                                  "company_id = $1 AND slug = $2 ORDER BY version DESC LIMIT 1",
                                                  slug));
  if (!newest.empty() && text_of(newest.front()[2]) == definition.source_text) {
    definition.id = std::get<std::int64_t>(newest.front()[0]);
    definition.version = std::get<std::int64_t>(newest.front()[1]);
    return {};
  }
  definition.version = newest.empty() ? 1 : std::get<std::int64_t>(newest.front()[1]) + 1;
  const Value values[] = {definition.company,
                          definition.slug,
                          definition.version,
                          definition.name,
                          definition.note,
                          definition.strategy,
                          definition.source_text,
                          definition.snapshot.empty() ? Value() : Value(definition.snapshot),
                          flag(definition.valid),
                          definition.validation_error.empty() ? Value() : Value(definition.validation_error),
                          definition.mode.empty() ? Value() : Value(definition.mode),
                          definition.valid_time_from.empty() ? Value() : Value(definition.valid_time_from)};
  LADE_ASSIGN(
      definition.id,
      inserted_id(connection,
                  std::string("INSERT INTO lade_definition (company_id, slug, version, name, note, strategy, "
                              "source_text, snapshot, valid, "
                              "validation_error, mode, valid_time_from, created_at) VALUES ($1, $2, $3, $4, $5, $6, "
                              "$7, $8, $9, $10, $11, $12, ") +
                      std::string(now_sql(connection)) + ") RETURNING id",
                  values));
  LADE_TRY(save_columns(connection, definition));
  return {};
}

}  // namespace

Result<void> save_definition(db::Connection& connection, StoredDefinition& definition) {
  return in_transaction(connection, [&] { return save(connection, definition); });
}

Result<std::optional<StoredDefinition>> find_definition(db::Connection& connection, std::string_view slug,
                                                        std::optional<std::int64_t> version, std::int64_t company) {
  const Value values[] = {company, std::string(slug), version ? Value(*version) : Value()};
  LADE_ASSIGN(const auto rows,
              connection.query(select_definitions(connection) +
                                   "WHERE company_id = $1 AND slug = $2 AND version = coalesce(CAST($3 AS integer), "
                                   "version) ORDER BY version DESC LIMIT 1",
                               values));
  if (rows.empty()) return std::nullopt;
  StoredDefinition definition = from_row(rows.front());
  LADE_TRY(read_columns(connection, definition));
  return definition;
}

Result<std::vector<StoredDefinition>> list_definitions(db::Connection& connection, std::int64_t company) {
  const Value values[] = {company};
  LADE_ASSIGN(const auto rows,
              connection.query(select_definitions(connection) +
                                   "WHERE company_id = $1 AND version = (SELECT max(version) FROM lade_definition o "
                                   "WHERE o.company_id = d.company_id AND o.slug = d.slug) ORDER BY slug",
                               values));
  return from_rows(rows);
}

Result<std::vector<StoredDefinition>> list_versions(db::Connection& connection, std::string_view slug,
                                                    std::int64_t company) {
  const Value values[] = {company, std::string(slug)};
  LADE_ASSIGN(const auto rows, connection.query(select_definitions(connection) +
                                                    "WHERE company_id = $1 AND slug = $2 ORDER BY version DESC",
                                                values));
  return from_rows(rows);
}

}  // namespace lade::store
