#include "queue/lease.h"

#include <algorithm>
#include <map>

#include "base/failpoint.h"
#include "queue/ending.h"
#include "queue/sql.h"
#include "queue/stage.h"

namespace lade::queue {
namespace {

constexpr std::string_view kFence =
    " WHERE id = $2 AND node = $3 AND epoch = $4 AND nonce = $5 AND status = 'running' ";

std::vector<db::Value> fenced(const Lease& lease, Now now, std::vector<db::Value> more = {}) {
  std::vector<db::Value> values = {value_of(now), lease.task, lease.node, lease.epoch, lease.nonce};
  values.insert(values.end(), more.begin(), more.end());
  return values;
}

// The task's row, locked; nullopt when the lease is not valid.
Result<std::optional<RunningTask>> lock(db::Connection& connection, const Lease& lease) {
  static const Sql sql("SELECT " + std::string(kRunningColumns) +
                       " FROM lade_task t WHERE id = $1 AND node = $2 AND epoch = $3 AND nonce = $4 AND "
                       "status = 'running' @for_update");
  const db::Value values[] = {lease.task, lease.node, lease.epoch, lease.nonce};
  LADE_ASSIGN(const auto rows, connection.query(sql.of(connection), values));
  if (rows.empty()) return std::nullopt;
  return running_task_of(rows.front());
}

// Runs `end` with the locked task; says what the lease came to when there is none.
template <class End>
Result<FailureEnd> end_run(db::Connection& connection, const Lease& lease, End&& end) {
  FailureEnd ended = FailureEnd::lost;
  const auto work = [&]() -> Result<void> {
    LADE_ASSIGN(const std::optional<RunningTask> task, lock(connection, lease));
    if (task) {
      LADE_ASSIGN(ended, end(*task));
      return {};
    }
    LADE_ASSIGN(const bool published, was_published(connection, lease));
    if (published) ended = FailureEnd::published;
    return {};
  };
  LADE_TRY(in_transaction(connection, work));
  return ended;
}

using Ids = std::vector<std::int64_t>;

// One claim's tasks: marks those still held, counts them per stage; the others go to `completion.stale` unless an
// earlier try of the same call has completed them.
Result<void> complete_claim(db::Connection& connection, const Lease& any, const Ids& ids,
                            std::map<std::int64_t, std::int64_t>& stages, Completion& completion, Now now) {
  // Looked up by id alone: the planner would rather walk over everything that the node ever ran.
  static const Sql end(
      "WITH held AS MATERIALIZED (SELECT id, node, nonce, status FROM lade_task WHERE id IN @list[$2] @for_update) "
      "UPDATE lade_task SET status = 'succeeded', finished_at = @now, deadline = NULL, error_code = NULL, error = NULL "
      "WHERE id IN (SELECT id FROM held WHERE node = $3 AND nonce = $4 AND status = 'running') RETURNING stage_id");
  const db::Value values[] = {value_of(now), list_of(connection, ids), any.node, any.nonce};
  LADE_ASSIGN(const auto ended, connection.query(end.of(connection), values));
  for (const db::Row& row : ended) ++stages[integer_of(row.front())];
  completion.completed += static_cast<std::int64_t>(ended.size());
  if (ended.size() == ids.size()) return {};
  static const Sql lost("SELECT id FROM lade_task WHERE id IN @list[$1] AND (nonce <> $2 OR status <> 'succeeded')");
  const db::Value claimed[] = {list_of(connection, ids), any.nonce};
  LADE_ASSIGN(const auto stale, connection.query(lost.of(connection), claimed));
  for (const db::Row& row : stale) completion.stale.push_back(integer_of(row.front()));
  return {};
}

}  // namespace

Result<Publication> Publication::begin(db::Connection& connection, const Lease& lease, Now now,
                                       std::atomic<bool>* committed) {
  LADE_ASSIGN(db::Transaction transaction, db::Transaction::begin(connection));
  static const Sql sql(
      "UPDATE lade_task SET status = 'succeeded', finished_at = @now, deadline = NULL, error_code = NULL, error = "
      "NULL" +
      std::string(kFence) + "RETURNING stage_id");
  LADE_ASSIGN(const auto rows, connection.query(sql.of(connection), fenced(lease, now)));
  if (rows.empty()) return fail(lease_lost(lease));
  LADE_FAILPOINT("fence");
  return Publication(connection, std::move(transaction), integer_of(rows.front().front()), now, committed);
}

Result<void> Publication::commit() {
  if (stage_ != 0) LADE_TRY(end_in_stage(connection_, stage_, Ending::succeeded, 1, now_));
  LADE_FAILPOINT("commit_sent");
  LADE_TRY(transaction_.commit());
  LADE_FAILPOINT("commit_answered");
  if (committed_ != nullptr) *committed_ = true;
  return {};
}

Result<bool> was_published(db::Connection& connection, const Lease& lease) {
  static const Sql sql(
      "SELECT 1 FROM lade_task WHERE id = $1 AND node = $2 AND epoch = $3 AND nonce = $4 AND status = 'succeeded'");
  const db::Value values[] = {lease.task, lease.node, lease.epoch, lease.nonce};
  bool published = false;
  const auto work = [&]() -> Result<void> {
    // Locking any version of the row waits for whoever is just writing it.
    static const Sql wait("SELECT 1 FROM lade_task WHERE id = $1 @for_update");
    LADE_TRY(connection.query(wait.of(connection), std::vector<db::Value>{lease.task}));
    LADE_ASSIGN(const auto rows, connection.query(sql.of(connection), values));
    published = !rows.empty();
    return {};
  };
  LADE_TRY(in_transaction(connection, work));
  return published;
}

Result<Completion> complete(db::Connection& connection, std::span<const Lease> leases, Now now) {
  LADE_FAILPOINT("complete");
  // A claim's leases share node and nonce.
  std::map<std::pair<std::string_view, std::int64_t>, std::pair<const Lease*, Ids>> claims;
  for (const Lease& lease : leases) {
    auto& [any, ids] = claims[{lease.node, lease.nonce}];
    any = &lease;
    ids.push_back(lease.task);
  }
  // In one order for everybody: a zombie's batch may lock rows that others hold now.
  for (auto& [key, claim] : claims) std::ranges::sort(claim.second);
  Completion completion;
  const auto work = [&]() -> Result<void> {
    std::map<std::int64_t, std::int64_t> stages;
    for (const auto& [key, claim] : claims)
      LADE_TRY(complete_claim(connection, *claim.first, claim.second, stages, completion, now));
    stages.erase(0);
    for (const auto& [stage, count] : stages) LADE_TRY(end_in_stage(connection, stage, Ending::succeeded, count, now));
    return {};
  };
  LADE_TRY(in_transaction(connection, work));
  return completion;
}

Result<void> save_progress(db::Connection& connection, const Lease& lease, std::string_view progress, Duration deadline,
                           Now now) {
  static const Sql sql("UPDATE lade_task SET progress = $6, deadline = @now + $7" + std::string(kFence));
  LADE_ASSIGN(const auto found,
              connection.execute(sql.of(connection),
                                 fenced(lease, now, {std::string(progress), std::int64_t{deadline.count()}})));
  if (found == 0) return fail(lease_lost(lease));
  return {};
}

Result<void> extend_deadline(db::Connection& connection, const Lease& lease, Duration deadline, Now now) {
  static const Sql sql("UPDATE lade_task SET deadline = @now + $6" + std::string(kFence));
  LADE_ASSIGN(const auto found,
              connection.execute(sql.of(connection), fenced(lease, now, {std::int64_t{deadline.count()}})));
  if (found == 0) return fail(lease_lost(lease));
  return {};
}

Result<void> give_back(db::Connection& connection, const Lease& lease, Duration delay, Now now) {
  static const Sql sql("UPDATE lade_task SET status = 'pending', node = NULL, deadline = NULL, available_at = " +
                       after("$6") + std::string(kFence) + "RETURNING id @notify");
  LADE_ASSIGN(const auto rows, connection.query(sql.of(connection), fenced(lease, now, {std::int64_t{delay.count()}})));
  if (rows.empty()) return fail(lease_lost(lease));
  return {};
}

Result<FailureEnd> fail_task(db::Connection& connection, const Lease& lease, const Error& error,
                             const RetryPolicy& policy, const DeathHook& on_death, Now now) {
  return end_run(connection, lease, [&](const RunningTask& task) -> Result<FailureEnd> {
    if (task.cancelled) {
      LADE_TRY(cancel_running(connection, task, now));
      return FailureEnd::cancelled;
    }
    if (is_outage(error)) {
      LADE_TRY(requeue(connection, task.id, {task.attempts, task.crashes, task.alone, backoff(policy, 1), error}, now));
      return FailureEnd::retrying;
    }
    LADE_ASSIGN(const bool dead, count_failure(connection, task, error, policy, on_death, now));
    return dead ? FailureEnd::dead : FailureEnd::retrying;
  });
}

Result<FailureEnd> refuse_task(db::Connection& connection, const Lease& lease, const Error& error,
                               const DeathHook& on_death, Now now) {
  return end_run(connection, lease, [&](const RunningTask& task) -> Result<FailureEnd> {
    LADE_TRY(bury(connection, task, error, on_death, now));
    return FailureEnd::dead;
  });
}

}  // namespace lade::queue
