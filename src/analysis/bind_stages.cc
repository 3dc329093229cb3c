#include <algorithm>

#include "analysis/binder.h"
#include "analysis/step.h"

namespace lade::analysis {

// Of a step's code; what belongs to no step comes before all of them.
std::size_t Binder::stage_of(const std::string& step) const {
  const auto& steps = program_->definition.steps;
  const auto found = std::ranges::find(steps, step, &definition::Step::code);
  return found == steps.end() ? 0 : static_cast<std::size_t>(found - steps.begin()) + 1;
}

// Lookups and checks wait for the stage that fills the last of their columns.
Result<void> Binder::bind_stages(const StepMaker& make_step) {
  const auto& steps = program_->definition.steps;
  auto& stages = program_->stages;
  stages.resize(steps.size() + 1);
  std::vector<std::size_t> filled_in;  // by column
  for (std::size_t i = 0; i < program_->columns.size(); ++i) {
    filled_in.push_back(stage_of(program_->columns[i].column.step));
    stages[filled_in.back()].columns.push_back(i);
  }
  for (std::size_t i = 0; i < program_->lookups.size(); ++i) {
    const LookupProgram& lookup = program_->lookups[i];
    std::size_t& stage = filled_in[static_cast<std::size_t>(lookup.column)];
    for (const LookupPart& part : lookup.parts)
      if (part.column >= 0) stage = std::max(stage, filled_in[static_cast<std::size_t>(part.column)]);
    stages[stage].lookups.push_back(i);
  }
  for (std::size_t i = 0; i < program_->checks.size(); ++i) {
    std::size_t stage = stage_of(program_->checks[i].check->step);
    for (const auto& [name, column] : program_->checks[i].columns)
      stage = std::max(stage, filled_in[static_cast<std::size_t>(column)]);
    stages[stage].checks.push_back(i);
  }
  for (std::size_t i = 0; make_step && i < steps.size(); ++i) {
    LADE_ASSIGN(stages[i + 1].step, make_step(steps[i], *program_, connection_));
    if (!stages[i + 1].step) continue;
    program_->step_names_entities = program_->step_names_entities || stages[i + 1].step->names_entities();
    if (stages[i + 1].step->asked_column() >= 0) program_->asked_column = stages[i + 1].step->asked_column();
    program_->has_claims = program_->has_claims || stages[i + 1].step->makes_claims() || program_->asked_column >= 0;
  }
  return {};
}

}  // namespace lade::analysis
