#pragma once

#include <stop_token>
#include <string>

#include "jobs/import.h"
#include "store/job_list.h"

namespace lade::jobs {

// Takes a job back in this process and waits for the end; gives the job that has done it. A stop cancels it between
// buckets. What a process that has died had begun is gone on with. Fails as undo_job().
Result<store::JobRecord> run_undo(const std::string& job, ImportOptions options, Progress& progress,
                                  const std::stop_token& stop);

}  // namespace lade::jobs
