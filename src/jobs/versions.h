#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "db/connection.h"
#include "jobs/job.h"
#include "store/job_list.h"
#include "store/set_versions.h"

// Versions of sets: built beside what readers see, then shown to them by one short change.
namespace lade::jobs {

// The version of the set that readers see now; nullopt: none is active, or the set has no versions.
Result<std::optional<std::int64_t>> active_version(db::Connection& connection, const Job& job);

// Makes the version that the job builds, unless it has one already. In the caller's transaction.
Result<void> begin_version(db::Connection& connection, const Job& job);
// Readers see the job's version from now on. In the transaction that ends the job.
Result<void> publish_version(db::Connection& connection, const Job& job, std::int64_t rows);

Error version_not_found(const std::string& version);
// Newest first; `table` as a definition names it, empty: all.
Result<std::vector<store::SetVersion>> list_versions(db::Connection& connection, std::int64_t company,
                                                     const std::string& table);
// Makes an older version active again; gives it as it is then. Fails with version_not_found and version_not_whole.
Result<store::SetVersion> activate_version(db::Connection& connection, std::int64_t company, std::int64_t id);
// Deletes the rows of versions that nobody wants any more; gives how many versions. One that is still referred to
// stays, with the reason.
Result<std::int64_t> purge_versions(db::Connection& connection);

// What undoing a job changes for the readers of a set: a version goes, or comes back with the undo of an undo.
struct VersionChange {
  store::SetVersion of;                  // the one that was imported
  std::optional<std::int64_t> from, to;  // rows of the table of versions; nullopt: none is seen
};
// Nullopt: readers have seen no version of the job. Fails with cannot_undo when they see another one by now, or when
// the rows of the one that they would see were purged.
Result<std::optional<VersionChange>> version_change(db::Connection& connection, const store::JobRecord& job);
// The same for the job that undoes another one.
Result<std::optional<VersionChange>> version_change_by(db::Connection& connection, const store::JobRecord& undo);
// Makes it, in the caller's transaction.
Result<void> change_version(db::Connection& connection, const VersionChange& change);

}  // namespace lade::jobs
