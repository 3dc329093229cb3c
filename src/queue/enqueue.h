#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "db/connection.h"
#include "queue/task.h"

namespace lade::queue {

// Adds a task, in the caller's transaction when there is one; nodes hear of it when that commits. Gives its id, or
// nullopt when a pending or running task has the same unique key. Fails with stage_finished when the stage's finaliser
// is out already.
Result<std::optional<std::int64_t>> enqueue(db::Connection& connection, const NewTask& task, Now now = {});

// Adds all or none, in this order, in bulk unless a task has a unique key or is essential. Gives how many were added.
Result<std::int64_t> enqueue_all(db::Connection& connection, std::span<const NewTask> tasks, Now now = {});

}  // namespace lade::queue
