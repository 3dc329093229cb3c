#pragma once

#include <filesystem>
#include <stop_token>
#include <string>

#include "jobs/import.h"
#include "jobs/runner.h"
#include "store/job_list.h"

// What a process does with the only job that it works on, when a person waits for it.
namespace lade::jobs {

struct FollowedJob {
  std::int64_t id = 0;
  std::string uuid;
  std::string user;  // who waits
};

// Waits until it has ended or waits for review. A stop cancels it. Fails when the database stays away.
Result<store::JobRecord> follow_job(Runner& runner, const FollowedJob& job, const std::stop_token& stop);

// The summary of a job at rest, over what is noted of it already. Brings its result files into the folder.
Result<Summary> summary_of(Runner& runner, const store::JobRecord& record, const std::filesystem::path& results,
                           Summary noted = {});

}  // namespace lade::jobs
