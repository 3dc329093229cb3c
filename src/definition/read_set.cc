#include <fmt/format.h>

#include "definition/sections.h"
#include "definition/values.h"

namespace lade::definition {
namespace {

void read_name(const Node& map, std::string_view key, std::string_view label, std::string& into, Faults& faults) {
  const Node* node = map.find(key);
  if (node != nullptr && check_column_name(*node, fmt::format("{}.{}", label, key), faults)) into = node->text;
}

void read_table_of(const Node& map, std::string_view label, std::string_view expected, std::string& into,
                   Faults& faults) {
  if (const Node* table = map.find("table"))
    into = read_table(*table, fmt::format("{}.table", label), faults).value_or("");
  else
    report_missing(map.place, label, "table", expected, faults);
}

// A table's name, or {table, flag, take, where}.
ActiveRow read_active(const Node& node, const std::string& label, Faults& faults) {
  static constexpr std::string_view kKeys[] = {"table", "flag", "take", "where"};
  ActiveRow active;
  if (!node.is_map()) {
    active.table = read_table(node, label, faults).value_or("");
    return active;
  }
  check_map(node, label, kKeys, {}, faults);
  read_table_of(node, label, "it names the table with the active row", active.table, faults);
  read_name(node, "flag", label, active.flag, faults);
  read_name(node, "take", label, active.take, faults);
  if (const Node* where = node.find("where")) active.where = read_where(*where, label + ".where", faults);
  return active;
}

// A value, or {active: table}.
ScopeColumn read_scope_column(const std::string& target, const Node& node, const std::string& label, Faults& faults) {
  static constexpr std::string_view kKeys[] = {"active"};
  ScopeColumn column{target, {}, {}};
  if (!node.is_map()) {
    column.value = read_fixed_value(node, label, faults).value_or(FixedValue{});
    return column;
  }
  check_map(node, label, kKeys, {}, faults);
  if (const Node* active = node.find("active"))
    column.active = read_active(*active, label + ".active", faults);
  else
    report_missing(node.place, label, "active", "write a value, or {active: table}", faults);
  return column;
}

SetVersion read_version(const Node& node, const std::string& label, Faults& faults) {
  static constexpr std::string_view kKeys[] = {"column", "table", "id", "flag", "keep_days"};
  SetVersion version;
  if (!check_map(node, label, kKeys, {}, faults)) return version;
  read_table_of(node, label, "it names the table that has a row for each version", version.table, faults);
  if (node.find("column") == nullptr)
    report_missing(node.place, label, "column", "it names the target's column that says the version", faults);
  read_name(node, "column", label, version.column, faults);
  read_name(node, "id", label, version.id, faults);
  read_name(node, "flag", label, version.flag, faults);
  if (const Node* days = node.find("keep_days"))
    version.keep_days =
        static_cast<int>(read_integer(*days, label + ".keep_days", 0, 36'500, faults).value_or(version.keep_days));
  return version;
}

}  // namespace

WholeSet read_set(const Node& entry, std::string_view label, Faults& faults) {
  WholeSet set;
  const auto below = [&](std::string_view key) { return fmt::format("{}.{}", label, key); };
  if (const Node* scope = entry.find("scope")) {
    if (!scope->is_map()) report_kind(*scope, below("scope"), "a map column: value or column: {active: table}", faults);
    for (std::size_t i = 0; scope->is_map() && i < scope->size(); ++i) {
      const std::string name = scope->key(i).text;
      if (check_column_name(scope->key(i), below("scope"), faults))
        set.scope.push_back(read_scope_column(name, scope->value(i), below("scope") + "." + name, faults));
    }
  }
  if (const Node* version = entry.find("version")) set.version = read_version(*version, below("version"), faults);
  if (const Node* empty = entry.find("allow_empty"))
    set.allow_empty = read_boolean(*empty, below("allow_empty"), faults).value_or(false);
  if (const Node* removed = entry.find("max_removed"))
    set.max_removed = read_limit(*removed, below("max_removed"), faults);
  return set;
}

}  // namespace lade::definition
