#include "jobs/staged_rows.h"

#include "store/files.h"
#include "store/job_changes.h"

namespace lade::jobs {
namespace {

// A hot key may make a bucket as large as the file: beyond this it is read piece by piece.
constexpr std::uint64_t kMostInMemory = 32 * 1024 * 1024;

}  // namespace

bool StagedRows::is_open() const {
  const std::lock_guard lock(mutex_);
  return opened_;
}

Result<void> StagedRows::open(db::Connection& connection) {
  const std::lock_guard lock(mutex_);
  if (!opened_) LADE_TRY(open_segments(connection));
  return read_corrections(connection);
}

Result<void> StagedRows::open_segments(db::Connection& connection) {
  LADE_ASSIGN(const auto records, store::segments_of(connection, job_.id));
  if (records.size() != job_.plan.chunks())
    return fail("staging_incomplete", "not all chunks of the job are analysed", "retry the job");
  std::vector<std::unique_ptr<staging::SegmentFile>> segments;
  for (const store::SegmentRecord& record : records) {
    LADE_ASSIGN(auto segment,
                staging::SegmentFile::open(storage_, record.file_uuid, static_cast<std::uint64_t>(record.bytes)));
    segments.push_back(std::move(segment));
  }
  segments_ = std::move(segments);
  opened_ = true;
  return {};
}

Result<void> StagedRows::read_corrections(db::Connection& connection) {
  LADE_ASSIGN(const std::int64_t revision, store::review_revision(connection, job_.id));
  if (revision == revision_) return {};
  LADE_ASSIGN(corrections_, Corrections::read(connection, job_.id));
  revision_ = revision;
  return {};
}

std::shared_ptr<const Corrections> StagedRows::corrections() const {
  const std::lock_guard lock(mutex_);
  return corrections_;
}

Result<StagedBucket> StagedRows::bucket(std::size_t bucket) const {
  StagedBucket staged;
  std::uint64_t bytes = 0;
  for (const auto& segment : segments_) bytes += segment->bucket_bytes(bucket);
  if (bytes <= kMostInMemory) staged.memory = std::make_unique_for_overwrite<char[]>(bytes);
  char* at = staged.memory.get();
  for (const auto& segment : segments_) {
    const std::size_t size = segment->bucket_bytes(bucket);
    LADE_ASSIGN(const staging::Range range,
                staged.memory ? segment->bucket(bucket, {at, size}) : segment->bucket(bucket));
    staged.ranges.push_back(range);
    at += staged.memory ? size : 0;
  }
  staged.corrections = corrections();
  if (!staged.corrections) return staged;
  for (staging::Range& range : staged.ranges) range.left_out = &staged.corrections->rows();
  staged.ranges.push_back(staged.corrections->bucket(bucket));
  return staged;
}

Result<staging::Range> StagedRows::findings(std::size_t chunk) const {
  return segments_[chunk]->finding_range();
}

}  // namespace lade::jobs
