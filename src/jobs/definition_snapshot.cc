#include "jobs/definition_snapshot.h"

#include <algorithm>
#include <boost/json.hpp>

#include "jobs/definitions.h"

namespace lade::jobs {
namespace {

namespace json = boost::json;
using store::StoredDefinition;

json::value text_or_null(const std::string& text) {
  return text.empty() ? json::value(nullptr) : json::value(text);
}
json::value text_or_null(const std::optional<std::string>& text) {
  return text ? json::value(*text) : json::value(nullptr);
}

json::object to_object(const StoredDefinition& stored) {
  return {{"slug", stored.slug},
          {"name", stored.name},
          {"note", text_or_null(stored.note)},
          {"strategy", stored.strategy},
          {"mode", text_or_null(stored.mode)},
          {"valid_time_from", text_or_null(stored.valid_time_from)},
          {"valid", stored.valid},
          {"validation_error", text_or_null(stored.validation_error)}};
}

json::object to_object(const TimeContext& context) {
  return {{"ident", text_or_null(context.ident)},
          {"name", text_or_null(context.name)},
          {"valid_from", context.valid_from},
          {"valid_to", context.valid_to}};
}

json::object to_object(const StoredDefinition::Step& step) {
  return {{"code", step.code},
          {"name", step.name},
          {"priority", step.priority},
          {"kind", step.kind},
          {"analyse_procedure", text_or_null(step.analyse_procedure)},
          {"process_procedure", text_or_null(step.process_procedure)},
          {"options", json::parse(step.options)}};
}

json::object to_object(const StoredDefinition::DataColumn& column) {
  return {{"step_code", text_or_null(column.step)},
          {"column_name", column.name},
          {"column_type", column.type},
          {"purpose", column.purpose},
          {"is_nullable", column.nullable},
          {"default_value", text_or_null(column.default_value)},
          {"is_uniquely_identifying", column.identifying}};
}

json::object source_column(const StoredDefinition& stored, const std::string& name) {
  const auto found = std::find(stored.source_columns.begin(), stored.source_columns.end(), name);
  return {{"column_name", name}, {"priority", found - stored.source_columns.begin() + 1}};
}

json::object data_column(const StoredDefinition& stored, const std::string& name) {
  for (const StoredDefinition::DataColumn& column : stored.data_columns)
    if (column.name == name) return to_object(column);
  return {};
}

json::object to_object(const StoredDefinition& stored, const StoredDefinition::Mapping& mapping) {
  json::object object{{"mapping",
                       {{"source_column_name", text_or_null(mapping.source_column)},
                        {"source_value", text_or_null(mapping.source_value)},
                        {"source_expression", text_or_null(mapping.source_expression)},
                        {"target_data_column_name", mapping.data_column}}}};
  object["source_column"] =
      mapping.source_column ? json::value(source_column(stored, *mapping.source_column)) : json::value(nullptr);
  object["target_data_column"] = data_column(stored, mapping.data_column);
  return object;
}

}  // namespace

std::string definition_snapshot(const StoredDefinition& stored, const std::optional<TimeContext>& time_context) {
  json::array steps, columns, sources, mappings;
  for (const StoredDefinition::Step& step : stored.steps) steps.push_back(to_object(step));
  for (const StoredDefinition::DataColumn& column : stored.data_columns) columns.push_back(to_object(column));
  for (const std::string& name : stored.source_columns) sources.push_back(source_column(stored, name));
  for (const StoredDefinition::Mapping& mapping : stored.mappings) mappings.push_back(to_object(stored, mapping));
  json::object object{{"import_definition", to_object(stored)}};
  if (time_context) object["time_context"] = to_object(*time_context);
  object["import_step_list"] = std::move(steps);
  object["import_data_column_list"] = std::move(columns);
  object["import_source_column_list"] = std::move(sources);
  object["import_mapping_list"] = std::move(mappings);
  return json::serialize(object);
}

std::string definition_snapshot(const definition::Definition& definition,
                                const std::optional<TimeContext>& time_context) {
  return definition_snapshot(to_stored(definition, ""), time_context);
}

Result<std::string> definition_snapshot(db::Connection& connection, const store::JobRecord& job) {
  LADE_ASSIGN(const definition::Definition definition, definition_of(connection, job));
  auto time = valid_time_of(connection, definition, options_of(job));
  // A context that was deleted since is no reason to show nothing.
  if (!time && time.error().code != "time_context_not_found") return fail(std::move(time).error());
  return definition_snapshot(definition, time ? *time : std::nullopt);
}

}  // namespace lade::jobs
