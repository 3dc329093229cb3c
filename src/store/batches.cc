#include "store/batches.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <charconv>

#include "store/batch_events.h"
#include "store/sql.h"

namespace lade::store {
namespace {

using db::Value;

// One row for each batch and each way in which its jobs stand. {batches} chooses the batches.
constexpr std::string_view kSelect = R"sql(
SELECT b.id, CAST(b.uuid AS text), b.name, b.source_manifest, b.created_by, b.newcomers_wait, {created_at},
       j.state, j.outcome, j.paused, count(j.id), count(j.started_at), {started_at}, {finished_at},
       CAST(sum(coalesce(j.rows_total, j.rows_read)) AS bigint),
       CAST(sum(j.rows_inserted + j.rows_updated + j.rows_unchanged + j.rows_deleted + j.rows_failed + j.rows_skipped) AS bigint),
       CAST(sum(j.rows_failed) AS bigint),
       CAST(sum(CASE WHEN j.chunks + j.buckets = 0 THEN 0
                     ELSE 1000 * (j.chunks_done + j.buckets_settled + j.buckets_processed) / (j.chunks + 2 * j.buckets)
                END) AS bigint),
       CAST(sum(j.rows_unprocessed) AS bigint), {finalized_at}, b.finalized_by,
       CASE WHEN EXISTS (SELECT 1 FROM lade_page p WHERE p.job_id = j.id) THEN 1 ELSE 0 END
FROM (SELECT * FROM lade_batch WHERE {batches}) b
LEFT JOIN lade_job j ON j.batch_id = b.id
GROUP BY b.id, b.uuid, b.name, b.source_manifest, b.created_by, b.newcomers_wait, b.created_at, b.finalized_at, b.finalized_by,
         j.state, j.outcome, j.paused, 22
ORDER BY b.id DESC)sql";
constexpr std::int64_t kWholeShare = 1000;  // of a job, in the sum of shares

// The pages of the jobs of the same batches that fetch. One that has come has failed all the same when its row has.
constexpr std::string_view kSelectPages = R"sql(
SELECT q.batch_id, q.id, q.outcome, q.status, count(*)
FROM (SELECT j.batch_id, j.id, j.outcome,
             CASE WHEN p.status = 'succeeded' AND p.gathered = 1 AND j.rows_failed > 0 AND EXISTS
               (SELECT 1 FROM lade_issue i WHERE i.job_id = p.job_id AND i.row_id = p.row_id AND i.severity = 'error')
             THEN 'failed' ELSE p.status END AS status
      FROM lade_job j JOIN lade_page p ON p.job_id = j.id
      WHERE j.batch_id IN (SELECT id FROM lade_batch WHERE {batches})) q
GROUP BY q.batch_id, q.id, q.outcome, q.status
ORDER BY q.batch_id, q.id)sql";

std::string select_batches(const db::Connection& connection, std::string_view condition) {
  const auto time = [&](std::string_view column) { return time_sql(connection, column); };
  return fmt::format(fmt::runtime(kSelect), fmt::arg("batches", condition),
                     fmt::arg("created_at", time("b.created_at")), fmt::arg("started_at", time("min(j.started_at)")),
                     fmt::arg("finished_at", time("max(j.finished_at)")),
                     fmt::arg("finalized_at", time("b.finalized_at")));
}

BatchRecord batch_of(const db::Row& row) {
  BatchRecord batch;
  batch.id = integer_of(row[0]);
  batch.uuid = text_of(row[1]);
  batch.name = text_of(row[2]);
  batch.source_manifest = text_of(row[3]);
  batch.created_by = text_of(row[4]);
  batch.newcomers_wait = integer_of(row[5]) != 0;
  batch.created_at = text_of(row[6]);
  batch.finalized_at = text_of(row[19]);
  batch.finalized_by = text_of(row[20]);
  return batch;
}

// Rows of jobs that do not fetch, as tasks.
void add_rows(RowTaskCounts& tasks, const db::Row& row) {
  const std::int64_t processed = integer_of(row[15]), failed = integer_of(row[16]), unprocessed = integer_of(row[18]);
  tasks.total += integer_of(row[14]);
  tasks.succeeded += processed - failed;
  tasks.failed += failed;
  tasks.cancelled += unprocessed;
}

