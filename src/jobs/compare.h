#pragma once

#include <stop_token>

#include "jobs/bucket.h"
#include "store/comparisons.h"

// Buckets compared with the target before anything is written, by the code that loads them.
namespace lade::jobs {

// What is settled of a bucket, and what loading it would do now.
struct ComparedBucket {
  BucketResult settled;  // failed rows are failed, all others unprocessed
  store::Comparison comparison;
};

// Compares on the connection of `loader`. On PostgreSQL in the caller's transaction. Holds the bucket's diff, packed.
Result<ComparedBucket> compare_bucket(const Job& job, BucketLoader& loader, const StagedBucket& staged,
                                      std::size_t bucket, const std::stop_token& stop);

// What was stored when a reviewer has looked at the bucket; nullopt when nobody has.
Result<std::optional<load::SeenRows>> rows_seen(db::Connection& connection, const Job& job, std::size_t bucket);

}  // namespace lade::jobs
