#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <unordered_map>

#include "base/result.h"
#include "harvest/rate_gate.h"

namespace lade::harvest {

struct PolitenessRules {
  double per_minute = 10;                    // requests to one host, in the long run; 0: no limit
  double burst = 1;                          // of them at once after a pause
  int host_at_once = 1;                      // requests to one host under way
  int all_at_once = 5;                       // requests under way
  std::chrono::seconds longest_hold{3'600};  // a host that asks for more gets this

  // Fails with harvest_rules_invalid.
  Result<void> validate() const;
};

// The gate of one process: a token bucket and a number of places per host, and places for all. In every stretch of time
// t a host gets at most burst + t × per_minute / 60 s requests. Any thread.
class Politeness final : public RateGate {
 public:
  using Clock = std::chrono::steady_clock;
  explicit Politeness(const PolitenessRules& rules, std::function<Clock::time_point()> now = &Clock::now);

  Permit ask(const std::string& host) override;
  void release(const std::string& host) override;
  void hold(const std::string& host, std::chrono::milliseconds pause) override;

  // Hosts that it remembers: those that would not be admitted as if they were new.
  std::size_t hosts() const;

 private:
  struct Host {
    double tokens;
    Clock::time_point counted_at;  // the tokens
    Clock::time_point held_until;
    int under_way = 0;
  };
  void refill(Host& host, Clock::time_point now) const;
  void forget_idle(Clock::time_point now);

  const PolitenessRules rules_;
  const std::function<Clock::time_point()> now_;
  mutable std::mutex mutex_;
  std::unordered_map<std::string, Host> hosts_;  // guarded by mutex_, like those below
  std::size_t forget_at_ = 1'000;                // hosts
  int under_way_ = 0;
};

}  // namespace lade::harvest
