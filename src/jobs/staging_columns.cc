#include <fmt/format.h>

#include <algorithm>

#include "definition/names.h"
#include "jobs/definitions.h"

namespace lade::jobs {
namespace {

using definition::DataColumn;
using definition::Definition;
using definition::Step;
using definition::Type;
using definition::TypeKind;
using Column = store::StoredDefinition::DataColumn;

std::string sql_type(const Type& type) {
  switch (type.kind) {
    case TypeKind::text: return "TEXT";
    case TypeKind::integer: return "INTEGER";
    case TypeKind::decimal: return fmt::format("NUMERIC({},{})", type.precision, type.scale);
    case TypeKind::boolean: return "BOOLEAN";
    case TypeKind::date: return "DATE";
    case TypeKind::timestamp: return "TIMESTAMPTZ";
    case TypeKind::uuid: return "UUID";
    case TypeKind::json: return "JSONB";
  }
  return "TEXT";
}

const Step* step_of(const Definition& definition, const DataColumn& column) {
  const auto found = std::find_if(definition.steps.begin(), definition.steps.end(),
                                  [&](const Step& step) { return step.code == column.step; });
  return found == definition.steps.end() ? nullptr : &*found;
}

std::string option(const Step& step, std::string_view key, std::string_view otherwise) {
  const definition::Node* node = step.options.find(key);
  return node == nullptr ? std::string(otherwise) : node->text;
}

// Where the value of a text that comes from the file stands; empty: the text is the value.
std::string typed_name(const Definition& definition, const DataColumn& column) {
  const Step* step = step_of(definition, column);
  if (step != nullptr && step->kind == "valid_time") {
    if (column.name == option(*step, "from", "valid_from")) return "derived_valid_from";
    if (column.name == option(*step, "to", "valid_to")) return "derived_valid_to";
  }
  return column.type.kind == TypeKind::text ? "" : "typed_" + column.name;
}

// Found or filled in by a step rather than taken from the file.
bool is_internal(const Definition& definition, const DataColumn& column) {
  const Step* step = step_of(definition, column);
  return column.lookup || column.purpose != DataColumn::Purpose::source_input ||
         (step != nullptr && step->kind == "edit_info" && column.from.empty());
}

std::string internal_type(const DataColumn& column) {
  // Only the database knows what a lookup takes; an id is a number.
  if (column.lookup && !column.type_given && column.lookup->take == "id") return "INTEGER";
  return sql_type(column.type);
}

}  // namespace

std::vector<Column> staging_columns(const Definition& definition) {
  std::vector<Column> columns;
  const auto add = [&](Column column) {
    const bool is_new =
        std::none_of(columns.begin(), columns.end(), [&](const Column& other) { return other.name == column.name; });
    if (is_new) columns.push_back(std::move(column));
  };
  for (const DataColumn& column : definition.columns) {
    if (is_internal(definition, column)) {
      const bool is_key = column.purpose == DataColumn::Purpose::pk_id;
      add({column.name, internal_type(column), is_key ? "pk_id" : "internal", true, {}, false, column.step});
      continue;
    }
    add({column.name, "TEXT", "source_input", !column.required, column.default_value, column.identifying, column.step});
    if (const std::string typed = typed_name(definition, column); !typed.empty())
      add({typed, sql_type(column.type), "internal", true, {}, false, column.step});
  }
  for (const auto& [name, type] :
       {std::pair("state", "TEXT"), std::pair("error", "JSONB"), std::pair("invalid_codes", "JSONB"),
        std::pair("last_completed_priority", "INTEGER")})
    add({name, type, "metadata", true, {}, false});
  return columns;
}

}  // namespace lade::jobs
