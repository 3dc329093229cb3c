#include "jobs/one_shot.h"

#include "jobs/bucket.h"
#include "jobs/control.h"
#include "jobs/fetch_results.h"
#include "jobs/job.h"
#include "queue/groups.h"
#include "queue/rescue.h"

namespace lade::jobs {
namespace {

using Clock = std::chrono::steady_clock;

// The job's row is read so often when nobody tells of its end.
constexpr std::chrono::milliseconds kLook{500};

// Nothing more happens to it before somebody says so.
bool has_come_to_rest(const store::JobRecord& job) {
  return job.standing.state == model::JobState::finished || job.standing.state == model::JobState::waiting_for_review;
}

Result<store::JobRecord> look(Runner& runner, const JobGroup& group, const std::string& user, bool stop,
                              bool& cancelling) {
  LADE_ASSIGN(const db::Pool::Lease session, runner.sessions().acquire());
  if (stop && !cancelling) {
    auto asked = cancel_job(*session, {group.uuid, user});
    if (!asked && asked.error().code != "transition_refused") return fail(std::move(asked).error());
    cancelling = true;
    runner.node().check();
    runner.node().wake();
  }
  if (cancelling) LADE_TRY(finish_cancelled_jobs(*session));
  LADE_ASSIGN(auto record, store::job_with_id(*session, group.id));
  if (!record) return fail("job_not_found", "the job was deleted", "", ErrorKind::invalid);
  return std::move(*record);
}

}  // namespace

Result<store::JobRecord> wait_for_end(Runner& runner, const JobGroup& group, const std::string& user,
                                      const std::stop_token& stop) {
  bool cancelling = false;
  Clock::time_point reached = Clock::now();
  for (;;) {
    runner.desk().wait_for_news(kLook, cancelling ? std::stop_token() : stop);
    auto record = look(runner, group, user, stop.stop_requested(), cancelling);
    if (record && has_come_to_rest(*record)) return record;
    if (record) reached = Clock::now();
    if (Clock::now() - reached > kPatience)
      return fail("cannot_connect", "the database does not answer: " + record.error().message,
                  "the same command goes on with the job when the database is up", ErrorKind::cannot_connect);
  }
}

Result<bool> take_over(db::Connection& connection, const std::string& group, const std::string& boot) {
  LADE_ASSIGN(const std::string owner, queue::reservation(connection, group));
  LADE_ASSIGN(const bool alive, queue::has_sessions(connection, owner));
  if (owner.empty() || alive) return false;
  LADE_TRY(queue::rescue(connection, owner, std::nullopt, [](const std::string&) { return queue::KindRules(); }));
  LADE_TRY(queue::put_group(connection, {.id = group, .reserved_by = boot}));
  return true;
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
  if (record.error_code != "not_conserved") summary.rows.fill_missing();  // then the counts are to be seen as they are
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
