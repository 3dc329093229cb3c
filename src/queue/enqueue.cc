#include "queue/enqueue.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "db/wire.h"
#include "queue/sql.h"
#include "queue/stage.h"

// Fairness is decided here. A task's turn is its place in a round-robin over the groups: a group's first task has the
// turn that is being served now, each further one the next. Ten thousand tasks of one group so lie behind each other,
// three of another group that come later lie beside the first ones, and claiming is one walk along an index.
namespace lade::queue {
namespace {

// $2 the priority, $3 the group: the turn of the group's next task. The turn being served is that of the first task
// that may run. Nobody locks anything for it: tasks enqueued at the same time may share a turn, and then go by age.
constexpr std::string_view kNextTurn = R"sql(@greatest(
  coalesce((SELECT t.turn FROM lade_task t
            WHERE t.status = 'pending' AND t.priority = $2 AND t.available_at <= @now AND NOT EXISTS (
              SELECT 1 FROM lade_task_group g LEFT JOIN lade_task_group p ON p.id = g.parent
              WHERE g.id = t.group_id AND (g.paused OR p.paused))
            ORDER BY t.turn LIMIT 1), 0),
  coalesce((SELECT max(turn) + 1 FROM lade_task WHERE group_id = $3 AND status = 'pending'), 0)))sql";

Result<std::optional<std::int64_t>> insert(db::Connection& connection, const NewTask& task, Now now) {
  static const Sql sql(
      "INSERT INTO lade_task (created_at, available_at, turn, priority, group_id, company_id, queue, kind, stage_id, "
      "payload, storage, unique_key, essential) VALUES (@now, " +
      after("$4") + ", " + std::string(kNextTurn) +
      ", $2, $3, $5, $6, $7, $8, $9, $10, $11, $12) "
      "ON CONFLICT (unique_key) WHERE unique_key IS NOT NULL AND status IN ('pending', 'running') DO NOTHING "
      "RETURNING id @notify");
  const db::Value values[] = {value_of(now),
                              task.priority,
                              text_or_null(task.group),
                              std::int64_t{task.delay.count()},
                              task.company,
                              task.queue,
                              task.kind,
                              task.stage == 0 ? db::Value() : db::Value(task.stage),
                              task.payload,
                              task.storage,
                              text_or_null(task.unique_key),
                              std::int64_t{task.essential}};
  LADE_ASSIGN(const auto rows, connection.query(sql.of(connection), values));
  if (rows.empty()) return std::nullopt;
  return integer_of(rows.front().front());
}

// Tasks as tuples for copy_in.
class TaskTuples final : public db::TupleSource {
 public:
  // How many tasks of a group and priority came before, and the first one's turn.
  using Turns = std::map<std::pair<std::string_view, std::int64_t>, std::int64_t>;

  TaskTuples(std::span<const NewTask> tasks, Turns turns, std::int64_t now, bool sqlite)
      : tasks_(tasks), turns_(std::move(turns)), now_(now), sqlite_(sqlite) {}

  static std::span<const std::string> columns() {
    static const std::string names[] = {"created_at", "available_at", "turn",    "priority", "company_id", "stage_id",
                                        "group_id",   "queue",        "payload", "kind",     "storage"};
    return names;
  }

  std::optional<std::string_view> next() override {
    if (next_ == tasks_.size()) return std::nullopt;
    const NewTask& task = tasks_[next_++];
    std::int64_t& turn = turns_.at({task.group, task.priority});
    tuple_.clear();
    const std::int64_t available = task.delay.count() == 0 ? 0 : now_ + task.delay.count();
    for (const std::int64_t number : {now_, available, turn, task.priority, task.company}) add(number);
    if (!task.group.empty()) ++turn;
    if (task.stage == 0) {
      db::append_null(tuple_);
    } else {
      add(task.stage);
    }
    if (task.group.empty()) {
      db::append_null(tuple_);
    } else {
      add(task.group);
    }
    for (const std::string* text : {&task.queue, &task.payload, &task.kind, &task.storage}) add(*text);
    return tuple_;
  }

 private:
  void add(std::int64_t number) {
    if (sqlite_) return db::append_sqlite_integer(tuple_, number);
    db::append_big_endian<std::int32_t>(tuple_, sizeof number);
    db::append_big_endian(tuple_, number);
  }
  void add(std::string_view text) {
    if (sqlite_) return db::append_sqlite_text(tuple_, text);
    db::append_field(tuple_, text);
  }

  std::span<const NewTask> tasks_;
  Turns turns_;
  std::int64_t now_;
  bool sqlite_;
  std::size_t next_ = 0;
  std::string tuple_;
};

// Can be copied: COPY knows nothing of conflicts, and its tuples have no booleans.
bool is_plain(const NewTask& task) {
  return task.unique_key.empty() && !task.essential;
}

Result<void> copy(db::Connection& connection, std::span<const NewTask> tasks, Now now) {
  static const Sql next_turn("SELECT @now, " + std::string(kNextTurn));
  TaskTuples::Turns turns;
  std::int64_t time = 0;
  for (const NewTask& task : tasks) {
    const auto [entry, added] = turns.try_emplace({task.group, task.priority}, 0);
    if (!added) continue;
    const db::Value values[] = {value_of(now), task.priority, text_or_null(task.group)};
    LADE_ASSIGN(const auto rows, connection.query(next_turn.of(connection), values));
    time = integer_of(rows.front()[0]);
    entry->second = integer_of(rows.front()[1]);
  }
  const bool sqlite = connection.backend() == db::Backend::sqlite;
  TaskTuples tuples(tasks, std::move(turns), time, sqlite);
  LADE_TRY(connection.copy_in("lade_task", TaskTuples::columns(), tuples));
  if (!sqlite) LADE_TRY(connection.query("SELECT pg_notify('lade_task', '')"));
  return {};
}

}  // namespace

Result<std::optional<std::int64_t>> enqueue(db::Connection& connection, const NewTask& task, Now now) {
  if (task.stage == 0) return insert(connection, task, now);
  std::optional<std::int64_t> id;
  const auto work = [&]() -> Result<void> {
    LADE_ASSIGN(id, insert(connection, task, now));
    return id ? add_to_stage(connection, task.stage, 1) : Result<void>();
  };
  LADE_TRY(in_transaction(connection, work));
  return id;
}

Result<std::int64_t> enqueue_all(db::Connection& connection, std::span<const NewTask> tasks, Now now) {
  std::int64_t count = 0;
  if (tasks.empty()) return count;
  std::map<std::int64_t, std::int64_t> stages;  // in the order of their ids, in which everybody locks them
  const auto work = [&]() -> Result<void> {
    if (std::ranges::all_of(tasks, is_plain)) {
      LADE_TRY(copy(connection, tasks, now));
      for (const NewTask& task : tasks) ++stages[task.stage];
      count = static_cast<std::int64_t>(tasks.size());
    } else {
      for (const NewTask& task : tasks) {
        LADE_ASSIGN(const auto id, insert(connection, task, now));
        if (!id) continue;
        ++stages[task.stage];
        ++count;
      }
    }
    stages.erase(0);
    for (const auto& [stage, added] : stages) LADE_TRY(add_to_stage(connection, stage, added));
    return {};
  };
  LADE_TRY(in_transaction(connection, work));
  return count;
}

}  // namespace lade::queue
