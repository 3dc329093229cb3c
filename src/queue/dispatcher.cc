#include <algorithm>
#include <cmath>
#include <random>

#include "base/failpoint.h"
#include "db/values.h"
#include "queue/node.h"

// The node's dispatcher: decides how much to claim, and when to look.
namespace lade::queue {
namespace {

// A claim that is lost with the memory of a crashed machine does no harm: its task is pending again, and whoever worked
// on it fails at the fence. So it need not wait for the disk. The planner is told to walk along the index whatever the
// statistics say.
constexpr std::string_view kSetUp =
    "SET synchronous_commit = off; SET enable_seqscan = off; SET enable_bitmapscan = off; SET enable_hashjoin = off; "
    "SET plan_cache_mode = force_generic_plan";

Result<std::vector<Task>> claim_without_sync(db::Connection& connection, const ClaimRequest& request) {
  if (connection.backend() == db::Backend::postgresql) return queue::claim(connection, request);
  // Others use this session too, and some have chosen not to wait for the disk at all.
  LADE_ASSIGN(const auto synchronous, connection.query("PRAGMA synchronous"));
  constexpr std::int64_t kFull = 2;
  if (db::integer_of(synchronous.front().front()) < kFull) return queue::claim(connection, request);
  LADE_TRY(connection.run("PRAGMA synchronous = NORMAL"));
  Result<std::vector<Task>> tasks = queue::claim(connection, request);
  LADE_TRY(connection.run("PRAGMA synchronous = FULL"));
  return tasks;
}

// Tasks are claimed ahead for so long a time of work, so that short ones share the cost of a claim and long ones are
// left to whoever is free.
constexpr double kAheadUs = 20'000;
// Results that wait for the completer; more would only wait longer.
constexpr std::size_t kMostEnded = 4096;

}  // namespace

ClaimRequest Node::request_for(const Demand& demand) const {
  return {.node = boot(),
          .count = demand.count,
          .storage = options_.storage,
          .queue = options_.queue,
          .group = options_.group,
          .alone = demand.alone,
          .limited = limited_,
          .deadline = options_.settings.deadline};
}

void Node::dispatch(const std::stop_token& stop) {
  Session session(sessions_, std::string(kSetUp));
  std::int64_t failures = 0;
  while (!stop.stop_requested()) {
    const Demand demand = wait_for_demand(stop);
    if (demand.count == 0) continue;
    Result<std::vector<Task>> tasks = claim(session, stop, demand);
    if (tasks) {
      failures = 0;
      accept(std::move(*tasks), demand);
      continue;
    }
    count_claim();
    if (stop.stop_requested()) return;
    report(tasks.error());
    const RetryPolicy policy{.base = std::chrono::milliseconds(50), .cap = options_.settings.reconnect};
    std::unique_lock lock(mutex_);
    hint_ = true;
    const auto never = [] { return false; };
    demand_changed_.wait_for(lock, stop, backoff(policy, ++failures), never);
  }
}

Result<std::vector<Task>> Node::claim(Session& session, const std::stop_token& stop, const Demand& demand) {
  count_claim();
  auto tasks = session.use(
      stop, [&](db::Connection& connection) { return claim_without_sync(connection, request_for(demand)); });
  LADE_FAILPOINT("claimed");
  return tasks;
}

void Node::count_claim() {
  const std::lock_guard lock(mutex_);
  ++claims_;
}

Node::Demand Node::wait_for_demand(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  demand_changed_.wait(lock, stop, [&] { return demand().count > 0; });
  demand_changed_.wait_until(lock, stop, next_look_, [&] { return hint_ && demand().count > 0; });
  if (stop.stop_requested()) return {};
  const Demand wanted = demand();
  // Whoever wakes the dispatcher from now on means the look after this one.
  if (wanted.count > 0) hint_ = false;
  return wanted;
}

Node::Demand Node::demand() const {
  const std::size_t busy = ready_.size() + running_;
  if (running_alone_ || ended_.size() > kMostEnded) return {};
  if (busy == 0 && alone_waiting_) return {1, true};
  if (alone_overdue_) return {};
  const std::size_t ahead = claim_ahead();
  // Not one by one: a claim costs as much for many.
  if (ready_.size() > ahead / 2) return {};
  const std::size_t room = options_.settings.concurrency + ahead;
  return {static_cast<std::int64_t>(room > busy ? room - busy : 0), false};
}

std::size_t Node::claim_ahead() const {
  // Nobody else wants the tasks of a group of its own: the next ones are at hand when the workers are done.
  const std::size_t least = options_.group.empty() ? 0 : options_.settings.concurrency;
  // Long tasks among short ones: nothing has ended for a while.
  const bool stuck = running_ > 0 && Clock::now() - last_end_ > Duration(static_cast<std::int64_t>(kAheadUs));
  if (mean_run_us_ < 0 || stuck) return least;
  const double each = kAheadUs / std::max(mean_run_us_, 1.0);
  const double all = std::floor(each) * static_cast<double>(options_.settings.concurrency);
  return std::max(least, static_cast<std::size_t>(std::min(all, static_cast<double>(options_.settings.prefetch))));
}

void Node::accept(std::vector<Task> tasks, const Demand& demand) {
  thread_local std::mt19937_64 random{std::random_device{}()};
  const bool found_all = static_cast<std::int64_t>(tasks.size()) == demand.count;
  counters_.claimed += static_cast<std::int64_t>(tasks.size());
  const std::lock_guard lock(mutex_);
  ++claims_;
  if (demand.alone) {
    running_alone_ = !tasks.empty();
    if (tasks.empty()) alone_waiting_ = alone_overdue_ = false;
  }
  // After tasks that run alone come the others.
  if (found_all || demand.alone) {
    hint_ = true;
  } else {
    const std::chrono::duration<double> poll = options_.settings.poll;
    next_look_ = Clock::now() +
                 std::chrono::duration_cast<Clock::duration>(poll * std::uniform_real_distribution<>(0.8, 1.2)(random));
  }
  for (Task& task : tasks) {
    const LeaseKey key = key_of(task.lease);
    auto held = std::make_shared<Held>(std::move(task), options_.settings.deadline);
    held_.emplace(key, held);
    ready_.push_back(std::move(held));
  }
  if (tasks.size() == 1) {
    ready_changed_.notify_one();
  } else if (!tasks.empty()) {
    ready_changed_.notify_all();
  }
}

}  // namespace lade::queue
