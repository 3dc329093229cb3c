#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "db/connection.h"
#include "jobs/active_jobs.h"
#include "mirror/mirror.h"
#include "store/job_list.h"

namespace lade::jobs {

// How far the job is, by what is stored.
mirror::JobProgress progress_of(const store::JobRecord& job);

// Shows in a mirror how far the jobs are on which this process works: what is stored, and what its tasks have not
// published yet. From a thread and a session with the database of its own: work never waits for it. Its end shows
// once more what has changed.
class ProgressShow {
 public:
  // `active` outlives it.
  ProgressShow(const mirror::Options& options, std::string database, ActiveJobs& active);

 private:
  using Clock = std::chrono::steady_clock;
  struct Shown {
    std::optional<mirror::JobProgress> progress;
    Clock::time_point active, written;
  };

  void run(const std::stop_token& stop);
  Result<void> look();
  // Gives whether the job need not be looked at any more.
  Result<bool> show(std::int64_t id, Shown& shown);

  const std::string database_;
  ActiveJobs& active_;
  mirror::Writer writer_;
  std::unique_ptr<db::Connection> connection_;
  std::map<std::int64_t, Shown> jobs_;
  std::jthread thread_;  // the only one that uses what stands before it
};

}  // namespace lade::jobs