// Adds the jobs that stand alike; `progress` is their sum until all are added.
void add_jobs(BatchRecord& batch, const db::Row& row) {
  const std::int64_t jobs = integer_of(row[10]);
  if (jobs == 0) return;
  const model::JobStanding standing{model::job_state_of(text_of(row[7])).value(),
                                    model::job_outcome_of(text_of(row[8]))};
  batch.jobs.add(standing, integer_of(row[9]) != 0, jobs);
  batch.jobs.started += integer_of(row[11]);
  // Times of this form are in the order of their letters.
  if (const std::string started = text_of(row[12]); !started.empty())
    batch.started_at = batch.started_at.empty() ? started : std::min(batch.started_at, started);
  batch.completed_at = std::max(batch.completed_at, text_of(row[13]));
  batch.rows_total += integer_of(row[14]);
  batch.rows_processed += integer_of(row[15]);
  batch.rows_failed += integer_of(row[16]);
  if (integer_of(row[21]) == 0) add_rows(batch.tasks, row);
  batch.progress +=
      static_cast<int>(jobs) * model::job_progress(standing.state, integer_of(row[17]), kWholeShare * jobs);
}

// A job that fetches, by the statuses of its pages.
struct FetchingJob {
  std::int64_t batch = 0, job = 0;
  bool succeeded = false;
  RowTaskCounts pages = {};
};

void add_fetching_job(std::vector<BatchRecord>& batches, const FetchingJob& job) {
  const auto batch = std::ranges::find(batches, job.batch, &BatchRecord::id);
  if (batch == batches.end()) return;
  RowTaskCounts& tasks = batch->tasks;
  tasks.total += job.pages.total;
  tasks.succeeded += job.pages.succeeded;
  tasks.failed += job.pages.failed;
  tasks.blocked += job.pages.blocked;
  tasks.cancelled += job.pages.cancelled;
  if (job.succeeded && job.pages.succeeded == 0 && job.pages.failed > 0 && job.pages.blocked == 0)
    ++batch->jobs.fruitless;
}

Result<void> add_pages(db::Connection& connection, std::string_view condition, std::span<const Value> values,
                       std::vector<BatchRecord>& batches) {
  LADE_ASSIGN(const auto rows,
              connection.query(fmt::format(fmt::runtime(kSelectPages), fmt::arg("batches", condition)), values));
  FetchingJob job;
  for (const db::Row& row : rows) {
    if (integer_of(row[1]) != job.job) {
      if (job.job != 0) add_fetching_job(batches, job);
      job = {integer_of(row[0]), integer_of(row[1]), text_of(row[2]) == "succeeded"};
    }
    const std::string status = text_of(row[3]);
    const std::int64_t count = integer_of(row[4]);
    job.pages.total += count;
    if (status == "succeeded") job.pages.succeeded += count;
    if (status == "failed") job.pages.failed += count;
    if (status == "blocked") job.pages.blocked += count;
    if (status == "cancelled") job.pages.cancelled += count;
  }
  if (job.job != 0) add_fetching_job(batches, job);
  return {};
}

Result<std::vector<BatchRecord>> read_batches(db::Connection& connection, std::string_view condition,
                                              std::span<const Value> values) {
  LADE_ASSIGN(const auto rows, connection.query(select_batches(connection, condition), values));
  std::vector<BatchRecord> batches;
  bool fetch = false;
  for (const db::Row& row : rows) {
    if (batches.empty() || batches.back().id != integer_of(row[0])) batches.push_back(batch_of(row));
    add_jobs(batches.back(), row);
    fetch |= integer_of(row[21]) != 0;
  }
  if (fetch) LADE_TRY(add_pages(connection, condition, values, batches));
  for (BatchRecord& batch : batches) {
    if (batch.jobs.total() > 0) batch.progress /= static_cast<int>(batch.jobs.total());
    if (batch.jobs.live() > 0) batch.completed_at.clear();
  }
  return batches;
}

// What the jobs of a batch with this status must be like; the rest is left to batch_status().
std::string_view condition_of(std::string_view status) {
  constexpr std::string_view kLive = "EXISTS (SELECT 1 FROM lade_job l WHERE l.batch_id = b.id AND l.outcome IS NULL)",
                             kEnded =
                                 "NOT EXISTS (SELECT 1 FROM lade_job l WHERE l.batch_id = b.id AND l.outcome IS NULL)";
  if (status.empty() || status == "pending") return "1 = 1";  // a batch without jobs is pending, too
  return status == "running" || status == "paused" ? kLive : kEnded;
}

Result<std::optional<BatchRecord>> first_of(Result<std::vector<BatchRecord>> batches) {
  if (!batches) return fail(std::move(batches).error());
  return batches->empty() ? std::nullopt : std::optional(std::move(batches->front()));
}

