#pragma once

#include <filesystem>
#include <string>

#include "db/connection.h"
#include "storage/folder.h"
#include "store/job_list.h"

namespace lade::jobs {

// Paths of result files; empty where there is none.
struct ResultFiles {
  std::string succeeded, failed, unprocessed;
};

// Copies the job's result files from the storage into the folder, each whole or not at all: people edit them there.
Result<ResultFiles> fetch_results(db::Connection& connection, const storage::Folder& storage,
                                  const store::JobRecord& job, const std::filesystem::path& folder);

}  // namespace lade::jobs
