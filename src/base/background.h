#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace lade {

// A thread that does one thing at a time for its owner, who does another meanwhile. Started with the first.
class Background {
 public:
  // The last one must have been waited for.
  void start(std::function<void()> work) {
    {
      const std::lock_guard lock(mutex_);
      work_ = std::move(work);
    }
    if (!thread_.joinable()) thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
    changed_.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !work_; });
  }

 private:
  void run(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (changed_.wait(lock, stop, [this] { return static_cast<bool>(work_); })) {
      lock.unlock();
      work_();
      lock.lock();
      work_ = nullptr;
      changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::function<void()> work_;  // guarded by mutex_; unchanged while it runs
  std::jthread thread_;
};

}  // namespace lade
