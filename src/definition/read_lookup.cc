#include <fmt/format.h>

#include "definition/sections.h"
#include "definition/values.h"

namespace lade::definition {
namespace {

constexpr std::string_view kKeys[] = {"table", "match", "take", "where", "missing", "many"};

// A list of names that are the same on both sides, or a map data column → column of the table.
void read_match(const Node& node, const std::string& label, Lookup& lookup, Faults& faults) {
  if (!node.is_map()) {
    for (std::string& name : read_texts(node, label, faults)) lookup.match.emplace_back(name, name);
    return;
  }
  for (std::size_t i = 0; i < node.size(); ++i) {
    auto column = read_text(node.value(i), label, faults);
    if (column && check_column_name(node.value(i), label, faults))
      lookup.match.emplace_back(node.key(i).text, std::move(*column));
  }
  if (node.size() == 0) faults.error(node.place, "definition_bad_value", fmt::format("{}: the map is empty", label));
}

}  // namespace

std::vector<std::pair<std::string, FixedValue>> read_where(const Node& node, const std::string& label, Faults& faults) {
  std::vector<std::pair<std::string, FixedValue>> conditions;
  if (!node.is_map()) report_kind(node, label, "a map column: value", faults);
  for (std::size_t i = 0; node.is_map() && i < node.size(); ++i)
    if (auto value = read_fixed_value(node.value(i), label, faults))
      conditions.emplace_back(node.key(i).text, std::move(*value));
  return conditions;
}

Lookup read_lookup(const Node& node, std::string_view label, Faults& faults) {
  Lookup lookup;
  if (!check_map(node, label, kKeys, {}, faults)) return lookup;
  const auto below = [&](std::string_view key) { return fmt::format("{}.{}", label, key); };
  if (const Node* table = node.find("table"))
    lookup.table = read_table(*table, below("table"), faults).value_or("");
  else
    report_missing(node.place, label, "table", "it names the reference table", faults);
  if (const Node* match = node.find("match"))
    read_match(*match, below("match"), lookup, faults);
  else
    report_missing(node.place, label, "match", "it lists the columns that find the row, e.g. [cat, sel]", faults);
  if (const Node* take = node.find("take")) {
    if (check_column_name(*take, below("take"), faults))
      lookup.take = read_text(*take, below("take"), faults).value_or("");
  } else {
    report_missing(node.place, label, "take", "it names the reference table's column to take, e.g. id", faults);
  }
  if (const Node* where = node.find("where")) lookup.where = read_where(*where, below("where"), faults);
  read_choice_of(node, "missing", label, lookup.missing, faults);
  read_choice_of(node, "many", label, lookup.many, faults);
  return lookup;
}

}  // namespace lade::definition
