#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/program.h"
#include "base/result.h"
#include "staging/issue_log.h"
#include "staging/segment.h"

namespace lade::load {

// What comes of the claims of a file's rows (analysis::StepRows::claim(), ask_first()). Rows, sorted.
struct ClaimResults {
  std::vector<std::uint32_t> contested;  // claim what rows of another entity claim too: they fail
  std::vector<std::uint32_t> granted;    // get what they asked for
};

// Goes through all claims in their order. Contested rows are told to `issues`, if given, once for every thing they
// claim in vain. Memory: the rows of one claim, and the ids of the result.
Result<ClaimResults> settle_claims(const analysis::Program& program, const File& staged,
                                   std::span<const staging::Range> claims, staging::IssueWriter* issues);

}  // namespace lade::load
