#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <semaphore>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "handlers/handler.h"
#include "handlers/spawn.h"

namespace lade::handlers {

// A turn at a handler; given back with the object.
class Slot {
 public:
  // Waits for it, unless it is asked to stop: then it has none.
  Slot(std::counting_semaphore<>& turns, const std::stop_token& stop) : turns_(&turns) {
    while (!turns_->try_acquire_for(std::chrono::milliseconds(100)))
      if (stop.stop_requested()) {
        turns_ = nullptr;
        return;
      }
  }
  Slot(const Slot&) = delete;
  Slot& operator=(const Slot&) = delete;
  ~Slot() {
    if (turns_ != nullptr) turns_->release();
  }
  explicit operator bool() const { return turns_ != nullptr; }

 private:
  std::counting_semaphore<>* turns_;
};

// The handlers that this process of lade may run, by name; nobody else can name a program. Thread-safe.
class Registry {
 public:
  explicit Registry(std::vector<Handler> handlers = {});

  // Null when there is none of that name.
  const Handler* find(std::string_view name) const;
  // The same, or handler_unknown with the names that there are.
  Result<const Handler*> get(std::string_view name) const;
  // The same, and it takes all options of these names, or handler_option_unknown.
  Result<const Handler*> get(std::string_view name, const std::vector<std::string>& options) const;
  std::vector<std::string> names() const;

  // How many rows each handler has answered since the last call, and how many of them it failed.
  struct Tally {
    std::string handler;
    std::int64_t rows = 0, failed = 0;
  };
  std::vector<Tally> take_tallies() const;
  void count_row(const Handler& handler, bool failed) const;

  // Waits for a turn: a handler answers only so many batches at the same time.
  Slot slot(const Handler& handler, const std::stop_token& stop = {}) const;
  Spawner& spawner() const { return *spawner_; }

 private:
  struct Entry {
    Handler handler;
    std::unique_ptr<std::counting_semaphore<>> turns;
    struct Counts {
      std::atomic<std::int64_t> rows = 0, failed = 0;
    };
    std::unique_ptr<Counts> counts = std::make_unique<Counts>();
  };
  std::map<std::string, Entry, std::less<>> handlers_;
  std::unique_ptr<Spawner> spawner_;
};

// Reads the file of handlers (docs/handlers.md). Every *.lua file in the folder `handlers` beside it is a handler, too,
// by its name. `program` is lade itself, which runs those in Lua. Fails with handlers_file_invalid, naming every fault
// by its line.
Result<std::shared_ptr<const Registry>> read_registry(const std::filesystem::path& file,
                                                      const std::filesystem::path& program);

}  // namespace lade::handlers
