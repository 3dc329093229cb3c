#include "store/job_ends.h"

#include <fmt/format.h>

#include "store/files.h"
#include "store/job_tables.h"
#include "store/pages.h"
#include "store/sql.h"
#include "store/undo.h"

namespace lade::store {
namespace {

using db::Value;

// Why the job was not deleted.
Error refusal(const std::vector<db::Row>& found, std::int64_t id) {
  if (found.empty()) return {"job_not_found", fmt::format("there is no job {}", id), "", ErrorKind::invalid};
  return {"transition_refused",
          fmt::format("job {} is {}: only a finished job can be deleted", id, text_of(found[0][0])), "cancel it first",
          ErrorKind::invalid};
}

Result<std::vector<UnwantedFile>> forget_upload(db::Connection& connection, std::int64_t file) {
  const Value values[] = {file};
  LADE_ASSIGN(const auto rows,
              connection.query("DELETE FROM lade_file WHERE id = $1 AND NOT EXISTS (SELECT 1 FROM lade_job j WHERE "
                               "j.file_id = $1) RETURNING CAST(uuid AS text), storage_id",
                               values));
  std::vector<UnwantedFile> files;
  for (const db::Row& row : rows) files.push_back({text_of(row[0]), text_of(row[1])});
  return files;
}

// Deletes the rows that belong to jobs which ended more than `days` ago and are not being undone.
Result<std::int64_t> expire(db::Connection& connection, std::string_view table, std::int64_t days,
                            std::string_view condition = "") {
  const bool sqlite = connection.backend() == db::Backend::sqlite;
  const Value values[] = {sqlite ? Value(fmt::format("-{} days", days)) : Value(days)};
  return connection.execute(fmt::format("DELETE FROM {} WHERE job_id IN (SELECT id FROM lade_job j WHERE finished_at < "
                                        "{} AND NOT EXISTS (SELECT 1 FROM "
                                        "lade_job u WHERE u.id = j.undone_by AND u.outcome IS NULL)){}",
                                        table,
                                        sqlite ? "strftime('%Y-%m-%dT%H:%M:%fZ', 'now', $1)"
                                               : "now() - CAST($1 AS integer) * interval '1 day'",
                                        condition),
                            values);
}

}  // namespace

Result<std::vector<std::int64_t>> jobs_to_cancel(db::Connection& connection) {
  LADE_ASSIGN(const auto rows,
              connection.query("SELECT id FROM lade_job WHERE cancel_requested AND outcome IS NULL ORDER BY id"));
  std::vector<std::int64_t> ids;
  for (const db::Row& row : rows) ids.push_back(integer_of(row[0]));
  return ids;
}

Result<std::vector<UnwantedFile>> remove_job(db::Connection& connection, std::int64_t id) {
  return in_transaction(connection, [&]() -> Result<std::vector<UnwantedFile>> {
    const Value values[] = {id};
    LADE_ASSIGN(const auto job, job_with_id(connection, id));
    if (job) {
      LADE_ASSIGN(const auto undo, undo_of(connection, *job));
      if (undo && is_open_undo(*undo)) return fail(being_undone(job->slug, *undo));
    }
    LADE_TRY(drop_job_tables(connection, id));
    LADE_ASSIGN(const auto segments, forget_segments(connection, id));
    LADE_ASSIGN(const auto results, connection.query("DELETE FROM lade_file WHERE job_id = $1 "
                                                     "RETURNING coalesce(path, CAST(uuid AS text)), storage_id",
                                                     values));
    LADE_ASSIGN(const auto evidence, evidence_files(connection, id));
    // What refers to the job by a foreign key goes with it.
    LADE_ASSIGN(
        const auto gone,
        connection.query("DELETE FROM lade_job WHERE id = $1 AND outcome IS NOT NULL RETURNING file_id", values));
    if (gone.empty()) {
      LADE_ASSIGN(const auto found, connection.query("SELECT state FROM lade_job WHERE id = $1", values));
      return fail(refusal(found, id));
    }
    for (const std::string_view sql :
         {"DELETE FROM lade_issue WHERE job_id = $1", "DELETE FROM lade_review_item WHERE job_id = $1",
          "DELETE FROM lade_row_version WHERE job_id = $1", "DELETE FROM lade_event WHERE job_id = $1",
          "DELETE FROM lade_target_lock WHERE job_id = $1"})
      LADE_TRY(connection.execute(sql, values));
    LADE_ASSIGN(auto files, forget_upload(connection, integer_of(gone[0][0])));
    for (const db::Row& result : results) files.push_back({text_of(result[0]), text_of(result[1])});
    for (const std::string& segment : segments) files.push_back({segment, ""});
    for (const std::string& file : evidence) files.push_back({file, ""});
    return files;
  });
}

Result<std::int64_t> expire_segments(db::Connection& connection, std::int64_t days) {
  return expire(connection, "lade_segment", days);
}

Result<std::int64_t> expire_journals(db::Connection& connection, std::int64_t days) {
  return expire(connection, "lade_journal", days, " AND NOT kept");
}

}  // namespace lade::store
