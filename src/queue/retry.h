#pragma once

#include <cstdint>

#include "base/result.h"
#include "queue/task.h"

namespace lade::queue {

// What happens to a task of a kind that does not succeed.
struct RetryPolicy {
  std::int64_t max_attempts = 5;  // failures until it is a dead letter
  std::int64_t max_crashes = 3;   // deaths of its process, alone in it, until it is a dead letter
  Duration base{std::chrono::seconds(1)};
  double factor = 2.0;
  Duration cap{std::chrono::seconds(60)};
  double jitter = 0.2;  // the delay lies within this fraction of what the formula gives, above and below
};

// min(base · factor^(failures − 1), cap) with jitter; `chance` in [0, 1) decides where in its range. `failures` ≥ 1.
Duration backoff(const RetryPolicy& policy, std::int64_t failures, double chance);
// The same with a chance of its own.
Duration backoff(const RetryPolicy& policy, std::int64_t failures);

// Whether the task itself is not to blame: the database went away. Such an end costs no attempt.
bool is_outage(const Error& error);

}  // namespace lade::queue
