#include "steps/expansion.h"

#include <fmt/format.h>

#include <algorithm>

#include "definition/names.h"

namespace lade::steps {

using definition::DataColumn;
using definition::LoadEntry;
using definition::Node;
using definition::Step;
using definition::Strategy;
using definition::TargetColumn;

std::string_view unit_of(definition::Mode mode) {
  switch (mode) {
    case definition::Mode::legal_unit: return "legal_unit";
    case definition::Mode::establishment_formal:
    case definition::Mode::establishment_informal: return "establishment";
    case definition::Mode::generic_unit: return "";
  }
  return "";
}

std::vector<std::string> all_unit_kinds() {
  return std::vector<std::string>{"legal_unit", "establishment"};
}

std::vector<std::string> units_of(const definition::Definition& definition) {
  if (definition.mode && *definition.mode != definition::Mode::generic_unit)
    return {std::string(unit_of(*definition.mode))};
  for (const Step& step : definition.steps)
    if (step.kind == "external_idents" && step.options.find("units") != nullptr) return option_list(step, "units");
  return all_unit_kinds();
}

Expansion::Expansion(const definition::Definition& definition, db::Connection& connection, const ValidTime& valid_time,
                     const handlers::Registry* handlers)
    : definition_(definition), connection_(connection), valid_time_(valid_time), handlers_(handlers) {}

bool Expansion::has_kind(std::string_view kind) const {
  return std::ranges::any_of(definition_.steps, [&](const Step& step) { return step.kind == kind; });
}

void Expansion::add_column(const Step& step, DataColumn column) {
  if (definition_.find(column.name) != nullptr) return;
  column.step = step.code;
  column.line = step.line;
  const bool has_origin =
      !column.from.empty() || column.value || column.lookup || column.expression != DataColumn::SourceExpression::none;
  if (!has_origin && column.purpose == DataColumn::Purpose::source_input) column.from = {column.name};
  definition_.columns.push_back(std::move(column));
}

void Expansion::add_check(const Step& step, definition::Check check) {
  check.step = step.code;
  check.line = step.line;
  definition_.checks.push_back(std::move(check));
}

void Expansion::adopt_columns(const Step& step, const std::string& header) {
  for (DataColumn& column : definition_.columns)
    if (column.step.empty() && std::ranges::find(column.from, header) != column.from.end()) column.step = step.code;
}

void Expansion::add_entry(const Step& step, LoadEntry entry, Rank rank) {
  entry.step = step.code;
  entry.line = step.line;
  entry.columns_given = true;
  entries_.push_back({std::move(entry), rank});
}

// A unit that this definition writes may be new: its id is that of the row in its own table.
void Expansion::refer_to_units() {
  for (const RankedEntry& unit : entries_) {
    if (unit.rank != Rank::unit) continue;
    const std::string column = unit.entry.table + "_id";
    for (RankedEntry& ranked : entries_)
      for (TargetColumn& target : ranked.entry.columns)
        if (ranked.rank > Rank::unit && target.target == column && target.data_column == column)
          target = {column, {}, unit.entry.table, "id"};
  }
}

// Buckets are ranges of keys that a sample of the file shows. Keys that no sample can show are spread by their hash.
void Expansion::spread_late_keys() {
  const auto is_late = [&](const std::string& name) { return late_columns_.contains(name); };
  for (const std::size_t i : definition::evaluation_order(definition_)) {
    const auto& lookup = definition_.columns[i].lookup;
    if (lookup && std::ranges::any_of(lookup->match, [&](const auto& pair) { return is_late(pair.first); }))
      fill_late(definition_.columns[i].name);
  }
  const LoadEntry& root = definition_.load.front();
  for (const std::string& key : root.key) {
    const auto written = std::ranges::find(root.columns, key, &TargetColumn::target);
    if (!is_late(written == root.columns.end() ? key : written->data_column)) continue;
    if (definition_.partition == definition::Partition::range) definition_.partition = definition::Partition::hash;
  }
}

definition::Temporal Expansion::temporal() const {
  definition::Temporal temporal;
  for (const Step& step : definition_.steps) {
    if (step.kind == "valid_time") {
      temporal.valid_from = option(step, "from", "valid_from");
      temporal.valid_to = option(step, "to", "valid_to");
    }
    if (step.kind == "edit_info")
      temporal.audit = {option(step, "user", "edit_by_user_id"), option(step, "at", "edit_at")};
  }
  return temporal;
}

Strategy Expansion::strategy_of_parts() const {
  switch (definition_.strategy.value_or(Strategy::insert_or_update)) {
    case Strategy::insert_or_update:
    case Strategy::update_only: return Strategy::insert_or_update;
    default: return Strategy::insert_or_replace;
  }
}

void Expansion::keep(const Step& step, std::string_view key, Node value) {
  const auto found = std::ranges::find(definition_.steps, step.code, &Step::code);
  found->options.kind = Node::Kind::map;
  found->options.items.push_back(text_node(std::string(key)));
  found->options.items.push_back(std::move(value));
}

Result<db::Table> Expansion::table(const Step& step, const std::string& name) {
  LADE_ASSIGN(auto found, connection_.describe(name));
  if (found) return std::move(*found);
  return fail("table_not_found",
              fmt::format("step '{}' needs the table '{}', which the database does not have", step.code, name),
              "create it, or name another one; `lade packs install register` makes a whole register",
              ErrorKind::invalid);
}

Result<std::vector<std::vector<std::string>>> Expansion::rows(const db::Table& table,
                                                              const std::vector<std::string>& columns,
                                                              const std::string& order_by) {
  std::string list, order;
  for (const std::string& column : columns) {
    const bool has = table.find(column) != nullptr;
    list += fmt::format("{}{}", list.empty() ? "" : ", ",
                        has ? fmt::format("CAST({} AS text)", db::Connection::quote_name(column)) : "''");
  }
  if (table.find(order_by) != nullptr) order = fmt::format(" ORDER BY {}", db::Connection::quote_name(order_by));
  LADE_ASSIGN(const auto found, connection_.query(fmt::format("SELECT {} FROM {}{}", list, table.quoted, order)));
  std::vector<std::vector<std::string>> rows;
  for (const db::Row& row : found) {
    std::vector<std::string>& texts = rows.emplace_back();
    for (const db::Value& value : row) {
      const std::string* text = std::get_if<std::string>(&value);
      texts.push_back(text == nullptr ? std::string() : *text);
    }
  }
  return rows;
}

Result<definition::Definition> Expansion::finish() && {
  std::ranges::stable_sort(entries_, {}, &RankedEntry::rank);
  refer_to_units();
  for (RankedEntry& ranked : entries_) definition_.load.push_back(std::move(ranked.entry));
  if (definition_.load.empty())
    return fail("definition_no_table", "none of the definition's steps writes to a table",
                "add a step of kind table, or a load entry", ErrorKind::invalid);
  spread_late_keys();
  const auto keeps_history = [](const LoadEntry& entry) { return entry.temporal.has_value(); };
  if (std::ranges::any_of(definition_.load, keeps_history)) definition_.lock = definition::Lock::target;
  definition_.expanded = true;
  return std::move(definition_);
}

DataColumn filled_column(std::string name, definition::TypeKind type, DataColumn::Purpose purpose) {
  DataColumn column;
  column.name = std::move(name);
  column.type.kind = type;
  column.type_given = true;
  column.purpose = purpose;
  return column;
}

bool is_off(const std::string& enabled) {
  return enabled == "false" || enabled == "f" || enabled == "0";
}

Node text_node(std::string text) {
  Node node;
  node.kind = Node::Kind::scalar;
  node.text = std::move(text);
  return node;
}

Node list_node(std::vector<Node> items) {
  Node node;
  node.kind = Node::Kind::list;
  node.items = std::move(items);
  return node;
}

Node map_node(std::vector<std::pair<std::string, Node>> items) {
  Node node;
  node.kind = Node::Kind::map;
  for (auto& [key, value] : items) {
    node.items.push_back(text_node(key));
    node.items.push_back(std::move(value));
  }
  return node;
}

std::string option(const Step& step, std::string_view key, std::string_view otherwise) {
  const Node* node = step.options.find(key);
  return node != nullptr && node->is_scalar() ? node->text : std::string(otherwise);
}

std::vector<std::string> option_list(const Step& step, std::string_view key) {
  std::vector<std::string> texts;
  const Node* node = step.options.find(key);
  if (node == nullptr) return texts;
  if (node->is_scalar()) texts.push_back(node->text);
  for (const Node& item : node->items)
    if (node->is_list()) texts.push_back(item.text);
  return texts;
}

}  // namespace lade::steps
