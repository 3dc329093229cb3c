#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "db/connection.h"
#include "store/definitions.h"

// The records of files in the storage: uploads, results, and the segments of jobs.
namespace lade::store {

struct FileRecord {
  std::int64_t id = 0;  // given by create_file()
  std::string uuid;     // its id in the storage
  std::string storage;  // the storage's id
  std::string name;     // as its owner calls it; never part of a path
  std::int64_t bytes = 0;
  std::string sha256;
  std::string purpose = "upload";  // upload, succeeded, failed, unprocessed
  std::string created_by = {};
  std::int64_t company = kDefaultCompany;
  std::int64_t job = 0;  // whose result it is; 0: none
};

// Gives its id.
Result<std::int64_t> create_file(db::Connection& connection, const FileRecord& file);
// By the integer key; nullopt when there is none or it was removed.
Result<std::optional<FileRecord>> find_file(db::Connection& connection, std::int64_t id);
// The result files of a job that are there.
Result<std::vector<FileRecord>> results_of(db::Connection& connection, std::int64_t job);
// The file was taken out of the storage; its record stays for the jobs that name it.
Result<void> mark_file_removed(db::Connection& connection, std::int64_t id);

// What an attempt at a chunk has staged (staging::WrittenSegment).
struct SegmentRecord {
  std::int64_t chunk = 0;
  std::string file_uuid;
  std::int64_t bytes = 0;
  std::int64_t rows = 0;  // in buckets
  std::int64_t failed_rows = 0;
  std::string issues = "[]";  // how often which, as JSON
};
// Makes the segment that of its chunk, in the caller's transaction; one recorded before becomes an orphan.
Result<void> record_segment(db::Connection& connection, std::int64_t job, const SegmentRecord& segment);
// By chunk.
Result<std::vector<SegmentRecord>> segments_of(db::Connection& connection, std::int64_t job);
// The job needs them no longer; their files become orphans. Gives their ids in the storage.
Result<std::vector<std::string>> forget_segments(db::Connection& connection, std::int64_t job);

// Whether a record names the file: what storage::Folder::remove_orphans() asks.
Result<bool> is_file_wanted(db::Connection& connection, const std::string& uuid);

}  // namespace lade::store
