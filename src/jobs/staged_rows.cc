#include "jobs/staged_rows.h"

#include "store/files.h"
#include "store/job_changes.h"

namespace lade::jobs {
namespace {

// A hot key may make a bucket as large as the file: beyond this it is read piece by piece.
constexpr std::uint64_t kMostInMemory = 32 * 1024 * 1024;
constexpr std::size_t kMergeBytes = 1024 * 1024;

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
  LADE_ASSIGN(corrections_, Corrections::read(connection, job_.id, job_.plan.splitters));
  revision_ = revision;
  claims_.reset();
  return {};
}

// The claims task has told what came of the claims; here it is found out again, from the same records.
Result<void> StagedRows::settle_claims() {
  if (!job_.plan.has_claims()) return {};
  const std::lock_guard alone(settling_);
  LADE_ASSIGN(const StagedBucket staged, bucket(job_.plan.buckets()));
  if (staged.claims) return {};
  LADE_ASSIGN(auto claims, jobs::settle_claims(job_, staged.ranges));
  const std::lock_guard lock(mutex_);
  claims_ = std::move(claims);
  return {};
}

Result<StagedBucket> StagedRows::bucket(std::size_t bucket) const {
  StagedBucket staged;
  {
    const std::lock_guard lock(mutex_);
    staged.corrections = corrections_;
    staged.claims = claims_;
  }
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
  if (!staged.corrections) return staged;
  for (staging::Range& range : staged.ranges) range.left_out = &staged.corrections->rows();
  staged.ranges.push_back(staged.corrections->bucket(bucket));
  return staged;
}

Result<staging::Range> StagedRows::findings(std::size_t chunk) const {
  return segments_[chunk]->finding_range();
}

Result<std::map<std::uint32_t, std::string>> StagedRows::records_of(std::size_t chunk,
                                                                    const std::set<std::uint32_t>& rows) const {
  std::map<std::uint32_t, std::string> records;
  for (std::size_t part = 0; part < job_.plan.parts() && !rows.empty(); ++part) {
    LADE_ASSIGN(const staging::Range range, segments_[chunk]->bucket(part));
    staging::Merge merge(job_.area->file(), {&range, 1}, kMergeBytes);
    staging::Record record;
    for (;;) {
      LADE_ASSIGN(const bool more, merge.next(record));
      if (!more) break;
      if (rows.contains(record.row_id)) staging::append_record(records[record.row_id], record);
    }
  }
  return records;
}

}  // namespace lade::jobs
