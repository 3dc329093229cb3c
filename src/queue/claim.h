#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "db/connection.h"
#include "queue/task.h"

namespace lade::queue {

struct ClaimRequest {
  std::string node;          // boot id of the claiming process
  std::int64_t count = 1;    // at most so many
  std::string storage = {};  // tasks bound to another storage are left alone
  std::string queue = {};    // only from this queue; empty: from all
  std::string group = {};    // only of this group; empty: of all
  bool alone = false;        // tasks that must run alone, or those that need not
  bool limited = true;       // false: the caller knows that no limit is set, which saves locking them
  Duration deadline{std::chrono::minutes(30)};  // how long a task may run without saving progress
};

// Takes pending tasks that may run now, in the order of priority, turn (fair between groups) and age, each under a
// lease of its own. A node that drains
// gets none. Left alone: tasks of paused queues, kinds, groups and parents, of cancelled groups, of groups that
// another live node has reserved, and what would exceed a limit. Several nodes may claim at once.
Result<std::vector<Task>> claim(db::Connection& connection, const ClaimRequest& request, Now now = {});

// Whether a task that must run alone could be claimed by this request.
Result<bool> alone_waits(db::Connection& connection, const ClaimRequest& request, Now now = {});

}  // namespace lade::queue
