#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "db/connection.h"
#include "queue/task.h"

// What is paused, resumed, limited, cancelled and tried again together. All of these may run inside the caller's
// transaction.
namespace lade::queue {

struct Group {
  std::string id;                // chosen by the caller
  std::string parent = {};       // another group, whose pause and cancel hold for this one too; empty: none
  std::string reserved_by = {};  // boot id: while that node lives, only it claims the group's tasks; empty: any node
  std::int64_t company = 1;
};
// Makes the group or changes parent and reservation. A group without a row is neither paused nor cancelled.
Result<void> put_group(db::Connection& connection, const Group& group);

// The node for which the group is reserved; empty when there is none.
Result<std::string> reservation(db::Connection& connection, const std::string& group);

// Running tasks go on; no further ones are claimed.
Result<void> pause_group(db::Connection& connection, const std::string& group, bool paused);

// Ends the pending tasks of the group and of its children, and lets running ones know with the next beat; what they
// publish before they hear of it counts. Tasks enqueued later and essential ones are not touched. Gives the number of
// tasks ended.
Result<std::int64_t> cancel_group(db::Connection& connection, const std::string& group, Now now = {});
// The same for tasks that were being enqueued while their group was cancelled.
Result<std::int64_t> sweep_cancelled(db::Connection& connection, Now now = {});

// Puts all failed and cancelled tasks of the group back, with all their attempts, and takes back its cancellation. Left
// out are tasks whose unique key a live one has. Gives the number of tasks.
Result<std::int64_t> retry_group(db::Connection& connection, const std::string& group);

// Forgets which tasks of the group have failed or were cancelled, and that it was. None of them is live; its stages
// have ended, and take tasks again until they are sealed.
Result<void> clear_group(db::Connection& connection, const std::string& group);

// Forgets the group with its tasks, stages and dead letters.
Result<void> delete_group(db::Connection& connection, const std::string& group);

struct TaskCounts {
  std::int64_t pending = 0;
  std::int64_t running = 0;
  std::int64_t succeeded = 0;
  std::int64_t failed = 0;
  std::int64_t cancelled = 0;
  std::int64_t live() const { return pending + running; }
};
Result<TaskCounts> count_tasks(db::Connection& connection, const std::string& group);

// A queue, or all tasks of a kind.
enum class Scope { queue, kind };
Result<void> pause(db::Connection& connection, Scope scope, const std::string& name, bool paused);
// At most so many of its tasks run at once, on all nodes together; nullopt: any number.
Result<void> limit(db::Connection& connection, Scope scope, const std::string& name,
                   std::optional<std::int64_t> concurrency);
constexpr std::int64_t kMostAtOnce = 10'000;
Result<bool> has_limits(db::Connection& connection);

}  // namespace lade::queue
