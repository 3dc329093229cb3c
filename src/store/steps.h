#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "db/connection.h"
#include "store/definitions.h"

// The steps of a company, and which of them a definition uses.
namespace lade::store {

// Code → id in lade_step.
using StepIds = std::vector<std::pair<std::string, std::int64_t>>;

// Links the definition, which has its id, to its steps; those that the company lacks are made. Fails with
// step_conflict. Runs in the caller's transaction.
Result<StepIds> save_steps(db::Connection& connection, const StoredDefinition& definition);
Result<std::vector<StoredDefinition::Step>> read_steps(db::Connection& connection, std::int64_t definition_id);

}  // namespace lade::store
