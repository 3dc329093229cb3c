#pragma once

#include <cstdint>

#include "jobs/control.h"
#include "jobs/review.h"

namespace lade::jobs {

// How many rows of a job have corrections, as they stand now.
Result<std::int64_t> corrected_rows(db::Connection& connection, const store::JobRecord& job);

struct TakenOver {
  std::int64_t rows = 0;
  std::int64_t revision = 0;  // of the job afterwards
};

// Corrects a job that waits for review as another job of the same file was corrected, as one revision, in one
// transaction (the caller's when there is one). Fails with corrections_misfit when the file is another one or is cut
// into other rows or columns, with replace_too_large, and as correct_row().
Result<TakenOver> take_over_corrections(db::Connection& connection, const ReviewPlace& place, const JobOrder& order,
                                        const store::JobRecord& from);

}  // namespace lade::jobs
