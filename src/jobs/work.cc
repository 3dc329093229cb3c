#include "jobs/work.h"

#include <fmt/format.h>

#include <condition_variable>
#include <mutex>

#include "jobs/control.h"
#include "jobs/pages.h"
#include "jobs/versions.h"
#include "queue/rate_limits.h"
#include "queue/rescue.h"
#include "queue/task_list.h"
#include "store/deliveries.h"
#include "store/files.h"
#include "store/job_ends.h"
#include "store/schema.h"

namespace lade::jobs {
namespace {

constexpr std::chrono::milliseconds kLook{250};
constexpr std::chrono::seconds kSweep{1};
constexpr std::chrono::seconds kTidy{60};
// A file that no record names may be about to be recorded; one this old is not.
constexpr std::chrono::hours kOrphanAge{24};
constexpr std::int64_t kStagingDays = 30, kJournalDays = 30, kDeliveryDays = 30;

// Ends jobs that were cancelled while a task without a follower ran.
Result<void> sweep(Runner& runner) {
  LADE_ASSIGN(const db::Pool::Lease session, runner.sessions().acquire());
  LADE_TRY(finish_cancelled_jobs(*session));
  return {};
}

// Staged rows of jobs that nobody has retried, journals that nobody has used, deliveries that ended long ago, and files
// that nobody wants.
Result<void> tidy(Runner& runner) {
  {
    LADE_ASSIGN(const db::Pool::Lease session, runner.sessions().acquire());
    LADE_TRY(store::expire_segments(*session, kStagingDays));
    LADE_TRY(store::expire_journals(*session, kJournalDays));
    LADE_TRY(store::expire_deliveries(*session, kDeliveryDays));
    LADE_TRY(queue::tidy_rates(*session));
    LADE_TRY(requeue_stuck_pages(*session, runner.desk().here().harvest.stuck));
    LADE_TRY(purge_versions(*session));
  }
  LADE_TRY(runner.desk().storage().remove_orphans(kOrphanAge, [&](const std::string& id) -> Result<bool> {
    LADE_ASSIGN(const db::Pool::Lease session, runner.sessions().acquire());
    return store::is_file_wanted(*session, id, runner.desk().here().results_path);
  }));
  return {};
}

Result<bool> is_idle(Runner& runner, const std::string& queue) {
  LADE_ASSIGN(const db::Pool::Lease session, runner.sessions().acquire());
  LADE_ASSIGN(const bool live, queue::has_live_tasks(*session, queue));
  return !live;
}

}  // namespace

Result<std::unique_ptr<Works>> Works::start(const WorkOptions& options, const std::stop_token& stop) {
  LADE_TRY(create_folder(options.here.data, data_folder()));
  RunnerOptions runner{.here = options.here, .name = options.name};
  runner.queue = options.queue;
  runner.settings = options.settings;
  runner.deliveries = options.deliveries;
  runner.report = options.report;
  runner.here.database = queue::session_url(options.here.database, runner.boot);
  LADE_ASSIGN(db::Ownership ownership, db::Ownership::take(options.here.database, kLook, stop));
  {
    LADE_ASSIGN(const auto connection, db::connect(options.here.database));
    LADE_TRY(store::migrate(*connection));
  }
  LADE_ASSIGN(std::unique_ptr<storage::Storage> storage, open_storage(options.here));
  std::unique_ptr<Works> works(new Works(options, std::move(runner), std::move(ownership), std::move(storage)));
  LADE_TRY(works->runner_.start());
  if (options.say)
    options.say(fmt::format("working on {} with {} threads", db::without_password(options.here.database),
                            options.settings.concurrency));
  return works;
}

void Works::run(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::chrono::steady_clock::time_point swept, tidied;
  const auto at_times = [&](std::chrono::steady_clock::time_point& last, std::chrono::seconds pause, auto work) {
    const auto now = std::chrono::steady_clock::now();
    if (now - last < pause) return;
    last = now;
    if (auto done = work(runner_); !done && options_.report) options_.report(done.error());
  };
  while (!stop.stop_requested()) {
    at_times(swept, kSweep, sweep);
    at_times(tidied, kTidy, tidy);
    if (options_.until_idle)
      if (auto idle = is_idle(runner_, options_.queue); idle && *idle) break;
    std::unique_lock lock(mutex);
    never.wait_for(lock, stop, kLook, [] { return false; });
  }
}

Result<void> work_on_jobs(const WorkOptions& options, const std::stop_token& stop) {
  LADE_ASSIGN(const std::unique_ptr<Works> works, Works::start(options, stop));
  works->run(stop);
  return {};
}

}  // namespace lade::jobs
