#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/result.h"
#include "db/connection.h"
#include "store/batches.h"
#include "store/jobs.h"

// What people do to batches: the same to all their jobs, by the functions of control.h.
namespace lade::jobs {

// Which batch, and who acts on it.
struct BatchOrder {
  std::string batch;       // name, UUID or id
  std::string actor = {};  // empty: lade itself
  std::int64_t company = store::kDefaultCompany;
};

Error batch_not_found(const std::string& reference);
// The batch, or batch_not_found.
Result<store::BatchRecord> require_batch(db::Connection& connection, const std::string& reference,
                                         std::int64_t company = store::kDefaultCompany);

// One line of at most 200 bytes; otherwise batch_name_invalid.
Result<void> check_batch_name(const std::string& name);

// Makes the job. One that joins a paused batch is paused from the beginning.
Result<std::int64_t> admit_job(db::Connection& connection, const store::NewJob& job);

struct BatchOutcome {
  store::BatchRecord batch;  // as it stands then
  std::int64_t done = 0;     // jobs on which it was done
  // Jobs that were left as they are, by the code that says why: transition_refused for those in a state that does not
  // take it; file_gone, job_exists.
  std::map<std::string, std::int64_t> refused;
};

// Each job is changed in a transaction of its own, oldest first, so that workers are not held up: not to be called
// inside one. Broken off, the rest of the jobs stay as they were, and the same call goes on. All fail with
// batch_not_found.
//
// A paused batch holds jobs that join it later, too. Jobs can be resumed one by one.
Result<BatchOutcome> pause_batch(db::Connection& connection, const BatchOrder& order);
Result<BatchOutcome> resume_batch(db::Connection& connection, const BatchOrder& order);
// Jobs that join it later run.
Result<BatchOutcome> cancel_batch(db::Connection& connection, const BatchOrder& order);
// Of its failed and cancelled jobs what failed, and only that.
Result<BatchOutcome> retry_batch(db::Connection& connection, const BatchOrder& order);

}  // namespace lade::jobs
