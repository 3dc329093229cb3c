#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "db/connection.h"
#include "model/job_state.h"
#include "model/outcome.h"
#include "store/definitions.h"

namespace lade::store {

// What a job starts with.
struct NewJob {
  std::string uuid;
  std::int64_t definition_id = 0;
  std::string snapshot;  // the definition as it is now; later edits do not change the job
  std::string file_name;
  std::int64_t file_bytes = 0;
  model::JobState state = model::JobState::preparing_data;
  std::int64_t file_id = 0;   // of lade_file; 0: none (yet)
  std::int64_t batch_id = 0;  // 0: none
  std::string options = "{}";
  std::string dedupe_hash = {};  // empty: no twin is looked for
  bool forced = false;           // runs beside a live twin
  std::string created_by = {};
  std::int64_t company = kDefaultCompany;
  std::int64_t project = 0;        // 0: none
  std::int64_t created_by_id = 0;  // 0: nobody who has an account
  std::int64_t undoes = 0;         // the job that it takes back; 0: it is an import
};

// Gives the job's id. Its slug is that of the definition and the id; its first event is `created`. Fails with
// job_exists, naming the twin, when a live job has the same dedupe hash, however many are created at once.
Result<std::int64_t> create_job(db::Connection& connection, const NewJob& job);

// The hash by which twins are found: the same definition version, the same bytes, the same options (canonical JSON).
std::string dedupe_hash(std::int64_t company, std::int64_t definition_id, std::string_view file_sha256,
                        std::string_view options);

}  // namespace lade::store
