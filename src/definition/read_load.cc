#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>

#include "definition/node_json.h"
#include "definition/sections.h"
#include "definition/values.h"

namespace lade::definition {
namespace {

constexpr std::string_view kLoadKeys[] = {
    "table", "key",     "strategy",    "columns",     "temporal", "with",    "for_new", "identifies", "step",
    "scope", "version", "allow_empty", "max_removed", "delete",   "handler", "options", "batch_size"};
constexpr std::string_view kSetKeys[] = {"scope", "version", "allow_empty", "max_removed"};
constexpr std::string_view kHandlerKeys[] = {"handler", "options", "batch_size", "columns"};
constexpr std::string_view kOnlyHandlerKeys[] = {"options", "batch_size"};
constexpr std::int64_t kMostAtOnce = 100'000;
constexpr Later kLaterLoadKeys[] = {{"where", "filter the file before the import"}};

// legal_unit.id; the table's name may carry its schema.
void read_reference(const Node& node, const std::string& label, TargetColumn& column, Faults& faults) {
  const auto text = read_text(node, label, faults);
  if (!text) return;
  const std::size_t dot = text->rfind('.');
  if (dot == std::string::npos || dot == 0 || !is_column_name(text->substr(dot + 1)))
    return faults.error(node.place, "definition_bad_value",
                        fmt::format("{}: {} is not accepted; expected table.column", label, in_quotes(*text)));
  column.ref_table = text->substr(0, dot);
  column.ref_column = text->substr(dot + 1);
}

// {ref: legal_unit.id}, {value: physical} or {from: data_column}.
TargetColumn read_target_column(const Node& key, const Node& node, const std::string& label, Faults& faults) {
  static constexpr std::string_view kKeys[] = {"ref", "value", "from"};
  TargetColumn column{key.text, {}, {}, {}};
  check_map(node, label, kKeys, {}, faults);
  const Node* ref = node.find("ref");
  const Node* value = node.find("value");
  const Node* from = node.find("from");
  if (node.size() == 0)
    report_missing(node.place, label, "ref", "write {ref: table.column}, {value: text} or {from: data_column}", faults);
  if ((ref != nullptr) + (value != nullptr) + (from != nullptr) > 1)
    faults.error(node.place, "definition_bad_value", fmt::format("{}: keep one of ref, value and from", label));
  if (ref != nullptr) read_reference(*ref, label + ".ref", column, faults);
  if (value != nullptr) column.value = read_fixed_value(*value, label + ".value", faults);
  if (from != nullptr) column.data_column = read_text(*from, label + ".from", faults).value_or("");
  return column;
}

// A list of names, or a map data column → target column | target column → {ref: table.column}, {value: text}.
void read_target_columns(const Node& node, const std::string& label, LoadEntry& entry, Faults& faults) {
  entry.columns_given = true;
  if (!node.is_map()) {
    for (std::string& name : read_texts(node, label, faults)) entry.columns.push_back({name, name, {}, {}});
    return;
  }
  for (std::size_t i = 0; i < node.size(); ++i) {
    const Node& key = node.key(i);
    const Node& value = node.value(i);
    if (value.is_map())
      entry.columns.push_back(read_target_column(key, value, label + "." + key.text, faults));
    else if (value.is_null())
      entry.columns.push_back({key.text, key.text, {}, {}});
    else if (!value.is_scalar())
      report_kind(value, label + "." + key.text, "a target column, {ref: table.column} or {value: text}", faults);
    else if (check_column_name(value, label + "." + key.text, faults))
      entry.columns.push_back({value.text, key.text, {}, {}});
  }
  if (node.size() == 0 && entry.for_new.empty())
    faults.error(node.place, "definition_bad_value", fmt::format("{}: the map is empty", label));
}

void read_key(const Node& node, std::string_view label, LoadEntry& entry, Faults& faults) {
  if (const Node* key = node.find("key"))
    entry.key = read_texts(*key, fmt::format("{}.key", label), faults);
  else if (entry.strategy != Strategy::append && entry.for_new.empty())
    report_missing(node.place, label, "key",
                   fmt::format("strategy {} finds rows by it; list the target's key columns, or use strategy: append",
                               to_string(entry.strategy)),
                   faults);
}

// The same values as JSON writes them, so that definitions which mean the same are equal.
Node as_json(const Node& node) {
  Faults none;
  return read_yaml(boost::json::serialize(json_of(node)), none).value_or(node);
}

// {handler: people, options: {…}, batch_size: 500, columns: […]}: nothing of a table.
LoadEntry read_handler(const Node& node, std::string_view label, Faults& faults) {
  LoadEntry entry;
  entry.line = node.place.line;
  entry.strategy = Strategy::append;
  const auto below = [&](std::string_view key) { return fmt::format("{}.{}", label, key); };
  for (std::size_t i = 0; i < node.size(); ++i)
    if (const Node& key = node.key(i); std::ranges::find(kHandlerKeys, key.text) == std::end(kHandlerKeys))
      faults.error(key.place, "definition_bad_value",
                   fmt::format("{}: belongs to a table, but the target is a handler", below(key.text)));
  HandlerTarget& target = entry.handler.emplace();
  target.name = read_text(*node.find("handler"), below("handler"), faults).value_or("");
  target.options.kind = Node::Kind::map;
  if (const Node* options = node.find("options")) {
    if (options->is_map())
      target.options = as_json(*options);
    else
      report_kind(*options, below("options"), "a map", faults);
  }
  if (const Node* rows = node.find("batch_size"))
    target.batch_size = read_integer(*rows, below("batch_size"), 1, kMostAtOnce, faults).value_or(0);
  if (const Node* columns = node.find("columns")) read_target_columns(*columns, below("columns"), entry, faults);
  for (const TargetColumn& column : entry.columns)
    if (column.data_column.empty())
      faults.error(node.find("columns")->place_of(column.target), "definition_bad_value",
                   fmt::format("{}.{}: a handler gets data columns only", below("columns"), column.target));
  return entry;
}

}  // namespace

LoadEntry read_load_entry(const Node& node, std::string_view label, Faults& faults) {
  LoadEntry entry;
  entry.line = node.place.line;
  if (!check_map(node, label, kLoadKeys, kLaterLoadKeys, faults)) return entry;
  if (node.find("handler") != nullptr) return read_handler(node, label, faults);
  const auto below = [&](std::string_view key) { return fmt::format("{}.{}", label, key); };
  if (const Node* table = node.find("table"))
    entry.table = read_table(*table, below("table"), faults).value_or("");
  else
    report_missing(node.place, label, "table", "it names the target table", faults);
  for (const std::string_view key : kOnlyHandlerKeys)
    if (const Node* misplaced = node.find(key))
      faults.error(misplaced->place, "definition_bad_value",
                   fmt::format("{}: belongs to a handler, but the target is a table", below(key)));
  if (const Node* strategy = node.find("strategy"))
    entry.strategy = read_choice<Strategy>(*strategy, below("strategy"), faults).value_or(entry.strategy);
  if (entry.strategy == Strategy::replace_set) entry.set = read_set(node, label, faults);
  for (const std::string_view key : kSetKeys)
    if (const Node* misplaced = entry.set ? nullptr : node.find(key))
      faults.error(misplaced->place, "definition_bad_value",
                   fmt::format("{}: belongs to strategy replace_set, but the strategy is {}", below(key),
                               to_string(entry.strategy)));
  if (const Node* identifies = node.find("identifies"))
    entry.identifies = read_boolean(*identifies, below("identifies"), faults).value_or(false);
  if (const Node* for_new = node.find("for_new"))
    entry.for_new = read_text(*for_new, below("for_new"), faults).value_or("");
  read_key(node, label, entry, faults);
  if (const Node* temporal = node.find("temporal"))
    entry.temporal = read_temporal(*temporal, below("temporal"), faults);
  if (const Node* with = node.find("with")) entry.with = read_texts(*with, below("with"), faults);
  if (const Node* deletes = node.find("delete"))
    entry.deletes = read_text(*deletes, below("delete"), faults).value_or("");
  if (const Node* step = node.find("step")) entry.step = read_slug(*step, below("step"), faults).value_or("");
  if (const Node* columns = node.find("columns")) read_target_columns(*columns, below("columns"), entry, faults);
  return entry;
}

}  // namespace lade::definition
