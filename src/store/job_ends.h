#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "db/connection.h"

// Jobs that are to end, and jobs that are to go.
namespace lade::store {

// Ids of the jobs of all companies that somebody asked to cancel and that are not finished, oldest first.
Result<std::vector<std::int64_t>> jobs_to_cancel(db::Connection& connection);

// A file that no record names any more.
struct UnwantedFile {
  std::string uuid;     // as the storage calls it
  std::string storage;  // the storage's id; of segments empty: it is that of the job's tasks
};
// Forgets a finished job with all that belongs to it, in the caller's transaction when there is one, and gives the
// files that nobody wants any longer: its segments, and its upload unless another job has the same. Fails with
// job_not_found, and with transition_refused when the job is not finished.
Result<std::vector<UnwantedFile>> remove_job(db::Connection& connection, std::int64_t id);

// Forgets the segments of jobs that ended more than `days` ago; a retry will say staging_incomplete. Their files become
// orphans of the storage. Gives how many.
Result<std::int64_t> expire_segments(db::Connection& connection, std::int64_t days);
// The same for their undo journals, unless they are kept for lineage: such jobs cannot be taken back any more.
Result<std::int64_t> expire_journals(db::Connection& connection, std::int64_t days);

}  // namespace lade::store
