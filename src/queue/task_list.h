#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "db/connection.h"
#include "queue/task.h"

// The queue as people look at it. Nothing here locks or changes anything.
namespace lade::queue {

struct TaskRow {
  std::int64_t id = 0;
  std::string queue = {};
  std::string kind = {};
  std::string group = {};
  std::string stage = {};  // its name
  std::string payload = {};
  std::string status = {};  // as TaskFilter has them
  std::string storage = {};
  std::string node = {};  // boot id of the process that has it
  std::int64_t priority = kDefaultPriority;
  std::int64_t attempts = 0;
  std::int64_t crashes = 0;
  std::string error_code = {};  // of its last failure
  std::string error = {};
  // Microseconds since 1970; 0: not (yet).
  std::int64_t created_at = 0;
  std::int64_t available_at = 0;
  std::int64_t started_at = 0;
  std::int64_t finished_at = 0;
  std::int64_t duration = 0;  // of its last attempt, in microseconds; 0 until it has ended
};

struct TaskFilter {
  // pending, running, succeeded, failed, cancelled, or retryable: it failed before and waits for the time of its next
  // attempt; empty: all
  std::string status = {};
  std::string kind = {};     // empty: all
  std::string group = {};    // empty: all
  std::int64_t task = 0;     // only this one; 0: all
  std::int64_t company = 0;  // 0: of all
  std::int64_t before = 0;   // only older ones than this task; 0: from the newest on
  std::int64_t limit = 50;
};
// Newest first. Fails with status_unknown.
Result<std::vector<TaskRow>> list_tasks(db::Connection& connection, const TaskFilter& filter = {}, Now now = {});
// Whether any task of the queue runs or is to run, now or later; an empty name: of any.
Result<bool> has_live_tasks(db::Connection& connection, const std::string& queue = {});

// A process that runs tasks.
struct ListedNode {
  std::string boot;
  std::string name;
  std::string storage;
  std::int64_t beat = 0;
  std::int64_t started_at = 0;
  std::int64_t running = 0;  // its tasks
  std::int64_t slots = 0;    // how many it runs at once; 0: not known
  bool draining = false;     // it takes no further ones
};
// Oldest first.
Result<std::vector<ListedNode>> list_nodes(db::Connection& connection);

// What was said of a queue or a kind: none of its tasks are claimed at the moment, or only so many at once.
struct QueueRule {
  std::string scope;  // queue, kind
  std::string name;
  bool paused = false;
  std::optional<std::int64_t> concurrency = {};
};
Result<std::vector<QueueRule>> list_rules(db::Connection& connection);

}  // namespace lade::queue
