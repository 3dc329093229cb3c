#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "analysis/step.h"
#include "definition/definition.h"
#include "definition/faults.h"
#include "handlers/registry.h"
#include "steps/entities.h"
#include "steps/expansion.h"

namespace lade::steps {

// What an analyse half can use besides the definition.
struct Surroundings {
  db::Connection& connection;                                    // while it is made
  std::shared_ptr<const handlers::Registry> handlers = nullptr;  // null: there are none
  std::string job = {};                                          // its UUID, empty for a rehearsal
  Memory memory = {};                                            // what people have decided about names; may be empty
};

// A kind of step: what it adds to a definition, and its analyse half. The process half of a step are the load entries
// that it adds. To make a new kind, write one class and name it in registry.cc; docs/writing-a-step.md shows how.
class StepKind {
 public:
  virtual ~StepKind() = default;
  virtual std::string_view name() const = 0;
  // The keys that a step of this kind may have beside those of every step.
  virtual std::span<const std::string_view> options() const { return {}; }
  // Checks the options as far as that can be done without a database.
  virtual void check(const definition::Step&, const definition::Definition&, definition::Faults&) const {}
  // Adds columns, checks and load entries. Called once for a job, in the order of priority.
  virtual Result<void> expand(const definition::Step&, Expansion&) const { return {}; }
  // The analyse half for an expanded definition, null when there is none.
  virtual Result<std::shared_ptr<const analysis::Step>> analyse_half(const definition::Step&, const analysis::Program&,
                                                                     const Surroundings&) const {
    return nullptr;
  }
};

// All kinds, by name.
std::span<const StepKind* const> step_kinds();
const StepKind* find_kind(std::string_view name);

}  // namespace lade::steps
