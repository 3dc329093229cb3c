#include <fmt/format.h>

#include "definition/sections.h"
#include "definition/values.h"

namespace lade::definition {
namespace {

constexpr std::size_t kMaxColumns = 4096;

// A column inside a step belongs to it; `step` is for columns outside.
void assign_step(const std::string& step, const Node& node, const std::string& label, std::string& into,
                 Faults& faults) {
  if (step.empty()) return;
  if (!into.empty() && into != step)
    faults.error(node.find("step")->place, "definition_bad_value",
                 fmt::format("{}.step: this belongs to step {}, in which it stands", label, in_quotes(step)));
  into = step;
}

}  // namespace

void read_columns(const Node& map, const std::string& step, Definition& definition, Outline& outline, Faults& faults) {
  const Node* columns = map.find("columns");
  if (columns == nullptr) return;
  const std::string label = step.empty() ? "columns" : fmt::format("steps.{}.columns", step);
  if (!columns->is_map()) return report_kind(*columns, label, "a map of data columns", faults);
  if (columns->size() == 0)
    return faults.error(columns->place, "definition_bad_value",
                        fmt::format("{}: is empty; at least one column is needed", label));
  const std::size_t count = definition.columns.size() + columns->size();
  if (count > kMaxColumns)
    return faults.error(columns->place, "definition_too_large",
                        fmt::format("{}: {} columns; at most {} are read", label, count, kMaxColumns));
  for (std::size_t i = 0; i < columns->size(); ++i) {
    const Node& key = columns->key(i);
    const std::string below = label + "." + key.text;
    DataColumn column = read_column(key, columns->value(i), below, faults);
    assign_step(step, columns->value(i), below, column.step, faults);
    if (const DataColumn* first = definition.find(column.name)) {
      faults.error(key.place, "definition_duplicate_key",
                   fmt::format("{}: column {} is given twice; the first is on line {}", label, in_quotes(column.name),
                               first->line));
      continue;
    }
    definition.columns.push_back(std::move(column));
    outline.columns.push_back({below, key.place, &columns->value(i)});
  }
}

void read_checks(const Node& map, const std::string& step, Definition& definition, Outline& outline, Faults& faults) {
  const Node* checks = map.find("checks");
  if (checks == nullptr) return;
  const std::string label = step.empty() ? "checks" : fmt::format("steps.{}.checks", step);
  if (!checks->is_list()) return report_kind(*checks, label, "a list", faults);
  for (std::size_t i = 0; i < checks->size(); ++i) {
    const Node& node = checks->items[i];
    const std::string below = fmt::format("{}[{}]", label, i + 1);
    Check check = read_check(node, below, faults);
    assign_step(step, node, below, check.step, faults);
    definition.checks.push_back(std::move(check));
    outline.checks.push_back({below, node.place, &node});
  }
}

}  // namespace lade::definition
