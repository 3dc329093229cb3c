#include "queue/groups.h"

#include <array>
#include <map>

#include "queue/sql.h"
#include "queue/stage.h"

namespace lade::queue {
namespace {

constexpr std::string_view name_of(Scope scope) {
  return scope == Scope::queue ? "queue" : "kind";
}

// Nodes that listen look at their leases at once instead of at the next beat.
Result<void> notify_of_change(db::Connection& connection) {
  if (connection.backend() == db::Backend::sqlite) return {};
  LADE_TRY(connection.query("SELECT pg_notify('lade_change', '')"));
  return {};
}

// An id that no task has had and every later one exceeds.
Result<std::int64_t> newest_task(db::Connection& connection) {
  const bool sqlite = connection.backend() == db::Backend::sqlite;
  LADE_ASSIGN(const auto rows, connection.query(sqlite ? "SELECT max(seq) FROM sqlite_sequence WHERE name = 'lade_task'"
                                                       : "SELECT nextval(pg_get_serial_sequence('lade_task', 'id'))"));
  return integer_of(rows.front().front());
}

Result<std::int64_t> cancel_pending(db::Connection& connection, const std::string& group, std::int64_t through,
                                    Now now) {
  static const Sql sql(
      "UPDATE lade_task SET status = 'cancelled', finished_at = @now "
      "WHERE group_id = $2 AND status = 'pending' AND id <= $3 AND NOT essential RETURNING stage_id");
  LADE_ASSIGN(const auto rows,
              connection.query(sql.of(connection), std::vector<db::Value>{value_of(now), group, through}));
  std::map<std::int64_t, std::int64_t> stages;
  for (const db::Row& row : rows) ++stages[integer_of(row.front())];
  stages.erase(0);
  for (const auto& [stage, count] : stages) LADE_TRY(end_in_stage(connection, stage, Ending::cancelled, count, now));
  return static_cast<std::int64_t>(rows.size());
}

// Pending again what ended as `status`.
Result<std::int64_t> rearm(db::Connection& connection, const std::string& group, std::string status, Ending was) {
  static const Sql sql(
      "UPDATE lade_task SET status = 'pending', available_at = 0, attempts = 0, crashes = 0, alone = false, "
      "finished_at = NULL WHERE group_id = $1 AND status = $2 AND NOT EXISTS (SELECT 1 FROM lade_task l "
      "WHERE l.unique_key = lade_task.unique_key AND l.status IN ('pending', 'running')) RETURNING stage_id @notify");
  LADE_ASSIGN(const auto rows, connection.query(sql.of(connection), std::vector<db::Value>{group, std::move(status)}));
  std::map<std::int64_t, std::int64_t> stages;
  for (const db::Row& row : rows) ++stages[integer_of(row.front())];
  stages.erase(0);
  for (const auto& [stage, count] : stages) LADE_TRY(reopen_stage(connection, stage, was, count));
  return static_cast<std::int64_t>(rows.size());
}

}  // namespace

Result<void> put_group(db::Connection& connection, const Group& group) {
  static const Sql sql(
      "INSERT INTO lade_task_group (id, parent, reserved_by, company_id) VALUES ($1, $2, $3, $4) "
      "ON CONFLICT (id) DO UPDATE SET parent = excluded.parent, reserved_by = excluded.reserved_by");
  const db::Value values[] = {group.id, text_or_null(group.parent), text_or_null(group.reserved_by), group.company};
  LADE_TRY(connection.execute(sql.of(connection), values));
  return {};
}

Result<std::string> reservation(db::Connection& connection, const std::string& group) {
  static const Sql sql("SELECT reserved_by FROM lade_task_group WHERE id = $1");
  LADE_ASSIGN(const auto rows, connection.query(sql.of(connection), std::vector<db::Value>{group}));
  return rows.empty() ? std::string() : text_of(rows.front().front());
}

Result<void> pause_group(db::Connection& connection, const std::string& group, bool paused) {
  static const Sql sql(
      "INSERT INTO lade_task_group (id, paused) VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET paused = "
      "excluded.paused");
  LADE_TRY(connection.execute(sql.of(connection), std::vector<db::Value>{group, std::int64_t{paused}}));
  return notify_of_change(connection);
}

Result<std::int64_t> cancel_group(db::Connection& connection, const std::string& group, Now now) {
  std::int64_t count = 0;
  const auto work = [&]() -> Result<void> {
    LADE_ASSIGN(const std::int64_t through, newest_task(connection));
    static const Sql mark(
        "INSERT INTO lade_task_group (id, cancelled_through) VALUES ($1, $2) "
        "ON CONFLICT (id) DO UPDATE SET cancelled_through = excluded.cancelled_through");
    LADE_TRY(connection.execute(mark.of(connection), std::vector<db::Value>{group, through}));
    static const Sql members("SELECT id FROM lade_task_group WHERE id = $1 OR parent = $1 ORDER BY id");
    LADE_ASSIGN(const auto rows, connection.query(members.of(connection), std::vector<db::Value>{group}));
    for (const db::Row& row : rows) {
      LADE_ASSIGN(const auto cancelled, cancel_pending(connection, text_of(row.front()), through, now));
      count += cancelled;
    }
    return notify_of_change(connection);
  };
  LADE_TRY(in_transaction(connection, work));
  return count;
}

Result<std::int64_t> sweep_cancelled(db::Connection& connection, Now now) {
  static const Sql sql(
      "SELECT g.id, @greatest(g.cancelled_through, coalesce(p.cancelled_through, 0)) AS through "
      "FROM lade_task_group g LEFT JOIN lade_task_group p ON p.id = g.parent "
      "WHERE (g.cancelled_through > 0 OR p.cancelled_through > 0) AND EXISTS (SELECT 1 FROM lade_task t "
      "WHERE t.group_id = g.id AND t.status = 'pending' AND NOT t.essential "
      "AND t.id <= @greatest(g.cancelled_through, coalesce(p.cancelled_through, 0)))");
  LADE_ASSIGN(const auto rows, connection.query(sql.of(connection)));
  std::int64_t count = 0;
  for (const db::Row& row : rows) {
    const auto work = [&]() -> Result<void> {
      LADE_ASSIGN(const auto cancelled, cancel_pending(connection, text_of(row[0]), integer_of(row[1]), now));
      count += cancelled;
      return {};
    };
    LADE_TRY(in_transaction(connection, work));
  }
  return count;
}

Result<std::int64_t> retry_group(db::Connection& connection, const std::string& group) {
  std::int64_t count = 0;
  const auto work = [&]() -> Result<void> {
    static const Sql letters(
        "UPDATE lade_dead_letter SET retries = retries + 1 WHERE task_id IN "
        "(SELECT t.id FROM lade_task t WHERE t.group_id = $1 AND t.status = 'failed')");
    LADE_TRY(connection.execute(letters.of(connection), std::vector<db::Value>{group}));
    static const Sql unmark("UPDATE lade_task_group SET cancelled_through = 0 WHERE id = $1");
    LADE_TRY(connection.execute(unmark.of(connection), std::vector<db::Value>{group}));
    LADE_ASSIGN(const auto failed, rearm(connection, group, "failed", Ending::failed));
    LADE_ASSIGN(const auto cancelled, rearm(connection, group, "cancelled", Ending::cancelled));
    count = failed + cancelled;
    return {};
  };
  LADE_TRY(in_transaction(connection, work));
  return count;
}

Result<void> clear_group(db::Connection& connection, const std::string& group) {
  return in_transaction(connection, [&]() -> Result<void> {
    for (const std::string_view sql :
         {"DELETE FROM lade_dead_letter WHERE group_id = $1",
          "DELETE FROM lade_task WHERE group_id = $1 AND status IN ('failed', 'cancelled')",
          "UPDATE lade_stage SET failed = 0, cancelled = 0, sealed = false, "
          "round = round + CASE WHEN finaliser IS NULL THEN 0 ELSE 1 END, finaliser = NULL WHERE group_id = $1",
          "UPDATE lade_task_group SET cancelled_through = 0 WHERE id = $1"})
      LADE_TRY(connection.execute(sql, std::vector<db::Value>{group}));
    return {};
  });
}

Result<void> delete_group(db::Connection& connection, const std::string& group) {
  return in_transaction(connection, [&]() -> Result<void> {
    for (const std::string_view sql :
         {"DELETE FROM lade_dead_letter WHERE group_id = $1", "DELETE FROM lade_stage WHERE group_id = $1",
          "DELETE FROM lade_task WHERE group_id = $1", "DELETE FROM lade_task_group WHERE id = $1"})
      LADE_TRY(connection.execute(sql, std::vector<db::Value>{group}));
    return {};
  });
}

Result<TaskCounts> count_tasks(db::Connection& connection, const std::string& group) {
  static const Sql sql("SELECT status, count(*) FROM lade_task WHERE group_id = $1 GROUP BY status");
  LADE_ASSIGN(const auto rows, connection.query(sql.of(connection), std::vector<db::Value>{group}));
  TaskCounts counts;
  const std::map<std::string_view, std::int64_t*> by_status = {{"pending", &counts.pending},
                                                               {"running", &counts.running},
                                                               {"succeeded", &counts.succeeded},
                                                               {"failed", &counts.failed},
                                                               {"cancelled", &counts.cancelled}};
  for (const db::Row& row : rows) *by_status.at(text_of(row[0])) = integer_of(row[1]);
  return counts;
}

Result<void> pause(db::Connection& connection, Scope scope, const std::string& name, bool paused) {
  static const Sql sql(
      "INSERT INTO lade_queue (scope, name, paused) VALUES ($1, $2, $3) "
      "ON CONFLICT (scope, name) DO UPDATE SET paused = excluded.paused");
  const db::Value values[] = {std::string(name_of(scope)), name, std::int64_t{paused}};
  LADE_TRY(connection.execute(sql.of(connection), values));
  return notify_of_change(connection);
}

Result<void> limit(db::Connection& connection, Scope scope, const std::string& name,
                   std::optional<std::int64_t> concurrency) {
  static const Sql sql(
      "INSERT INTO lade_queue (scope, name, concurrency) VALUES ($1, $2, $3) "
      "ON CONFLICT (scope, name) DO UPDATE SET concurrency = excluded.concurrency");
  const db::Value values[] = {std::string(name_of(scope)), name, concurrency ? db::Value(*concurrency) : db::Value()};
  LADE_TRY(connection.execute(sql.of(connection), values));
  return notify_of_change(connection);
}

Result<bool> has_limits(db::Connection& connection) {
  LADE_ASSIGN(const auto rows, connection.query("SELECT 1 FROM lade_queue WHERE concurrency IS NOT NULL LIMIT 1"));
  return !rows.empty();
}

}  // namespace lade::queue
