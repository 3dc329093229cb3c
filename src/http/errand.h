#pragma once

#include <exception>
#include <functional>
#include <memory>

#include "http/stream.h"

namespace boost::asio {
class thread_pool;
}

// Inside the module only: how coroutines wait for other threads.
namespace lade::http {

// Something that a coroutine waits for. Belongs to the thread of its executor.
class Signal : public std::enable_shared_from_this<Signal> {
 public:
  static std::shared_ptr<Signal> create(boost::asio::any_io_executor executor);
  ~Signal();

  // Until notify() or the deadline. What was notified before is not remembered.
  Task<void> wait(Clock::time_point deadline);
  void notify();
  // Notifies from any thread, as long as the executor's context lives.
  std::function<void()> notifier();

 private:
  struct Inside;
  explicit Signal(std::unique_ptr<Inside> inside);
  std::unique_ptr<Inside> inside_;
};

// Work on a handler thread that a coroutine waits for, one piece at a time. Must not be destroyed while running.
class Errand {
 public:
  Errand(boost::asio::any_io_executor executor, boost::asio::thread_pool& threads);

  void start(std::function<void()> work);
  bool running() const { return running_; }
  // Waits for the work under way, if there is any; gives what it has thrown.
  Task<std::exception_ptr> finish();

 private:
  boost::asio::any_io_executor executor_;
  boost::asio::thread_pool& threads_;
  std::shared_ptr<Signal> signal_;
  bool running_ = false;
  std::exception_ptr thrown_;
};

// Work that nobody waits for; it must not throw.
void start_detached(boost::asio::thread_pool& threads, std::function<void()> work);

}  // namespace lade::http
