#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "jobs/import.h"
#include "jobs/runner.h"
#include "queue/settings.h"

namespace lade::jobs {

struct WorkOptions {
  ImportOptions here;  // database and data folder
  queue::Settings settings;
  webhooks::DeliveryOptions deliveries;
  std::string name;                           // of this process, for people
  std::string queue = {};                     // only tasks of this one; empty: of all
  bool until_idle = false;                    // ends when no task is left that could run
  std::function<void(const Error&)> report;   // hears of errors that pass
  std::function<void(std::string_view)> say;  // hears what is going on
};

// A process that works on the jobs of a database. Its end gives running tasks back.
class Works {
 public:
  // Waits for a SQLite file that another process works on, a moment or until it is asked to stop.
  static Result<std::unique_ptr<Works>> start(const WorkOptions& options, const std::stop_token& stop);
  // Cleans up now and then, until it is asked to stop or there is nothing left to do.
  void run(const std::stop_token& stop);

  // On SQLite the only ones that may write.
  db::Pool& sessions() { return runner_.sessions(); }
  queue::Node& node() { return runner_.node(); }

 private:
  Works(const WorkOptions& options, RunnerOptions runner, db::Ownership ownership,
        std::unique_ptr<storage::Storage> storage)
      : options_(options), runner_(std::move(runner), std::move(ownership), std::move(storage)) {}
  const WorkOptions options_;
  Runner runner_;
};

// The two, one after the other.
Result<void> work_on_jobs(const WorkOptions& options, const std::stop_token& stop);

}  // namespace lade::jobs
