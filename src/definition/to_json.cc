#include <algorithm>
#include <boost/json.hpp>
#include <set>
#include <string>

#include "definition/names.h"
#include "definition/node_json.h"
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
  if (!column.replace.empty()) {
    json::object cells;
    for (const auto& [cell, value] : column.replace) put(cells, cell, text(value));
    put(object, "replace", std::move(cells));
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
  if (column.infinity) put(object, "infinity", true);
  if (column.purpose != DataColumn::Purpose::source_input) put(object, "purpose", name(column.purpose));
  if (column.identifying) put(object, "identifying", true);
  if (!column.step.empty()) put(object, "step", text(column.step));
  return object;
}

json::object to_object(const Check& check) {
  json::object object;
  put(object, "expr", text(check.text));
  if (!check.columns.empty()) put(object, "columns", texts(check.columns));
  put(object, "severity", name(check.severity));
  put(object, "message", text(check.message));
  put(object, "code", text(check.code));
  if (!check.step.empty()) put(object, "step", text(check.step));
  return object;
}

json::object to_object(const Temporal& temporal) {
  json::object object;
  put(object, "from", text(temporal.from));
  put(object, "until", text(temporal.until));
  put(object, "valid_from", text(temporal.valid_from));
  put(object, "valid_to", text(temporal.valid_to));
  if (!temporal.id.empty()) put(object, "id", text(temporal.id));
  if (!temporal.ephemeral.empty()) put(object, "ephemeral", texts(temporal.ephemeral));
  if (!temporal.audit.empty()) put(object, "audit", texts(temporal.audit));
  return object;
}

// The short form has data columns and target columns as keys; when one is both, or goes to two targets, it cannot be
// used.
bool has_short_form(const std::vector<TargetColumn>& columns) {
  std::set<std::string_view> keys;
  return std::all_of(columns.begin(), columns.end(), [&](const TargetColumn& column) {
    return keys.insert(column.data_column.empty() ? column.target : column.data_column).second;
  });
}

json::object to_object(const std::vector<TargetColumn>& columns) {
  const bool is_short = has_short_form(columns);
  json::object object;
  for (const TargetColumn& column : columns) {
    if (column.value)
      put(object, column.target, json::object{{"value", fixed(*column.value)}});
    else if (!column.ref_table.empty())
      put(object, column.target, json::object{{"ref", text(column.ref_table + "." + column.ref_column)}});
    else if (is_short)
      put(object, column.data_column, text(column.target));
    else
      put(object, column.target, json::object{{"from", text(column.data_column)}});
  }
  return object;
}

json::object to_object(const MaxErrors& limit) {
  json::object object;
  if (limit.count) put(object, "count", *limit.count);
  if (limit.percent) put(object, "percent", *limit.percent);
  return object;
}

json::object to_object(const ActiveRow& active) {
  json::object object, where;
  put(object, "table", text(active.table));
  put(object, "flag", text(active.flag));
  put(object, "take", text(active.take));
  for (const auto& [column, value] : active.where) put(where, column, fixed(value));
  if (!where.empty()) put(object, "where", std::move(where));
  return object;
}

void put_set(json::object& object, const WholeSet& set) {
  json::object scope;
  for (const ScopeColumn& column : set.scope) {
    if (column.active)
      put(scope, column.target, json::object{{"active", to_object(*column.active)}});
    else
      put(scope, column.target, fixed(column.value));
  }
  if (!scope.empty()) put(object, "scope", std::move(scope));
  if (set.version)
    put(object, "version",
        json::object{{"column", text(set.version->column)},
                     {"table", text(set.version->table)},
                     {"id", text(set.version->id)},
                     {"flag", text(set.version->flag)},
                     {"keep_days", set.version->keep_days}});
  put(object, "allow_empty", set.allow_empty);
  if (set.max_removed.given()) put(object, "max_removed", to_object(set.max_removed));
}

void put_handler(json::object& object, const HandlerTarget& handler) {
  put(object, "handler", text(handler.name));
  if (handler.options.size() > 0) put(object, "options", json_of(handler.options));
  if (handler.batch_size > 0) put(object, "batch_size", handler.batch_size);
}

json::object to_object(const LoadEntry& entry) {
  json::object object;
  if (entry.handler) {
    put_handler(object, *entry.handler);
    if (entry.columns_given) put(object, "columns", to_object(entry.columns));
    return object;
  }
  put(object, "table", text(entry.table));
  if (!entry.key.empty()) put(object, "key", texts(entry.key));
  put(object, "strategy", name(entry.strategy));
  if (entry.temporal) put(object, "temporal", to_object(*entry.temporal));
  if (!entry.with.empty()) put(object, "with", texts(entry.with));
  if (!entry.for_new.empty()) put(object, "for_new", text(entry.for_new));
  if (entry.identifies) put(object, "identifies", entry.identifies);
  if (entry.set) put_set(object, *entry.set);
  if (!entry.deletes.empty()) put(object, "delete", text(entry.deletes));
  if (!entry.step.empty()) put(object, "step", text(entry.step));
  if (entry.columns_given) put(object, "columns", to_object(entry.columns));
  return object;
}

// Its columns and checks stand with all others and name it.
json::object to_object(const Step& step) {
  json::object object;
  put(object, "priority", step.priority);
  put(object, "name", text(step.name));
  put(object, "kind", text(step.kind));
  for (std::size_t i = 0; i < step.options.size(); ++i)
    put(object, step.options.key(i).text, json_of(step.options.value(i)));
  return object;
}

void put_steps(json::object& object, const Definition& definition) {
  json::object steps;
  for (const Step& step : definition.steps) put(steps, step.code, to_object(step));
  if (definition.mode) put(object, "mode", name(*definition.mode));
  if (definition.strategy) put(object, "strategy", name(*definition.strategy));
  if (definition.valid_time_from) put(object, "valid_time_from", name(*definition.valid_time_from));
  if (definition.expanded) put(object, "expanded", true);
  put(object, "steps", std::move(steps));
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
  if (!definition.steps.empty()) put_steps(object, definition);
  if (!columns.empty()) put(object, "columns", std::move(columns));
  put(object, "checks", std::move(checks));
  if (!load.empty()) put(object, "load", std::move(load));
  put(object, "duplicates", name(definition.duplicates));
  put(object, "aggregate", std::move(aggregate));
  put(object, "partition", name(definition.partition));
  put(object, "commit", name(definition.commit));
  if (definition.max_errors.given()) put(object, "max_errors", to_object(definition.max_errors));
  put(object, "fail_when", name(definition.fail_when));
  put(object, "review", name(definition.review));
  put(object, "lock", name(definition.lock));
  if (definition.queue != Definition().queue) put(object, "queue", json::value_from(definition.queue));
  if (definition.lineage) put(object, "lineage", true);
  return object;
}

}  // namespace

std::string to_json(const Definition& definition) {
  return json::serialize(to_object(definition));
}

}  // namespace lade::definition
