#include "jobs/follow_job.h"

#include <chrono>

#include "jobs/bucket.h"
#include "jobs/control.h"
#include "jobs/fetch_results.h"
#include "jobs/job.h"

namespace lade::jobs {
namespace {

using Clock = std::chrono::steady_clock;

// How long a server that went away is waited for.
constexpr std::chrono::seconds kPatience{30};
// The job's row is read so often when nobody tells of its end.
constexpr std::chrono::milliseconds kLook{500};

// Nothing more happens to it before somebody says so.
bool has_come_to_rest(const store::JobRecord& job) {
  return job.standing.state == model::JobState::finished || job.standing.state == model::JobState::waiting_for_review;
}

Result<std::optional<store::JobRecord>> look(Runner& runner, const FollowedJob& job, const std::stop_token& stop,
                                             bool& cancelling) {
  LADE_ASSIGN(const db::Pool::Lease session, runner.sessions().acquire());
  if (stop.stop_requested() && !cancelling) {
    auto asked = cancel_job(*session, {job.uuid, job.user});
    if (!asked && asked.error().code != "transition_refused") return fail(std::move(asked).error());
    cancelling = true;
    runner.node().check();
    runner.node().wake();
  }
  if (cancelling) LADE_TRY(finish_cancelled_jobs(*session));
  LADE_ASSIGN(auto record, store::job_with_id(*session, job.id));
  if (!record) return fail("job_not_found", "the job was deleted", "", ErrorKind::invalid);
  return record;
}

}  // namespace

Result<store::JobRecord> follow_job(Runner& runner, const FollowedJob& job, const std::stop_token& stop) {
  bool cancelling = false;
  Clock::time_point reached = Clock::now();
  for (;;) {
    runner.desk().wait_for_news(kLook, cancelling ? std::stop_token() : stop);
    auto record = look(runner, job, stop, cancelling);
    if (record && has_come_to_rest(**record)) return std::move(**record);
    if (record) reached = Clock::now();
    if (Clock::now() - reached > kPatience)
      return fail("cannot_connect", "the database does not answer: " + record.error().message,
                  "the same command goes on with the import when the database is up", ErrorKind::cannot_connect);
  }
}

Result<Summary> summary_of(Runner& runner, const store::JobRecord& record, const std::filesystem::path& results,
                           Summary noted) {
  Summary summary = std::move(noted);
  summary.job_id = record.uuid;
  summary.definition = record.definition;
  summary.definition_version = record.definition_version;
  summary.file = record.file_name;
  summary.outcome = record.status();
  summary.rows = record.rows;
  summary.rows.read = record.rows_total.value_or(0);
  summary.rows[model::Outcome::unprocessed] += summary.rows.read - summary.rows.accounted();
  add_counts(summary.issues, record.issues);
  if (!record.error.empty()) summary.error = {record.error_code, record.error, record.error_hint};
  if (summary.outcome == "cancelled") summary.error = cancelled();
  if (!record.results_error.empty())
    summary.error = {"results_missing", "the result files could not be written: " + record.results_error,
                     "free some space; lade rows shows the failed rows"};
  LADE_ASSIGN(const db::Pool::Lease session, runner.sessions().acquire());
  auto fetched = fetch_results(*session, runner.desk().storage(), record, results);
  add_result_files(summary, std::move(fetched));
  return summary;
}

}  // namespace lade::jobs
