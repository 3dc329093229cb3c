#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "db/connection.h"
#include "model/job_state.h"
#include "model/outcome.h"

// What moves a job that exists. Every call works in the caller's transaction when there is one, otherwise in its own;
// those that a person sees write an event in the same transaction. All fail with job_not_found.
namespace lade::store {

struct JobChange {
  model::JobEvent event;
  std::string actor = {};       // who; empty: lade itself
  std::string data = "{}";      // JSON for the event
  std::string error_code = {};  // of `failed`, which also needs a message
  std::string error = {};
  std::string error_hint = {};
  std::int64_t file_id = 0;                   // of `file_stored`
  std::string dedupe_hash = {};               // of `file_stored`: what makes it a twin from now on
  std::optional<std::int64_t> revision = {};  // of `approved`: what the reviewer has seen
};

// Moves the job as the table of states has it, and gives where it stands now. Refused, with nothing changed: what the
// table does not have (transition_refused); an approval of another revision than the newest (revision_changed); a way
// back from finished, or a file, while a twin is live (job_exists); a way back from finished while the job is being
// undone (being_undone).
Result<model::JobStanding> change_job(db::Connection& connection, std::int64_t id, const JobChange& change);
// Back to the state in which it ended. `data` is JSON for the event.
Result<model::JobStanding> retry_job(db::Connection& connection, std::int64_t id, const std::string& actor,
                                     const std::string& data = "{}");
// Gives the job other limits or options than it was made with.
Result<void> set_job_snapshot(db::Connection& connection, std::int64_t id, const std::string& snapshot);
Result<void> set_job_options(db::Connection& connection, std::int64_t id, const std::string& options);
// How often it was sent back after it had ended: what a process knows of it from before is old.
Result<std::int64_t> job_retries(db::Connection& connection, std::int64_t id);
// How often rows of it were corrected: the same holds.
Result<std::int64_t> review_revision(db::Connection& connection, std::int64_t id);

// Flags of a job that is not finished; otherwise transition_refused. Setting one again changes nothing.
Result<void> set_job_paused(db::Connection& connection, std::int64_t id, bool paused, const std::string& actor);
Result<void> request_cancel(db::Connection& connection, std::int64_t id, const std::string& actor);

// What planning has found out. `plan` is what jobs needs to know again later; the store does not read it.
struct JobPlan {
  std::int64_t rows_total = 0;
  std::int64_t chunks = 0;
  std::int64_t buckets = 0;
  std::string plan = {};
};
Result<void> save_plan(db::Connection& connection, std::int64_t id, const JobPlan& plan);
Result<JobPlan> read_plan(db::Connection& connection, std::int64_t id);

// Committed work, added to the job's counters: the last statement of the transaction that does the work. Fails with
// job_finished when the job has ended.
struct JobAdvance {
  std::int64_t chunks_done = 0;
  std::int64_t buckets_settled = 0;
  std::int64_t buckets_processed = 0;
  std::int64_t rows_analysed = 0;
  model::RowCounts rows = {};
};
Result<void> advance_job(db::Connection& connection, std::int64_t id, const JobAdvance& advance);

// What all that was committed adds up to, counted anew when the job ends.
struct JobBill {
  model::RowCounts rows = {};
  std::string issues = "[]";       // how often which, as JSON
  std::string results_error = {};  // why there are no result files
};
Result<void> save_bill(db::Connection& connection, std::int64_t id, const JobBill& bill);

}  // namespace lade::store
