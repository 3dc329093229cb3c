#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "staging/issue_log.h"
#include "staging/segment.h"
#include "storage/storage.h"

// Segments that outlive their process: what one attempt at a chunk has staged, as one immutable file of the storage.
//
//   magic | records of bucket 0 | … | records of the last bucket | findings | footer | trailer
//
// The footer has place, rows and checksum (XXH3) of each part; the trailer has the footer's, mixed with the file's id,
// so that no other file can stand in for it. Numbers are in the machine's own order: a segment is read where it was
// written.
namespace lade::staging {

// What an attempt tells about its segment when it is done.
struct WrittenSegment {
  std::string id;  // in the storage
  std::uint64_t bytes = 0;
  std::vector<std::int64_t> bucket_rows = {};
  std::int64_t findings = 0;
};

// Writes the rows by bucket, sorted by (key, row id), then what was found out about the chunk's rows, and makes the
// file durable. The builder is empty afterwards. Until somebody records the id the file is an orphan.
Result<WrittenSegment> write_segment(const storage::Storage& storage, SegmentBuilder& rows,
                                     std::span<const std::string> splitters, const IssueLog& findings);

// A segment opened for reading, by several threads at once. It outlives the ranges that it gives.
class SegmentFile {
 public:
  // Checks everything but the records. Fails with staging_damaged, naming the id and what is wrong, when the file is
  // not the whole segment with this id and size, and with stored_file_missing.
  static Result<std::unique_ptr<SegmentFile>> open(const storage::Storage& storage, const std::string& id,
                                                   std::uint64_t bytes);

  std::size_t buckets() const { return parts_.size() - 1; }
  std::int64_t bucket_rows(std::size_t bucket) const { return parts_[bucket].rows; }
  std::int64_t findings() const { return parts_.back().rows; }

  std::uint64_t bucket_bytes(std::size_t bucket) const { return parts_[bucket].bytes; }

  // The records of a bucket for a Merge. They are read through first, so that no record of a damaged range is used
  // (staging_damaged).
  Result<Range> bucket(std::size_t bucket) const;
  // The same, read into memory of exactly bucket_bytes() that outlives the range.
  Result<Range> bucket(std::size_t bucket, std::span<char> memory) const;
  // For an IssueLog.
  Result<Range> finding_range() const;

  // As it stands in the footer.
  struct Part {
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
    std::int64_t rows = 0;
    std::uint64_t checksum = 0;
  };

 private:
  SegmentFile(std::string id, File file) : id_(std::move(id)), file_(std::move(file)) {}
  Result<void> read_footer(std::uint64_t bytes);
  Result<void> check_footer(std::uint64_t footer_offset) const;
  Result<Range> verified(const Part& part) const;
  Error damaged(std::string_view what) const;
  Error different(const Part& part) const;

  std::string id_;
  File file_;
  std::vector<Part> parts_;  // the buckets', then the findings
};

}  // namespace lade::staging
