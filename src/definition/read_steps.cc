#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "definition/sections.h"
#include "definition/values.h"

namespace lade::definition {
namespace {

constexpr std::size_t kMaxSteps = 1000;
constexpr std::int64_t kMaxPriority = 10'000;
constexpr std::string_view kCommonKeys[] = {"priority", "name", "kind", "columns", "checks"};

bool is_canonical_integer(std::string_view text) {
  std::int64_t value = 0;
  const auto [stop, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  return problem == std::errc() && stop == text.data() + text.size() && text == std::to_string(value);
}

// As it is read again from canonical JSON: only whole numbers, true and false go without quotes.
Node canonical(const Node& node) {
  Node result;
  result.kind = node.kind;
  result.place = node.place;
  result.text = node.is_null() ? "null" : node.text;
  result.node_count = node.node_count;
  if (const auto boolean = node.boolean()) result.text = *boolean ? "true" : "false";
  result.plain = node.boolean() || (node.plain && is_canonical_integer(node.text));
  result.items.reserve(node.items.size());
  for (const Node& item : node.items) result.items.push_back(canonical(item));
  for (std::size_t i = 0; result.is_map() && i < result.items.size(); i += 2) result.items[i].plain = false;
  return result;
}

Node options_of(const Node& node) {
  Node options;
  options.kind = Node::Kind::map;
  options.place = node.place;
  for (std::size_t i = 0; i < node.size(); ++i) {
    if (std::find(std::begin(kCommonKeys), std::end(kCommonKeys), node.key(i).text) != std::end(kCommonKeys)) continue;
    Node key = canonical(node.key(i));
    key.plain = false;
    options.items.push_back(std::move(key));
    options.items.push_back(canonical(node.value(i)));
  }
  for (const Node& item : options.items) options.node_count += item.node_count;
  return options;
}

Step read_step(const Node& key, const Node& node, const std::string& label, Faults& faults) {
  Step step;
  step.code = read_slug(key, "steps", faults).value_or(key.text);
  step.line = key.place.line;
  step.name = step.code;
  step.kind = step.code;
  step.options.kind = Node::Kind::map;
  if (!node.is_map()) {
    report_kind(node, label, "a map with at least 'priority'", faults);
    return step;
  }
  if (const Node* priority = node.find("priority"))
    step.priority = static_cast<int>(read_integer(*priority, label + ".priority", 1, kMaxPriority, faults).value_or(0));
  else
    report_missing(key.place, label, "priority", "steps run in its order, e.g. 'priority: 10'", faults);
  if (const Node* name = node.find("name")) step.name = read_text(*name, label + ".name", faults).value_or("");
  if (const Node* kind = node.find("kind")) step.kind = read_slug(*kind, label + ".kind", faults).value_or("");
  step.options = options_of(node);
  return step;
}

// Steps with one priority would run in an order that nobody gave.
void check_priorities(const std::vector<Step>& steps, const Node& node, Faults& faults) {
  for (std::size_t i = 1; i < steps.size(); ++i) {
    if (steps[i].priority == 0 || steps[i].priority != steps[i - 1].priority) continue;
    const Node* priority = node.find(steps[i].code)->find("priority");
    faults.error(priority->place, "definition_bad_value",
                 fmt::format("steps.{}.priority: {} is the priority of step {} as well", steps[i].code,
                             steps[i].priority, in_quotes(steps[i - 1].code)));
  }
}

}  // namespace

void read_steps(const Node& root, Definition& definition, Outline& outline, Faults& faults) {
  const Node* node = root.find("steps");
  if (node == nullptr) return;
  if (!node->is_map()) return report_kind(*node, "steps", "a map of steps", faults);
  if (node->size() == 0)
    return faults.error(node->place, "definition_bad_value", "steps: is empty; at least one step is needed");
  if (node->size() > kMaxSteps)
    return faults.error(node->place, "definition_too_large",
                        fmt::format("steps: {} steps; at most {} are read", node->size(), kMaxSteps));
  for (std::size_t i = 0; i < node->size(); ++i)
    definition.steps.push_back(read_step(node->key(i), node->value(i), "steps." + node->key(i).text, faults));
  std::stable_sort(definition.steps.begin(), definition.steps.end(),
                   [](const Step& left, const Step& right) { return left.priority < right.priority; });
  check_priorities(definition.steps, *node, faults);
  for (const Step& step : definition.steps) {
    read_columns(*node->find(step.code), step.code, definition, outline, faults);
    read_checks(*node->find(step.code), step.code, definition, outline, faults);
  }
}

}  // namespace lade::definition
