#pragma once

#include <functional>
#include <stop_token>
#include <string>

#include "jobs/import.h"
#include "queue/settings.h"

namespace lade::jobs {

struct WorkOptions {
  ImportOptions here;  // database and data folder
  queue::Settings settings;
  std::string name;                           // of this process, for people
  bool until_idle = false;                    // ends when no task is left that could run
  std::function<void(const Error&)> report;   // hears of errors that pass
  std::function<void(std::string_view)> say;  // hears what is going on
};

// Works on the jobs of a database until it is asked to stop; then running tasks are given back. Cleans up now and then.
Result<void> work_on_jobs(const WorkOptions& options, const std::stop_token& stop);

}  // namespace lade::jobs
