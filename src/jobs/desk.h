#pragma once

#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "db/pool.h"
#include "jobs/active_jobs.h"
#include "jobs/open_fetch.h"
#include "jobs/open_job.h"
#include "jobs/stored_job.h"
#include "queue/node.h"
#include "storage/storage.h"

namespace lade::jobs {

// What the tasks of all jobs share in one process. Thread-safe.
class Desk {
 public:
  // `here`: database, folder and threads of this process.
  Desk(ImportOptions here, const storage::Storage& storage, db::Pool& sessions, Progress& progress)
      : here_(std::move(here)), storage_(storage), sessions_(sessions), progress_(progress) {}

  // The job, bound when it is not yet.
  Result<std::shared_ptr<OpenJob>> open(std::int64_t id);
  // For a job that this process has bound itself.
  void put(std::unique_ptr<const Job> job);
  // It has ended, or something about it went wrong: whoever needs it binds it anew.
  void close(std::int64_t id);

  // Whoever waits for a job hears that something has come of one; the wait also ends with the time or a stop.
  void tell();
  void wait_for_news(std::chrono::milliseconds most, const std::stop_token& stop);

  const ImportOptions& here() const { return here_; }
  const storage::Storage& storage() const { return storage_; }
  Progress& progress() const { return progress_; }
  ActiveJobs& active() { return active_; }
  FetchDesk& fetching() { return fetching_; }

 private:
  struct Place {
    std::mutex mutex;  // guards the job, also while it is being bound
    std::shared_ptr<OpenJob> job;
  };
  std::shared_ptr<Place> place(std::int64_t id);

  const ImportOptions here_;
  const storage::Storage& storage_;
  db::Pool& sessions_;
  Progress& progress_;
  ActiveJobs active_;
  FetchDesk fetching_{here_.harvest};
  std::mutex mutex_;
  std::map<std::int64_t, std::shared_ptr<Place>> places_;  // guarded by mutex_
  bool news_ = false;                                      // guarded by mutex_
  std::condition_variable_any told_;
};

// Teaches the node the kinds of tasks that jobs consist of. The desk outlives it.
void handle_tasks(queue::Node& node, Desk& desk);

}  // namespace lade::jobs
