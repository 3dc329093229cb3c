#include "store/undo.h"

#include <fmt/format.h>

#include "store/sql.h"

namespace lade::store {

using db::Value;
using model::JobOutcome;

Result<std::optional<JobRecord>> undo_of(db::Connection& connection, const JobRecord& job) {
  if (job.undone_by_id == 0) return std::nullopt;
  return job_with_id(connection, job.undone_by_id);
}

bool is_open_undo(const JobRecord& undo) {
  const auto& outcome = undo.standing.outcome;
  if (!outcome) return true;
  return (outcome == JobOutcome::failed || outcome == JobOutcome::cancelled) && undo.buckets_processed > 0;
}

Result<void> set_undone_by(db::Connection& connection, const JobRecord& job, std::int64_t undo) {
  const Value values[] = {undo, job.id, job.undone_by_id};
  LADE_ASSIGN(const std::int64_t changed,
              connection.execute("UPDATE lade_job SET undone_by = $1 WHERE id = $2 AND undone_by = $3 AND outcome IS "
                                 "NOT NULL AND outcome <> 'undone'",
                                 values));
  if (changed == 1) return {};
  return fail("being_undone", fmt::format("somebody else is undoing job {}, or has retried it", job.slug),
              "look at it again", ErrorKind::duplicate);
}

Error being_undone(const std::string& slug, const JobRecord& undo) {
  if (!undo.standing.outcome)
    return {"being_undone", fmt::format("job {} is undoing {} at the moment", undo.slug, slug), "wait for it",
            ErrorKind::duplicate};
  return {"being_undone", fmt::format("job {} has undone a part of {} and {}", undo.slug, slug, undo.status()),
          fmt::format("lade jobs retry {0} goes on with it, lade undo {0} takes it back", undo.slug),
          ErrorKind::duplicate};
}

}  // namespace lade::store
