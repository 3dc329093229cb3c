#include "store/outcomes.h"

#include "store/sql.h"

namespace lade::store {
namespace {

using db::Value;
using model::Outcome;

// All outcomes and the removed rows from `row[first]` on.
model::RowCounts counts_of(const db::Row& row, std::size_t first) {
  model::RowCounts counts;
  for (const Outcome outcome : model::kOutcomes) counts[outcome] = integer_of(row[first++]);
  counts.removed = integer_of(row[first]);
  return counts;
}

}  // namespace

Result<void> save_outcomes(db::Connection& connection, std::int64_t job, const BucketOutcomes& outcomes) {
  const model::RowCounts& counts = outcomes.counts;
  std::vector<Value> values = {job, outcomes.bucket};
  for (const Outcome outcome : model::kOutcomes) values.push_back(counts[outcome]);
  values.push_back(counts.removed);
  values.push_back(db::Bytes{outcomes.packed});
  values.push_back(std::int64_t{outcomes.settled});
  values.push_back(db::Bytes{outcomes.findings});
  values.push_back(outcomes.issues);
  values.push_back(outcomes.revision < 0 ? Value() : Value(outcomes.revision));
  values.push_back(std::int64_t{outcomes.partial});
  LADE_TRY(connection.execute(
      "INSERT INTO lade_outcome (job_id, bucket, company_id, rows_inserted, rows_updated, rows_unchanged, rows_failed, "
      "rows_skipped, rows_unprocessed, rows_deleted, rows_removed, packed, settled, findings, issues, revision, "
      "partial) "
      "VALUES ($1, $2, (SELECT company_id FROM lade_job WHERE id = $1), $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, "
      "$13, $14, coalesce(CAST($15 AS bigint), (SELECT review_revision FROM lade_job WHERE id = $1)), $16) "
      "ON CONFLICT (job_id, bucket) DO UPDATE SET rows_inserted = excluded.rows_inserted, "
      "rows_updated = excluded.rows_updated, rows_unchanged = excluded.rows_unchanged, "
      "rows_failed = excluded.rows_failed, rows_skipped = excluded.rows_skipped, "
      "rows_unprocessed = excluded.rows_unprocessed, rows_deleted = excluded.rows_deleted, "
      "rows_removed = excluded.rows_removed, packed = excluded.packed, "
      "settled = excluded.settled, findings = excluded.findings, issues = excluded.issues, revision = "
      "excluded.revision, partial = excluded.partial",
      values));
  return {};
}

Result<std::vector<BucketOutcomes>> outcomes_of(db::Connection& connection, std::int64_t job, std::int64_t first,
                                                std::int64_t last) {
  const Value values[] = {job, first, last};
  LADE_ASSIGN(const auto rows,
              connection.query("SELECT bucket, packed, rows_inserted, rows_updated, rows_unchanged, rows_failed, "
                               "rows_skipped, rows_unprocessed, rows_deleted, rows_removed, settled, findings, issues, "
                               "revision, partial FROM lade_outcome "
                               "WHERE job_id = $1 AND bucket BETWEEN $2 AND $3 ORDER BY bucket",
                               values));
  std::vector<BucketOutcomes> outcomes;
  for (const db::Row& row : rows)
    outcomes.push_back({integer_of(row[0]), counts_of(row, 2), bytes_of(connection, row[1]), integer_of(row[10]) != 0,
                        bytes_of(connection, row[11]), text_of(row[12]), integer_of(row[13]),
                        integer_of(row[14]) != 0});
  return outcomes;
}

Result<std::set<std::size_t>> loaded_buckets(db::Connection& connection, std::int64_t job) {
  const Value values[] = {job};
  LADE_ASSIGN(
      const auto rows,
      connection.query("SELECT bucket FROM lade_outcome WHERE job_id = $1 AND NOT settled AND NOT partial", values));
  std::set<std::size_t> buckets;
  for (const db::Row& row : rows) buckets.insert(static_cast<std::size_t>(integer_of(row.front())));
  return buckets;
}

Result<std::map<std::size_t, std::int64_t>> loaded_revisions(db::Connection& connection, std::int64_t job) {
  const Value values[] = {job};
  LADE_ASSIGN(
      const auto rows,
      connection.query("SELECT bucket, revision FROM lade_outcome WHERE job_id = $1 AND NOT settled AND NOT partial",
                       values));
  std::map<std::size_t, std::int64_t> revisions;
  for (const db::Row& row : rows) revisions[static_cast<std::size_t>(integer_of(row[0]))] = integer_of(row[1]);
  return revisions;
}

Result<std::vector<std::size_t>> undecided_buckets(db::Connection& connection, std::int64_t job, std::size_t buckets) {
  const Value values[] = {job};
  LADE_ASSIGN(const auto rows, connection.query("SELECT bucket FROM lade_outcome WHERE job_id = $1", values));
  std::set<std::size_t> decided;
  for (const db::Row& row : rows) decided.insert(static_cast<std::size_t>(integer_of(row.front())));
  std::vector<std::size_t> undecided;
  for (std::size_t bucket = 0; bucket < buckets; ++bucket)
    if (!decided.contains(bucket)) undecided.push_back(bucket);
  return undecided;
}

Result<std::vector<BucketCounts>> bucket_counts(db::Connection& connection, std::int64_t job) {
  const Value values[] = {job};
  LADE_ASSIGN(const auto rows,
              connection.query("SELECT bucket, rows_inserted + rows_updated + rows_unchanged + rows_failed + "
                               "rows_skipped + rows_deleted, rows_failed FROM lade_outcome WHERE job_id = $1 AND NOT "
                               "settled ORDER BY bucket",
                               values));
  std::vector<BucketCounts> buckets;
  for (const db::Row& row : rows) buckets.push_back({integer_of(row[0]), integer_of(row[1]), integer_of(row[2])});
  return buckets;
}

Result<std::vector<std::string>> bucket_issues(db::Connection& connection, std::int64_t job) {
  const Value values[] = {job};
  LADE_ASSIGN(const auto rows, connection.query("SELECT issues FROM lade_outcome WHERE job_id = $1", values));
  std::vector<std::string> issues;
  for (const db::Row& row : rows) issues.push_back(text_of(row[0]));
  return issues;
}

Result<model::RowCounts> counted_outcomes(db::Connection& connection, std::int64_t job) {
  const Value values[] = {job};
  LADE_ASSIGN(
      const auto rows,
      connection.query(
          "SELECT CAST(sum(rows_inserted) AS bigint), CAST(sum(rows_updated) AS bigint), "
          "CAST(sum(rows_unchanged) AS bigint), CAST(sum(rows_failed) AS bigint), "
          "CAST(sum(rows_skipped) AS bigint), CAST(sum(rows_unprocessed) AS bigint), "
          "CAST(sum(rows_deleted) AS bigint), CAST(sum(rows_removed) AS bigint) FROM lade_outcome WHERE job_id = $1",
          values));
  return counts_of(rows.front(), 0);
}

}  // namespace lade::store
