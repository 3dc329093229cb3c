#include <fmt/format.h>

#include <algorithm>

#include "definition/sections.h"
#include "definition/values.h"

namespace lade::definition {
namespace {

// What is said of units, of all tables of the definition's steps.
constexpr std::string_view kUnitKeys[] = {"mode", "strategy", "valid_time_from"};

void check_step_name(const Definition& definition, const std::string& name, const Node& node, const std::string& label,
                     Faults& faults) {
  std::vector<std::string_view> codes;
  for (const Step& step : definition.steps) codes.push_back(step.code);
  if (name.empty() || std::find(codes.begin(), codes.end(), name) != codes.end()) return;
  faults.error(node.find("step")->place, "definition_unknown_step",
               fmt::format("{}.step: unknown step {}{}", label, in_quotes(name), suggestion(name, codes)));
}

void check_step_names(const Definition& definition, const Node& root, const Outline& outline, Faults& faults) {
  for (std::size_t i = 0; i < definition.columns.size(); ++i)
    check_step_name(definition, definition.columns[i].step, *outline.columns[i].node, outline.columns[i].label, faults);
  for (std::size_t i = 0; i < definition.checks.size(); ++i)
    check_step_name(definition, definition.checks[i].step, *outline.checks[i].node, outline.checks[i].label, faults);
  for (std::size_t i = 0; i < definition.load.size(); ++i)
    check_step_name(definition, definition.load[i].step, root.find("load")->items[i], fmt::format("load[{}]", i + 1),
                    faults);
}

// Steps that find units need to know which ones, how they are written, and for which time.
void check_unit_keys(const Definition& definition, const Node& root, Faults& faults) {
  const auto step = std::find_if(definition.steps.begin(), definition.steps.end(), [](const Step& one) {
    return one.kind == "valid_time" || one.kind == "external_idents";
  });
  if (step == definition.steps.end()) return;
  for (const std::string_view key : kUnitKeys)
    if (root.find(key) == nullptr)
      report_missing(root.place, "definition", key, fmt::format("step {} needs it", in_quotes(step->code)), faults);
}

void warn_without_steps(const Node& root, Faults& faults) {
  for (const std::string_view key : {"mode", "strategy", "valid_time_from", "expanded"})
    if (root.find(key) != nullptr)
      faults.warning(root.place_of(key), "definition_no_effect", fmt::format("{}: has no effect without steps", key));
}

}  // namespace

void check_steps(const Definition& definition, const Node& root, const Outline& outline, Faults& faults) {
  check_step_names(definition, root, outline, faults);
  check_unit_keys(definition, root, faults);
  if (root.find("steps") == nullptr) warn_without_steps(root, faults);
}

}  // namespace lade::definition
