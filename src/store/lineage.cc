#include "store/lineage.h"

#include <fmt/format.h>

#include "store/sql.h"

namespace lade::store {
namespace {

using db::Value;

}  // namespace

Result<std::vector<WritingDefinition>> definitions_writing(db::Connection& connection, std::int64_t company,
                                                           std::string_view table) {
  const Value values[] = {company, std::string(table)};
  LADE_ASSIGN(
      const auto rows,
      connection.query("SELECT definition_id, max(id) FROM lade_job WHERE id IN (SELECT job_id FROM lade_journal "
                       "WHERE company_id = $1 AND table_name = $2) GROUP BY definition_id",
                       values));
  std::vector<WritingDefinition> found;
  for (const db::Row& row : rows) found.push_back({integer_of(row[0]), integer_of(row[1])});
  return found;
}

Result<std::vector<LineageBlock>> blocks_between(db::Connection& connection, std::int64_t company,
                                                 std::string_view table, std::int64_t definition,
                                                 std::string_view first_key, std::string_view last_key) {
  const Value values[] = {company, std::string(table), definition, db::Bytes{std::string(first_key)},
                          db::Bytes{std::string(last_key)}};
  LADE_ASSIGN(const auto rows,
              connection.query("SELECT b.job_id, b.table_name, b.rows, b.images, b.bucket, b.block FROM lade_journal b "
                               "JOIN lade_job j ON j.id = b.job_id WHERE b.company_id = $1 AND b.table_name = $2 AND "
                               "j.definition_id = $3 AND b.last_key >= $4 AND b.first_key <= $5 AND NOT EXISTS "
                               "(SELECT 1 FROM lade_set_version v WHERE v.job_id = b.job_id AND v.state IN "
                               "('building', 'abandoned', 'purged')) "
                               "ORDER BY b.job_id DESC, b.bucket, b.block",
                               values));
  std::vector<LineageBlock> blocks;
  for (const db::Row& row : rows)
    blocks.push_back({integer_of(row[0]), text_of(row[1]), integer_of(row[2]), bytes_of(connection, row[3]),
                      integer_of(row[4]), integer_of(row[5])});
  return blocks;
}

Result<std::string> some_block(db::Connection& connection, std::int64_t job, std::string_view table) {
  const Value values[] = {job, std::string(table)};
  LADE_ASSIGN(
      const auto rows,
      connection.query("SELECT images FROM lade_journal WHERE job_id = $1 AND table_name = $2 LIMIT 1", values));
  return rows.empty() ? std::string() : bytes_of(connection, rows.front().front());
}

Result<std::vector<LineageBlock>> block_places(db::Connection& connection, std::int64_t job) {
  const Value values[] = {job};
  LADE_ASSIGN(const auto rows,
              connection.query("SELECT table_name, rows, bucket, block FROM lade_journal WHERE job_id = "
                               "$1 ORDER BY bucket, table_name, block",
                               values));
  std::vector<LineageBlock> blocks;
  for (const db::Row& row : rows)
    blocks.push_back({job, text_of(row[0]), integer_of(row[1]), {}, integer_of(row[2]), integer_of(row[3])});
  return blocks;
}

Result<std::string> block_images(db::Connection& connection, const LineageBlock& place) {
  const Value values[] = {place.job, place.bucket, place.table, place.number};
  LADE_ASSIGN(const auto rows,
              connection.query("SELECT images FROM lade_journal WHERE job_id = $1 AND bucket = $2 AND table_name = $3 "
                               "AND block = $4",
                               values));
  return rows.empty() ? std::string() : bytes_of(connection, rows.front().front());
}

Result<std::string> file_sha256(db::Connection& connection, std::int64_t file) {
  const Value values[] = {file};
  LADE_ASSIGN(const auto rows, connection.query("SELECT sha256 FROM lade_file WHERE id = $1", values));
  return rows.empty() ? std::string() : text_of(rows.front().front());
}

Result<std::map<std::int64_t, std::string>> correctors_of(db::Connection& connection, std::int64_t job,
                                                          const std::set<std::int64_t>& rows) {
  std::map<std::int64_t, std::string> correctors;
  if (rows.empty()) return correctors;
  const Value values[] = {job};
  LADE_ASSIGN(const auto found,
              connection.query(fmt::format("SELECT row_id, created_by FROM lade_row_version WHERE job_id = $1 AND "
                                           "version > 0 AND row_id IN ({}) ORDER BY row_id, version",
                                           fmt::join(rows, ", ")),
                               values));
  for (const db::Row& row : found) correctors[integer_of(row[0])] = text_of(row[1]);
  return correctors;
}

}  // namespace lade::store
