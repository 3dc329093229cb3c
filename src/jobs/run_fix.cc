#include "jobs/run_fix.h"

#include <chrono>

#include "base/id.h"
#include "jobs/job.h"
#include "jobs/one_shot.h"
#include "queue/rescue.h"
#include "store/schema.h"

namespace lade::jobs {
namespace {

using Clock = std::chrono::steady_clock;

Result<store::JobRecord> fix(db::Connection& connection, const storage::Storage& storage, const FixDemand& demand,
                             const ImportOptions& options) {
  const ReviewPlace place{storage, options};
  std::vector<Fix> rows = demand.rows;
  if (!demand.file.empty()) {
    LADE_ASSIGN(const store::JobRecord job, require_job(connection, demand.job, options.company));
    LADE_ASSIGN(File file, File::open(demand.file));
    LADE_ASSIGN(rows, read_fixes(connection, place, job, std::move(file), demand.file));
  }
  std::vector<RefusedFix> refused;
  return fix_rows(connection, place, {demand.job, options.user, options.company}, rows, refused);
}

}  // namespace

Result<Summary> run_fix(const FixDemand& demand, ImportOptions options, Progress& progress, std::stop_token stop) {
  LADE_TRY(options.validate());
  const auto start = Clock::now();
  const std::string boot = new_uuid();
  options.database = queue::session_url(options.database, boot);
  LADE_ASSIGN(db::Ownership ownership, db::Ownership::take(options.database, kPatience, stop));
  LADE_ASSIGN(auto session, db::connect(options.database));
  LADE_TRY(store::migrate(*session));
  LADE_ASSIGN(std::unique_ptr<storage::Storage> storage, open_storage(options));
  LADE_ASSIGN(const store::JobRecord job, fix(*session, *storage, demand, options));
  if (options.results_folder.empty()) options.results_folder = options.data / "imports" / job.uuid;
  RunnerOptions here{.here = options, .boot = boot, .name = "lade fix", .job = job.uuid};
  here.settings.concurrency = options.workers;
  here.settings.retry.base = std::chrono::milliseconds(100);
  here.progress = &progress;
  Runner runner(std::move(here), std::move(ownership), std::move(storage));
  runner.sessions().add(std::move(session));
  LADE_TRY(runner.start());
  progress.rows_total = job.rows_total.value_or(0);
  progress.phase = Phase::settling;
  LADE_ASSIGN(const store::JobRecord ended, wait_for_end(runner, {.id = job.id, .uuid = job.uuid}, options.user, stop));
  LADE_ASSIGN(Summary summary, summary_of(runner, ended, options.results_folder));
  summary.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  progress.phase = Phase::finished;
  return summary;
}

}  // namespace lade::jobs
