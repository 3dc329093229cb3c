#pragma once

#include "analysis/program.h"
#include "base/result.h"
#include "db/connection.h"
#include "definition/definition.h"
#include "definition/parse.h"
#include "steps/entities.h"
#include "steps/expansion.h"

namespace lade::steps {

// What is wrong with the steps of a definition as far as its text alone tells: unknown kinds and options.
std::vector<definition::Fault> check_steps(const definition::Definition& definition);

// The definition with all that its steps add to it, as the database has it now. Definitions without steps, and those
// that are expanded already, come back as they are. Fails with the faults of check_steps(), and with what a step misses
// in the database. Without `handlers` it is for nobody's job, and their names are not looked up.
Result<definition::Definition> expand(const definition::Definition& definition, db::Connection& connection,
                                      const ValidTime& valid_time, const handlers::Registry* handlers = nullptr);

// The analyse halves of an expanded definition's steps, for analysis::bind(). `job` is its UUID; `memory` what its
// company has decided about names.
analysis::StepMaker step_maker(std::shared_ptr<const handlers::Registry> handlers = nullptr, std::string job = {},
                               Memory memory = {});

}  // namespace lade::steps
