#include "store/batch_stats.h"

#include <fmt/format.h>

#include "store/sql.h"

namespace lade::store {
namespace {

using db::Value;

constexpr std::string_view kJobs =
    "(SELECT id, CAST(uuid AS text) AS group_id FROM lade_job WHERE batch_id = $1 AND id > $2 ORDER BY id LIMIT $3)";

// The values in the middle and at 95 of 100 of {value} in {rows}, for each {by}.
constexpr std::string_view kQuantiles = R"sql(
SELECT grouped, most, CAST(max(CASE WHEN place = (most + 1) / 2 THEN value END) AS bigint),
       CAST(max(CASE WHEN place = (most * 95 + 99) / 100 THEN value END) AS bigint)
FROM (SELECT {by} AS grouped, {value} AS value, row_number() OVER (PARTITION BY {by} ORDER BY {value}) AS place,
             count(*) OVER (PARTITION BY {by}) AS most
      FROM {rows}) q
GROUP BY grouped, most ORDER BY grouped)sql";

Result<std::vector<db::Row>> quantiles(db::Connection& connection, std::int64_t batch, std::string_view by,
                                       std::string_view value, std::string_view rows) {
  const Value values[] = {batch};
  return connection.query(
      fmt::format(fmt::runtime(kQuantiles), fmt::arg("by", by), fmt::arg("value", value), fmt::arg("rows", rows)),
      values);
}

Durations durations_of(const db::Row& row) {
  return {integer_of(row[1]), integer_of(row[2]), integer_of(row[3])};
}

Result<Durations> page_durations(db::Connection& connection, std::int64_t batch, std::string_view column,
                                 std::string_view condition) {
  LADE_ASSIGN(
      const auto rows,
      quantiles(connection, batch, "p.company_id", column,
                fmt::format("lade_page p JOIN lade_job j ON j.id = p.job_id WHERE j.batch_id = $1 AND {}", condition)));
  return rows.empty() ? Durations() : durations_of(rows.front());
}

}  // namespace

Result<std::vector<JobWithTasks>> jobs_with_tasks(db::Connection& connection, const JobsWithTasks& wanted) {
  // Statuses as the tables have them: a page that is ready for review has succeeded, a retryable task is pending.
  const std::string page = wanted.status == "ready_for_review" ? "succeeded" : wanted.status;
  const std::string task = wanted.status == "retryable" ? "pending" : wanted.status;
  const Value values[] = {wanted.batch, wanted.first, wanted.limit, text_or_null(page), text_or_null(task)};
  LADE_ASSIGN(const auto rows,
              connection.query("SELECT j.id, CASE WHEN EXISTS (SELECT 1 FROM lade_page p WHERE p.job_id = j.id) THEN 1 "
                               "ELSE 0 END FROM lade_job j WHERE j.batch_id = $1 AND j.id >= $2 "
                               "AND (CAST($4 AS text) IS NULL "
                               "OR EXISTS (SELECT 1 FROM lade_page p WHERE p.job_id = j.id AND p.status = $4) "
                               "OR EXISTS (SELECT 1 FROM lade_task t WHERE t.group_id = CAST(j.uuid AS text) AND "
                               "t.status = $5)) ORDER BY j.id LIMIT $3",
                               values));
  std::vector<JobWithTasks> jobs;
  jobs.reserve(rows.size());
  for (const db::Row& row : rows) jobs.push_back({integer_of(row[0]), integer_of(row[1]) != 0});
  return jobs;
}

Result<std::vector<KindTally>> tally_tasks(db::Connection& connection, std::int64_t batch, std::int64_t after,
                                           std::int64_t jobs) {
  const Value values[] = {batch, after, jobs};
  LADE_ASSIGN(const auto rows,
              connection.query(fmt::format("SELECT j.id, t.kind, t.status, count(*), CAST(sum(t.attempts) AS bigint), "
                                           "CAST(sum(CASE WHEN t.attempts > 0 THEN 1 ELSE 0 END) AS bigint), "
                                           "min(t.started_at), max(t.finished_at) "
                                           "FROM {} j JOIN lade_task t ON t.group_id = j.group_id "
                                           "GROUP BY j.id, t.kind, t.status ORDER BY j.id, t.kind",
                                           kJobs),
                               values));
  std::vector<KindTally> tallies;
  tallies.reserve(rows.size());
  for (const db::Row& row : rows)
    tallies.push_back({integer_of(row[0]), text_of(row[1]), text_of(row[2]), integer_of(row[3]), integer_of(row[4]),
                       integer_of(row[5]), integer_of(row[6]), integer_of(row[7])});
  return tallies;
}

