#include "jobs/active_jobs.h"

#include <utility>

namespace lade::jobs {

void ActiveJobs::begin(const Task& task) {
  const std::lock_guard lock(mutex_);
  running_[task.job_].insert(&task);
}

void ActiveJobs::end(const Task& task) {
  const std::lock_guard lock(mutex_);
  const auto found = running_.find(task.job_);
  found->second.erase(&task);
  if (found->second.empty()) running_.erase(found);
  ended_.insert(task.job_);
}

std::set<std::int64_t> ActiveJobs::take() {
  const std::lock_guard lock(mutex_);
  std::set<std::int64_t> jobs = std::exchange(ended_, {});
  for (const auto& [job, tasks] : running_) jobs.insert(job);
  return jobs;
}

ActiveJobs::Counts ActiveJobs::unpublished(std::int64_t job) const {
  const std::lock_guard lock(mutex_);
  Counts counts;
  const auto found = running_.find(job);
  if (found == running_.end()) return counts;
  for (const Task* task : found->second) {
    counts.succeeded += task->rows.succeeded;
    counts.failed += task->rows.failed;
  }
  return counts;
}

}  // namespace lade::jobs
