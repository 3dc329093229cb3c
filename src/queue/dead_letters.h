#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "db/connection.h"
#include "queue/task.h"

// Tasks that are given up. The task stays in its table as failed; the dead letter says why and waits for a person.
namespace lade::queue {

struct DeadLetter {
  std::int64_t task = 0;
  std::string queue = {};
  std::string kind = {};
  std::string group = {};
  std::string payload = {};
  std::string reason = {};  // the code of the last error, "poison" (crashes its process) or "unknown_kind"
  std::string message = {};
  std::int64_t attempts = 0;
  std::int64_t crashes = 0;
  std::int64_t retries = 0;  // how often a person tried it again
  std::int64_t died_at = 0;
};

// Runs in the transaction that makes a task a dead letter; an error undoes that.
using DeathHook = std::function<Result<void>(db::Connection&, const DeadLetter&)>;

// dead_letter_not_found.
Error no_such_letter(std::int64_t task);

// Newest first. `group` empty: of all groups; `company` 0: of all.
Result<std::vector<DeadLetter>> dead_letters(db::Connection& connection, const std::string& group = {},
                                             std::int64_t limit = 100, std::int64_t company = 0);
// Puts the task back with all its attempts, and reopens its stage. Fails with dead_letter_not_found, or with
// task_exists when a live task has its unique key.
Result<void> retry_dead_letter(db::Connection& connection, std::int64_t task);
Result<void> delete_dead_letter(db::Connection& connection, std::int64_t task);

// Deletes dead letters older than `dead` and ended tasks without a group older than `ended`. Gives how many went.
Result<std::int64_t> purge(db::Connection& connection, Duration dead, Duration ended, Now now = {});

}  // namespace lade::queue
