#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "db/connection.h"
#include "model/outcome.h"

namespace lade::store {

// What became of the rows of one bucket.
struct BucketOutcomes {
  std::int64_t bucket = 0;
  model::RowCounts counts;     // by outcome; `read` is not stored
  std::string packed;          // OutcomePacker::finish()
  bool settled = false;        // only keys repeated in the file were decided: nothing was loaded yet
  std::string findings = {};   // staging::pack() of what was found out about its rows
  std::string issues = "[]";   // how often which, as JSON
  std::int64_t revision = -1;  // of the job's corrections that it knows; -1: the newest
  bool partial = false;        // a handler has got some of its rows: those that are unprocessed are still to come
};

// In the transaction that loads the bucket. Replaces what was stored for it before.
Result<void> save_outcomes(db::Connection& connection, std::int64_t job, const BucketOutcomes& outcomes);
// Of the buckets [first, last], in order; those that were not loaded are missing.
Result<std::vector<BucketOutcomes>> outcomes_of(db::Connection& connection, std::int64_t job, std::int64_t first,
                                                std::int64_t last);
// Which buckets were loaded, as a whole.
Result<std::set<std::size_t>> loaded_buckets(db::Connection& connection, std::int64_t job);
// The same with the revision of the job's corrections that each knows.
Result<std::map<std::size_t, std::int64_t>> loaded_revisions(db::Connection& connection, std::int64_t job);
// Which buckets nothing is stored of yet, of `buckets`.
Result<std::vector<std::size_t>> undecided_buckets(db::Connection& connection, std::int64_t job, std::size_t buckets);
// What was found in each bucket, how often, as JSON.
Result<std::vector<std::string>> bucket_issues(db::Connection& connection, std::int64_t job);
// The counts of each bucket that was loaded.
struct BucketCounts {
  std::int64_t bucket = 0;
  std::int64_t rows = 0;
  std::int64_t failed = 0;
};
Result<std::vector<BucketCounts>> bucket_counts(db::Connection& connection, std::int64_t job);
// The sum over all buckets, by which a retry counts anew.
Result<model::RowCounts> counted_outcomes(db::Connection& connection, std::int64_t job);

}  // namespace lade::store
