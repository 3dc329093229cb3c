#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "db/connection.h"
#include "queue/task.h"

// The queue in a few numbers, for those who operate it: what waits and runs, how long it waits, and why a task does.
// Nothing here locks or changes anything; only tasks that are alive are counted.
namespace lade::queue {

// Of one company's tasks in one queue.
struct QueueFigures {
  std::int64_t company = 0;
  std::string queue;
  std::int64_t ready = 0;  // could run now
  std::int64_t held = 0;   // could, but for a pause
  std::int64_t later = 0;  // their time has not come
  std::int64_t running = 0;
  std::int64_t failed_attempts = 0;               // of all these tasks so far
  std::optional<std::int64_t> oldest_ready = {};  // how long it has been ready, in microseconds
};
Result<std::vector<QueueFigures>> queue_figures(db::Connection& connection, Now now = {});

// How long the newest tasks that have begun had waited, in microseconds; ascending.
Result<std::vector<std::int64_t>> pickup_times(db::Connection& connection, std::int64_t company, std::int64_t tasks);

struct TaskAtWork {
  std::int64_t id = 0;
  std::int64_t company = 0;
  std::string kind;
  std::string group;
  std::string node;
  std::int64_t elapsed = 0;  // microseconds
};
// The oldest first.
Result<std::vector<TaskAtWork>> running_tasks(db::Connection& connection, std::int64_t limit, Now now = {});

// How many dead letters wait for a person; of one company, or of all with 0.
Result<std::int64_t> count_dead_letters(db::Connection& connection, std::int64_t company);

// Dead letters with the same cause.
struct DeadLetterGroup {
  std::string key;  // names it: reason, kind and the message without its numbers and quoted parts
  std::string reason;
  std::string kind;
  std::string queue;
  std::string message;  // of the newest
  std::int64_t count = 0;
  std::int64_t first_at = 0, last_at = 0;
  std::vector<std::int64_t> spark;  // by hour, the last 24
  std::vector<std::int64_t> tasks;  // newest first
};
// Of the newest 10,000 letters, the largest group first.
Result<std::vector<DeadLetterGroup>> group_dead_letters(db::Connection& connection, std::int64_t company, Now now = {});

// A reason for which a task waits.
struct WaitReason {
  // queue_paused, group_paused, limit_reached, deferred, retry_later, no_node, reserved, behind_others
  std::string kind;
  std::string subject = {};          // the queue, kind, group or node that it is about
  std::int64_t number = 0;           // limit, attempts, tasks before it
  std::int64_t until = 0;            // microseconds since 1970; 0: not known
  std::vector<std::string> by = {};  // groups that have what it waits for
};
// Empty when the task is not pending.
Result<std::vector<WaitReason>> why_waiting(db::Connection& connection, std::int64_t task, Now now = {});

}  // namespace lade::queue
