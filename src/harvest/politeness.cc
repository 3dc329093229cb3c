#include "harvest/politeness.h"

#include <algorithm>
#include <cmath>

#include "base/assert.h"

namespace lade::harvest {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kAskBusyAgain{1'000};

milliseconds rounded_up(std::chrono::duration<double> wait) {
  return std::chrono::ceil<milliseconds>(wait);
}

}  // namespace

Result<void> PolitenessRules::validate() const {
  const auto invalid = [](const char* message, const char* hint) {
    return fail("harvest_rules_invalid", message, hint, ErrorKind::invalid);
  };
  if (!std::isfinite(per_minute) || per_minute < 0)
    return invalid("the requests per minute are negative", "0 stands for no limit");
  if (!std::isfinite(burst) || burst < 1) return invalid("a burst is at least 1", "1 spreads requests evenly");
  if (host_at_once < 1 || all_at_once < 1) return invalid("at least one request must be allowed at once", "");
  return {};
}

Politeness::Politeness(const PolitenessRules& rules, std::function<Clock::time_point()> now)
    : rules_(rules), now_(std::move(now)) {
  LADE_ASSERT(rules_.validate().has_value());
}

void Politeness::refill(Host& host, Clock::time_point now) const {
  const std::chrono::duration<double> passed = now - host.counted_at;
  host.tokens = std::min(rules_.burst, host.tokens + passed.count() * rules_.per_minute / 60);
  host.counted_at = now;
}

Permit Politeness::ask(const std::string& name) {
  const std::lock_guard lock(mutex_);
  const Clock::time_point now = now_();
  if (under_way_ >= rules_.all_at_once) return {Permit::Answer::all_busy, kAskBusyAgain};
  Host& host = hosts_.try_emplace(name, Host{rules_.burst, now, now}).first->second;
  if (host.under_way >= rules_.host_at_once) return {Permit::Answer::host_busy, kAskBusyAgain};
  if (now < host.held_until) return {Permit::Answer::wait, rounded_up(host.held_until - now)};
  if (rules_.per_minute > 0) {
    refill(host, now);
    // A wait is rounded up to whole milliseconds, and tokens are not exact: a billionth does not count.
    const double missing = 1 - host.tokens;
    if (missing > 1e-9)
      return {Permit::Answer::wait, rounded_up(std::chrono::duration<double>(missing * 60 / rules_.per_minute))};
    host.tokens = std::max(0.0, host.tokens - 1);
  }
  ++host.under_way;
  ++under_way_;
  return {};
}

void Politeness::release(const std::string& name) {
  const std::lock_guard lock(mutex_);
  const auto host = hosts_.find(name);
  LADE_ASSERT(host != hosts_.end() && host->second.under_way > 0);
  --host->second.under_way;
  --under_way_;
  if (hosts_.size() > forget_at_) forget_idle(now_());
}

void Politeness::hold(const std::string& name, milliseconds pause) {
  const std::lock_guard lock(mutex_);
  const Clock::time_point now = now_();
  Host& host = hosts_.try_emplace(name, Host{rules_.burst, now, now}).first->second;
  host.held_until = std::max(host.held_until, now + std::min<milliseconds>(pause, rules_.longest_hold));
}

void Politeness::forget_idle(Clock::time_point now) {
  for (auto& [name, host] : hosts_) refill(host, now);
  std::erase_if(hosts_, [&](const auto& entry) {
    const Host& host = entry.second;
    const bool is_full = rules_.per_minute == 0 || host.tokens >= rules_.burst;
    return host.under_way == 0 && host.held_until <= now && is_full;
  });
  forget_at_ = std::max<std::size_t>(1'000, 2 * hosts_.size());
}

std::size_t Politeness::hosts() const {
  const std::lock_guard lock(mutex_);
  return hosts_.size();
}

}  // namespace lade::harvest