// Gives whether the batch was made.
Result<bool> insert_batch(db::Connection& connection, const NewBatch& batch) {
  const Value values[] = {batch.uuid, batch.company, batch.name, text_or_null(batch.source_manifest), batch.created_by};
  LADE_ASSIGN(const auto made,
              connection.query(fmt::format("INSERT INTO lade_batch (uuid, company_id, name, source_manifest, "
                                           "created_by, created_at) VALUES ($1, $2, $3, $4, $5, {}) "
                                           "ON CONFLICT (company_id, name) DO NOTHING RETURNING id",
                                           now_sql(connection)),
                               values));
  if (made.empty()) return false;
  boost::json::object data{{"name", batch.name}};
  if (!batch.source_manifest.empty()) data["source_manifest"] = batch.source_manifest;
  LADE_TRY(append_batch_event(connection, {.batch = integer_of(made[0][0]),
                                           .type = batch_event::kCreated,
                                           .actor = batch.created_by,
                                           .data = boost::json::serialize(data)}));
  return true;
}

Result<std::int64_t> id_by_name(db::Connection& connection, const NewBatch& batch) {
  const Value named[] = {batch.company, batch.name};
  LADE_ASSIGN(const auto rows,
              connection.query("SELECT id FROM lade_batch WHERE company_id = $1 AND name = $2", named));
  return integer_of(rows.front().front());
}

}  // namespace

Result<std::int64_t> find_or_create_batch(db::Connection& connection, const NewBatch& batch) {
  return in_transaction(connection, [&]() -> Result<std::int64_t> {
    LADE_TRY(insert_batch(connection, batch));
    return id_by_name(connection, batch);
  });
}

Result<std::int64_t> create_batch(db::Connection& connection, const NewBatch& batch) {
  return in_transaction(connection, [&]() -> Result<std::int64_t> {
    LADE_ASSIGN(const bool made, insert_batch(connection, batch));
    if (!made)
      return fail("batch_exists", fmt::format("there is a batch '{}' already", batch.name),
                  "choose another name, or add imports to it by POST /api/v1/imports", ErrorKind::duplicate);
    return id_by_name(connection, batch);
  });
}

Result<std::optional<BatchRecord>> find_batch(db::Connection& connection, std::string_view reference,
                                              std::int64_t company) {
  std::int64_t id = 0;
  const char* end = reference.data() + reference.size();
  if (const auto parsed = std::from_chars(reference.data(), end, id); parsed.ptr != end || parsed.ec != std::errc())
    id = 0;
  const Value values[] = {company, std::string(reference), id};
  return first_of(read_batches(connection,
                               "company_id = $1 AND (name = $2 OR CAST(uuid AS text) = $2 OR id = CAST($3 AS bigint)) "
                               "ORDER BY name = $2 DESC, CAST(uuid AS text) = $2 DESC LIMIT 1",
                               values));
}

Result<std::optional<BatchRecord>> batch_with_id(db::Connection& connection, std::int64_t id) {
  const Value values[] = {id};
  return first_of(read_batches(connection, "id = $1", values));
}

std::string totals_json(const BatchRecord& batch) {
  return boost::json::serialize(boost::json::object{{"status", batch.status()},
                                                    {"jobs",
                                                     {{"total", batch.jobs.total()},
                                                      {"succeeded", batch.jobs.succeeded},
                                                      {"failed", batch.jobs.failed},
                                                      {"cancelled", batch.jobs.ended_by_people}}},
                                                    {"tasks",
                                                     {{"total", batch.tasks.total},
                                                      {"processed", batch.tasks.processed()},
                                                      {"succeeded", batch.tasks.succeeded},
                                                      {"failed", batch.tasks.failed},
                                                      {"blocked", batch.tasks.blocked},
                                                      {"cancelled", batch.tasks.cancelled}}}});
}

Result<BatchPage> list_batches(db::Connection& connection, const BatchFilter& filter) {
  if (!filter.status.empty() && !model::is_batch_status(filter.status))
    return fail("status_unknown", fmt::format("no batch has the status '{}'", filter.status),
                "pending, running, paused, succeeded, failed or cancelled", ErrorKind::usage);
  // With a status many may have to be looked at.
  const std::int64_t at_once = filter.status.empty() ? filter.limit + 1 : std::max<std::int64_t>(filter.limit + 1, 500);
  const std::string_view time = connection.backend() == db::Backend::sqlite ? "text" : "timestamptz";
  const std::string condition = fmt::format(
      "id IN (SELECT b.id FROM lade_batch b WHERE b.company_id = $1 "
      "AND (CAST($2 AS bigint) IS NULL OR b.id < CAST($2 AS bigint)) "
      "AND (CAST($4 AS text) IS NULL OR b.created_by = $4) "
      "AND (CAST($5 AS {0}) IS NULL OR b.created_at >= CAST($5 AS {0})) "
      "AND (CAST($6 AS {0}) IS NULL OR b.created_at < CAST($6 AS {0})) AND {1} ORDER BY b.id DESC LIMIT $3)",
      time, condition_of(filter.status));
  BatchPage page;
  std::int64_t before = filter.before;
  for (;;) {
    const Value values[] = {filter.company,
                            id_or_null(before),
                            at_once,
                            text_or_null(filter.created_by),
                            text_or_null(filter.since),
                            text_or_null(filter.until)};
    LADE_ASSIGN(auto batches, read_batches(connection, condition, values));
    for (BatchRecord& batch : batches) {
      before = batch.id;
      if (!filter.status.empty() && batch.status() != filter.status) continue;
      if (std::ssize(page.batches) == filter.limit) {
        page.next = page.batches.empty() ? 0 : page.batches.back().id;
        return page;
      }
      page.batches.push_back(std::move(batch));
    }
    if (std::ssize(batches) < at_once) return page;
  }
}

