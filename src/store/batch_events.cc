#include "store/batch_events.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>

#include "store/batches.h"
#include "store/schema_text.h"
#include "store/sql.h"

namespace lade::store {
namespace {

namespace json = boost::json;
using db::Value;

// Batches are named by their UUIDs: the id of a deleted one may be given to another.
constexpr std::string_view kTable = R"sql(
CREATE TABLE lade_batch_event (
  id         @id,
  company_id integer NOT NULL,
  batch_uuid text NOT NULL,
  ref_type   text NOT NULL CHECK (ref_type IN ('batch', 'job', 'task')),
  ref_id     text NOT NULL,
  event_type text NOT NULL,
  actor      text NOT NULL,
  data       text NOT NULL,
  created_at @time NOT NULL
);
CREATE INDEX lade_batch_event_batch ON lade_batch_event (batch_uuid, id);
CREATE INDEX lade_batch_event_created ON lade_batch_event (company_id, created_at);
CREATE INDEX lade_job_batch_live ON lade_job (batch_id) WHERE outcome IS NULL;
ALTER TABLE lade_batch ADD finalized_at @time;
ALTER TABLE lade_batch ADD finalized_by text;
)sql";

Result<bool> has_live_jobs(db::Connection& connection, std::int64_t batch) {
  const Value values[] = {batch};
  LADE_ASSIGN(const auto rows,
              connection.query("SELECT 1 FROM lade_job WHERE batch_id = $1 AND outcome IS NULL LIMIT 1", values));
  return !rows.empty();
}

struct EndedJob {
  std::string uuid, outcome, ended_in, data;
};
Result<EndedJob> read_job(db::Connection& connection, std::int64_t job) {
  const Value values[] = {job};
  LADE_ASSIGN(
      const auto rows,
      connection.query("SELECT CAST(uuid AS text), outcome, ended_in, rows_total, rows_failed, error_code, slug "
                       "FROM lade_job WHERE id = $1",
                       values));
  if (rows.empty()) return EndedJob();
  const db::Row& row = rows.front();
  json::object data{{"job", text_of(row[6])}, {"rows_total", integer_of(row[3])}, {"rows_failed", integer_of(row[4])}};
  if (const std::string code = text_of(row[5]); !code.empty()) data["code"] = code;
  return EndedJob{text_of(row[0]), text_of(row[1]), text_of(row[2]), json::serialize(data)};
}

Result<void> tell_end(db::Connection& connection, std::int64_t batch, const EndedJob& job) {
  const bool unread = job.ended_in == "preparing_data" || job.ended_in == "upload_completed";
  const std::string_view type = job.outcome == "succeeded" ? batch_event::kJobSucceeded
                                : job.outcome != "failed"  ? batch_event::kJobCancelled
                                : unread                   ? batch_event::kIngestFailed
                                                           : batch_event::kJobFailed;
  LADE_TRY(append_batch_event(connection,
                              {.batch = batch, .type = type, .data = job.data, .ref_type = "job", .ref_id = job.uuid}));
  LADE_TRY(lock_batch(connection, batch));
  LADE_ASSIGN(const bool live, has_live_jobs(connection, batch));
  if (live) return {};
  LADE_ASSIGN(const auto record, batch_with_id(connection, batch));
  if (!record) return {};
  return append_batch_event(connection,
                            {.batch = batch, .type = batch_event::kCompleted, .data = totals_json(*record)});
}

}  // namespace

Result<void> append_batch_event(db::Connection& connection, const NewBatchEvent& event) {
  const Value values[] = {event.batch, event.ref_type, event.ref_id, std::string(event.type), event.actor, event.data};
  LADE_TRY(connection.execute(
      fmt::format("INSERT INTO lade_batch_event (company_id, batch_uuid, ref_type, ref_id, event_type, actor, data, "
                  "created_at) SELECT company_id, CAST(uuid AS text), CAST($2 AS text), "
                  "CASE WHEN CAST($3 AS text) = '' THEN CAST(uuid AS text) ELSE CAST($3 AS text) END, "
                  "CAST($4 AS text), CAST($5 AS text), CAST($6 AS text), {} FROM lade_batch WHERE id = $1",
                  now_sql(connection)),
      values));
  return {};
}

Result<std::vector<BatchEvent>> batch_events(db::Connection& connection, const std::string& batch, std::int64_t after,
                                             std::int64_t limit) {
  const Value values[] = {batch, after, limit};
  LADE_ASSIGN(const auto rows,
              connection.query(fmt::format("SELECT id, ref_type, ref_id, event_type, actor, data, {} FROM "
                                           "lade_batch_event WHERE batch_uuid = $1 AND id > $2 ORDER BY id LIMIT $3",
                                           time_sql(connection, "created_at")),
                               values));
  std::vector<BatchEvent> events;
  events.reserve(rows.size());
  for (const db::Row& row : rows)
    events.push_back({integer_of(row[0]), text_of(row[1]), text_of(row[2]), text_of(row[3]), text_of(row[4]),
                      text_of(row[5]), text_of(row[6])});
  return events;
}

Result<void> tell_batch(db::Connection& connection, std::int64_t batch, std::int64_t job, std::string_view kind) {
  static constexpr std::string_view kEnds[] = {"completed", "failed", "cancelled"};
  const bool ends = std::ranges::find(kEnds, kind) != std::end(kEnds);
  const bool planned = kind == "planned" || kind == "pages_planned";
  if (!ends && !planned) return {};
  // A job that fetches is planned twice: when its pages are known, and when they have become records.
  if (kind == "planned") {
    const Value values[] = {job};
    LADE_ASSIGN(const auto pages, connection.query("SELECT 1 FROM lade_page WHERE job_id = $1 LIMIT 1", values));
    if (!pages.empty()) return {};
  }
  LADE_ASSIGN(const EndedJob found, read_job(connection, job));
  if (planned)
    return append_batch_event(
        connection,
        {.batch = batch, .type = batch_event::kIngested, .data = found.data, .ref_type = "job", .ref_id = found.uuid});
  return found.outcome.empty() ? Result<void>() : tell_end(connection, batch, found);
}

Result<void> tell_batch_of_page(db::Connection& connection, const PageEvent& event) {
  const Value values[] = {event.job};
  LADE_ASSIGN(const auto rows,
              connection.query("SELECT batch_id FROM lade_job WHERE id = $1 AND batch_id IS NOT NULL", values));
  if (rows.empty()) return {};
  return append_batch_event(connection, {.batch = integer_of(rows[0][0]),
                                         .type = event.type,
                                         .data = event.data,
                                         .ref_type = "task",
                                         .ref_id = fmt::format("{}-{}", event.job, event.row)});
}

db::Migration batches_migration() {
  static const std::string sqlite =
                               for_sqlite(kTable) + append_only_in_sqlite("lade_batch_event", "no_update", "no_delete"),
                           postgresql = for_postgresql(kTable) + append_only_in_postgresql("lade_batch_event");
  return {25, "history of batches", sqlite, postgresql};
}

}  // namespace lade::store
