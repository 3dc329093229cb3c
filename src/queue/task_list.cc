#include "queue/task_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "queue/sql.h"

namespace lade::queue {
namespace {

constexpr std::array<std::string_view, 6> kStatuses = {"pending",   "retryable", "running",
                                                       "succeeded", "failed",    "cancelled"};
// Of a pending task: it failed before and waits for its next attempt.
constexpr std::string_view kRetryable = "(t.attempts > 0 AND t.available_at > @now)";

// Empty for all. The status is a literal, so that the database can use its partial indexes.
std::string status_condition(const std::string& status) {
  if (status.empty()) return {};
  if (status == "retryable") return fmt::format(" AND t.status = 'pending' AND {}", kRetryable);
  if (status == "pending") return fmt::format(" AND t.status = 'pending' AND NOT {}", kRetryable);
  return fmt::format(" AND t.status = '{}'", status);
}

TaskRow task_row_of(const db::Row& row) {
  return {.id = integer_of(row[0]),
          .queue = text_of(row[1]),
          .kind = text_of(row[2]),
          .group = text_of(row[3]),
          .stage = text_of(row[4]),
          .payload = text_of(row[5]),
          .status = text_of(row[6]),
          .storage = text_of(row[7]),
          .node = text_of(row[8]),
          .priority = integer_of(row[9]),
          .attempts = integer_of(row[10]),
          .crashes = integer_of(row[11]),
          .error_code = text_of(row[12]),
          .error = text_of(row[13]),
          .created_at = integer_of(row[14]),
          .available_at = integer_of(row[15]),
          .started_at = integer_of(row[16]),
          .finished_at = integer_of(row[17]),
          .duration = integer_of(row[18])};
}

}  // namespace

Result<std::vector<TaskRow>> list_tasks(db::Connection& connection, const TaskFilter& filter, Now now) {
  if (!filter.status.empty() && std::ranges::find(kStatuses, filter.status) == kStatuses.end())
    return fail("status_unknown", fmt::format("no task has the status '{}'", filter.status),
                fmt::format("{}", fmt::join(kStatuses, ", ")), ErrorKind::usage);
  // Only the conditions that are asked for. What was cancelled while it waited has run for no time of its own.
  std::string sql = fmt::format(
      "SELECT t.id, t.queue, t.kind, t.group_id, s.name, t.payload, "
      "CASE WHEN t.status = 'pending' AND {} THEN 'retryable' ELSE t.status END, t.storage, t.node, t.priority, "
      "t.attempts, t.crashes, t.error_code, t.error, t.created_at, t.available_at, t.started_at, t.finished_at, "
      "CASE WHEN t.status IN ('succeeded', 'failed') THEN t.finished_at - t.started_at END "
      "FROM lade_task t LEFT JOIN lade_stage s ON s.id = t.stage_id WHERE t.id > 0{}",
      kRetryable, status_condition(filter.status));
  std::vector<db::Value> values = {value_of(now), filter.limit};
  const auto add = [&](std::string_view condition, db::Value value) {
    values.push_back(std::move(value));
    sql += fmt::format(" AND {} ${}", condition, values.size());
  };
  if (!filter.kind.empty()) add("t.kind =", filter.kind);
  if (!filter.group.empty()) add("t.group_id =", filter.group);
  if (filter.task != 0) add("t.id =", filter.task);
  if (filter.company != 0) add("t.company_id =", filter.company);
  if (filter.before != 0) add("t.id <", filter.before);
  sql += " ORDER BY t.id DESC LIMIT $2";
  LADE_ASSIGN(const auto rows, connection.query(Sql(sql).of(connection), values));
  std::vector<TaskRow> tasks;
  tasks.reserve(rows.size());
  for (const db::Row& row : rows) tasks.push_back(task_row_of(row));
  return tasks;
}

Result<bool> has_live_tasks(db::Connection& connection, const std::string& queue) {
  static const Sql sql(
      "SELECT 1 WHERE EXISTS (SELECT 1 FROM lade_task WHERE status = 'pending' AND $1 IN ('', queue)) "
      "OR EXISTS (SELECT 1 FROM lade_task WHERE status = 'running' AND $1 IN ('', queue))");
  LADE_ASSIGN(const auto rows, connection.query(sql.of(connection), std::vector<db::Value>{queue}));
  return !rows.empty();
}

Result<std::vector<ListedNode>> list_nodes(db::Connection& connection) {
  LADE_ASSIGN(const auto rows,
              connection.query("SELECT n.boot, n.name, n.storage, n.beat, n.started_at, (SELECT count(*) FROM "
                               "lade_task t WHERE t.status = 'running' AND t.node = n.boot), n.slots, CASE WHEN "
                               "n.draining THEN 1 ELSE 0 END FROM lade_node n ORDER BY n.started_at, n.boot"));
  std::vector<ListedNode> nodes;
  for (const db::Row& row : rows)
    nodes.push_back({text_of(row[0]), text_of(row[1]), text_of(row[2]), integer_of(row[3]), integer_of(row[4]),
                     integer_of(row[5]), integer_of(row[6]), integer_of(row[7]) != 0});
  return nodes;
}

Result<std::vector<QueueRule>> list_rules(db::Connection& connection) {
  LADE_ASSIGN(const auto rows, connection.query("SELECT scope, name, CASE WHEN paused THEN 1 ELSE 0 END, concurrency "
                                                "FROM lade_queue WHERE paused OR concurrency IS NOT NULL "
                                                "ORDER BY scope, name"));
  std::vector<QueueRule> rules;
  for (const db::Row& row : rows) {
    QueueRule& rule = rules.emplace_back(QueueRule{text_of(row[0]), text_of(row[1]), integer_of(row[2]) != 0});
    if (!std::holds_alternative<std::monostate>(row[3])) rule.concurrency = integer_of(row[3]);
  }
  return rules;
}

}  // namespace lade::queue