Result<std::vector<std::int64_t>> jobs_of_batch(db::Connection& connection, std::int64_t batch) {
  const Value values[] = {batch};
  LADE_ASSIGN(const auto rows, connection.query("SELECT id FROM lade_job WHERE batch_id = $1 ORDER BY id", values));
  std::vector<std::int64_t> jobs;
  jobs.reserve(rows.size());
  for (const db::Row& row : rows) jobs.push_back(integer_of(row.front()));
  return jobs;
}

Result<void> lock_batch(db::Connection& connection, std::int64_t batch) {
  if (connection.backend() == db::Backend::sqlite) return {};  // it has one writer
  const Value values[] = {batch};
  LADE_TRY(connection.query("SELECT 1 FROM lade_batch WHERE id = $1 FOR NO KEY UPDATE", values));
  return {};
}

Result<bool> finalize_batch(db::Connection& connection, std::int64_t batch, const std::string& actor) {
  return in_transaction(connection, [&]() -> Result<bool> {
    LADE_TRY(lock_batch(connection, batch));
    const Value values[] = {actor, batch};
    LADE_ASSIGN(const std::int64_t changed,
                connection.execute(fmt::format("UPDATE lade_batch SET finalized_at = {}, finalized_by = $1 "
                                               "WHERE id = $2 AND finalized_at IS NULL AND NOT EXISTS (SELECT 1 FROM "
                                               "lade_job j WHERE j.batch_id = $2 AND j.outcome IS NULL)",
                                               now_sql(connection)),
                                   values));
    if (changed == 0) return false;
    LADE_ASSIGN(const auto record, batch_with_id(connection, batch));
    LADE_TRY(append_batch_event(
        connection, {.batch = batch, .type = batch_event::kFinalized, .actor = actor, .data = totals_json(*record)}));
    return true;
  });
}

Result<bool> is_finalized(db::Connection& connection, std::int64_t batch) {
  const Value values[] = {batch};
  LADE_ASSIGN(const auto rows,
              connection.query("SELECT 1 FROM lade_batch WHERE id = $1 AND finalized_at IS NOT NULL", values));
  return !rows.empty();
}

Result<bool> remove_batch(db::Connection& connection, std::int64_t batch, const std::string& actor) {
  return in_transaction(connection, [&]() -> Result<bool> {
    const Value values[] = {batch};
    LADE_ASSIGN(const auto jobs, connection.query("SELECT 1 FROM lade_job WHERE batch_id = $1 LIMIT 1", values));
    if (!jobs.empty()) return false;
    LADE_TRY(append_batch_event(connection, {.batch = batch, .type = batch_event::kDeleted, .actor = actor}));
    LADE_ASSIGN(const std::int64_t gone, connection.execute("DELETE FROM lade_batch WHERE id = $1", values));
    return gone > 0;
  });
}

Result<void> let_newcomers_wait(db::Connection& connection, std::int64_t batch, bool wait) {
  const Value values[] = {std::int64_t{wait}, batch};
  LADE_TRY(connection.execute("UPDATE lade_batch SET newcomers_wait = $1 WHERE id = $2", values));
  return {};
}

Result<bool> do_newcomers_wait(db::Connection& connection, std::int64_t batch) {
  const bool sqlite = connection.backend() == db::Backend::sqlite;  // its writers wait for each other anyway
  const Value values[] = {batch};
  LADE_ASSIGN(const auto rows, connection.query(fmt::format("SELECT newcomers_wait FROM lade_batch WHERE id = $1{}",
                                                            sqlite ? "" : " FOR SHARE"),
                                                values));
  return !rows.empty() && integer_of(rows.front().front()) != 0;
}

}  // namespace lade::store
