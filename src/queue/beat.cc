#include <poll.h>
#include <unistd.h>

#include <algorithm>

#include "base/failpoint.h"
#include "queue/groups.h"
#include "queue/node.h"
#include "queue/stage.h"

// The node's beat: proves it alive, compares its leases with the database both ways, rescues others' tasks. The same
// thread listens for notifications while it waits.
namespace lade::queue {
namespace {

// The planner is told to use indexes, and in the way that cleans them on the way.
constexpr std::string_view kSetUp =
    "SET synchronous_commit = off; SET enable_seqscan = off; SET enable_bitmapscan = off; "
    "LISTEN lade_task; LISTEN lade_change";
// Every so many beats stages are reconciled and old rows purged.
constexpr std::int64_t kStagesEvery = 15;
constexpr std::int64_t kPurgeEvery = 1800;

}  // namespace

void Node::beat_loop(const std::stop_token& stop) {
  Session session(sessions_, std::string(kSetUp));
  std::int64_t failures = 0;
  Clock::time_point due = Clock::now();
  while (!stop.stop_requested()) {
    check_ = false;
    const Result<void> done =
        session.use(stop, [&](db::Connection& connection) -> Result<void> { return beat_once(connection); });
    if (done) {
      // By the clock, not after the last one's end: others count on it. A check in between does not count.
      const Clock::time_point now = Clock::now();
      due = std::clamp(due + options_.settings.beat, now, now + options_.settings.beat);
      failures = 0;
      ++counters_.beats;
    } else {
      if (stop.stop_requested()) return;
      report(done.error());
      liveness_.forget();
      overdue_.forget();
      const RetryPolicy policy{.base = std::chrono::milliseconds(50), .cap = options_.settings.beat};
      due = Clock::now() + backoff(policy, ++failures);
    }
    wait_for_beat(session, due);
  }
}

void Node::wait_for_beat(Session& session, Clock::time_point until) {
  // At least once, or a node that is late with its beats would hear nothing.
  do {
    const auto left = std::max(std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()), {});
    if (session.connection() == nullptr) {
      pollfd awaited{wake_beat_, POLLIN, 0};
      (void)poll(&awaited, 1, static_cast<int>(left.count()));
    } else {
      const auto channels = session.connection()->wait_notified(left, wake_beat_);
      if (!channels) return;
      for (const std::string& channel : *channels) {
        if (channel == "lade_task") wake();
        if (channel == "lade_change") check_ = true;
      }
    }
    std::uint64_t count = 0;
    (void)!read(wake_beat_, &count, sizeof count);
  } while (!check_ && Clock::now() < until);
}

Result<void> Node::beat_once(db::Connection& connection) {
  LADE_FAILPOINT("beat");
  ++beat_number_;
  if (!is_sqlite()) {
    LADE_ASSIGN(const bool alive, queue::beat(connection, boot()));
    if (!alive) {
      // Declared dead while it was asleep: its leases are gone, it starts anew.
      ask_to_stop(held_keys(false), StopReason::lease_lost);
      // With a beat that nobody has seen, or it would look as dead as before.
      LADE_TRY(register_node(connection, {boot(), options_.name, options_.storage, beat_number_ + 1,
                                          static_cast<std::int64_t>(options_.settings.concurrency)}));
    }
  }
  LADE_TRY(reconcile_leases(connection));
  LADE_TRY(rescue_others(connection));
  return look_around(connection);
}

Result<void> Node::reconcile_leases(db::Connection& connection) {
  const std::set<LeaseKey> before = held_keys(false);
  LADE_ASSIGN(const auto granted, granted_leases(connection, boot()));
  std::int64_t claims = 0;
  const std::set<LeaseKey> after = held_keys(true, &claims);
  // A claim that was on its way then and is so now may have been granted what looks suspicious: looks can follow each
  // other at once.
  const bool same_claim = claims % 2 == 1 && claims == claims_seen_;
  Disagreement found = compare(before, granted, after, same_claim ? std::set<LeaseKey>() : suspicious_);
  suspicious_ = std::move(found.suspicious);
  claims_seen_ = claims;
  for (const Lease& lease : found.unknown) (void)give_back(connection, lease);
  std::set<LeaseKey> cancelled, overdue, paused;
  for (const GrantedLease& grant : granted) {
    if (grant.cancelled) cancelled.insert(key_of(grant.lease));
    if (grant.overdue) {
      LADE_ASSIGN(const bool late, is_overdue(connection, grant.lease));
      if (late) overdue.insert(key_of(grant.lease));
    }
    if (grant.paused) paused.insert(key_of(grant.lease));
  }
  ask_to_stop(found.lost, StopReason::lease_lost);
  ask_to_stop(cancelled, StopReason::cancelled);
  ask_to_stop(overdue, StopReason::deadline);
  give_back_waiting(paused);
  return {};
}

