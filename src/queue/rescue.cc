#include "queue/rescue.h"

#include <map>

#include <fmt/format.h>

#include "queue/ending.h"
#include "queue/sql.h"

namespace lade::queue {
namespace {

Error node_died(const std::string& boot) {
  return Error{"node_died", fmt::format("node {} died while it had the task", boot)};
}
Error poison(const RunningTask& task) {
  return Error{"poison", fmt::format("the process died {} times while it ran this task alone", task.crashes)};
}
Error deadline_exceeded() {
  return Error{"deadline_exceeded", "the task neither ended nor made progress until its deadline"};
}

Result<void> rescue_one(db::Connection& connection, RunningTask task, const std::string& boot, const KindRules& rules,
                        Rescue& rescued, Now now) {
  if (task.cancelled) {
    ++rescued.cancelled;
    return cancel_running(connection, task, now);
  }
  if (task.alone) ++task.crashes;
  if (task.crashes >= rules.retry.max_crashes) {
    ++rescued.dead;
    return bury(connection, task, poison(task), rules.on_death, now);
  }
  ++rescued.pending;
  return requeue(connection, task.id,
                 {.attempts = task.attempts, .crashes = task.crashes, .alone = true, .reason = node_died(boot)}, now);
}

Result<void> notify(db::Connection& connection) {
  if (connection.backend() == db::Backend::sqlite) return {};
  LADE_TRY(connection.query("SELECT pg_notify('lade_task', '')"));
  return {};
}

Result<void> take_one(db::Connection& connection, const RunningTask& task, const KindRules& kind, Rescue& taken,
                      Now now) {
  if (task.cancelled) {
    LADE_TRY(cancel_running(connection, task, now));
    ++taken.cancelled;
    return {};
  }
  LADE_ASSIGN(const bool dead, count_failure(connection, task, deadline_exceeded(), kind.retry, kind.on_death, now));
  ++(dead ? taken.dead : taken.pending);
  return {};
}

}  // namespace

Result<void> register_node(db::Connection& connection, const NodeRow& node, Now now) {
  static const Sql sql(
      "INSERT INTO lade_node (boot, name, storage, beat, slots, started_at) VALUES ($2, $3, $4, $5, $6, @now) "
      "ON CONFLICT (boot) DO UPDATE SET beat = lade_node.beat + 1");
  const db::Value values[] = {value_of(now), node.boot, node.name, node.storage, node.beat, node.slots};
  LADE_TRY(connection.execute(sql.of(connection), values));
  return {};
}

Result<void> remove_node(db::Connection& connection, const std::string& boot) {
  LADE_TRY(connection.execute("DELETE FROM lade_node WHERE boot = $1", std::vector<db::Value>{boot}));
  return {};
}

Result<bool> drain_node(db::Connection& connection, const std::string& boot, bool draining) {
  const db::Value values[] = {boot};
  LADE_ASSIGN(const auto found, connection.execute(draining ? "UPDATE lade_node SET draining = true WHERE boot = $1"
                                                            : "UPDATE lade_node SET draining = false WHERE boot = $1",
                                                   values));
  return found == 1;
}

Result<std::vector<NodeRow>> nodes(db::Connection& connection) {
  LADE_ASSIGN(const auto rows, connection.query("SELECT boot, name, storage, beat FROM lade_node ORDER BY boot"));
  std::vector<NodeRow> found;
  found.reserve(rows.size());
  for (const db::Row& row : rows)
    found.push_back({text_of(row[0]), text_of(row[1]), text_of(row[2]), integer_of(row[3])});
  return found;
}

Result<bool> beat(db::Connection& connection, const std::string& boot) {
  LADE_ASSIGN(const auto found,
              connection.execute("UPDATE lade_node SET beat = beat + 1 WHERE boot = $1", std::vector<db::Value>{boot}));
  return found == 1;
}

Result<std::vector<GrantedLease>> granted_leases(db::Connection& connection, const std::string& boot, Now now) {
  static const Sql sql(
      "SELECT t.id, t.epoch, t.nonce, t.deadline < @now, NOT t.essential AND EXISTS (SELECT 1 FROM lade_task_group g "
      "LEFT JOIN lade_task_group p ON p.id = g.parent WHERE g.id = t.group_id "
      "AND (t.id <= g.cancelled_through OR t.id <= p.cancelled_through)), "
      "EXISTS (SELECT 1 FROM lade_task_group g LEFT JOIN lade_task_group p ON p.id = g.parent "
      "WHERE g.id = t.group_id AND (g.paused OR p.paused)) "
      "OR EXISTS (SELECT 1 FROM lade_queue q WHERE q.paused AND q.name = CASE q.scope WHEN 'queue' THEN t.queue "
      "ELSE t.kind END) FROM lade_task t WHERE t.status = 'running' AND t.node = $2");
  LADE_ASSIGN(const auto rows, connection.query(sql.of(connection), std::vector<db::Value>{value_of(now), boot}));
  std::vector<GrantedLease> granted;
  granted.reserve(rows.size());
  for (const db::Row& row : rows)
    granted.push_back({{integer_of(row[0]), boot, integer_of(row[1]), integer_of(row[2])},
                       integer_of(row[4]) != 0,
                       integer_of(row[5]) != 0,
                       integer_of(row[3]) != 0});
  return granted;
}

Result<Rescue> rescue(db::Connection& connection, const std::string& boot, std::optional<std::int64_t> judged_at,
                      const RulesOf& rules, Now now) {
  Rescue rescued;
  const auto work = [&]() -> Result<void> {
    if (judged_at) {
      LADE_ASSIGN(const auto found, connection.execute("DELETE FROM lade_node WHERE boot = $1 AND beat = $2",
                                                       std::vector<db::Value>{boot, *judged_at}));
      if (found == 0) return {};
    } else {
      LADE_TRY(remove_node(connection, boot));
    }
    // In the order of the stages, whose counters may change. A locked row is being published: it is looked at again as
    // the lease of a node that is not registered.
    static const Sql held("SELECT " + std::string(kRunningColumns) +
                          " FROM lade_task t WHERE t.status = 'running' AND t.node = $1 ORDER BY t.stage_id, t.id "
                          "@skip_locked");
    LADE_ASSIGN(const auto rows, connection.query(held.of(connection), std::vector<db::Value>{boot}));
    for (const db::Row& row : rows) {
      const RunningTask task = running_task_of(row);
      LADE_TRY(rescue_one(connection, task, boot, rules(task.kind), rescued, now));
    }
    return rows.empty() ? Result<void>() : notify(connection);
  };
  LADE_TRY(in_transaction(connection, work));
  return rescued;
}

Result<std::vector<std::string>> unregistered_holders(db::Connection& connection) {
  LADE_ASSIGN(const auto rows,
              connection.query("SELECT DISTINCT t.node FROM lade_task t WHERE t.status = 'running' AND NOT EXISTS "
                               "(SELECT 1 FROM lade_node n WHERE n.boot = t.node)"));
  std::vector<std::string> boots;
  boots.reserve(rows.size());
  for (const db::Row& row : rows) boots.push_back(text_of(row.front()));
  return boots;
}

Result<std::vector<OverdueLease>> overdue_leases(db::Connection& connection, Now now) {
  static const Sql sql(
      "SELECT id, node, epoch, nonce, deadline FROM lade_task WHERE status = 'running' AND deadline < @now");
  LADE_ASSIGN(const auto rows, connection.query(sql.of(connection), std::vector<db::Value>{value_of(now)}));
  std::vector<OverdueLease> leases;
  for (const db::Row& row : rows)
    leases.push_back(
        {{integer_of(row[0]), text_of(row[1]), integer_of(row[2]), integer_of(row[3])}, integer_of(row[4])});
  return leases;
}

Result<Rescue> take_overdue(db::Connection& connection, std::span<const Lease> leases, const RulesOf& rules, Now now) {
  Rescue taken;
  if (leases.empty()) return taken;
  std::map<std::int64_t, std::int64_t> nonces;
  for (const Lease& lease : leases) nonces.emplace(lease.task, lease.nonce);
  const auto work = [&]() -> Result<void> {
    static const Sql overdue("SELECT " + std::string(kRunningColumns) +
                             ", t.nonce FROM lade_task t WHERE t.status = 'running' AND t.deadline < @now "
                             "ORDER BY t.stage_id, t.id @skip_locked");
    LADE_ASSIGN(const auto rows, connection.query(overdue.of(connection), std::vector<db::Value>{value_of(now)}));
    for (const db::Row& row : rows) {
      const RunningTask task = running_task_of(row);
      const auto found = nonces.find(task.id);
      if (found == nonces.end() || found->second != integer_of(row.back())) continue;
      LADE_TRY(take_one(connection, task, rules(task.kind), taken, now));
    }
    return rows.empty() ? Result<void>() : notify(connection);
  };
  LADE_TRY(in_transaction(connection, work));
  return taken;
}

Result<std::vector<std::int64_t>> expire_running(db::Connection& connection, const std::string& group,
                                                 Duration threshold, Now now) {
  static const Sql sql(
      "UPDATE lade_task SET deadline = @now - 1 WHERE group_id = $2 AND status = 'running' "
      "AND started_at < @now - $3 AND (deadline IS NULL OR deadline > @now) RETURNING id");
  const db::Value values[] = {value_of(now), group, std::int64_t{threshold.count()}};
  LADE_ASSIGN(const auto rows, connection.query(sql.of(connection), values));
  std::vector<std::int64_t> ids;
  for (const db::Row& row : rows) ids.push_back(integer_of(row[0]));
  return ids;
}

Result<std::int64_t> release_distant_retries(db::Connection& connection, Duration longest, Now now) {
  static const Sql sql(
      "UPDATE lade_task SET available_at = 0 WHERE status = 'pending' AND started_at IS NOT NULL "
      "AND available_at > @now + $2 RETURNING id @notify");
  const db::Value values[] = {value_of(now), std::int64_t{longest.count()}};
  LADE_ASSIGN(const auto rows, connection.query(sql.of(connection), values));
  return static_cast<std::int64_t>(rows.size());
}

Result<bool> has_sessions(db::Connection& connection, const std::string& boot) {
  if (connection.backend() == db::Backend::sqlite) return false;
  LADE_ASSIGN(const auto rows, connection.query("SELECT 1 FROM pg_stat_activity WHERE application_name = $1 "
                                                "AND datname = current_database() LIMIT 1",
                                                std::vector<db::Value>{"lade/" + boot}));
  return !rows.empty();
}

Result<std::int64_t> end_sessions(db::Connection& connection, const std::string& boot) {
  if (connection.backend() == db::Backend::sqlite) return 0;
  LADE_ASSIGN(
      const auto ended,
      connection.query("SELECT pid, pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1 "
                       "AND datname = current_database() AND pid <> pg_backend_pid()",
                       std::vector<db::Value>{"lade/" + boot}));
  std::vector<std::int64_t> pids;
  for (const db::Row& row : ended) pids.push_back(integer_of(row.front()));
  // Their locks go with them. A session that does not end is left to the next beat.
  static const Sql left("SELECT 1 FROM pg_stat_activity WHERE pid IN @list[$1] LIMIT 1");
  for (int tries = 0; tries < 50 && !pids.empty(); ++tries) {
    LADE_ASSIGN(const auto rows,
                connection.query(left.of(connection), std::vector<db::Value>{list_of(connection, pids)}));
    if (rows.empty()) break;
    LADE_TRY(connection.query("SELECT pg_sleep(0.01)"));
  }
  return static_cast<std::int64_t>(pids.size());
}

std::string session_url(const std::string& url, const std::string& boot) {
  if (db::backend_of(url) == db::Backend::sqlite) return url;
  const std::string name = "lade/" + boot;
  constexpr std::string_view kIdleLimit = "idle_in_transaction_session_timeout=600000";
  const bool has_options = url.find("options=") != std::string::npos;
  if (url.find("://") == std::string::npos)
    return fmt::format("{} application_name={}{}", url, name,
                       has_options ? "" : fmt::format(" options='-c {}'", kIdleLimit));
  return fmt::format("{}{}application_name=lade%2F{}{}", url, url.find('?') == std::string::npos ? '?' : '&', boot,
                     has_options ? "" : "&options=-c%20idle_in_transaction_session_timeout%3D600000");
}

}  // namespace lade::queue
