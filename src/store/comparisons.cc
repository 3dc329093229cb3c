#include "store/comparisons.h"

#include <boost/json.hpp>

#include "store/sql.h"

namespace lade::store {
namespace {

using db::Value;
using model::Outcome;

std::string to_text(const model::RowCounts& counts) {
  boost::json::object object;
  for (const Outcome outcome : model::kOutcomes) object[model::to_string(outcome)] = counts[outcome];
  object["removed"] = counts.removed;
  return boost::json::serialize(object);
}

void add(model::RowCounts& counts, std::string_view text) {
  const boost::json::value value = boost::json::parse(text);
  for (const Outcome outcome : model::kOutcomes)
    if (const auto* count = value.as_object().if_contains(model::to_string(outcome)))
      counts[outcome] += count->to_number<std::int64_t>();
  if (const auto* removed = value.as_object().if_contains("removed"))
    counts.removed += removed->to_number<std::int64_t>();
}

}  // namespace

Result<void> save_comparison(db::Connection& connection, std::int64_t job, const Comparison& comparison) {
  const Value place[] = {job, comparison.bucket};
  LADE_TRY(connection.execute("DELETE FROM lade_diff WHERE job_id = $1 AND bucket = $2", place));
  const Value values[] = {job, comparison.bucket, to_text(comparison.counts), db::Bytes{comparison.seen}};
  LADE_TRY(
      connection.execute("INSERT INTO lade_comparison (job_id, bucket, company_id, counts, seen) "
                         "VALUES ($1, $2, (SELECT company_id FROM lade_job WHERE id = $1), $3, $4) "
                         "ON CONFLICT (job_id, bucket) DO UPDATE SET counts = excluded.counts, seen = excluded.seen",
                         values));
  for (const DiffRecord& block : comparison.diff) LADE_TRY(save_diff_block(connection, job, comparison.bucket, block));
  return {};
}

Result<void> save_diff_block(db::Connection& connection, std::int64_t job, std::int64_t bucket,
                             const DiffRecord& block) {
  const Value values[] = {job, bucket, block.counts, db::Bytes{block.packed}};
  LADE_TRY(
      connection.execute("INSERT INTO lade_diff (job_id, bucket, block, company_id, counts, packed) "
                         "VALUES ($1, $2, (SELECT count(*) FROM lade_diff WHERE job_id = $1 AND bucket = $2), "
                         "(SELECT company_id FROM lade_job WHERE id = $1), $3, $4)",
                         values));
  return {};
}

Result<std::optional<model::RowCounts>> compared_rows(db::Connection& connection, std::int64_t job) {
  const Value values[] = {job};
  LADE_ASSIGN(const auto rows, connection.query("SELECT counts FROM lade_comparison WHERE job_id = $1", values));
  if (rows.empty()) return std::nullopt;
  model::RowCounts counts;
  for (const db::Row& row : rows) add(counts, text_of(row[0]));
  return counts;
}

Result<std::string> seen_rows(db::Connection& connection, std::int64_t job, std::int64_t bucket) {
  const Value values[] = {job, bucket};
  LADE_ASSIGN(const auto rows,
              connection.query("SELECT seen FROM lade_comparison WHERE job_id = $1 AND bucket = $2", values));
  return rows.empty() ? std::string() : bytes_of(connection, rows.front()[0]);
}

Result<void> forget_seen_rows(db::Connection& connection, std::int64_t job) {
  const Value values[] = {job, db::Bytes{std::string()}};
  LADE_TRY(connection.execute("UPDATE lade_comparison SET seen = $2 WHERE job_id = $1", values));
  return {};
}

Result<std::vector<DiffPlace>> diff_places(db::Connection& connection, std::int64_t job) {
  const Value values[] = {job};
  LADE_ASSIGN(
      const auto rows,
      connection.query("SELECT bucket, block, counts FROM lade_diff WHERE job_id = $1 ORDER BY bucket, block", values));
  std::vector<DiffPlace> places;
  for (const db::Row& row : rows) places.push_back({integer_of(row[0]), integer_of(row[1]), text_of(row[2])});
  return places;
}

Result<std::string> diff_block(db::Connection& connection, std::int64_t job, const DiffPlace& place) {
  const Value values[] = {job, place.bucket, place.block};
  LADE_ASSIGN(
      const auto rows,
      connection.query("SELECT packed FROM lade_diff WHERE job_id = $1 AND bucket = $2 AND block = $3", values));
  return rows.empty() ? std::string() : bytes_of(connection, rows.front()[0]);
}

}  // namespace lade::store
