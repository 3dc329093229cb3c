#pragma once

#include "cli/commands.h"

namespace lade::cli {

// Shows a job until it is finished or waits for review: one live line on a terminal, otherwise a line for each change,
// which with ndjson are objects. Everything shown is committed work. Gives the exit code that an import would have.
int watch_job(const std::string& reference, const CommonOptions& common);

}  // namespace lade::cli
