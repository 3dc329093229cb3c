#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "db/connection.h"
#include "model/outcome.h"

namespace lade::store {

// What a job starts with.
struct NewJob {
  std::string uuid;
  std::int64_t definition_id = 0;
  std::string snapshot;  // the definition as it is now; later edits do not change the job
  std::string file_name;
  std::int64_t file_bytes = 0;
};

// What it ends with.
struct FinishedJob {
  std::int64_t id = 0;
  std::string outcome;
  std::string error;
  model::RowCounts rows;
};

// Gives the job's id.
Result<std::int64_t> create_job(db::Connection& connection, const NewJob& job);
Result<void> set_job_state(db::Connection& connection, std::int64_t id, std::string_view state);
// State finished, outcome, error and counts, in the caller's transaction when there is one.
Result<void> finish_job(db::Connection& connection, const FinishedJob& job);

}  // namespace lade::store
