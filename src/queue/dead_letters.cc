#include "queue/dead_letters.h"

#include <fmt/format.h>

#include "queue/sql.h"
#include "queue/stage.h"

namespace lade::queue {

Error no_such_letter(std::int64_t task) {
  return Error{"dead_letter_not_found", fmt::format("task {} is no dead letter", task), "see lade queue dead-letters",
               ErrorKind::usage};
}

Result<std::vector<DeadLetter>> dead_letters(db::Connection& connection, const std::string& group, std::int64_t limit,
                                             std::int64_t company) {
  static const Sql sql(
      "SELECT d.task_id, d.queue, d.kind, d.group_id, t.payload, d.reason, d.message, d.attempts, d.crashes, "
      "d.retries, d.died_at FROM lade_dead_letter d JOIN lade_task t ON t.id = d.task_id "
      "WHERE t.status = 'failed' AND ($1 = '' OR d.group_id = $1) AND ($3 = 0 OR d.company_id = $3) "
      "ORDER BY d.died_at DESC, d.task_id DESC LIMIT $2");
  LADE_ASSIGN(const auto rows, connection.query(sql.of(connection), std::vector<db::Value>{group, limit, company}));
  std::vector<DeadLetter> letters;
  letters.reserve(rows.size());
  for (const db::Row& row : rows)
    letters.push_back({integer_of(row[0]), text_of(row[1]), text_of(row[2]), text_of(row[3]), text_of(row[4]),
                       text_of(row[5]), text_of(row[6]), integer_of(row[7]), integer_of(row[8]), integer_of(row[9]),
                       integer_of(row[10])});
  return letters;
}

Result<void> retry_dead_letter(db::Connection& connection, std::int64_t task) {
  return in_transaction(connection, [&]() -> Result<void> {
    static const Sql count("UPDATE lade_dead_letter SET retries = retries + 1 WHERE task_id = $1");
    LADE_ASSIGN(const auto found, connection.execute(count.of(connection), std::vector<db::Value>{task}));
    static const Sql rearm(
        "UPDATE lade_task SET status = 'pending', available_at = 0, attempts = 0, crashes = 0, alone = false, "
        "finished_at = NULL WHERE id = $1 AND status = 'failed' AND NOT EXISTS (SELECT 1 FROM lade_task l "
        "WHERE l.unique_key = lade_task.unique_key AND l.status IN ('pending', 'running')) "
        "RETURNING stage_id @notify");
    LADE_ASSIGN(const auto rows, connection.query(rearm.of(connection), std::vector<db::Value>{task}));
    if (found == 0) return fail(no_such_letter(task));
    if (rows.empty())
      return fail("task_exists", fmt::format("task {} is alive, or another live task has its unique key", task),
                  "wait until that task has ended", ErrorKind::usage);
    const std::int64_t stage = integer_of(rows.front().front());
    return stage == 0 ? Result<void>() : reopen_stage(connection, stage, Ending::failed, 1);
  });
}

Result<void> delete_dead_letter(db::Connection& connection, std::int64_t task) {
  static const Sql sql(
      "DELETE FROM lade_dead_letter WHERE task_id = $1 AND EXISTS (SELECT 1 FROM lade_task t WHERE t.id = $1 AND "
      "t.status = 'failed')");
  LADE_ASSIGN(const auto found, connection.execute(sql.of(connection), std::vector<db::Value>{task}));
  return found == 0 ? fail(no_such_letter(task)) : Result<void>();
}

Result<std::int64_t> purge(db::Connection& connection, Duration dead, Duration ended, Now now) {
  static const Sql letters("DELETE FROM lade_dead_letter WHERE died_at < @now - $2");
  static const Sql tasks(
      "DELETE FROM lade_task WHERE group_id IS NULL AND finished_at < @now - $2 AND NOT EXISTS "
      "(SELECT 1 FROM lade_dead_letter d WHERE d.task_id = lade_task.id)");
  LADE_ASSIGN(const auto first, connection.execute(letters.of(connection),
                                                   std::vector<db::Value>{value_of(now), std::int64_t{dead.count()}}));
  LADE_ASSIGN(
      const auto second,
      connection.execute(tasks.of(connection), std::vector<db::Value>{value_of(now), std::int64_t{ended.count()}}));
  return first + second;
}

}  // namespace lade::queue
