#include "jobs/show_progress.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>

namespace lade::jobs {
namespace {

constexpr std::chrono::milliseconds kLook{200};
// What has not changed is shown again so often, as a sign of life.
constexpr std::chrono::seconds kRenew{10};
static_assert(kRenew * 2 < mirror::kFreshFor);
// A job that this process has nothing more to do for may still end: so long it is looked at.
constexpr std::chrono::seconds kLinger{60};

}  // namespace

mirror::JobProgress progress_of(const store::JobRecord& job) {
  mirror::JobProgress progress;
  progress.failed = job.rows[model::Outcome::failed];
  progress.succeeded = job.rows.accounted() - progress.failed - job.rows[model::Outcome::unprocessed];
  progress.total = job.rows_total;
  progress.attempt = job.retries;
  progress.finished = job.standing.outcome.has_value();
  progress.last_updated = now();
  return progress;
}

ProgressShow::ProgressShow(const mirror::Options& options, std::string database, ActiveJobs& active)
    : database_(std::move(database)),
      active_(active),
      writer_(options),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

void ProgressShow::run(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any never;
  for (;;) {
    const bool last = stop.stop_requested();
    // A database that does not answer is told of by those who work with it, a Redis by the writer.
    if (!look()) connection_.reset();
    if (last) return;
    std::unique_lock lock(mutex);
    never.wait_for(lock, stop, kLook, [] { return false; });
  }
}

Result<void> ProgressShow::look() {
  for (const std::int64_t job : active_.take()) jobs_[job].active = Clock::now();
  if (jobs_.empty()) connection_.reset();
  if (jobs_.empty() || !writer_.ready()) return {};
  if (!connection_) {
    LADE_ASSIGN(connection_, db::connect(db::limited_to(db::Access::read, database_)));
  }
  for (auto job = jobs_.begin(); job != jobs_.end();) {
    LADE_ASSIGN(const bool done, show(job->first, job->second));
    job = done ? jobs_.erase(job) : std::next(job);
  }
  return {};
}

Result<bool> ProgressShow::show(std::int64_t id, Shown& shown) {
  LADE_ASSIGN(const auto record, store::job_with_id(*connection_, id));
  if (!record) return true;
  mirror::JobProgress progress = progress_of(*record);
  if (!progress.finished && progress.total) {
    // Read after what is stored: what was published in between is missing for a moment, rather than counted twice.
    const ActiveJobs::Counts more = active_.unpublished(id);
    const std::int64_t left = std::max<std::int64_t>(0, *progress.total - progress.processed());
    const std::int64_t failed = std::min(more.failed, left);
    progress.failed += failed;
    progress.succeeded += std::min(more.succeeded, left - failed);
  }
  const bool idle = Clock::now() - shown.active > kLinger;
  const bool over = progress.finished || idle;
  const bool renewed = Clock::now() - shown.written < kRenew;
  if (renewed && shown.progress && shown.progress->same_as(progress)) return over;
  if (auto written = writer_.write(record->uuid, progress); !written) return idle;
  shown.progress = progress;
  shown.written = Clock::now();
  return over;
}

}  // namespace lade::jobs
