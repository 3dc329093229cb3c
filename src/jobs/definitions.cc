#include "jobs/definitions.h"

#include <algorithm>

#include "definition/parse.h"

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

}  // namespace

store::StoredDefinition to_stored(const definition::Definition& definition, const std::string& text) {
  store::StoredDefinition stored;
  stored.slug = definition.slug;
  stored.name = definition.name;
  stored.note = definition.note;
  if (definition.strategy)
    stored.strategy = definition::to_string(*definition.strategy);
  else if (!definition.load.empty())
    stored.strategy = definition::to_string(definition.load.front().strategy);
  stored.source_text = text;
  stored.snapshot = definition::to_json(definition);
  stored.valid = true;
  for (const DataColumn& column : definition.columns) {
    const bool from_file = !column.lookup;
    const bool identifying = from_file && identifies(definition, column.name);
    stored.data_columns.push_back({column.name, definition::to_string(column.type),
                                   from_file ? "source_input" : "internal", !column.required, column.default_value,
                                   identifying});
    // Each spelling of a header is a source column of its own that maps to the same data column.
    for (const std::string& name : column.from) {
      if (std::find(stored.source_columns.begin(), stored.source_columns.end(), name) == stored.source_columns.end())
        stored.source_columns.push_back(name);
      stored.mappings.push_back({name, {}, {}, column.name});
    }
    if (const Mapping mapping = mapping_of(column); mapping.source_value || mapping.source_expression)
      stored.mappings.push_back(mapping);
  }
  return stored;
}

Result<store::StoredDefinition> save_definition(db::Connection& connection, const definition::Definition& definition,
                                                const std::string& text, std::int64_t company) {
  store::StoredDefinition stored = to_stored(definition, text);
  stored.company = company;
  LADE_TRY(store::save_definition(connection, stored));
  return stored;
}

}  // namespace lade::jobs
