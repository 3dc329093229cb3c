#pragma once

#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <mutex>
#include <stop_token>
#include <thread>

#include "cli/terminal.h"

namespace lade::cli {

// Turns the first SIGINT or SIGTERM into a stop request; a second one ends the process at once. Signals are taken by a
// thread of its own, so nothing of the program ever runs inside a handler.
class StopOnSignal {
 public:
  StopOnSignal() {
    sigemptyset(&signals_);
    for (const int signal : {SIGINT, SIGTERM, kOver}) sigaddset(&signals_, signal);
    pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
    waiter_ = std::jthread([this] {
      for (int signal = 0; sigwait(&signals_, &signal) == 0 && signal != kOver;)
        if (!stop_.request_stop()) std::_Exit(kCancelled);
    });
  }
  ~StopOnSignal() { pthread_kill(waiter_.native_handle(), kOver); }
  StopOnSignal(const StopOnSignal&) = delete;
  StopOnSignal& operator=(const StopOnSignal&) = delete;
  std::stop_token token() { return stop_.get_token(); }

 private:
  static constexpr int kOver = SIGUSR2;
  sigset_t signals_{};
  std::stop_source stop_;
  std::jthread waiter_;
};

// Returns when a stop is asked for.
inline void wait_for(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any asked;
  std::unique_lock lock(mutex);
  asked.wait(lock, stop, [] { return false; });
}

}  // namespace lade::cli
