#pragma once

#include "jobs/open_job.h"
#include "queue/node.h"

namespace lade::jobs {

// Ends a job, once: adds up what was committed, writes the result files, and says in one fenced transaction what became
// of it. `error`: why it ends before its time.
Result<void> conclude(queue::TaskContext& context, OpenJob& open, Worker& worker, std::optional<Error> error);

}  // namespace lade::jobs
