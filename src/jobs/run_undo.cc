#include "jobs/run_undo.h"

#include "jobs/control.h"
#include "jobs/job.h"
#include "jobs/one_shot.h"
#include "jobs/undo.h"
#include "queue/rescue.h"
#include "store/schema.h"
#include "store/undo.h"

namespace lade::jobs {
namespace {

// Makes the undo, or finds the one that a dead process has begun.
Result<store::JobRecord> make_or_resume(db::Connection& connection, const JobOrder& order, const std::string& boot) {
  auto undo = undo_job(connection, order, boot);
  if (undo || undo.error().code != "being_undone") return undo;
  LADE_ASSIGN(const store::JobRecord job, require_job(connection, order.job, order.company));
  LADE_ASSIGN(auto begun, store::undo_of(connection, job));
  if (!begun || begun->standing.outcome) return undo;
  LADE_ASSIGN(const bool taken, take_over(connection, begun->uuid, boot));
  if (!taken) return undo;
  return std::move(*begun);
}

}  // namespace

Result<store::JobRecord> run_undo(const std::string& job, ImportOptions options, Progress& progress,
                                  const std::stop_token& stop) {
  LADE_TRY(options.validate());
  LADE_TRY(create_folder(options.data, data_folder()));
  RunnerOptions runner_options{.here = options, .name = "lade undo"};
  runner_options.here.database = queue::session_url(options.database, runner_options.boot);
  LADE_ASSIGN(db::Ownership ownership, db::Ownership::take(options.database, kPatience, stop));
  LADE_ASSIGN(std::unique_ptr<storage::Storage> storage, open_storage(options));
  LADE_ASSIGN(auto session, db::connect(runner_options.here.database));
  LADE_TRY(store::migrate(*session));
  LADE_ASSIGN(const store::JobRecord undo, make_or_resume(*session, {job, options.user}, runner_options.boot));
  runner_options.job = undo.uuid;
  runner_options.settings.concurrency = options.workers;
  runner_options.settings.retry.base = std::chrono::milliseconds(100);
  runner_options.progress = &progress;
  progress.rows_total = undo.rows_total.value_or(0);
  Runner runner(std::move(runner_options), std::move(ownership), std::move(storage));
  runner.sessions().add(std::move(session));
  LADE_TRY(runner.start());
  LADE_ASSIGN(store::JobRecord ended, wait_for_end(runner, {undo.id, undo.uuid, "", undo.company}, options.user, stop));
  progress.phase = Phase::finished;
  return ended;
}

}  // namespace lade::jobs
