#pragma once

#include <span>

#include "analysis/program.h"
#include "base/result.h"
#include "model/outcome.h"
#include "staging/issue_log.h"
#include "staging/segment.h"

namespace lade::load {

// Goes through all claims of a file (analysis::StepRows::claim()) in their order: where rows of different entities
// claim the same, all these rows fail. Each is told and counted once for every thing it claims in vain, and counted as
// one failed row. Memory: the rows of one claim, and the ids of those that fail.
Result<void> refuse_contested(const analysis::Program& program, const File& staged,
                              std::span<const staging::Range> ranges, staging::IssueWriter& issues,
                              model::RowCounts& counts);

}  // namespace lade::load
