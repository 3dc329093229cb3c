#include "store/job_progress.h"

#include <fmt/format.h>

#include "store/sql.h"

namespace lade::store {
namespace {

using db::Value;

// Rows that were only settled are not in the job's counters yet. A phase begins and ends with events of the job.
constexpr std::string_view kQuery = R"sql(
WITH job AS (
  SELECT j.*, coalesce(rows_total, 0) AS total,
    {loaded} AS loaded,
    rows_failed + CASE WHEN state = 'finished' THEN 0 ELSE
      (SELECT CAST(coalesce(sum(o.rows_failed), 0) AS bigint) FROM lade_outcome o WHERE o.job_id = j.id AND o.settled)
    END AS refused,
    chunks_done + buckets_settled + buckets_processed AS steps_done, chunks + 2 * buckets AS steps,
    (SELECT max(e.created_at) FROM lade_event e WHERE e.job_id = j.id AND e.kind = 'planned') AS analysis_began,
    coalesce((SELECT max(e.created_at) FROM lade_event e
              WHERE e.job_id = j.id AND e.kind IN ('analysed', 'review_needed')), finished_at, {now}) AS analysis_ended,
    (SELECT max(e.created_at) FROM lade_event e
     WHERE e.job_id = j.id AND e.kind IN ('analysed', 'processing_started', 'processing_retried')) AS import_began,
    coalesce(finished_at, {now}) AS import_ended
  FROM lade_job j WHERE id = $1
), counted AS (
  SELECT job.*, total - CASE WHEN rows_analysed > total THEN total ELSE rows_analysed END AS untouched,
    {analysis_seconds} AS analysis_seconds, {import_seconds} AS import_seconds
  FROM job
), staged AS (
  SELECT counted.*, CASE WHEN total > untouched + loaded + refused THEN total - untouched - loaded - refused ELSE 0 END
    AS waiting
  FROM counted
)
SELECT {object}('job_id', uuid, 'job', slug, 'state', state, 'outcome', outcome, 'total_rows', rows_total,
  'analysed_rows', rows_analysed, 'imported_rows', loaded,
  'pct', CASE WHEN state IN ('waiting_for_upload', 'upload_completed') THEN 0 WHEN state = 'preparing_data' THEN 5
    WHEN state = 'finished' THEN 100 WHEN steps = 0 THEN 10
    ELSE 10 + 89 * CASE WHEN steps_done > steps THEN steps ELSE steps_done END / steps END,
  'analysis_rows_per_sec', CASE WHEN analysis_seconds > 0
    THEN round(CAST(rows_analysed / analysis_seconds AS numeric), 1) END,
  'import_rows_per_sec', CASE WHEN import_seconds > 0 THEN round(CAST(loaded / import_seconds AS numeric), 1) END,
  'row_states', {object}(
    'pending', CASE WHEN state = 'analysing_data' THEN 0 ELSE untouched END,
    'analysing', CASE WHEN state = 'analysing_data' THEN untouched ELSE 0 END,
    'analysed', CASE WHEN state = 'processing_data' THEN 0 ELSE waiting END,
    'processing', CASE WHEN state = 'processing_data' THEN waiting ELSE 0 END,
    'processed', loaded, 'error', refused))
FROM staged)sql";

std::string seconds_sql(bool sqlite, std::string_view phase) {
  return fmt::format(fmt::runtime(sqlite ? "(julianday({0}_ended) - julianday({0}_began)) * 86400.0"
                                         : "CAST(extract(epoch FROM {0}_ended - {0}_began) AS double precision)"),
                     phase);
}

// With deleted rows since migration 16.
constexpr std::string_view kLoadedBefore = "rows_inserted + rows_updated + rows_unchanged + rows_skipped";
constexpr std::string_view kLoaded = "rows_inserted + rows_updated + rows_unchanged + rows_skipped + rows_deleted";

std::string progress_query(db::Backend backend, std::string_view loaded) {
  const bool sqlite = backend == db::Backend::sqlite;
  return fmt::format(fmt::runtime(kQuery), fmt::arg("loaded", loaded),
                     fmt::arg("now", sqlite ? "strftime('%Y-%m-%dT%H:%M:%fZ', 'now')" : "clock_timestamp()"),
                     fmt::arg("analysis_seconds", seconds_sql(sqlite, "analysis")),
                     fmt::arg("import_seconds", seconds_sql(sqlite, "import")),
                     fmt::arg("object", sqlite ? "json_object" : "json_build_object"));
}

}  // namespace

std::string job_progress_query(db::Backend backend) {
  return progress_query(backend, kLoaded);
}

std::string job_progress_function() {
  return fmt::format(R"sql(DO $do$
BEGIN
  IF to_regprocedure(quote_ident(current_schema()) || '.get_import_job_progress(integer)') IS NULL THEN
    CREATE FUNCTION get_import_job_progress(job_id integer) RETURNS json LANGUAGE sql STABLE SET search_path FROM CURRENT
    AS $body${}$body$;
  END IF;
END
$do$;
)sql",
                     progress_query(db::Backend::postgresql, kLoadedBefore));
}

std::string newer_job_progress_function() {
  return fmt::format(R"sql(DO $do$
BEGIN
  IF (SELECT prosrc LIKE '%lade_outcome%' FROM pg_proc
      WHERE oid = to_regprocedure(quote_ident(current_schema()) || '.get_import_job_progress(integer)')) THEN
    CREATE OR REPLACE FUNCTION get_import_job_progress(job_id integer) RETURNS json LANGUAGE sql STABLE
    SET search_path FROM CURRENT AS $body${}$body$;
  END IF;
END
$do$;
)sql",
                     job_progress_query(db::Backend::postgresql));
}

Result<std::string> job_progress(db::Connection& connection, std::int64_t job) {
  const Value values[] = {job};
  LADE_ASSIGN(const auto rows, connection.query(job_progress_query(connection.backend()), values));
  if (rows.empty()) return fail("job_not_found", fmt::format("there is no job {}", job), "", ErrorKind::invalid);
  return text_of(rows[0][0]);
}

}  // namespace lade::store
