#pragma once

#include <stop_token>

#include "jobs/job.h"

namespace lade::jobs {

// Takes a planned job through the same steps as an import, compares instead of loading, and fills in what would come of
// it.
Result<void> rehearse(const Job& job, Progress& progress, const std::stop_token& stop, Summary& summary);

}  // namespace lade::jobs
