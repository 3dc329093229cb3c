#include "store/journal.h"

#include <fmt/format.h>

#include <string>

#include "store/sql.h"

namespace lade::store {
namespace {

using db::Value;

// Of jobs made after job $1, in its company, about table $2; of the journal, those that are not undone.
constexpr std::string_view kOfLaterJobs =
    "company_id = (SELECT company_id FROM lade_job WHERE id = $1) AND table_name = $2 AND job_id > $1";
std::string not_undone() {
  return fmt::format(
      "{} AND EXISTS (SELECT 1 FROM lade_job j WHERE j.id = job_id AND j.undoes = 0 AND (j.outcome IS NULL OR "
      "j.outcome "
      "<> 'undone'))",
      kOfLaterJobs);
}

Result<std::vector<std::string>> blocks(db::Connection& connection, std::string_view sql,
                                        std::span<const Value> values) {
  LADE_ASSIGN(const auto rows, connection.query(sql, values));
  std::vector<std::string> packed;
  for (const db::Row& row : rows) packed.push_back(bytes_of(connection, row[0]));
  return packed;
}

}  // namespace

Result<void> save_journal_block(db::Connection& connection, std::int64_t job, const JournalRecord& block) {
  const Value values[] = {job,
                          block.bucket,
                          std::string(block.table),
                          db::Bytes{std::string(block.first_key)},
                          db::Bytes{std::string(block.last_key)},
                          block.rows,
                          db::Bytes{std::string(block.packed)},
                          std::int64_t{block.kept}};
  LADE_TRY(connection.execute(
      "INSERT INTO lade_journal (job_id, bucket, table_name, block, company_id, first_key, last_key, rows, images, "
      "kept) "
      "VALUES ($1, $2, $3, (SELECT coalesce(max(block) + 1, 0) FROM lade_journal "
      "WHERE job_id = $1 AND bucket = $2 AND table_name = $3), (SELECT company_id FROM lade_job WHERE id = $1), "
      "$4, $5, $6, $7, $8)",
      values));
  return {};
}

Result<std::vector<JournalHead>> journal_heads(db::Connection& connection, std::int64_t job) {
  const Value values[] = {job};
  LADE_ASSIGN(const auto rows,
              connection.query("SELECT bucket, table_name, block, rows, CAST(length(images) = 0 AS integer) FROM "
                               "lade_journal WHERE job_id = $1 ORDER BY bucket, table_name, block",
                               values));
  std::vector<JournalHead> heads;
  for (const db::Row& row : rows)
    heads.push_back(
        {integer_of(row[0]), text_of(row[1]), integer_of(row[2]), integer_of(row[3]), integer_of(row[4]) != 0});
  return heads;
}

Result<std::string> journal_block(db::Connection& connection, std::int64_t job, std::int64_t bucket,
                                  const std::string& table, std::int64_t block) {
  const Value values[] = {job, bucket, table, block};
  LADE_ASSIGN(auto found, blocks(connection,
                                 "SELECT images FROM lade_journal WHERE job_id = $1 AND bucket = $2 AND table_name = "
                                 "$3 AND block = $4",
                                 values));
  if (found.empty())
    return fail("journal_damaged", "a block of the undo journal is not there any more",
                "check the database; the target tables are not concerned");
  return std::move(found.front());
}

Result<std::vector<std::string>> journal_of(db::Connection& connection, std::int64_t job, std::string_view table) {
  const Value values[] = {job, std::string(table)};
  return blocks(connection,
                "SELECT images FROM lade_journal WHERE job_id = $1 AND table_name = $2 ORDER BY bucket, block", values);
}

Result<std::vector<std::string>> journal_of(db::Connection& connection, std::int64_t job, std::string_view table,
                                            std::int64_t bucket) {
  const Value values[] = {job, std::string(table), bucket};
  return blocks(connection,
                "SELECT images FROM lade_journal WHERE job_id = $1 AND table_name = $2 AND bucket = $3 ORDER BY block",
                values);
}

Result<std::vector<std::string>> later_blocks(db::Connection& connection, std::int64_t job, std::string_view table,
                                              std::string_view first_key, std::string_view last_key) {
  const Value values[] = {job, std::string(table), db::Bytes{std::string(first_key)}, db::Bytes{std::string(last_key)}};
  return blocks(
      connection,
      fmt::format("SELECT images FROM lade_journal WHERE {} AND last_key >= $3 AND first_key <= $4", not_undone()),
      values);
}

Result<bool> is_written_later(db::Connection& connection, std::int64_t job, std::string_view table) {
  const Value values[] = {job, std::string(table)};
  LADE_ASSIGN(const auto rows,
              connection.query(fmt::format("SELECT 1 FROM lade_journal WHERE {} UNION ALL SELECT 1 FROM "
                                           "lade_set_version WHERE {} AND state = 'active' LIMIT 1",
                                           not_undone(), kOfLaterJobs),
                               values));
  return !rows.empty();
}

}  // namespace lade::store
