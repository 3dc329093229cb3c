#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

#include "harvest/fetch.h"
#include "jobs/open_fetch.h"
#include "storage/storage.h"
#include "store/pages.h"

namespace lade::jobs {

// An attempt that has ended, with what it brought.
struct EndedAttempt {
  store::OpenPage page;
  std::string body;
  harvest::FetchOutcome outcome;
};

// The requests of one task. Its end breaks off what is under way, and waits for it.
class PageAttempts {
 public:
  explicit PageAttempts(OpenFetch& open) : open_(open) {}
  ~PageAttempts();
  PageAttempts(const PageAttempts&) = delete;
  PageAttempts& operator=(const PageAttempts&) = delete;

  // The attempt is written down and paid for.
  void start(store::OpenPage page);
  std::size_t under_way() const;
  // A page of this size may come.
  void expect(std::int64_t bytes) { largest_ = std::max<std::int64_t>(largest_, bytes); }
  // So many may be: fewer where pages are large, so that all fit into what a task may hold. One that does not is broken
  // off, and worth another try.
  std::size_t most_under_way() const;
  // Those that have ended; waits for the first of them, at most so long or until `stop` is asked.
  std::vector<EndedAttempt> wait(std::chrono::steady_clock::time_point until, const std::stop_token& stop);
  // Breaks off all others and gives them too.
  std::vector<EndedAttempt> break_off();

 private:
  class Body;
  void ended(EndedAttempt attempt);

  OpenFetch& open_;
  std::stop_source stop_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::size_t under_way_ = 0;                         // guarded by mutex_
  std::vector<EndedAttempt> ended_;                   // guarded by mutex_
  std::atomic<std::int64_t> held_ = 0, largest_ = 0;  // bytes: of all bodies, of one
};

// What attempts come to: fields taken out of the pages, their bodies kept as evidence in one file of the storage. Pages
// that it does not take are retryable.
std::vector<store::PageResult> results_of(const OpenFetch& open, const storage::Storage& storage,
                                          const std::vector<EndedAttempt>& attempts);
// How an attempt ends that nobody told the end of.
store::PageResult failed_result(std::int64_t row, std::int64_t attempt, store::PageError error);

}  // namespace lade::jobs
