#pragma once

#include <cstdint>
#include <string_view>

#include "db/connection.h"
#include "jobs/staged_rows.h"

namespace lade::jobs {

// What was staged of a row before it was corrected, and what is now, as ranges.
struct RowChange {
  std::uint32_t row = 0;
  std::string_view before, now;
};

// Decides again what depends on the row: keys repeated in the buckets where it was and is, rows of its entity, and what
// rows claim. Replaces what was stored about it, in the caller's transaction. `staged` has the correction. Nothing is
// stored any more of what had come of the row itself. A row whose claims change costs a pass over all buckets.
Result<void> resettle(db::Connection& connection, const Job& job, StagedRows& staged, const RowChange& change);

}  // namespace lade::jobs
