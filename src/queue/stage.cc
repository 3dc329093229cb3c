#include "queue/stage.h"

#include <fmt/format.h>

#include "base/failpoint.h"
#include "queue/enqueue.h"
#include "queue/sql.h"

namespace lade::queue {
namespace {

constexpr std::int64_t kNoFinaliser = -1;

Stage stage_of(const db::Row& row) {
  return {integer_of(row[0]), integer_of(row[1]),      integer_of(row[2]), integer_of(row[3]),
          integer_of(row[4]), integer_of(row[5]) != 0, integer_of(row[6])};
}

Error no_such_stage(std::string which) {
  return Error{"stage_not_found", fmt::format("there is no stage {}", which), "open the stage first"};
}

// Enqueues the finaliser if it is time. The caller's transaction holds the stage's row.
Result<void> finalise_if_done(db::Connection& connection, std::int64_t stage, Now now) {
  static const Sql find(
      "SELECT group_id, round, then_kind, then_payload, then_queue, then_priority, then_storage, company_id "
      "FROM lade_stage WHERE id = $1 AND sealed AND open = 0 AND finaliser IS NULL");
  LADE_ASSIGN(const auto rows, connection.query(find.of(connection), std::vector<db::Value>{stage}));
  if (rows.empty()) return {};
  const db::Row& row = rows.front();
  std::int64_t finaliser = kNoFinaliser;
  if (!text_of(row[2]).empty()) {
    LADE_FAILPOINT("finalise");
    const NewTask then{.kind = text_of(row[2]),
                       .payload = text_of(row[3]),
                       .queue = text_of(row[4]),
                       .group = text_of(row[0]),
                       .priority = integer_of(row[5]),
                       .storage = text_of(row[6]),
                       .unique_key = fmt::format("stage/{}/{}", stage, integer_of(row[1])),
                       .essential = true,
                       .company = integer_of(row[7])};
    LADE_ASSIGN(const auto id, enqueue(connection, then, now));
    if (!id) return {};
    finaliser = *id;
  }
  static const Sql finish("UPDATE lade_stage SET finaliser = $2 WHERE id = $1");
  LADE_TRY(connection.execute(finish.of(connection), std::vector<db::Value>{stage, finaliser}));
  return {};
}

}  // namespace

Result<std::int64_t> open_stage(db::Connection& connection, const NewStage& stage) {
  // The update changes nothing; it makes RETURNING give the row that is there.
  static const Sql sql(
      "INSERT INTO lade_stage (group_id, name, then_kind, then_payload, then_queue, then_priority, then_storage, "
      "company_id) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) "
      "ON CONFLICT (group_id, name) DO UPDATE SET name = excluded.name RETURNING id");
  const NewTask& then = stage.then;
  const db::Value values[] = {stage.group, stage.name,    then.kind,    then.payload,
                              then.queue,  then.priority, then.storage, then.company};
  LADE_ASSIGN(const auto rows, connection.query(sql.of(connection), values));
  return integer_of(rows.front().front());
}

Result<void> seal_stage(db::Connection& connection, std::int64_t stage, Now now) {
  return in_transaction(connection, [&]() -> Result<void> {
    static const Sql sql("UPDATE lade_stage SET sealed = true WHERE id = $1");
    LADE_ASSIGN(const auto found, connection.execute(sql.of(connection), std::vector<db::Value>{stage}));
    if (found == 0) return fail(no_such_stage(std::to_string(stage)));
    return finalise_if_done(connection, stage, now);
  });
}

Result<Stage> read_stage(db::Connection& connection, std::int64_t stage) {
  static const Sql sql("SELECT id, total, open, failed, cancelled, sealed, finaliser FROM lade_stage WHERE id = $1");
  LADE_ASSIGN(const auto rows, connection.query(sql.of(connection), std::vector<db::Value>{stage}));
  if (rows.empty()) return fail(no_such_stage(std::to_string(stage)));
  return stage_of(rows.front());
}

Result<Stage> find_stage(db::Connection& connection, const std::string& group, const std::string& name) {
  static const Sql sql(
      "SELECT id, total, open, failed, cancelled, sealed, finaliser FROM lade_stage WHERE group_id = $1 AND name = $2");
  LADE_ASSIGN(const auto rows, connection.query(sql.of(connection), std::vector<db::Value>{group, name}));
  if (rows.empty()) return fail(no_such_stage(fmt::format("'{}' of group {}", name, group)));
  return stage_of(rows.front());
}

Result<bool> is_finaliser(db::Connection& connection, std::int64_t task) {
  static const Sql sql("SELECT 1 FROM lade_stage WHERE finaliser = $1");
  LADE_ASSIGN(const auto rows, connection.query(sql.of(connection), std::vector<db::Value>{task}));
  return !rows.empty();
}

Result<void> add_to_stage(db::Connection& connection, std::int64_t stage, std::int64_t count) {
  static const Sql sql(
      "UPDATE lade_stage SET total = total + $2, open = open + $2 WHERE id = $1 AND finaliser IS NULL");
  LADE_ASSIGN(const auto found, connection.execute(sql.of(connection), std::vector<db::Value>{stage, count}));
  if (found == 0)
    return fail("stage_finished", fmt::format("stage {} has ended or does not exist; no task can join it", stage),
                "enqueue before the stage is sealed, or from one of its running tasks");
  return {};
}

Result<void> end_in_stage(db::Connection& connection, std::int64_t stage, Ending ending, std::int64_t count, Now now) {
  static const Sql sql(
      "UPDATE lade_stage SET open = open - $2, failed = failed + $3, cancelled = cancelled + $4 WHERE id = $1");
  const db::Value values[] = {stage, count, ending == Ending::failed ? count : 0,
                              ending == Ending::cancelled ? count : 0};
  LADE_TRY(connection.execute(sql.of(connection), values));
  return finalise_if_done(connection, stage, now);
}

Result<void> reopen_stage(db::Connection& connection, std::int64_t stage, Ending was, std::int64_t count) {
  static const Sql sql(
      "UPDATE lade_stage SET open = open + $2, failed = failed - $3, cancelled = cancelled - $4, "
      "round = round + CASE WHEN finaliser IS NULL THEN 0 ELSE 1 END, finaliser = NULL WHERE id = $1");
  const db::Value values[] = {stage, count, was == Ending::failed ? count : 0, was == Ending::cancelled ? count : 0};
  LADE_TRY(connection.execute(sql.of(connection), values));
  return {};
}

Result<std::int64_t> reconcile_stages(db::Connection& connection, Now now) {
  // Read without locks: a stage that looks wrong is looked at again under its lock.
  constexpr std::string_view kTruth =
      "(SELECT count(*) FROM lade_task t WHERE t.group_id = s.group_id AND t.stage_id = s.id "
      "AND t.status IN ('pending', 'running'))";
  static const Sql suspects(fmt::format(
      "SELECT s.id FROM lade_stage s WHERE s.finaliser IS NULL AND (s.open <> {0} OR (s.sealed AND s.open = 0)) "
      "UNION ALL SELECT s.id FROM lade_stage s WHERE s.finaliser > 0 AND s.sealed AND s.open = 0 "
      "AND NOT EXISTS (SELECT 1 FROM lade_task f WHERE f.id = s.finaliser)",
      kTruth));
  static const Sql lock("SELECT id FROM lade_stage WHERE id = $1 @for_update");
  static const Sql correct(
      fmt::format("UPDATE lade_stage AS s SET open = {0}, finaliser = NULL WHERE s.id = $1 AND (s.open <> {0} OR "
                  "(s.finaliser > 0 AND NOT EXISTS (SELECT 1 FROM lade_task f WHERE f.id = s.finaliser)))",
                  kTruth));
  LADE_ASSIGN(const auto rows, connection.query(suspects.of(connection)));
  std::int64_t corrected = 0;
  for (const db::Row& row : rows) {
    const auto work = [&]() -> Result<void> {
      const std::vector<db::Value> id = {row[0]};
      LADE_TRY(connection.query(lock.of(connection), id));
      LADE_ASSIGN(const auto changed, connection.execute(correct.of(connection), id));
      LADE_ASSIGN(const Stage before, read_stage(connection, integer_of(row[0])));
      LADE_TRY(finalise_if_done(connection, before.id, now));
      LADE_ASSIGN(const Stage after, read_stage(connection, before.id));
      if (changed > 0 || after.finaliser != before.finaliser) ++corrected;
      return {};
    };
    LADE_TRY(in_transaction(connection, work));
  }
  return corrected;
}

}  // namespace lade::queue
