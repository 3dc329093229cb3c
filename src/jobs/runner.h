#pragma once

#include <condition_variable>
#include <memory>
#include <string>

#include "db/ownership.h"
#include "jobs/desk.h"
#include "jobs/show_progress.h"
#include "queue/node.h"
#include "queue/settings.h"
#include "storage/storage.h"
#include "webhooks/deliver.h"

namespace lade::jobs {

struct RunnerOptions {
  ImportOptions here;             // database, data folder and, unless a job says otherwise, how it is cut
  std::string boot = new_uuid();  // new for every process
  std::string name = {};          // for people
  std::string job = {};           // the uuid of the only job to work on; empty: any
  std::string queue = {};         // the only queue to take tasks from; empty: any
  queue::Settings settings = {};
  webhooks::DeliveryOptions deliveries = {};
  Progress* progress = nullptr;                   // shows what this process does
  std::function<void(const Error&)> report = {};  // hears of errors that the node gets over by itself
};

// A process's part in the work on jobs: a node of the queue that knows their tasks. Ends with its destruction: running
// tasks are asked to stop and given back.
class Runner {
 public:
  // Takes a SQLite file for itself alone, so `ownership` must be that of the same database.
  Runner(RunnerOptions options, db::Ownership ownership, std::unique_ptr<storage::Storage> storage);
  Result<void> start();

  Desk& desk() { return desk_; }
  db::Pool& sessions() { return sessions_; }
  queue::Node& node() { return *node_; }

 private:
  db::Ownership ownership_;
  const std::unique_ptr<storage::Storage> storage_;
  db::Pool sessions_;
  Progress progress_;  // when nobody wants to see it
  Desk desk_;
  std::unique_ptr<ProgressShow> show_;  // null without a mirror; ends when no task runs any more
  std::unique_ptr<queue::Node> node_;
};

}  // namespace lade::jobs
