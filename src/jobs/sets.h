#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "db/connection.h"
#include "jobs/job.h"
#include "jobs/staged_rows.h"
#include "load/diff.h"
#include "load/leftovers.h"

// Imports that replace a set as a whole: what the file lacks. versions.h has those that are built aside.
namespace lade::jobs {

// The part of the outcomes that is about the set itself: how many rows were removed from it.
inline std::size_t set_part(const Plan& plan) {
  return plan.buckets();
}

// Which stored rows the file lacks, from what its chunks have staged. In the caller's transaction, which it fills with
// temporary tables; `leftovers` has found them then.
using BucketSource = std::function<Result<StagedBucket>(std::size_t bucket)>;
Result<load::Leftovers::Counts> find_leftovers(load::Leftovers& leftovers, const Job& job, const BucketSource& staged,
                                               const std::stop_token& stop);
// What was found, as records of the diff, and by which each of the rows is known again (see stays_unseen()).
Result<void> tell_leftovers(load::Leftovers& leftovers, const Job& job, load::DiffWriter& diff, std::string& seen);
// Rows that a reviewer has not seen as they are now are not removed; gives how many. `seen` is what was told then.
Result<std::int64_t> leave_unseen(load::Leftovers& leftovers, std::string_view seen);

// From now on rows are compared with the version that readers see, if the set has versions.
Result<void> compare_with_active(BucketLoader& loader, db::Connection& connection, const Job& job);

// Why the set must not become what the file says.
std::optional<Error> refuse_empty(const definition::WholeSet& set, const load::Leftovers::Counts& counts);
// Why somebody must approve that so many rows go.
std::optional<Error> too_many_removed(const definition::WholeSet& set, const load::Leftovers::Counts& counts);

}  // namespace lade::jobs
