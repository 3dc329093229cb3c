#include "store/batches.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

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
                END) AS bigint)
FROM (SELECT * FROM lade_batch WHERE {batches}) b
LEFT JOIN lade_job j ON j.batch_id = b.id
GROUP BY b.id, b.uuid, b.name, b.source_manifest, b.created_by, b.newcomers_wait, b.created_at, j.state, j.outcome, j.paused
ORDER BY b.id DESC)sql";
constexpr std::int64_t kWholeShare = 1000;  // of a job, in the last column

std::string select_batches(const db::Connection& connection, std::string_view condition) {
  const auto time = [&](std::string_view column) { return time_sql(connection, column); };
  return fmt::format(fmt::runtime(kSelect), fmt::arg("batches", condition),
                     fmt::arg("created_at", time("b.created_at")), fmt::arg("started_at", time("min(j.started_at)")),
                     fmt::arg("finished_at", time("max(j.finished_at)")));
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
  return batch;
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
  batch.progress +=
      static_cast<int>(jobs) * model::job_progress(standing.state, integer_of(row[17]), kWholeShare * jobs);
}

Result<std::vector<BatchRecord>> read_batches(db::Connection& connection, std::string_view condition,
                                              std::span<const Value> values) {
  LADE_ASSIGN(const auto rows, connection.query(select_batches(connection, condition), values));
  std::vector<BatchRecord> batches;
  for (const db::Row& row : rows) {
    if (batches.empty() || batches.back().id != integer_of(row[0])) batches.push_back(batch_of(row));
    add_jobs(batches.back(), row);
  }
  for (BatchRecord& batch : batches) {
    if (batch.jobs.total() > 0) batch.progress /= static_cast<int>(batch.jobs.total());
    if (batch.jobs.live() > 0) batch.completed_at.clear();
  }
  return batches;
}

}  // namespace

Result<std::int64_t> find_or_create_batch(db::Connection& connection, const NewBatch& batch) {
  return in_transaction(connection, [&]() -> Result<std::int64_t> {
    const Value values[] = {batch.uuid, batch.company, batch.name, text_or_null(batch.source_manifest),
                            batch.created_by};
    LADE_TRY(connection.execute(
        fmt::format("INSERT INTO lade_batch (uuid, company_id, name, source_manifest, created_by, created_at) "
                    "VALUES ($1, $2, $3, $4, $5, {}) ON CONFLICT (company_id, name) DO NOTHING",
                    now_sql(connection)),
        values));
    const Value named[] = {batch.company, batch.name};
    LADE_ASSIGN(const auto rows,
                connection.query("SELECT id FROM lade_batch WHERE company_id = $1 AND name = $2", named));
    return integer_of(rows.front().front());
  });
}

Result<std::optional<BatchRecord>> find_batch(db::Connection& connection, std::string_view reference,
                                              std::int64_t company) {
  std::int64_t id = 0;
  const char* end = reference.data() + reference.size();
  if (const auto parsed = std::from_chars(reference.data(), end, id); parsed.ptr != end || parsed.ec != std::errc())
    id = 0;
  const Value values[] = {company, std::string(reference), id};
  LADE_ASSIGN(auto batches,
              read_batches(connection,
                           "company_id = $1 AND (name = $2 OR CAST(uuid AS text) = $2 OR id = CAST($3 AS bigint)) "
                           "ORDER BY name = $2 DESC, CAST(uuid AS text) = $2 DESC LIMIT 1",
                           values));
  return batches.empty() ? std::nullopt : std::optional(std::move(batches.front()));
}

Result<BatchPage> list_batches(db::Connection& connection, const BatchFilter& filter) {
  if (!filter.status.empty() && !model::is_batch_status(filter.status))
    return fail("status_unknown", fmt::format("no batch has the status '{}'", filter.status),
                "pending, running, paused, succeeded, failed or cancelled", ErrorKind::usage);
  BatchPage page;
  std::int64_t before = filter.before;
  for (;;) {
    const Value values[] = {filter.company, id_or_null(before), filter.limit + 1, text_or_null(filter.created_by)};
    LADE_ASSIGN(auto batches,
                read_batches(connection,
                             "company_id = $1 AND (CAST($2 AS bigint) IS NULL OR id < CAST($2 AS bigint)) "
                             "AND (CAST($4 AS text) IS NULL OR created_by = $4) "
                             "ORDER BY id DESC LIMIT $3",
                             values));
    for (BatchRecord& batch : batches) {
      before = batch.id;
      if (!filter.status.empty() && batch.status() != filter.status) continue;
      if (std::ssize(page.batches) == filter.limit) {
        page.next = page.batches.empty() ? 0 : page.batches.back().id;
        return page;
      }
      page.batches.push_back(std::move(batch));
    }
    if (std::ssize(batches) <= filter.limit) return page;
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
