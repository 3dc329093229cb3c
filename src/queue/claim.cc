#include "queue/claim.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <tuple>

#include "base/failpoint.h"
#include "queue/sql.h"

namespace lade::queue {
namespace {

// How much each limited queue and kind can still take.
constexpr std::string_view kRoom = R"sql(
room AS (
  SELECT q.scope, q.name, q.concurrency - (
           SELECT count(*) FROM lade_task r
           WHERE r.status = 'running' AND q.name = CASE q.scope WHEN 'queue' THEN r.queue ELSE r.kind END) AS free
  FROM lade_queue q WHERE q.concurrency IS NOT NULL))sql";

// $2 node, $3 storage, $4 queue, $5 group. {alone} is "t.alone" or "NOT t.alone": each has an index.
constexpr std::string_view kMayRun = R"sql(
  t.status = 'pending' AND {alone} AND t.available_at <= @now AND t.storage IN ('', $3)
  AND ($4 = '' OR t.queue = $4) AND ($5 = '' OR t.group_id = $5)
  AND NOT EXISTS (SELECT 1 FROM lade_node own WHERE own.boot = $2 AND own.draining)
  AND NOT EXISTS (
    SELECT 1 FROM lade_queue q
    WHERE q.paused AND q.name = CASE q.scope WHEN 'queue' THEN t.queue ELSE t.kind END)
  AND NOT EXISTS (
    SELECT 1 FROM room
    WHERE room.free <= 0 AND room.name = CASE room.scope WHEN 'queue' THEN t.queue ELSE t.kind END)
  AND (t.group_id IS NULL OR NOT EXISTS (
    SELECT 1 FROM lade_task_group g LEFT JOIN lade_task_group p ON p.id = g.parent
    WHERE g.id = t.group_id
      AND (g.paused OR p.paused
           OR (NOT t.essential AND (t.id <= g.cancelled_through OR t.id <= p.cancelled_through))
           OR (g.reserved_by <> $2 AND EXISTS (SELECT 1 FROM lade_node n WHERE n.boot = g.reserved_by))))))sql";

// $6 nonce, $7 count, $8 deadline. What the first candidates leave over of a limit goes to them in their order.
constexpr std::string_view kClaim = R"sql(
WITH {room},
candidate AS MATERIALIZED (
  SELECT t.id, t.queue, t.kind, t.priority, t.turn FROM lade_task t
  WHERE {may_run}
  ORDER BY t.priority, t.turn, t.id LIMIT $7 @skip_locked),
ranked AS (
  SELECT c.id, c.queue, c.kind,
         row_number() OVER (PARTITION BY c.queue ORDER BY c.priority, c.turn, c.id) AS place_in_queue,
         row_number() OVER (PARTITION BY c.kind ORDER BY c.priority, c.turn, c.id) AS place_in_kind
  FROM candidate c),
chosen AS (
  SELECT r.id FROM ranked r WHERE NOT EXISTS (
    SELECT 1 FROM room WHERE (room.scope = 'queue' AND room.name = r.queue AND room.free < r.place_in_queue)
                          OR (room.scope = 'kind' AND room.name = r.kind AND room.free < r.place_in_kind)))
UPDATE lade_task SET status = 'running', node = $2, epoch = epoch + 1, nonce = $6, started_at = @now,
                     deadline = @now + $8
WHERE id IN (SELECT id FROM chosen)
RETURNING id, epoch, nonce, kind, payload, queue, group_id, stage_id, priority, turn, attempts, crashes, alone,
          progress)sql";

constexpr std::string_view kWaits = R"sql(
WITH {room} SELECT 1 FROM lade_task t WHERE {may_run} LIMIT 1)sql";

Sql statement(std::string_view text, bool alone) {
  const std::string may_run = fmt::format(fmt::runtime(kMayRun), fmt::arg("alone", alone ? "t.alone" : "NOT t.alone"));
  return Sql(fmt::format(fmt::runtime(text), fmt::arg("room", kRoom), fmt::arg("may_run", may_run)));
}

std::int64_t new_nonce() {
  thread_local std::mt19937_64 random{std::random_device{}()};
  return static_cast<std::int64_t>(random() >> 1);
}

Task task_of(const db::Row& row, const std::string& node) {
  Task task;
  task.lease = {integer_of(row[0]), node, integer_of(row[1]), integer_of(row[2])};
  task.kind = text_of(row[3]);
  task.payload = text_of(row[4]);
  task.queue = text_of(row[5]);
  task.group = text_of(row[6]);
  task.stage = integer_of(row[7]);
  task.priority = integer_of(row[8]);
  task.turn = integer_of(row[9]);
  task.attempts = integer_of(row[10]);
  task.crashes = integer_of(row[11]);
  task.alone = integer_of(row[12]) != 0;
  task.progress = text_of(row[13]);
  return task;
}

Result<std::vector<Task>> take(db::Connection& connection, const ClaimRequest& request, Now now) {
  static const Sql ordinary = statement(kClaim, false);
  static const Sql alone = statement(kClaim, true);
  const db::Value values[] = {value_of(now), request.node, request.storage, request.queue,
                              request.group, new_nonce(),  request.count,   std::int64_t{request.deadline.count()}};
  LADE_ASSIGN(const auto rows, connection.query((request.alone ? alone : ordinary).of(connection), values));
  std::vector<Task> tasks;
  tasks.reserve(rows.size());
  for (const db::Row& row : rows) tasks.push_back(task_of(row, request.node));
  std::ranges::sort(tasks, {}, [](const Task& task) { return std::tuple(task.priority, task.turn, task.lease.task); });
  return tasks;
}

}  // namespace

Result<std::vector<Task>> claim(db::Connection& connection, const ClaimRequest& request, Now now) {
  LADE_FAILPOINT("claim");
  if (!request.limited || connection.backend() == db::Backend::sqlite) return take(connection, request, now);
  // Whoever counts running tasks against a limit does so alone.
  std::vector<Task> tasks;
  const auto work = [&]() -> Result<void> {
    LADE_TRY(
        connection.query("SELECT 1 FROM lade_queue WHERE concurrency IS NOT NULL ORDER BY scope, name FOR UPDATE"));
    LADE_ASSIGN(tasks, take(connection, request, now));
    return {};
  };
  LADE_TRY(in_transaction(connection, work));
  return tasks;
}

Result<bool> alone_waits(db::Connection& connection, const ClaimRequest& request, Now now) {
  static const Sql sql = statement(kWaits, true);
  const db::Value values[] = {value_of(now), request.node, request.storage, request.queue, request.group};
  LADE_ASSIGN(const auto rows, connection.query(sql.of(connection), values));
  return !rows.empty();
}

}  // namespace lade::queue
