#pragma once

#include <filesystem>
#include <stop_token>
#include <string>

#include "jobs/arm.h"
#include "jobs/import.h"
#include "jobs/runner.h"
#include "store/job_list.h"

// A process that works on one job and ends with it.
namespace lade::jobs {

// How long it waits for another process that works on the same SQLite file, and for a server that went away.
constexpr std::chrono::seconds kPatience{30};

// Waits until nothing more happens to the job before somebody says so. A stop cancels it. Fails with cannot_connect
// when the database does not answer any more.
Result<store::JobRecord> wait_for_end(Runner& runner, const JobGroup& group, const std::string& user,
                                      const std::stop_token& stop);

// The summary of a job at rest, over what is noted of it already. Brings its result files into the folder.
Result<Summary> summary_of(Runner& runner, const store::JobRecord& record, const std::filesystem::path& results,
                           Summary noted = {});

// Takes over a job that was reserved for a process that has died; false when it is not such a one.
Result<bool> take_over(db::Connection& connection, const std::string& group, const std::string& boot);

}  // namespace lade::jobs
