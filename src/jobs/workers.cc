#include <algorithm>
#include <atomic>
#include <thread>

#include "jobs/job.h"

namespace lade::jobs {

Result<void> run_workers(unsigned workers, std::size_t items, const std::stop_token& stop,
                         const std::function<Result<void>(const NextItem&)>& body) {
  std::atomic<std::size_t> taken = 0;
  std::atomic<bool> failed = false;
  std::mutex mutex;
  std::optional<Error> first;
  const NextItem next = [&]() -> std::optional<std::size_t> {
    if (failed || stop.stop_requested()) return std::nullopt;
    const std::size_t item = taken++;
    return item < items ? std::optional(item) : std::nullopt;
  };
  const auto work = [&] {
    if (auto result = body(next); !result) {
      const std::lock_guard lock(mutex);
      if (!first) first = std::move(result).error();
      failed = true;
    }
  };
  {
    std::vector<std::jthread> threads;
    const std::size_t count = std::min<std::size_t>(workers, items);
    for (std::size_t i = 1; i < count; ++i) threads.emplace_back(work);
    if (count > 0) work();
  }
  if (first) return fail(std::move(*first));
  return {};
}

}  // namespace lade::jobs
