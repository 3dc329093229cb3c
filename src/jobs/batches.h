#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "db/connection.h"
#include "store/batches.h"
#include "store/job_ends.h"
#include "store/jobs.h"

// What people do to batches: the same to all their jobs, by the functions of control.h.
namespace lade::jobs {

// Which batch, and who acts on it.
struct BatchOrder {
  std::string batch;       // name, UUID or id
  std::string actor = {};  // empty: lade itself
  std::int64_t company = store::kDefaultCompany;
  std::int64_t actor_id = 0;  // 0: nobody who has an account
  bool four_eyes = false;     // of JobOrder
};

Error batch_not_found(const std::string& reference);
// The batch, or batch_not_found.
Result<store::BatchRecord> require_batch(db::Connection& connection, const std::string& reference,
                                         std::int64_t company = store::kDefaultCompany);

// One line of at most 200 bytes; otherwise batch_name_invalid.
Result<void> check_batch_name(const std::string& name);

// Makes the job. One that joins a paused batch is paused from the beginning; a finalized batch refuses it with
// transition_refused.
Result<std::int64_t> admit_job(db::Connection& connection, const store::NewJob& job);

struct BatchOutcome {
  store::BatchRecord batch;  // as it stands then; as it was, when it was deleted
  std::int64_t done = 0;     // jobs on which it was done
  std::int64_t tasks = 0;    // row tasks on which it was done
  // Jobs that were left as they are, by the code that says why: transition_refused for those in a state that does not
  // take it; file_gone, job_exists.
  std::map<std::string, std::int64_t> refused = {};
  bool deleted = false;
  std::vector<store::UnwantedFile> files = {};  // of deleted jobs, for the caller to remove
};

// Each job is changed in a transaction of its own, oldest first, so that workers are not held up: not to be called
// inside one. Broken off, the rest of the jobs stay as they were, and the same call goes on. All fail with
// batch_not_found, and with transition_refused when the batch as it stands does not take it: nothing is changed then.
// Each leaves a line in the history of the batch (store/batch_events.h).
//
// A paused batch holds jobs that join it later, too. Jobs can be resumed one by one.
Result<BatchOutcome> pause_batch(db::Connection& connection, const BatchOrder& order);
Result<BatchOutcome> resume_batch(db::Connection& connection, const BatchOrder& order);
// Jobs that join it later run.
Result<BatchOutcome> cancel_batch(db::Connection& connection, const BatchOrder& order);

// Which row tasks are tried again. Nothing said: of its failed and cancelled jobs what failed, and of the others their
// failed pages.
struct BatchRetry {
  std::string status = {};            // failed, blocked, cancelled; empty: failed
  std::string source = {};            // a host, or a part of the URL
  std::string error = {};             // the error's code
  std::string key = {};               // what the manifest calls it
  std::vector<std::string> ids = {};  // only these tasks
  bool is_plain() const { return status.empty() && !is_subset(); }
  bool is_subset() const { return !source.empty() || !error.empty() || !key.empty() || !ids.empty(); }
};
// Fails with status_unknown and row_task_not_found, too.
Result<BatchOutcome> retry_batch(db::Connection& connection, const BatchOrder& order, const BatchRetry& retry = {});
// Row tasks and tasks of the queue that have been running for longer than the threshold are tried again.
Result<BatchOutcome> requeue_stuck(db::Connection& connection, const BatchOrder& order, std::chrono::seconds threshold);

// Its jobs that wait for review. Nobody says which revisions were seen: it is for those who have looked at them.
Result<BatchOutcome> approve_batch(db::Connection& connection, const BatchOrder& order);
Result<BatchOutcome> reject_batch(db::Connection& connection, const BatchOrder& order);

// All its jobs have ended, and nothing of it is to change any more: it takes no further jobs and no further actions.
Result<BatchOutcome> finalize_batch(db::Connection& connection, const BatchOrder& order);
// Forgets its finished jobs, and the batch when none is left; the others are left as they are. What was loaded stays.
Result<BatchOutcome> delete_batch(db::Connection& connection, const BatchOrder& order);

}  // namespace lade::jobs
