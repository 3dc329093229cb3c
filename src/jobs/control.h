#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "db/connection.h"
#include "definition/parse.h"
#include "jobs/arm.h"
#include "store/definitions.h"
#include "store/job_ends.h"
#include "store/job_list.h"

// What people do to jobs that exist. Every call changes the job and its tasks in one transaction (the caller's when
// there is one), writes an event under the actor's name, and gives the job as it stands then. All fail with
// job_not_found, and with transition_refused where the table of states does not have it; nothing is changed then (a
// transaction of the caller's is to be rolled back).
namespace lade::jobs {

// Which job, and who acts on it.
struct JobOrder {
  std::string job;         // id, UUID or slug
  std::string actor = {};  // empty: lade itself
  std::int64_t company = store::kDefaultCompany;
  std::int64_t actor_id = 0;  // 0: nobody who has an account
  bool four_eyes = false;     // nobody approves what they have brought themselves
};

Error job_not_found(const std::string& reference);
// The job, or job_not_found.
Result<store::JobRecord> require_job(db::Connection& connection, const std::string& reference,
                                     std::int64_t company = store::kDefaultCompany);

// Its tasks, and where its files lie.
Result<JobGroup> group_of(db::Connection& connection, const store::JobRecord& job);

// Running tasks go on, no further ones begin. A job that is paused already is left as it is.
Result<store::JobRecord> pause_job(db::Connection& connection, const JobOrder& order);
Result<store::JobRecord> resume_job(db::Connection& connection, const JobOrder& order);

// Pending tasks end at once, running ones hear of it with the next beat, and the task that follows them ends the job. A
// job without live tasks (it waits for its file or for review) is finished when this returns. A paused job is resumed,
// or it could not end.
Result<store::JobRecord> cancel_job(db::Connection& connection, const JobOrder& order);
// Cancels what tasks put into the queue while their job was being cancelled, and ends jobs that were to be cancelled
// and have no live task left. Gives how many ended. To be called now and then by whoever runs tasks.
Result<std::int64_t> finish_cancelled_jobs(db::Connection& connection);

// From failed and cancelled, back to the state in which it ended. Only failed and cancelled tasks run again; when there
// are none (the job was refused as a whole) the task that decides the state does. Rows that were unprocessed are not
// counted any more. Rows that later jobs have written meanwhile stay as they are (`superseded`) unless `overwrite`.
// Fails with file_gone, with job_exists while a twin is live, with target_locked while the job that has its target is,
// and with limit_invalid.
struct Retry {
  definition::Limits limits = {};
  bool overwrite = false;
};
Result<store::JobRecord> retry_job(db::Connection& connection, const JobOrder& order, const Retry& retry = {});

// `revision` is what the reviewer has seen; another one than the newest fails with revision_changed.
Result<store::JobRecord> approve_job(db::Connection& connection, const JobOrder& order,
                                     std::optional<std::int64_t> revision = {});
// Its finalise task writes the results and ends it; the target stays untouched. The reason stands in the event; one
// that is blank, no UTF-8, of several lines or longer than kMostReasonBytes fails with reason_invalid.
inline constexpr std::size_t kMostReasonBytes = 1000;
Result<store::JobRecord> reject_job(db::Connection& connection, const JobOrder& order,
                                    const std::optional<std::string>& reason = {});
// Why it was rejected, as the event has it; empty: it was not, or nobody said why.
Result<std::string> rejection_reason(db::Connection& connection, const store::JobRecord& job);

// A new job of the same file, definition as it was then, options and batch; gives that one. Fails with file_gone, and
// with job_exists while a job that does the same is live, unless `force`. `review`: never, on_issues or always, over
// what the job's definition says; another word fails with choice_invalid, and one that is less strict with not_allowed
// unless `may_relax_review`.
Result<store::JobRecord> clone_job(db::Connection& connection, const JobOrder& order, bool force = false,
                                   const std::string& review = {}, bool may_relax_review = true);

struct DeletedJob {
  store::JobRecord job;                    // as it was
  std::vector<store::UnwantedFile> files;  // for the caller to remove once this is committed; all have their storage
};
// Forgets a finished job with its tasks, history, issues and outcomes. What it loaded stays.
Result<DeletedJob> delete_job(db::Connection& connection, const JobOrder& order);

}  // namespace lade::jobs
