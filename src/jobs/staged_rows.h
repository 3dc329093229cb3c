#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "jobs/bucket.h"
#include "jobs/job.h"
#include "staging/segment_file.h"
#include "storage/storage.h"

namespace lade::jobs {

// What the chunks of a job have staged, with the rows as people have corrected them since. Thread-safe.
class StagedRows {
 public:
  // Both outlive it.
  StagedRows(const Job& job, const storage::Storage& storage) : job_(job), storage_(storage) {}

  // Opens the segments of all chunks, once, and reads the corrections when there are newer ones. Fails with
  // staging_incomplete when not all chunks are analysed.
  Result<void> open(db::Connection& connection);
  bool is_open() const;
  // Finds out what comes of the rows' claims, once for every state of the corrections; the segments are open.
  Result<void> settle_claims();
  // The rows of a bucket in all chunks, found whole.
  Result<StagedBucket> bucket(std::size_t bucket) const;
  // What was found out about a chunk's rows when they were analysed.
  Result<staging::Range> findings(std::size_t chunk) const;
  // All records that a chunk has staged of some of its rows, by row, each as a range. Reads the whole chunk.
  Result<std::map<std::uint32_t, std::string>> records_of(std::size_t chunk, const std::set<std::uint32_t>& rows) const;

 private:
  Result<void> open_segments(db::Connection& connection);
  Result<void> read_corrections(db::Connection& connection);

  const Job& job_;
  const storage::Storage& storage_;
  mutable std::mutex mutex_;                                     // guards what follows
  std::vector<std::unique_ptr<staging::SegmentFile>> segments_;  // by chunk; not changed once they are opened
  bool opened_ = false;
  std::int64_t revision_ = 0;  // of the corrections
  std::shared_ptr<const Corrections> corrections_;
  std::shared_ptr<const load::ClaimResults> claims_;  // null: not settled, or none
  std::mutex settling_;                               // one thread settles claims
};

}  // namespace lade::jobs
