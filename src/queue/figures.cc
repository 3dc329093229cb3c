#include "queue/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "queue/dead_letters.h"
#include "queue/sql.h"

namespace lade::queue {
namespace {

// Whether nobody may claim the task t at the moment, whoever it is.
constexpr std::string_view kPaused =
    "(EXISTS (SELECT 1 FROM lade_queue q WHERE q.paused AND q.name = CASE q.scope WHEN 'queue' THEN t.queue ELSE "
    "t.kind END) OR EXISTS (SELECT 1 FROM lade_task_group g LEFT JOIN lade_task_group p ON p.id = g.parent WHERE g.id "
    "= t.group_id AND (g.paused OR p.paused)))";

// What two letters with the same cause have in common.
std::string signature(const DeadLetter& letter) {
  std::string text = fmt::format("{}|{}|", letter.reason, letter.kind);
  bool quoted = false;
  for (const char c : letter.message) {
    if (c == '\'' || c == '"') quoted = !quoted;
    if (quoted || std::isdigit(static_cast<unsigned char>(c)) != 0) continue;
    text.push_back(c);
  }
  return text;
}

Result<void> add_pauses(db::Connection& connection, const db::Row& task, std::vector<WaitReason>& reasons) {
  const db::Value names[] = {text_of(task[0]), text_of(task[1])};
  LADE_ASSIGN(
      const auto paused,
      connection.query("SELECT scope, name FROM lade_queue WHERE paused AND ((scope = 'queue' AND name = $1) OR "
                       "(scope = 'kind' AND name = $2))",
                       names));
  for (const db::Row& row : paused) reasons.push_back({.kind = "queue_paused", .subject = text_of(row[1])});
  const db::Value group[] = {text_of(task[2])};
  LADE_ASSIGN(const auto groups,
              connection.query("SELECT g.id FROM lade_task_group g LEFT JOIN lade_task_group p ON p.id = g.parent "
                               "WHERE g.id = $1 AND (g.paused OR p.paused)",
                               group));
  for (const db::Row& row : groups) reasons.push_back({.kind = "group_paused", .subject = text_of(row[0])});
  LADE_ASSIGN(const auto reserved,
              connection.query("SELECT n.name, n.boot FROM lade_task_group g JOIN lade_node n ON n.boot = "
                               "g.reserved_by WHERE g.id = $1",
                               group));
  for (const db::Row& row : reserved) reasons.push_back({.kind = "reserved", .subject = text_of(row[0])});
  return {};
}

Result<void> add_limits(db::Connection& connection, const db::Row& task, std::vector<WaitReason>& reasons) {
  const db::Value names[] = {text_of(task[0]), text_of(task[1])};
  LADE_ASSIGN(const auto limits,
              connection.query("SELECT q.scope, q.name, q.concurrency FROM lade_queue q WHERE q.concurrency IS NOT "
                               "NULL AND ((q.scope = 'queue' AND q.name = $1) OR (q.scope = 'kind' AND q.name = $2))",
                               names));
  for (const db::Row& limit : limits) {
    const std::string scope = text_of(limit[0]) == "queue" ? "queue" : "kind";
    const db::Value name[] = {text_of(limit[1])};
    LADE_ASSIGN(const auto running,
                connection.query(fmt::format("SELECT group_id FROM lade_task WHERE status = 'running' AND {} = $1 "
                                             "ORDER BY id",
                                             scope),
                                 name));
    if (static_cast<std::int64_t>(running.size()) < integer_of(limit[2])) continue;
    WaitReason reason{.kind = "limit_reached", .subject = text_of(limit[1]), .number = integer_of(limit[2])};
    for (const db::Row& row : running)
      if (std::ranges::find(reason.by, text_of(row[0])) == reason.by.end()) reason.by.push_back(text_of(row[0]));
    reasons.push_back(std::move(reason));
  }
  return {};
}

Result<void> add_nodes(db::Connection& connection, const db::Row& task, std::vector<WaitReason>& reasons) {
  const db::Value storage[] = {text_of(task[3])};
  LADE_ASSIGN(
      const auto nodes,
      connection.query("SELECT count(*) FROM lade_node WHERE NOT draining AND ($1 = '' OR storage = $1)", storage));
  if (integer_of(nodes[0][0]) == 0) reasons.push_back({.kind = "no_node", .subject = text_of(task[1])});
  return {};
}

}  // namespace

Result<std::vector<QueueFigures>> queue_figures(db::Connection& connection, Now now) {
  static const Sql sql(fmt::format(
      "SELECT x.company_id, x.queue, sum(x.running), sum(x.later), sum(x.held), sum(x.ready), "
      "max(CASE WHEN x.ready = 1 THEN x.waited END), CAST(sum(x.attempts) AS bigint) FROM (SELECT t.company_id, "
      "t.queue, t.attempts, "
      "CASE WHEN t.status = 'running' THEN 1 ELSE 0 END AS running, "
      "CASE WHEN t.status = 'pending' AND t.available_at > @now THEN 1 ELSE 0 END AS later, "
      "CASE WHEN t.status = 'pending' AND t.available_at <= @now AND {0} THEN 1 ELSE 0 END AS held, "
      "CASE WHEN t.status = 'pending' AND t.available_at <= @now AND NOT {0} THEN 1 ELSE 0 END AS ready, "
      "@now - @greatest(t.available_at, t.created_at) AS waited "
      "FROM lade_task t WHERE t.status IN ('pending', 'running')) x GROUP BY x.company_id, x.queue "
      "ORDER BY x.company_id, x.queue",
      kPaused));
  LADE_ASSIGN(const auto rows, connection.query(sql.of(connection), std::vector<db::Value>{value_of(now)}));
  std::vector<QueueFigures> all;
  for (const db::Row& row : rows) {
    QueueFigures figures{integer_of(row[0]), text_of(row[1]),    integer_of(row[5]), integer_of(row[4]),
                         integer_of(row[3]), integer_of(row[2]), integer_of(row[7])};
    if (figures.ready > 0) figures.oldest_ready = std::max<std::int64_t>(0, integer_of(row[6]));
    all.push_back(std::move(figures));
  }
  return all;
}

Result<std::vector<std::int64_t>> pickup_times(db::Connection& connection, std::int64_t company, std::int64_t tasks) {
  static const Sql sql(
      "SELECT started_at - @greatest(available_at, created_at) FROM lade_task WHERE started_at IS NOT NULL AND "
      "($1 = 0 OR company_id = $1) ORDER BY id DESC LIMIT $2");
  LADE_ASSIGN(const auto rows, connection.query(sql.of(connection), std::vector<db::Value>{company, tasks}));
  std::vector<std::int64_t> waits;
  for (const db::Row& row : rows) waits.push_back(std::max<std::int64_t>(0, integer_of(row[0])));
  std::ranges::sort(waits);
  return waits;
}

Result<std::vector<TaskAtWork>> running_tasks(db::Connection& connection, std::int64_t limit, Now now) {
  static const Sql sql(
      "SELECT t.id, t.company_id, t.kind, t.group_id, t.node, @now - t.started_at FROM lade_task t WHERE t.status = "
      "'running' ORDER BY t.started_at, t.id LIMIT $2");
  LADE_ASSIGN(const auto rows, connection.query(sql.of(connection), std::vector<db::Value>{value_of(now), limit}));
  std::vector<TaskAtWork> tasks;
  for (const db::Row& row : rows)
    tasks.push_back({integer_of(row[0]), integer_of(row[1]), text_of(row[2]), text_of(row[3]), text_of(row[4]),
                     std::max<std::int64_t>(0, integer_of(row[5]))});
  return tasks;
}

Result<std::int64_t> count_dead_letters(db::Connection& connection, std::int64_t company) {
  LADE_ASSIGN(const auto rows, connection.query("SELECT count(*) FROM lade_dead_letter d JOIN lade_task t ON t.id = "
                                                "d.task_id WHERE t.status = 'failed' AND ($1 = 0 OR d.company_id = $1)",
                                                std::vector<db::Value>{company}));
  return integer_of(rows[0][0]);
}

Result<std::vector<DeadLetterGroup>> group_dead_letters(db::Connection& connection, std::int64_t company, Now now) {
  constexpr std::int64_t kMost = 10'000, kHour = 3'600'000'000, kHours = 24;
  LADE_ASSIGN(const auto letters, dead_letters(connection, "", kMost, company));
  LADE_ASSIGN(const std::int64_t time, time_of(connection, now));
  std::map<std::string, DeadLetterGroup> groups;
  for (const DeadLetter& letter : letters) {
    DeadLetterGroup& group = groups[signature(letter)];
    if (group.count == 0)
      group = {.reason = letter.reason,
               .kind = letter.kind,
               .queue = letter.queue,
               .message = letter.message,
               .last_at = letter.died_at,
               .spark = std::vector<std::int64_t>(kHours)};
    ++group.count;
    group.first_at = letter.died_at;
    group.tasks.push_back(letter.task);
    const std::int64_t hours = std::max<std::int64_t>(0, (time - letter.died_at) / kHour);
    if (hours < kHours) ++group.spark[static_cast<std::size_t>(kHours - 1 - hours)];
  }
  std::vector<DeadLetterGroup> sorted;
  for (auto& [key, group] : groups) {
    group.key = key;
    sorted.push_back(std::move(group));
  }
  std::ranges::stable_sort(sorted, std::greater<>(), &DeadLetterGroup::count);
  return sorted;
}

Result<std::vector<WaitReason>> why_waiting(db::Connection& connection, std::int64_t task, Now now) {
  static const Sql sql(
      "SELECT t.queue, t.kind, t.group_id, t.storage, t.available_at, t.attempts, t.available_at > @now, t.priority, "
      "t.turn FROM lade_task t WHERE t.id = $2 AND t.status = 'pending'");
  std::vector<WaitReason> reasons;
  LADE_ASSIGN(const auto rows, connection.query(sql.of(connection), std::vector<db::Value>{value_of(now), task}));
  if (rows.empty()) return reasons;
  const db::Row& found = rows.front();
  LADE_TRY(add_pauses(connection, found, reasons));
  const bool later = found[6] != db::Value(std::int64_t{0});
  if (later)
    reasons.push_back({.kind = integer_of(found[5]) > 0 ? "retry_later" : "deferred",
                       .number = integer_of(found[5]),
                       .until = integer_of(found[4])});
  LADE_TRY(add_limits(connection, found, reasons));
  LADE_TRY(add_nodes(connection, found, reasons));
  if (!reasons.empty()) return reasons;
  static const Sql before(
      "SELECT count(*) FROM lade_task t WHERE t.status = 'pending' AND t.available_at <= @now AND (t.priority < $2 OR "
      "(t.priority = $2 AND (t.turn < $3 OR (t.turn = $3 AND t.id < $4))))");
  LADE_ASSIGN(const auto ahead,
              connection.query(before.of(connection), std::vector<db::Value>{value_of(now), found[7], found[8], task}));
  reasons.push_back({.kind = "behind_others", .number = integer_of(ahead[0][0])});
  return reasons;
}

}  // namespace lade::queue
