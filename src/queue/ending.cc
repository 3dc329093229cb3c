#include "queue/ending.h"

#include <fmt/format.h>

#include "queue/sql.h"
#include "queue/stage.h"

namespace lade::queue {

const std::string_view kRunningColumns =
    "t.id, t.stage_id, t.attempts, t.crashes, t.alone, NOT t.essential AND EXISTS (SELECT 1 FROM lade_task_group g "
    "LEFT JOIN lade_task_group p ON p.id = g.parent WHERE g.id = t.group_id "
    "AND (t.id <= g.cancelled_through OR t.id <= p.cancelled_through)), t.kind";

RunningTask running_task_of(const db::Row& row) {
  return {integer_of(row[0]),      integer_of(row[1]),      integer_of(row[2]), integer_of(row[3]),
          integer_of(row[4]) != 0, integer_of(row[5]) != 0, text_of(row[6])};
}

Result<void> requeue(db::Connection& connection, std::int64_t task, const Requeue& requeue, Now now) {
  static const Sql sql(
      "UPDATE lade_task SET status = 'pending', node = NULL, deadline = NULL, available_at = " + after("$3") +
      ", attempts = $4, "
      "crashes = $5, alone = $6, error_code = coalesce($7, error_code), error = coalesce($8, error) WHERE id = $2");
  const db::Value values[] = {value_of(now),
                              task,
                              std::int64_t{requeue.delay.count()},
                              requeue.attempts,
                              requeue.crashes,
                              std::int64_t{requeue.alone},
                              text_or_null(requeue.reason.code),
                              text_or_null(requeue.reason.message)};
  LADE_TRY(connection.execute(sql.of(connection), values));
  return {};
}

Result<void> cancel_running(db::Connection& connection, const RunningTask& task, Now now) {
  static const Sql sql(
      "UPDATE lade_task SET status = 'cancelled', node = NULL, deadline = NULL, finished_at = @now WHERE id = $2");
  LADE_TRY(connection.execute(sql.of(connection), std::vector<db::Value>{value_of(now), task.id}));
  return task.stage == 0 ? Result<void>() : end_in_stage(connection, task.stage, Ending::cancelled, 1, now);
}

Result<void> bury(db::Connection& connection, const RunningTask& task, const Error& reason, const DeathHook& on_death,
                  Now now) {
  static const Sql end(
      "UPDATE lade_task SET status = 'failed', node = NULL, deadline = NULL, finished_at = @now, attempts = $3, "
      "crashes = $4, error_code = $5, error = $6 WHERE id = $2 "
      "RETURNING queue, kind, group_id, payload, finished_at, company_id");
  const db::Value values[] = {value_of(now), task.id, task.attempts, task.crashes, reason.code, reason.message};
  LADE_ASSIGN(const auto rows, connection.query(end.of(connection), values));
  const db::Row& row = rows.front();
  static const Sql bury(
      "INSERT INTO lade_dead_letter (task_id, queue, kind, group_id, died_at, company_id, reason, message, attempts, "
      "crashes) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT (task_id) DO UPDATE SET "
      "reason = excluded.reason, message = excluded.message, attempts = excluded.attempts, "
      "crashes = excluded.crashes, died_at = excluded.died_at");
  const db::Value letter[] = {task.id, row[0],      row[1],         row[2],        row[4],
                              row[5],  reason.code, reason.message, task.attempts, task.crashes};
  LADE_TRY(connection.execute(bury.of(connection), letter));
  if (on_death) {
    const DeadLetter dead{.task = task.id,
                          .queue = text_of(row[0]),
                          .kind = text_of(row[1]),
                          .group = text_of(row[2]),
                          .payload = text_of(row[3]),
                          .reason = reason.code,
                          .message = reason.message,
                          .attempts = task.attempts,
                          .crashes = task.crashes,
                          .died_at = integer_of(row[4])};
    LADE_TRY(on_death(connection, dead));
  }
  return task.stage == 0 ? Result<void>() : end_in_stage(connection, task.stage, Ending::failed, 1, now);
}

Result<bool> count_failure(db::Connection& connection, RunningTask task, const Error& error, const RetryPolicy& policy,
                           const DeathHook& on_death, Now now) {
  ++task.attempts;
  if (task.attempts >= policy.max_attempts) {
    LADE_TRY(bury(connection, task, error, on_death, now));
    return true;
  }
  LADE_TRY(requeue(connection, task.id,
                   {.attempts = task.attempts,
                    .crashes = task.crashes,
                    .alone = task.alone,
                    .delay = backoff(policy, task.attempts),
                    .reason = error},
                   now));
  return false;
}

Error lease_lost(const Lease& lease) {
  return Error{"lease_lost",
               fmt::format("task {} was given to somebody else: lease {} of node {} is no longer valid", lease.task,
                           lease.epoch, lease.node),
               "nothing was written; whoever holds the task now does its work"};
}

}  // namespace lade::queue
