#include "jobs/definitions.h"

#include <algorithm>
#include <boost/json.hpp>

#include "definition/names.h"
#include "definition/node_json.h"

namespace lade::jobs {
namespace {

using definition::DataColumn;
using Mapping = store::StoredDefinition::Mapping;

bool identifies(const definition::Definition& definition, const std::string& column) {
  for (const definition::LoadEntry& entry : definition.load) {
    for (const std::string& key : entry.key) {
      const auto found =
          std::find_if(entry.columns.begin(), entry.columns.end(), [&](const auto& c) { return c.target == key; });
      if (found == entry.columns.end() ? key == column : found->data_column == column) return true;
    }
  }
  return false;
}

Mapping mapping_of(const DataColumn& column) {
  Mapping mapping;
  mapping.data_column = column.name;
  if (column.value) {
    mapping.source_value = (column.value->is_context ? "$" : "") + column.value->text;
  } else if (column.expression == DataColumn::SourceExpression::now) {
    mapping.source_expression = "now";
  } else if (column.expression == DataColumn::SourceExpression::default_value) {
    mapping.source_expression = "default";
  }
  return mapping;
}

std::optional<std::string> option_of(const definition::Step& step, std::string_view key) {
  const definition::Node* node = step.options.find(key);
  return node == nullptr || !node->is_scalar() ? std::nullopt : std::optional(node->text);
}

std::vector<store::StoredDefinition::Step> steps_of(const definition::Definition& definition) {
  std::vector<store::StoredDefinition::Step> steps;
  for (const definition::Step& step : definition.steps)
    steps.push_back({step.code, step.name, step.priority, step.kind, option_of(step, "analyse_procedure"),
                     option_of(step, "process_procedure"), boost::json::serialize(definition::json_of(step.options))});
  return steps;
}

std::vector<store::StoredDefinition::DataColumn> columns_of(const definition::Definition& definition) {
  if (!definition.steps.empty()) return staging_columns(definition);
  std::vector<store::StoredDefinition::DataColumn> columns;
  for (const DataColumn& column : definition.columns) {
    const bool from_file = !column.lookup;
    const bool identifying = from_file && (column.identifying || identifies(definition, column.name));
    columns.push_back({column.name, definition::to_string(column.type), from_file ? "source_input" : "internal",
                       !column.required, column.default_value, identifying});
  }
  return columns;
}

bool is_source_input(const store::StoredDefinition& stored, const std::string& name) {
  return std::any_of(stored.data_columns.begin(), stored.data_columns.end(),
                     [&](const auto& column) { return column.name == name && column.purpose == "source_input"; });
}

void add_mappings(const definition::Definition& definition, store::StoredDefinition& stored) {
  for (const DataColumn& column : definition.columns) {
    // Each spelling of a header is a source column of its own that maps to the same data column.
    for (const std::string& name : column.from) {
      if (std::find(stored.source_columns.begin(), stored.source_columns.end(), name) == stored.source_columns.end())
        stored.source_columns.push_back(name);
      stored.mappings.push_back({name, {}, {}, column.name});
    }
    const Mapping mapping = mapping_of(column);
    if ((mapping.source_value || mapping.source_expression) && is_source_input(stored, column.name))
      stored.mappings.push_back(mapping);
  }
}

std::string strategy_of(const definition::Definition& definition) {
  if (definition.strategy) return std::string(definition::to_string(*definition.strategy));
  return definition.load.empty() ? "" : std::string(definition::to_string(definition.load.front().strategy));
}

}  // namespace

store::StoredDefinition to_stored(const definition::Definition& definition, const std::string& text) {
  store::StoredDefinition stored;
  stored.slug = definition.slug;
  stored.name = definition.name;
  stored.note = definition.note;
  stored.strategy = strategy_of(definition);
  if (definition.mode) stored.mode = definition::name_of(*definition.mode);
  if (definition.valid_time_from) stored.valid_time_from = definition::name_of(*definition.valid_time_from);
  stored.source_text = text;
  stored.snapshot = definition::to_json(definition);
  stored.valid = true;
  stored.steps = steps_of(definition);
  stored.data_columns = columns_of(definition);
  add_mappings(definition, stored);
  return stored;
}

Result<store::StoredDefinition> save_definition(db::Connection& connection, const definition::Definition& definition,
                                                const std::string& text, std::int64_t company) {
  store::StoredDefinition stored = to_stored(definition, text);
  stored.company = company;
  LADE_TRY(store::save_definition(connection, stored));
  return stored;
}

Result<store::StoredDefinition> save_draft(db::Connection& connection, const definition::Parsed& parsed,
                                           const std::string& text, std::int64_t company) {
  store::StoredDefinition stored;
  stored.slug = parsed.definition.slug;
  stored.validation_error = definition::describe(parsed.faults, stored.slug.empty() ? "definition" : stored.slug);
  if (stored.slug.empty())
    return fail("definition_invalid", stored.validation_error, "a definition is stored under its slug",
                ErrorKind::invalid);
  stored.name = parsed.definition.name;
  stored.source_text = text;
  stored.strategy = "unknown";
  stored.company = company;
  LADE_TRY(store::save_definition(connection, stored));
  return stored;
}

}  // namespace lade::jobs
