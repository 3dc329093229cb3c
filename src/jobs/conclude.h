#pragma once

#include <span>
#include <string_view>

#include "jobs/open_job.h"
#include "queue/node.h"

namespace lade::jobs {

// Ends a job, once: adds up what was committed, writes the result files, and says in one fenced transaction what became
// of it. `error`: why it ends before its time.
Result<void> conclude(queue::TaskContext& context, OpenJob& open, Worker& worker, std::optional<Error> error);

// Why a task of one of these stages was given up; nullopt when none was.
Result<std::optional<Error>> death_of_task(db::Connection& connection, const std::string& group,
                                           std::span<const std::string_view> stages);

}  // namespace lade::jobs
