#include "store/jobs.h"

#include "store/definitions.h"

namespace lade::store {
namespace {

using db::Value;
using model::Outcome;

std::string now_of(const db::Connection& connection) {
  return connection.backend() == db::Backend::sqlite ? "strftime('%Y-%m-%dT%H:%M:%fZ', 'now')" : "now()";
}

}  // namespace

Result<std::int64_t> create_job(db::Connection& connection, const NewJob& job) {
  const Value values[] = {job.uuid, kDefaultCompany, job.definition_id, job.snapshot, job.file_name, job.file_bytes};
  LADE_ASSIGN(
      const auto rows,
      connection.query(
          "INSERT INTO lade_job (uuid, company_id, definition_id, snapshot, file_name, file_bytes, state, created_at) "
          "VALUES ($1, $2, $3, $4, $5, $6, 'preparing_data', " +
              now_of(connection) + ") RETURNING id",
          values));
  return std::get<std::int64_t>(rows.front().front());
}

Result<void> set_job_state(db::Connection& connection, std::int64_t id, std::string_view state) {
  const Value values[] = {std::string(state), id};
  LADE_TRY(connection.execute("UPDATE lade_job SET state = $1 WHERE id = $2", values));
  return {};
}

Result<void> finish_job(db::Connection& connection, const FinishedJob& job) {
  const model::RowCounts& rows = job.rows;
  const Value values[] = {job.outcome,
                          job.error.empty() ? Value() : Value(job.error),
                          rows.read,
                          rows[Outcome::inserted],
                          rows[Outcome::updated],
                          rows[Outcome::unchanged],
                          rows[Outcome::failed],
                          rows[Outcome::skipped],
                          rows[Outcome::unprocessed],
                          rows.deleted,
                          job.id};
  LADE_TRY(
      connection.execute("UPDATE lade_job SET state = 'finished', outcome = $1, error = $2, rows_read = $3, "
                         "rows_inserted = $4, rows_updated = $5, "
                         "rows_unchanged = $6, rows_failed = $7, rows_skipped = $8, rows_unprocessed = $9, "
                         "rows_deleted = $10, finished_at = " +
                             now_of(connection) + " WHERE id = $11",
                         values));
  return {};
}

}  // namespace lade::store
