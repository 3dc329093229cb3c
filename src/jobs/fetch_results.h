#pragma once

#include <filesystem>
#include <string>

#include "db/connection.h"
#include "jobs/results.h"
#include "storage/storage.h"
#include "store/job_list.h"

namespace lade::jobs {

// Copies the job's result files from the storage into the folder, each whole or not at all: people edit them there.
Result<ResultFiles> fetch_results(db::Connection& connection, const storage::Storage& storage,
                                  const store::JobRecord& job, const std::filesystem::path& folder);

// Writes all result files of a finished job into the folder, anew from its source and from what was stored about its
// rows: also those that it was not asked for when it ran, or could not write. Fails with results_not_ready, with
// file_gone and with outcomes_not_kept.
Result<ResultFiles> make_results(db::Connection& connection, const storage::Storage& storage,
                                 const store::JobRecord& record, const ImportOptions& here,
                                 const std::filesystem::path& folder);

}  // namespace lade::jobs
