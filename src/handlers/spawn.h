#pragma once

#include <condition_variable>
#include <deque>
#include <future>
#include <mutex>
#include <string>
#include <thread>

#include "base/result.h"
#include "handlers/handler.h"

namespace lade::handlers {

// An end of a pipe, or nothing.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(other.number_) { other.number_ = -1; }
  Descriptor& operator=(Descriptor&& other) noexcept {
    if (this != &other) {
      close();
      number_ = other.number_;
      other.number_ = -1;
    }
    return *this;
  }
  ~Descriptor() { close(); }
  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }
  void close();

 private:
  int number_ = -1;
};

// A running program: the leader of a process group of its own. Its group is killed with this object.
class Child {
 public:
  Child() = default;
  explicit Child(int pid) : pid_(pid) {}
  Child(Child&& other) noexcept
      : input(std::move(other.input)),
        output(std::move(other.output)),
        errors(std::move(other.errors)),
        pid_(other.pid_) {
    other.pid_ = 0;
  }
  Child& operator=(Child&&) = delete;
  ~Child() { (void)kill(); }

  int pid() const { return pid_; }
  // Waits at most so long for it to end by itself; true when it has.
  bool wait(std::chrono::milliseconds timeout) const;
  // Kills the whole group and says how the leader ended: "it ended with exit code 3". Once.
  std::string kill();

  Descriptor input, output, errors;  // lade's ends: what it reads, writes and complains; they do not block

 private:
  int pid_ = 0;  // 0: none any more
};

// Starts programs, all from one thread of its own: they are killed when that thread ends, so none outlives this
// process, however it ends. Thread-safe.
class Spawner {
 public:
  // No shell, no environment but the handler's, no descriptors but three pipes, its limits in force. Fails with
  // handler_not_started.
  Result<Child> spawn(const Handler& handler);

 private:
  void run(const std::stop_token& stop);
  std::mutex mutex_;  // guards the tasks
  std::condition_variable_any wake_;
  std::deque<std::packaged_task<Result<Child>()>> tasks_;
  std::jthread thread_;  // from the first program on
};

}  // namespace lade::handlers
