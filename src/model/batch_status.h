#pragma once

#include <cstdint>
#include <string_view>

#include "model/job_state.h"

// How a batch stands is not kept anywhere: it follows from how its jobs stand.
namespace lade::model {

// How many jobs of a batch have which status.
struct JobTally {
  std::int64_t queued = 0;
  std::int64_t running = 0;
  std::int64_t paused = 0;
  std::int64_t waiting_for_review = 0;
  std::int64_t succeeded = 0;
  std::int64_t failed = 0;
  std::int64_t ended_by_people = 0;  // rejected, cancelled or undone
  std::int64_t fruitless = 0;        // of those that succeeded: all their pages have failed
  std::int64_t started = 0;          // of all these, those that a worker has begun

  std::int64_t live() const { return queued + running + paused + waiting_for_review; }
  std::int64_t finished() const { return succeeded + failed + ended_by_people; }
  std::int64_t total() const { return live() + finished(); }
  // So many jobs stand there, by their job_status().
  void add(const JobStanding& standing, bool is_paused, std::int64_t jobs);
};

// One word: pending (no job has started), running, paused (nothing of it is worked on until somebody resumes a job);
// and when all jobs have ended succeeded if any has (and not in vain), otherwise failed if any has, otherwise
// cancelled.
std::string_view batch_status(const JobTally& jobs);
// Whether batch_status() ever says this.
bool is_batch_status(std::string_view status);

}  // namespace lade::model
