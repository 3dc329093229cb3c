#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "jobs/decide.h"
#include "jobs/import.h"

namespace lade::jobs {

// A job into which rows were sent because of a decision.
struct SentJob {
  std::string slug;
  std::int64_t rows = 0;
  std::string status;  // as the job stands then
  std::string error;   // why nothing was sent, or why the job failed
};

// Decides, then sends the rows that waited for it and carries their jobs to their ends in this process, as run_fix()
// does. Jobs that others work on at the moment get their rows later, from them.
using Deciding = std::function<Result<std::vector<std::int64_t>>(db::Connection& connection, const Decider& decider)>;
Result<std::vector<SentJob>> run_decisions(const Deciding& deciding, ImportOptions options, Progress& progress,
                                           std::stop_token stop);

}  // namespace lade::jobs
