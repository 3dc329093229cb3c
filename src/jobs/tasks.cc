#include "base/log.h"
#include "jobs/pages.h"
#include "jobs/resend.h"
#include "jobs/task.h"
#include "store/job_changes.h"
#include "store/tally.h"

namespace lade::jobs {
namespace {

using queue::TaskContext;

// A refusal by the database that may be gone at the next attempt.
bool passes(const Error& error) {
  return queue::is_outage(error) || error.kind == ErrorKind::cancelled || error.code == "lease_lost" ||
         error.code == "db_busy" || error.code == "injected";
}

using Step = Result<void> (*)(const Work&);

// The job with the limits and options of its last retry: another process may have opened it before that.
Result<std::shared_ptr<OpenJob>> open_current(Desk& desk, std::int64_t id) {
  LADE_ASSIGN(std::shared_ptr<OpenJob> open, desk.open(id));
  std::int64_t retries = 0;
  {
    const OpenJob::WorkerPointer worker = open->worker();
    LADE_ASSIGN(db::Connection* const session, worker->reader());
    LADE_ASSIGN(retries, store::job_retries(*session, id));
  }
  if (retries == open->job->retries) return open;
  desk.close(id);
  return desk.open(id);
}

// What handlers have done is told to those who operate lade. It is lost when the database is, and nobody waits for it.
void tally_handlers(const Job& job, Worker& worker) {
  if (!job.options.handlers) return;
  const auto tallies = job.options.handlers->take_tallies();
  if (tallies.empty()) return;
  const auto session = worker.session({});
  for (const handlers::Registry::Tally& tally : tallies) {
    if (!session) return;
    (void)store::add_tally(**session, job.options.company, "handler_rows", tally.handler, tally.rows);
    (void)store::add_tally(**session, job.options.company, "handler_errors", tally.handler, tally.failed);
  }
}

Result<void> run_step(TaskContext& context, Desk& desk, Step step) {
  LADE_ASSIGN(const TaskTarget target, read_target(context.task().payload));
  // What analysis finds does not depend on limits.
  LADE_ASSIGN(const std::shared_ptr<OpenJob> open,
              step == analyse ? desk.open(target.job) : open_current(desk, target.job));
  const OpenJob::WorkerPointer worker = open->worker();
  ActiveJobs::Task active(desk.active(), target.job);
  Result<void> done = step({context, desk, target, *open, *worker, active.rows});
  if (step == judge || step == finalise) desk.tell();
  if (step == analyse || step == process) tally_handlers(*open->job, *worker);
  if (done && step == finalise) desk.close(target.job);  // its handlers see the end of their input
  if (!done) {
    worker->forget();
    desk.close(target.job);
  }
  return done;
}

// A task that works without a bound job.
template <auto run>
Result<void> run_plain(TaskContext& context, Desk& desk) {
  LADE_ASSIGN(const TaskTarget target, read_target(context.task().payload));
  const ActiveJobs::Task active(desk.active(), target.job);
  return run(context, desk, target);
}

// Nobody works out how the job has ended: rows of which nothing is known were not processed.
Result<void> count_unprocessed(db::Connection& connection, std::int64_t id) {
  LADE_ASSIGN(const auto job, store::job_with_id(connection, id));
  if (!job || job->standing.outcome) return {};
  model::RowCounts rows = job->rows;
  rows.read = job->rows_total.value_or(0);
  if (rows.missing() <= 0) return {};
  store::JobAdvance advance;
  advance.rows[model::Outcome::unprocessed] = rows.missing();
  return store::advance_job(connection, id, advance);
}

// A job whose next step was given up has ended.
Result<void> fail_job(db::Connection& connection, const queue::DeadLetter& letter) {
  LADE_ASSIGN(const TaskTarget target, read_target(letter.payload));
  LADE_TRY(count_unprocessed(connection, target.job));
  const auto changed = store::change_job(
      connection, target.job, {.event = model::JobEvent::failed, .error_code = letter.reason, .error = letter.message});
  if (!changed && changed.error().code != "transition_refused") return fail(changed.error());
  return {};
}

}  // namespace

void handle_tasks(queue::Node& node, Desk& desk) {
  const auto handler = [&desk](auto work) {
    return [&desk, work](TaskContext& context) -> Result<void> {
      Result<void> done = work(context, desk);
      // Its message may show what a row holds; the job's record has it.
      if (!done && done.error().kind != ErrorKind::cancelled)
        log(LogLevel::warning, "task_failed",
            {{"task", std::to_string(context.task().lease.task)},
             {"kind", context.task().kind},
             {"job", context.task().group},
             {"code", done.error().code}});
      if (!done && !passes(done.error())) return fail(context.give_up(std::move(done).error()));
      return done;
    };
  };
  const auto step = [&](Step run) {
    return handler([run](TaskContext& context, Desk& at) { return run_step(context, at, run); });
  };
  const auto add = [&](std::string_view kind, queue::Handler run, queue::DeathHook on_death = {}) {
    node.handle(std::string(kind), {.run = std::move(run), .on_death = std::move(on_death)});
  };
  add(kPlanTask, handler(run_plain<plan>), fail_job);
  add(kFetchTask, handler(run_plain<fetch_pages>));
  add(kGatherTask, handler(run_plain<gather_pages>), fail_job);
  add(kAnalyseTask, step(analyse));
  add(kClaimsTask, step(claims));
  add(kSettleTask, step(settle));
  add(kCompareTask, step(compare));
  add(kJudgeTask, step(judge), fail_job);
  add(kProcessTask, step(process));
  add(kOrphansTask, step(orphans));
  add(kFinaliseTask, step(finalise), fail_job);
  add(kResendTask, handler(run_plain<resend>));
  add(kUndoBeginTask, handler(run_plain<begin_undo>), fail_job);
  add(kUndoTask, handler(run_plain<undo_part>));
  add(kUndoRestTask, handler(run_plain<undo_rest>));
  add(kUndoEndTask, handler(run_plain<end_undo>), fail_job);
}

}  // namespace lade::jobs
