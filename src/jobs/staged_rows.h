#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "jobs/corrections.h"
#include "jobs/job.h"
#include "staging/segment_file.h"
#include "storage/folder.h"

namespace lade::jobs {

// A bucket's ranges, one from each chunk and one of corrected rows, and what they lie in.
struct StagedBucket {
  std::vector<staging::Range> ranges;
  std::unique_ptr<char[]> memory = {};  // unless they are too large for it
  std::shared_ptr<const Corrections> corrections = {};
};

// What the chunks of a job have staged, with the rows as people have corrected them since. Thread-safe.
class StagedRows {
 public:
  // Both outlive it.
  StagedRows(const Job& job, const storage::Folder& storage) : job_(job), storage_(storage) {}

  // Opens the segments of all chunks, once, and reads the corrections when there are newer ones. Fails with
  // staging_incomplete when not all chunks are analysed.
  Result<void> open(db::Connection& connection);
  bool is_open() const;
  // The rows of a bucket in all chunks, found whole.
  Result<StagedBucket> bucket(std::size_t bucket) const;
  // What was found out about a chunk's rows when they were analysed.
  Result<staging::Range> findings(std::size_t chunk) const;

 private:
  Result<void> open_segments(db::Connection& connection);
  Result<void> read_corrections(db::Connection& connection);
  std::shared_ptr<const Corrections> corrections() const;

  const Job& job_;
  const storage::Folder& storage_;
  mutable std::mutex mutex_;                                     // guards what follows
  std::vector<std::unique_ptr<staging::SegmentFile>> segments_;  // by chunk; not changed once they are opened
  bool opened_ = false;
  std::int64_t revision_ = 0;  // of the corrections
  std::shared_ptr<const Corrections> corrections_;
};

}  // namespace lade::jobs