Result<std::vector<PageTally>> tally_pages(db::Connection& connection, std::int64_t batch, std::int64_t after,
                                           std::int64_t jobs) {
  const Value values[] = {batch, after, jobs};
  LADE_ASSIGN(
      const auto rows,
      connection.query(fmt::format("SELECT p.job_id, p.status, p.error_code, p.error_reason, count(*), "
                                   "CAST(sum(p.tries) AS bigint), "
                                   "CAST(sum(CASE WHEN p.tries > 1 THEN 1 ELSE 0 END) AS bigint), "
                                   "min(CASE WHEN p.started_at > 0 THEN p.started_at END), max(p.completed_at) "
                                   "FROM {} j JOIN lade_page p ON p.job_id = j.id "
                                   "GROUP BY p.job_id, p.status, p.error_code, p.error_reason ORDER BY p.job_id",
                                   kJobs),
                       values));
  std::vector<PageTally> tallies;
  tallies.reserve(rows.size());
  for (const db::Row& row : rows)
    tallies.push_back({integer_of(row[0]), text_of(row[1]), text_of(row[2]), text_of(row[3]), integer_of(row[4]),
                       integer_of(row[5]), integer_of(row[6]), integer_of(row[7]), integer_of(row[8])});
  return tallies;
}

Result<std::vector<KindDurations>> task_durations(db::Connection& connection, std::int64_t batch) {
  LADE_ASSIGN(const auto rows,
              quantiles(connection, batch, "t.kind", "(t.finished_at - t.started_at) / 1000",
                        "lade_task t JOIN lade_job j ON t.group_id = CAST(j.uuid AS text) "
                        "WHERE j.batch_id = $1 AND t.status = 'succeeded' AND t.started_at IS NOT NULL"));
  std::vector<KindDurations> all;
  for (const db::Row& row : rows) all.push_back({text_of(row[0]), durations_of(row)});
  return all;
}

Result<Durations> fetch_durations(db::Connection& connection, std::int64_t batch) {
  return page_durations(connection, batch, "p.duration_ms",
                        "p.started_at > 0 AND p.status IN ('succeeded', 'failed', 'blocked')");
}

Result<Durations> enrich_durations(db::Connection& connection, std::int64_t batch) {
  return page_durations(connection, batch, "p.enrich_ms", "p.status IN ('succeeded', 'blocked')");
}

Result<std::vector<FailureCount>> row_failures(db::Connection& connection, std::int64_t batch) {
  const Value values[] = {batch};
  LADE_ASSIGN(const auto rows,
              connection.query("SELECT i.code, count(*) FROM lade_job j JOIN lade_issue i ON i.job_id = j.id "
                               "WHERE j.batch_id = $1 AND i.severity = 'error' "
                               "AND NOT EXISTS (SELECT 1 FROM lade_page p WHERE p.job_id = j.id AND "
                               "p.row_id = i.row_id AND p.status <> 'succeeded') "
                               "GROUP BY i.code",
                               values));
  std::vector<FailureCount> counts;
  for (const db::Row& row : rows) counts.push_back({text_of(row[0]), integer_of(row[1])});
  return counts;
}

Result<RowErrorPage> row_errors(db::Connection& connection, std::int64_t batch, const RowErrorPlace& after) {
  constexpr std::int64_t kAtOnce = 10'000;  // more than a row can have
  const Value values[] = {batch, after.job, after.row, kAtOnce};
  LADE_ASSIGN(const auto rows,
              connection.query("SELECT i.job_id, i.row_id, j.slug, i.line, i.code, i.column_name, i.value, i.message "
                               "FROM lade_job j JOIN lade_issue i ON i.job_id = j.id WHERE j.batch_id = $1 "
                               "AND (i.job_id, i.row_id) > ($2, $3) AND i.severity = 'error' "
                               "AND NOT EXISTS (SELECT 1 FROM lade_page p WHERE p.job_id = i.job_id AND "
                               "p.row_id = i.row_id AND p.status IN ('failed', 'blocked')) "
                               "ORDER BY i.job_id, i.row_id, i.code, i.column_name LIMIT $4",
                               values));
  RowErrorPage page;
  for (const db::Row& row : rows)
    page.errors.push_back({{integer_of(row[0]), integer_of(row[1])},
                           text_of(row[2]),
                           integer_of(row[3]),
                           text_of(row[4]),
                           text_of(row[5]),
                           text_of(row[6]),
                           text_of(row[7])});
  page.more = std::ssize(rows) == kAtOnce;
  // The last row may have further issues: it comes with the next page.
  if (page.more) {
    const RowErrorPlace last = page.errors.back().place;
    std::erase_if(page.errors, [&](const RowError& error) { return error.place == last; });
  }
  return page;
}

}  // namespace lade::store
