#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "db/connection.h"
#include "store/batch_stats.h"
#include "store/batches.h"

// How well a batch goes: counted and measured in the database, a handful of statements whatever its size.
namespace lade::jobs {

struct StageMetrics {
  std::string type;            // one of stage::k…
  std::int64_t tasks = 0;      // that have ended
  std::int64_t failed = 0;     // of these
  std::int64_t retried = 0;    // that were tried more than once
  store::Durations durations;  // count 0: nothing is known
  double success_rate() const {
    return tasks == 0 ? 0 : static_cast<double>(tasks - failed) / static_cast<double>(tasks);
  }
  double retry_rate() const { return tasks == 0 ? 0 : static_cast<double>(retried) / static_cast<double>(tasks); }
};

struct FailureReason {
  std::string code;
  std::string reason;  // closer than the code; may be empty
  std::int64_t count = 0;
  double share = 0;  // of all failures
};

struct BatchMetrics {
  std::vector<StageMetrics> stages;  // only those that something ended in
  double success_rate = 0;           // succeeded tasks of those that succeeded or failed; 0 to 1
  double retry_rate = 0;             // tasks and pages that were tried more than once, of all that ended
  std::int64_t failures = 0;
  std::vector<FailureReason> reasons;  // the ten most frequent
};
Result<BatchMetrics> batch_metrics(db::Connection& connection, const store::BatchRecord& batch);

}  // namespace lade::jobs
