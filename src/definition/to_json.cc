#include <boost/json.hpp>

#include "definition/names.h"
#include "definition/parse.h"

namespace lade::definition {
namespace {

namespace json = boost::json;

json::string text(std::string_view value) {
  return json::string(value.data(), value.size());
}

json::array texts(const std::vector<std::string>& values) {
  json::array array;
  for (const std::string& value : values) array.emplace_back(text(value));
  return array;
}

json::string fixed(const FixedValue& value) {
  if (value.is_context) return text("$" + value.text);
  return text(value.text.starts_with('$') ? "$" + value.text : value.text);
}

template <class Enumeration>
json::string name(Enumeration value) {
  return text(name_of(value));
}

// Keys are unique in a valid definition, so nothing is lost in an object.
void put(json::object& object, std::string_view key, json::value value) {
  object.emplace(json::string_view(key.data(), key.size()), std::move(value));
}

json::object to_object(const Source& source) {
  const auto character = [](char c) { return json::value(json::string(1, c)); };
  json::object object;
  if (!source.format.empty()) put(object, "format", text(source.format));
  if (!source.sheet.empty()) put(object, "sheet", text(source.sheet));
  if (source.merged != MergedPolicy::first) put(object, "merged", name(source.merged));
  if (source.delimiter) put(object, "delimiter", character(*source.delimiter));
  if (source.no_quote) put(object, "quote", "none");
  if (source.quote) put(object, "quote", character(*source.quote));
  if (source.escape) put(object, "escape", character(*source.escape));
  if (source.comment) put(object, "comment", character(*source.comment));
  if (!source.encoding.empty()) put(object, "encoding", text(source.encoding));
  if (source.header_row) put(object, "header_row", *source.header_row);
  if (!source.header.empty()) put(object, "header", texts(source.header));
  put(object, "skip_rows", source.skip_rows);
  if (!source.null_values.empty()) put(object, "null_values", texts(source.null_values));
  put(object, "ragged", name(source.ragged));
  return object;
}

json::object to_object(const Lookup& lookup) {
  json::object match, where, object;
  for (const auto& [column, target] : lookup.match) put(match, column, text(target));
  for (const auto& [column, value] : lookup.where) put(where, column, fixed(value));
  put(object, "table", text(lookup.table));
  put(object, "match", std::move(match));
  put(object, "take", text(lookup.take));
  put(object, "where", std::move(where));
  put(object, "missing", name(lookup.missing));
  put(object, "many", name(lookup.many));
  return object;
}

void put_origin(json::object& object, const DataColumn& column) {
  if (!column.from.empty()) put(object, "from", texts(column.from));
  if (column.value) put(object, "value", fixed(*column.value));
  if (column.expression != DataColumn::SourceExpression::none) put(object, "expression", name(column.expression));
  if (column.lookup) put(object, "lookup", to_object(*column.lookup));
}

void put_limits(json::object& object, const DataColumn& column) {
  if (column.min_length) put(object, "min_length", *column.min_length);
  if (column.max_length) put(object, "max_length", *column.max_length);
  if (column.min) put(object, "min", text(*column.min));
  if (column.max) put(object, "max", text(*column.max));
  if (!column.pattern.empty()) put(object, "pattern", text(column.pattern));
}

json::object to_object(const DataColumn& column) {
  json::object object;
  put_origin(object, column);
  if (column.type_given) put(object, "type", text(to_string(column.type)));
  put(object, "required", column.required);
  if (column.blank_given) put(object, "blank", name(column.blank));
  if (column.null_values_given) put(object, "null_values", texts(column.null_values));
  if (column.default_value) put(object, "default", text(*column.default_value));
  if (column.values_only) {
    json::object values;
    for (const auto& [cell, value] : column.values) put(values, cell, text(value));
    put(object, "values", std::move(values));
  }
  if (!column.locale.empty()) put(object, "locale", text(column.locale));
  if (column.formats.size() == 1) put(object, "format", text(column.formats.front()));
  if (column.formats.size() > 1) put(object, "format", texts(column.formats));
  if (!column.cut.empty()) put(object, "cut", text(column.cut));
  if (!column.timezone.empty()) put(object, "timezone", text(column.timezone));
  put(object, "trim", column.trim);
  put_limits(object, column);
  put(object, "sensitive", column.sensitive);
  put(object, "severity", name(column.severity));
  return object;
}

json::object to_object(const Check& check) {
  json::object object;
  put(object, "expr", text(check.text));
  if (!check.columns.empty()) put(object, "columns", texts(check.columns));
  put(object, "severity", name(check.severity));
  put(object, "message", text(check.message));
  put(object, "code", text(check.code));
  return object;
}

json::object to_object(const LoadEntry& entry) {
  json::object object;
  put(object, "table", text(entry.table));
  if (!entry.key.empty()) put(object, "key", texts(entry.key));
  put(object, "strategy", name(entry.strategy));
  if (!entry.columns_given) return object;
  json::object columns;
  for (const TargetColumn& column : entry.columns) {
    if (column.ref_table.empty())
      put(columns, column.data_column, text(column.target));
    else
      put(columns, column.target, json::object{{"ref", text(column.ref_table + "." + column.ref_column)}});
  }
  put(object, "columns", std::move(columns));
  return object;
}

json::object to_object(const MaxErrors& max_errors) {
  json::object object;
  if (max_errors.count) put(object, "count", *max_errors.count);
  if (max_errors.percent) put(object, "percent", *max_errors.percent);
  return object;
}

json::object to_object(const Definition& definition) {
  json::object object, columns, aggregate;
  json::array checks, load;
  for (const DataColumn& column : definition.columns) put(columns, column.name, to_object(column));
  for (const Check& check : definition.checks) checks.emplace_back(to_object(check));
  for (const LoadEntry& entry : definition.load) load.emplace_back(to_object(entry));
  for (const auto& [column, function] : definition.aggregate) put(aggregate, column, name(function));
  put(object, "lade", 1);
  put(object, "definition", text(definition.slug));
  put(object, "name", text(definition.name));
  put(object, "note", text(definition.note));
  put(object, "source", to_object(definition.source));
  put(object, "columns", std::move(columns));
  put(object, "checks", std::move(checks));
  put(object, "load", std::move(load));
  put(object, "duplicates", name(definition.duplicates));
  put(object, "aggregate", std::move(aggregate));
  put(object, "partition", name(definition.partition));
  put(object, "commit", name(definition.commit));
  if (definition.max_errors.given()) put(object, "max_errors", to_object(definition.max_errors));
  put(object, "fail_when", name(definition.fail_when));
  put(object, "review", name(definition.review));
  put(object, "lock", name(definition.lock));
  return object;
}

}  // namespace

std::string to_json(const Definition& definition) {
  return json::serialize(to_object(definition));
}

}  // namespace lade::definition