// Whether the deadline has passed here too. If it has not, the database's clock was set forward, and the deadline is
// put right.
Result<bool> Node::is_overdue(db::Connection& connection, const Lease& lease) {
  Duration left{0};
  {
    const std::lock_guard lock(mutex_);
    const auto found = held_.find(key_of(lease));
    if (found == held_.end()) return false;
    left = std::chrono::duration_cast<Duration>(found->second->due.load() - Clock::now());
  }
  if (left <= Duration(0)) return true;
  const auto extended = extend_deadline(connection, lease, left);
  if (!extended && extended.error().code != "lease_lost") return fail(extended.error());
  return false;
}

Result<void> Node::rescue_others(db::Connection& connection) {
  const RulesOf rules = [this](const std::string& kind) { return rules_of(kind); };
  if (!is_sqlite()) {
    LADE_ASSIGN(auto others, nodes(connection));
    std::erase_if(others, [&](const NodeRow& node) { return node.boot == boot(); });
    for (const NodeRow& dead : liveness_.observe(others, Clock::now())) {
      LADE_TRY(end_sessions(connection, dead.boot));
      LADE_ASSIGN(const Rescue rescued, rescue(connection, dead.boot, dead.beat, rules));
      counters_.rescued += rescued.pending;
    }
    LADE_ASSIGN(const auto holders, unregistered_holders(connection));
    for (const std::string& holder : holders) {
      if (holder == boot()) continue;
      LADE_ASSIGN(const Rescue rescued, rescue(connection, holder, std::nullopt, rules));
      counters_.rescued += rescued.pending;
    }
  }
  LADE_ASSIGN(const auto overdue, overdue_leases(connection));
  LADE_TRY(take_overdue(connection, overdue_.observe(overdue, Clock::now()), rules));
  return {};
}

Result<void> Node::look_around(db::Connection& connection) {
  LADE_ASSIGN(const bool limited, has_limits(connection));
  limited_ = limited;
  LADE_ASSIGN(const bool waits, alone_waits(connection, request_for({1, true})));
  alone_beats_ = waits ? alone_beats_ + 1 : 0;
  {
    const std::lock_guard lock(mutex_);
    alone_waiting_ = waits;
    // Nodes that have nothing else to do come first.
    alone_overdue_ = alone_beats_ > 2;
    if (waits) hint_ = true;
    demand_changed_.notify_one();
  }
  LADE_TRY(sweep_cancelled(connection));
  if (beat_number_ % kStagesEvery == 0) {
    LADE_TRY(reconcile_stages(connection));
    LADE_TRY(release_distant_retries(connection, longest_backoff()));
  }
  if (beat_number_ % kPurgeEvery == 0)
    LADE_TRY(purge(connection, options_.settings.dead_letter_retention, options_.settings.task_retention));
  return {};
}

Duration Node::longest_backoff() const {
  Duration longest = options_.settings.retry.cap;
  for (const auto& [name, kind] : kinds_)
    if (kind.retry) longest = std::max(longest, kind.retry->cap);
  return 2 * longest;  // jitter, and some patience
}

std::set<LeaseKey> Node::held_keys(bool also_ended, std::int64_t* claims) const {
  const std::lock_guard lock(mutex_);
  if (claims != nullptr) *claims = claims_;
  std::set<LeaseKey> keys;
  for (const auto& [key, held] : held_)
    if (also_ended || (!held->published && held->state != Held::State::ended)) keys.insert(key);
  return keys;
}

void Node::ask_to_stop(const std::set<LeaseKey>& leases, StopReason reason) {
  std::vector<HeldPointer> asked;
  {
    const std::lock_guard lock(mutex_);
    for (const LeaseKey& key : leases) {
      const auto found = held_.find(key);
      if (found == held_.end() || found->second->state == Held::State::ended) continue;
      asked.push_back(found->second);
      StopReason none = StopReason::none;
      found->second->reason.compare_exchange_strong(none, reason);
      if (found->second->state == Held::State::ready)
        end_waiting(found->second, {found->second, Error{"cancelled", "stopped before it began"}});
    }
  }
  // Outside the lock: a handler may have tied something to its stop token.
  for (const HeldPointer& held : asked) held->stop.request_stop();
}

void Node::give_back_waiting(const std::set<LeaseKey>& paused) {
  const std::lock_guard lock(mutex_);
  const Clock::time_point latest = Clock::now() - options_.settings.beat;
  const std::deque<HeldPointer> waiting = ready_;
  for (const HeldPointer& held : waiting)
    if (held->since < latest || paused.contains(key_of(held->task.lease)))
      end_waiting(held, {held, {}, Ended::What::give_back});
}

void Node::end_waiting(const HeldPointer& held, Ended ended) {
  std::erase(ready_, held);
  held->state = Held::State::ended;
  if (held->task.alone) running_alone_ = false;
  ended_.push_back(std::move(ended));
  ended_changed_.notify_one();
}

Result<void> Node::take_over(db::Connection& connection) {
  const RulesOf rules = [this](const std::string& kind) { return rules_of(kind); };
  LADE_ASSIGN(const auto all, nodes(connection));
  for (const NodeRow& earlier : all) LADE_TRY(rescue(connection, earlier.boot, std::nullopt, rules));
  LADE_ASSIGN(const auto holders, unregistered_holders(connection));
  for (const std::string& holder : holders) LADE_TRY(rescue(connection, holder, std::nullopt, rules));
  return {};
}

}  // namespace lade::queue
