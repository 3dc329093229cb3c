#include "queue/retry.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace lade::queue {

Duration backoff(const RetryPolicy& policy, std::int64_t failures, double chance) {
  const double grown = static_cast<double>(policy.base.count()) *
                       std::pow(policy.factor, static_cast<double>(std::max<std::int64_t>(failures, 1) - 1));
  const double capped = std::min(grown, static_cast<double>(policy.cap.count()));
  return Duration(std::llround(capped * (1.0 + policy.jitter * (2.0 * chance - 1.0))));
}

Duration backoff(const RetryPolicy& policy, std::int64_t failures) {
  thread_local std::mt19937_64 random{std::random_device{}()};
  return backoff(policy, failures, std::uniform_real_distribution<>(0.0, 1.0)(random));
}

bool is_outage(const Error& error) {
  return error.code == "db_lost" || error.code == "cannot_connect" || error.code == "storage_unreachable";
}

}  // namespace lade::queue
