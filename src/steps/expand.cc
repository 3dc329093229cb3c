#include "steps/expand.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/nearest.h"
#include "definition/faults.h"
#include "steps/step_kind.h"

namespace lade::steps {
namespace {

std::vector<std::string> kind_names() {
  std::vector<std::string> names;
  for (const StepKind* kind : step_kinds()) names.emplace_back(kind->name());
  return names;
}

void check_options(const definition::Step& step, const StepKind& kind, definition::Faults& faults) {
  const auto known = kind.options();
  for (std::size_t i = 0; i < step.options.size(); ++i) {
    const definition::Node& key = step.options.key(i);
    if (std::ranges::find(known, key.text) != known.end()) continue;
    const std::vector<std::string_view> names(known.begin(), known.end());
    faults.error(key.place, "definition_unknown_key",
                 fmt::format("steps.{}: '{}' is no option of a step of kind {}{}", step.code, key.text, kind.name(),
                             definition::suggestion(key.text, names)));
  }
}

}  // namespace

const StepKind* find_kind(std::string_view name) {
  const auto kinds = step_kinds();
  const auto found = std::ranges::find(kinds, name, &StepKind::name);
  return found == kinds.end() ? nullptr : *found;
}

std::vector<definition::Fault> check_steps(const definition::Definition& definition) {
  definition::Faults faults;
  for (const definition::Step& step : definition.steps) {
    const StepKind* kind = find_kind(step.kind);
    if (kind == nullptr) {
      const std::vector<std::string> names = kind_names();
      const std::string_view near = nearest(step.kind, names);
      faults.error({step.line, 1}, "definition_bad_value",
                   fmt::format("steps.{}: there is no kind of step '{}'; {}known are {}", step.code, step.kind,
                               near.empty() ? "" : fmt::format("did you mean '{}'? ", near), fmt::join(names, ", ")));
      continue;
    }
    if (definition.expanded) continue;  // what the steps themselves keep is no option
    check_options(step, *kind, faults);
    kind->check(step, definition, faults);
  }
  return std::move(faults).take();
}

Result<definition::Definition> expand(const definition::Definition& definition, db::Connection& connection,
                                      const ValidTime& valid_time, const handlers::Registry* handlers) {
  if (definition.steps.empty() || definition.expanded) return definition;
  if (const auto faults = check_steps(definition); !faults.empty())
    return fail("definition_invalid", definition::describe(faults, definition.slug), {}, ErrorKind::invalid);
  Expansion expansion(definition, connection, valid_time, handlers);
  for (const definition::Step& step : definition.steps) LADE_TRY(find_kind(step.kind)->expand(step, expansion));
  return std::move(expansion).finish();
}

analysis::StepMaker step_maker(std::shared_ptr<const handlers::Registry> handlers, std::string job, Memory memory) {
  return [handlers = std::move(handlers), job = std::move(job), memory = std::move(memory)](
             const definition::Step& step, const analysis::Program& program,
             db::Connection& connection) -> Result<std::shared_ptr<const analysis::Step>> {
    const StepKind* kind = find_kind(step.kind);
    if (kind == nullptr)
      return fail("step_unknown", fmt::format("this lade has no kind of step '{}'", step.kind),
                  "run the version of lade that the job was made with", ErrorKind::invalid);
    return kind->analyse_half(step, program, {connection, handlers, job, memory});
  };
}

}  // namespace lade::steps
