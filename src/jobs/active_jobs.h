#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>

namespace lade::jobs {

// Rows that a task has decided and not published yet. The task counts them up and takes them out before it commits, so
// that with what is stored no row is ever counted twice. Read by others meanwhile.
struct UnpublishedRows {
  std::atomic<std::int64_t> succeeded = 0;
  std::atomic<std::int64_t> failed = 0;
  void clear() { succeeded = failed = 0; }
};

// The jobs that this process works on. Thread-safe.
class ActiveJobs {
 public:
  // A task of a job, from its beginning to its end.
  class Task {
   public:
    Task(ActiveJobs& jobs, std::int64_t job) : jobs_(jobs), job_(job) { jobs_.begin(*this); }
    Task(const Task&) = delete;
    Task& operator=(const Task&) = delete;
    ~Task() { jobs_.end(*this); }
    UnpublishedRows rows;

   private:
    friend ActiveJobs;
    ActiveJobs& jobs_;
    const std::int64_t job_;
  };

  // Those of which a task runs, or has ended since the last call.
  std::set<std::int64_t> take();
  // The sum over the tasks of the job that run.
  struct Counts {
    std::int64_t succeeded = 0, failed = 0;
  };
  Counts unpublished(std::int64_t job) const;

 private:
  void begin(const Task& task);
  void end(const Task& task);

  mutable std::mutex mutex_;  // guards what follows
  std::map<std::int64_t, std::set<const Task*>> running_;
  std::set<std::int64_t> ended_;
};

}  // namespace lade::jobs
