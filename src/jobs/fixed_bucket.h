#pragma once

#include <set>
#include <stop_token>
#include <vector>

#include "jobs/bucket.h"
#include "store/outcomes.h"

// Buckets that were loaded before some of their rows were corrected.
namespace lade::jobs {

// What has become of such a bucket.
struct FixedBucket {
  BucketResult result;                     // of all its rows
  std::set<std::uint32_t> rows;            // that were decided about again
  std::vector<staging::Finding> outdated;  // what was stored about those
};

// Settles again the entities that corrected rows belong or belonged to, and loads those in which other rows count than
// before; what the job had written for them is put back first (load/revert.h). All else stays as it was. In the
// writer's transaction.
Result<FixedBucket> load_fixed_bucket(const Job& job, BucketLoader& loader, const StagedBucket& staged,
                                      const store::BucketOutcomes& stored, const load::JournalSink& journal,
                                      const std::stop_token& stop);

// Stores it, in the transaction that has loaded it; gives by how much the counts have grown.
Result<model::RowCounts> store_fixed_bucket(db::Connection& connection, const Job& job, FixedBucket& fixed,
                                            const store::BucketOutcomes& before);

}  // namespace lade::jobs
