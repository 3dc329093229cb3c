#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "db/connection.h"

namespace lade::jobs {

// Who tries them again, as events name them.
struct Actor {
  std::string actor;
  std::int64_t actor_id = 0;  // 0: nobody who has an account
};
struct RefusedLetter {
  std::int64_t task = 0;
  Error error;
};
struct RetriedLetters {
  std::int64_t retried = 0;
  std::vector<RefusedLetter> refused = {};
};
// Tries dead letters again. One whose job has ended brings the job back, and so all of the job's tasks that failed: the
// task alone would find that it is too late.
Result<RetriedLetters> retry_letters(db::Connection& connection, std::span<const std::int64_t> tasks, const Actor& who);

}  // namespace lade::jobs
