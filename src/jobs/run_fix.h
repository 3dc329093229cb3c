#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "jobs/fix.h"
#include "jobs/import.h"

namespace lade::jobs {

// What is fixed: rows, or a corrected failed file.
struct FixDemand {
  std::string job;        // id, UUID or slug
  std::string file = {};  // a path; empty: `rows`
  std::vector<Fix> rows = {};
};

// Fixes rows and carries the job to its end in this process, as run_import() does. An error means that nothing was
// changed.
Result<Summary> run_fix(const FixDemand& demand, ImportOptions options, Progress& progress, std::stop_token stop);

}  // namespace lade::jobs
