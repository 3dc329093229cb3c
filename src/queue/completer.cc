#include "queue/node.h"

// The node's completer: tells the database how runs ended, as many at a time as have ended meanwhile.
namespace lade::queue {

// Does `work` until it succeeds. An error that time does not cure is given up, as is everything when the node ends and
// the database does not answer: then the lease is found without a holder and the task is put back.
template <class Work>
bool Node::persist(Session& session, const std::stop_token& stop, Work&& work) {
  const RetryPolicy policy{.base = std::chrono::milliseconds(50), .cap = options_.settings.reconnect};
  for (std::int64_t failures = 1;; ++failures) {
    const Result<void> done = session.use({}, work);
    if (done) return true;
    report(done.error());
    const bool passes = is_outage(done.error()) || done.error().code == "db_busy" || done.error().code == "db_full";
    if (!passes || stop.stop_requested()) return false;
    std::unique_lock lock(mutex_);
    ended_changed_.wait_for(lock, stop, backoff(policy, failures), [] { return false; });
  }
}

void Node::complete_ended(const std::stop_token& stop) {
  Session session(sessions_, "");
  while (true) {
    std::vector<Ended> batch;
    {
      std::unique_lock lock(mutex_);
      ended_changed_.wait(lock, stop, [&] { return !ended_.empty(); });
      if (ended_.empty()) return;
      batch.swap(ended_);
    }
    complete_batch(session, batch, stop);
    demand_changed_.notify_one();
  }
}

void Node::complete_batch(Session& session, const std::vector<Ended>& batch, const std::stop_token& stop) {
  std::vector<Lease> succeeded;
  bool may_have_enqueued = limited_;
  for (const Ended& ended : batch) {
    if (ended.what == Ended::What::report && !ended.error) {
      succeeded.push_back(ended.held->task.lease);
      may_have_enqueued |= ended.held->task.stage != 0;
    } else {
      settle_failure(session, ended, stop);
      may_have_enqueued = true;
    }
  }
  if (!succeeded.empty()) {
    persist(session, stop, [&](db::Connection& connection) -> Result<void> {
      LADE_ASSIGN(const Completion completion, complete(connection, succeeded));
      counters_.completed += completion.completed;
      counters_.stale_commits += static_cast<std::int64_t>(completion.stale.size());
      return {};
    });
  }
  for (const Ended& ended : batch) forget(*ended.held);
  if (may_have_enqueued) wake();
}

void Node::settle_failure(Session& session, const Ended& ended, const std::stop_token& stop) {
  const StopReason reason = ended.held->reason;
  // Work that was stopped for no fault of its own. A lease that seemed lost may be valid after all.
  const bool gives_back =
      ended.what == Ended::What::give_back || reason == StopReason::shutdown || reason == StopReason::lease_lost;
  persist(session, stop, [&](db::Connection& connection) -> Result<void> {
    if (gives_back) {
      Result<void> given = give_back(connection, ended.held->task.lease, Duration(ended.held->postponed));
      if (given || given.error().code != "lease_lost") return given;
      LADE_ASSIGN(const bool published, was_published(connection, ended.held->task.lease));
      if (ended.error) ++(published ? counters_.completed : counters_.stale_commits);
      return {};
    }
    LADE_ASSIGN(const FailureEnd end, record_failure(connection, ended));
    ++(end == FailureEnd::lost        ? counters_.stale_commits
       : end == FailureEnd::published ? counters_.completed
                                      : counters_.failed);
    return {};
  });
}

Result<FailureEnd> Node::record_failure(db::Connection& connection, const Ended& ended) {
  const Held& held = *ended.held;
  const KindRules rules = rules_of(held.task.kind);
  const Error& error = *ended.error;
  if (ended.what == Ended::What::refuse) return refuse_task(connection, held.task.lease, error, rules.on_death);
  if (held.reason == StopReason::deadline) {
    const Error late{"deadline_exceeded", "the task was stopped at its deadline: " + error.message};
    return fail_task(connection, held.task.lease, late, rules.retry, rules.on_death);
  }
  return fail_task(connection, held.task.lease, error, rules.retry, rules.on_death);
}

void Node::forget(const Held& held) {
  const std::lock_guard lock(mutex_);
  held_.erase(key_of(held.task.lease));
}

}  // namespace lade::queue
