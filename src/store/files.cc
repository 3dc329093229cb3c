#include "store/files.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

#include "store/pages.h"
#include "store/sql.h"
#include "store/tally.h"

namespace lade::store {

using db::Value;

Result<std::int64_t> create_file(db::Connection& connection, const FileRecord& file) {
  const Value values[] = {file.uuid,
                          file.company,
                          file.storage,
                          file.purpose,
                          file.name,
                          file.bytes,
                          file.sha256,
                          file.created_by,
                          id_or_null(file.job),
                          id_or_null(file.created_by_id),
                          text_or_null(file.path)};
  LADE_ASSIGN(const auto rows,
              connection.query(fmt::format("INSERT INTO lade_file (uuid, company_id, storage_id, purpose, name, bytes, "
                                           "sha256, created_by, job_id, created_by_id, path, created_at) "
                                           "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, {}) RETURNING id",
                                           now_sql(connection)),
                               values));
  if (file.purpose != "upload")
    LADE_TRY(add_tally(connection, file.company, "result_file_bytes", file.purpose, file.bytes));
  return integer_of(rows[0][0]);
}

namespace {

// Of the files that were not removed.
Result<std::vector<FileRecord>> select_files(db::Connection& connection, std::string_view condition,
                                             std::span<const Value> values) {
  LADE_ASSIGN(
      const auto rows,
      connection.query(fmt::format("SELECT id, CAST(uuid AS text), storage_id, name, bytes, sha256, purpose, "
                                   "created_by, company_id, job_id, created_by_id, {}, path FROM lade_file WHERE "
                                   "removed_at IS NULL AND {}",
                                   time_sql(connection, "created_at"), condition),
                       values));
  std::vector<FileRecord> files;
  for (const db::Row& row : rows)
    files.push_back({integer_of(row[0]), text_of(row[1]), text_of(row[2]), text_of(row[3]), integer_of(row[4]),
                     text_of(row[5]), text_of(row[6]), text_of(row[7]), integer_of(row[8]), integer_of(row[9]),
                     integer_of(row[10]), text_of(row[11]), text_of(row[12])});
  return files;
}

Result<std::optional<FileRecord>> first_file(db::Connection& connection, std::string_view condition,
                                             std::span<const Value> values) {
  LADE_ASSIGN(auto files, select_files(connection, condition, values));
  return files.empty() ? std::nullopt : std::optional(std::move(files.front()));
}

}  // namespace

Result<std::optional<FileRecord>> find_file(db::Connection& connection, std::int64_t id) {
  const Value values[] = {id};
  return first_file(connection, "id = $1", values);
}

Result<std::optional<FileRecord>> find_file(db::Connection& connection, std::string_view uuid, std::int64_t company) {
  const Value values[] = {company, std::string(uuid)};
  return first_file(connection, "company_id = $1 AND CAST(uuid AS text) = $2", values);
}

Result<std::vector<FileRecord>> list_files(db::Connection& connection, const FileFilter& filter) {
  const Value values[] = {filter.company, text_or_null(filter.sha256), id_or_null(filter.before),
                          id_or_null(filter.created_by_id), filter.limit};
  return select_files(connection,
                      "purpose = 'upload' AND company_id = $1 AND (CAST($2 AS text) IS NULL OR sha256 = $2) "
                      "AND (CAST($3 AS bigint) IS NULL OR id < CAST($3 AS bigint)) "
                      "AND (CAST($4 AS bigint) IS NULL OR created_by_id = CAST($4 AS bigint)) "
                      "ORDER BY id DESC LIMIT $5",
                      values);
}

Result<bool> is_file_in_use(db::Connection& connection, std::int64_t id) {
  const Value values[] = {id};
  LADE_ASSIGN(const auto rows,
              connection.query("SELECT 1 FROM lade_job WHERE file_id = $1 AND outcome IS NULL LIMIT 1", values));
  return !rows.empty();
}

Result<std::vector<FileRecord>> results_of(db::Connection& connection, std::int64_t job) {
  const Value values[] = {job};
  return select_files(connection, "job_id = $1 ORDER BY id", values);
}

Result<void> mark_file_removed(db::Connection& connection, std::int64_t id) {
  const Value values[] = {id};
  LADE_TRY(connection.execute(
      fmt::format("UPDATE lade_file SET removed_at = {} WHERE id = $1 AND removed_at IS NULL", now_sql(connection)),
      values));
  return {};
}

Result<void> record_segment(db::Connection& connection, std::int64_t job, const SegmentRecord& segment) {
  const Value values[] = {job,          segment.chunk,       segment.file_uuid, segment.bytes,
                          segment.rows, segment.failed_rows, segment.issues};
  LADE_TRY(connection.execute(
      "INSERT INTO lade_segment (job_id, chunk, company_id, file_uuid, bytes, rows, failed_rows, issues) "
      "VALUES ($1, $2, (SELECT company_id FROM lade_job WHERE id = $1), $3, $4, $5, $6, $7) "
      "ON CONFLICT (job_id, chunk) DO UPDATE SET file_uuid = excluded.file_uuid, bytes = excluded.bytes, "
      "rows = excluded.rows, failed_rows = excluded.failed_rows, issues = excluded.issues",
      values));
  return {};
}

namespace {

Result<std::vector<SegmentRecord>> segments_from(db::Connection& connection, std::int64_t job,
                                                 std::int64_t first_chunk) {
  const Value values[] = {job, first_chunk};
  LADE_ASSIGN(const auto rows,
              connection.query("SELECT chunk, CAST(file_uuid AS text), bytes, rows, failed_rows, issues "
                               "FROM lade_segment WHERE job_id = $1 AND chunk >= $2 ORDER BY chunk",
                               values));
  std::vector<SegmentRecord> segments;
  for (const db::Row& row : rows)
    segments.push_back({integer_of(row[0]), text_of(row[1]), integer_of(row[2]), integer_of(row[3]), integer_of(row[4]),
                        text_of(row[5])});
  return segments;
}

}  // namespace

Result<std::vector<SegmentRecord>> segments_of(db::Connection& connection, std::int64_t job) {
  return segments_from(connection, job, 0);
}

Result<std::optional<SegmentRecord>> records_of(db::Connection& connection, std::int64_t job) {
  LADE_ASSIGN(auto segments, segments_from(connection, job, kRecordsChunk));
  if (segments.empty() || segments.front().chunk != kRecordsChunk) return std::nullopt;
  return std::move(segments.front());
}

Result<std::vector<std::string>> forget_segments(db::Connection& connection, std::int64_t job) {
  const Value values[] = {job};
  LADE_ASSIGN(const auto rows,
              connection.query("DELETE FROM lade_segment WHERE job_id = $1 RETURNING CAST(file_uuid AS text)", values));
  std::vector<std::string> files;
  for (const db::Row& row : rows) files.push_back(text_of(row[0]));
  return files;
}

Result<std::int64_t> count_results(db::Connection& connection, std::int64_t job, std::string_view purpose) {
  const Value values[] = {job, std::string(purpose)};
  LADE_ASSIGN(const auto rows, connection.query("SELECT count(*) FROM lade_file WHERE job_id = $1 AND purpose = $2 "
                                                "AND path IS NOT NULL",
                                                values));
  return integer_of(rows[0][0]);
}

namespace {

// A bucket may be shared with programs that have such folders too, and with other installations of lade, also in
// folders below this one's: only what this one alone calls so is taken for its own, a result file in the folder of a
// job, whose id is a UUIDv7, right below `results_path`.
bool may_be_result(std::string_view path, std::string_view results_path) {
  constexpr std::size_t kIdSize = 36, kVersion = 14;
  if (!path.starts_with(results_path)) return false;
  path.remove_prefix(results_path.size());
  if (path.find('/') != kIdSize || path[kVersion] != '7') return false;
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return std::ranges::any_of(
      std::initializer_list<std::string_view>{"succeeded", "failed", "unprocessed"}, [&](std::string_view purpose) {
        return name.ends_with(fmt::format("{}.csv", purpose)) || name.ends_with(fmt::format("{}.xlsx", purpose));
      });
}

}  // namespace

Result<bool> is_file_wanted(db::Connection& connection, const std::string& name, std::string_view results_path) {
  const Value values[] = {name};
  if (name.find('/') != std::string::npos) {
    if (!may_be_result(name, results_path)) return true;
    LADE_ASSIGN(const auto rows,
                connection.query("SELECT 1 FROM lade_file WHERE path = $1 AND removed_at IS NULL LIMIT 1", values));
    return !rows.empty();
  }
  LADE_ASSIGN(const auto rows, connection.query("SELECT 1 FROM lade_file WHERE uuid = $1 AND removed_at IS NULL "
                                                "UNION ALL SELECT 1 FROM lade_segment WHERE file_uuid = $1 LIMIT 1",
                                                values));
  if (!rows.empty()) return true;
  return is_evidence(connection, name);
}

}  // namespace lade::store
