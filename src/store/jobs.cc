#include "store/jobs.h"

#include <fmt/format.h>

#include "base/sha256.h"
#include "store/events.h"
#include "store/job_list.h"
#include "store/sql.h"
#include "store/tally.h"

namespace lade::store {
namespace {

using db::Value;

Error job_exists(const std::optional<JobRecord>& twin) {
  // The twin may have ended since.
  const std::string which = twin ? fmt::format("job {} ({})", twin->slug, twin->status()) : "another job";
  return {"job_exists", "the same file is being imported by the same definition: " + which,
          "wait for it, or force a second run", ErrorKind::duplicate};
}

Result<std::int64_t> insert_job(db::Connection& connection, const NewJob& job) {
  const Value values[] = {job.uuid,
                          job.company,
                          job.definition_id,
                          job.snapshot,
                          job.file_name,
                          job.file_bytes,
                          std::string(to_string(job.state)),
                          id_or_null(job.file_id),
                          id_or_null(job.batch_id),
                          job.options,
                          text_or_null(job.dedupe_hash),
                          std::int64_t{job.forced},
                          job.created_by,
                          job.uuid,  // as slug, until the id is known
                          id_or_null(job.project),
                          id_or_null(job.created_by_id),
                          job.undoes};
  LADE_ASSIGN(
      const auto rows,
      connection.query(fmt::format("INSERT INTO lade_job (uuid, slug, company_id, definition_id, snapshot, file_name, "
                                   "file_bytes, state, file_id, batch_id, options, dedupe_hash, forced, created_by, "
                                   "project_id, created_by_id, undoes, created_at) VALUES ($1, $14, $2, $3, $4, $5, "
                                   "$6, $7, $8, $9, $10, $11, "
                                   "$12, $13, $15, $16, $17, {}) ON CONFLICT (company_id, dedupe_hash) "
                                   "WHERE outcome IS NULL AND NOT forced DO NOTHING RETURNING id",
                                   now_sql(connection)),
                       values));
  if (!rows.empty()) return integer_of(rows[0][0]);
  LADE_ASSIGN(const auto twin, find_twin(connection, job.dedupe_hash, std::nullopt, job.company));
  return fail(job_exists(twin));
}

}  // namespace

Result<std::int64_t> create_job(db::Connection& connection, const NewJob& job) {
  return in_transaction(connection, [&]() -> Result<std::int64_t> {
    if (!job.dedupe_hash.empty() && !job.forced) {
      LADE_ASSIGN(const auto twin, find_twin(connection, job.dedupe_hash, std::nullopt, job.company));
      if (twin) return fail(job_exists(twin));
    }
    LADE_ASSIGN(const std::int64_t id, insert_job(connection, job));
    const Value named[] = {id};
    LADE_TRY(
        connection.execute("UPDATE lade_job SET slug = (SELECT slug FROM lade_definition d "
                           "WHERE d.id = definition_id) || '-' || id WHERE id = $1",
                           named));
    LADE_TRY(append_event(connection, {id, "created", job.created_by}));
    LADE_ASSIGN(const auto slugs, connection.query("SELECT d.slug FROM lade_job j JOIN lade_definition d ON d.id = "
                                                   "j.definition_id WHERE j.id = $1",
                                                   named));
    LADE_TRY(add_tally(connection, job.company, "jobs_created", text_of(slugs.front().front()), 1));
    return id;
  });
}

std::string dedupe_hash(std::int64_t company, std::int64_t definition_id, std::string_view file_sha256,
                        std::string_view options) {
  return sha256_of(fmt::format("{}\n{}\n{}\n{}", company, definition_id, file_sha256, options));
}

}  // namespace lade::store
