#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "db/connection.h"
#include "store/definitions.h"

// The records of files in the storage: uploads, results, and the segments of jobs.
namespace lade::store {

struct FileRecord {
  std::int64_t id = 0;  // given by create_file()
  std::string uuid;     // by which people name it, and its id in the storage unless it has a path there
  std::string storage;  // the storage's id
  std::string name;     // as its owner calls it; never part of a path
  std::int64_t bytes = 0;
  std::string sha256;
  std::string purpose = "upload";  // upload, succeeded, failed, unprocessed
  std::string created_by = {};
  std::int64_t company = kDefaultCompany;
  std::int64_t job = 0;            // whose result it is; 0: none
  std::int64_t created_by_id = 0;  // 0: nobody who has an account
  std::string created_at = {};     // given by the database
  std::string path = {};           // in the storage; empty: it lies there by its uuid

  // What the storage calls it.
  const std::string& stored_as() const { return path.empty() ? uuid : path; }
};

// Gives its id.
Result<std::int64_t> create_file(db::Connection& connection, const FileRecord& file);
// By the integer key; nullopt when there is none or it was removed.
Result<std::optional<FileRecord>> find_file(db::Connection& connection, std::int64_t id);
// By its UUID; nullopt when the company has no such file, or it was removed.
Result<std::optional<FileRecord>> find_file(db::Connection& connection, std::string_view uuid, std::int64_t company);
struct FileFilter {
  std::string sha256 = {};  // only files with these bytes; empty: all
  std::int64_t before = 0;  // only older ones than the file with this key; 0: from the newest on
  std::int64_t limit = 50;
  std::int64_t created_by_id = 0;  // 0: of anybody
  std::int64_t company = kDefaultCompany;
};
// Uploads, newest first.
Result<std::vector<FileRecord>> list_files(db::Connection& connection, const FileFilter& filter);
// Whether a job that may still read it names the file.
Result<bool> is_file_in_use(db::Connection& connection, std::int64_t id);
// The result files of a job that are there.
Result<std::vector<FileRecord>> results_of(db::Connection& connection, std::int64_t job);
// The file was taken out of the storage; its record stays for the jobs that name it.
Result<void> mark_file_removed(db::Connection& connection, std::int64_t id);

// What an attempt at a chunk has staged (staging::WrittenSegment), or the records that were made of the job's source.
constexpr std::int64_t kRecordsChunk = -1;
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
// Of its chunks, in their order.
Result<std::vector<SegmentRecord>> segments_of(db::Connection& connection, std::int64_t job);
// The records of its source; nullopt when it is read in place, or they are needed no longer.
Result<std::optional<SegmentRecord>> records_of(db::Connection& connection, std::int64_t job);
// The job needs them no longer; their files become orphans. Gives their ids in the storage.
Result<std::vector<std::string>> forget_segments(db::Connection& connection, std::int64_t job);

// How often the job has ended with a file of this purpose that had a path: the next one gets another path.
Result<std::int64_t> count_results(db::Connection& connection, std::int64_t job, std::string_view purpose);

// Whether the file, as the storage calls it, must stay: what storage::Storage::remove_orphans() asks. A record names
// it, or it has a path that no result file of this installation's jobs can have, which lie in `results_path`.
Result<bool> is_file_wanted(db::Connection& connection, const std::string& name,
                            std::string_view results_path = "uploads/imports/");

}  // namespace lade::store
