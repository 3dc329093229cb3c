#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "db/connection.h"
#include "queue/dead_letters.h"
#include "queue/retry.h"
#include "queue/task.h"

// How a running task leaves that state other than by success. The caller's transaction holds the task's row.
namespace lade::queue {

struct RunningTask {
  std::int64_t id = 0;
  std::int64_t stage = 0;
  std::int64_t attempts = 0;
  std::int64_t crashes = 0;
  bool alone = false;
  bool cancelled = false;  // its group is
  std::string kind = {};
};
// The columns of RunningTask of lade_task t, and how to read them.
extern const std::string_view kRunningColumns;
RunningTask running_task_of(const db::Row& row);

struct Requeue {
  std::int64_t attempts = 0;
  std::int64_t crashes = 0;
  bool alone = false;
  Duration delay{0};
  Error reason = {};  // without a code: the last error stays
};
Result<void> requeue(db::Connection& connection, std::int64_t task, const Requeue& requeue, Now now);
Result<void> cancel_running(db::Connection& connection, const RunningTask& task, Now now);
// Makes it a dead letter, with the attempts and crashes of `task`.
Result<void> bury(db::Connection& connection, const RunningTask& task, const Error& reason, const DeathHook& on_death,
                  Now now);
// One failure more: a retry or the end. Gives true for the end.
Result<bool> count_failure(db::Connection& connection, RunningTask task, const Error& error, const RetryPolicy& policy,
                           const DeathHook& on_death, Now now);

Error lease_lost(const Lease& lease);

}  // namespace lade::queue
