#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/result.h"

// Rows between analysis and loading: written once, outside the database, sorted, and read back by ranges of keys.
namespace lade::staging {

// A staged record. Keys compare by their bytes; records of equal keys by row id.
struct Record {
  std::string_view key;
  std::uint32_t row_id = 0;
  std::string_view payload;
};

// Sorted records that lie together, in memory or in a file.
struct Range {
  const char* memory = nullptr;  // where they begin, when the area keeps them in memory
  const File* file = nullptr;    // a file of their own; null: the area's
  std::uint64_t offset = 0;      // in the file
  std::uint64_t bytes = 0;
  std::int64_t rows = 0;
  const std::set<std::uint32_t>* left_out = nullptr;  // rows that a Merge passes over; null: none. Outlives it
};

// What one job has staged: up to a budget in memory, the rest in a nameless file. Append-only; written and read by all
// workers at once.
class Area {
 public:
  static Result<std::unique_ptr<Area>> create(const std::filesystem::path& folder, std::size_t memory_bytes = 0);
  const File& file() const { return file_; }

  // Fills a place of exactly so many bytes, from front to back. Owned by one thread.
  class Writer {
   public:
    Result<void> append(std::string_view bytes);
    // The rest is written; gives the place.
    Result<Range> finish();

   private:
    friend class Area;
    Writer(Area& area, std::size_t bytes);
    Area& area_;
    Range place_;
    std::unique_ptr<char[]> block_;  // the whole place, or a piece on its way to the file
    std::size_t capacity_;
    std::size_t filled_ = 0;
    std::uint64_t written_ = 0;
  };
  Writer reserve(std::size_t bytes) { return Writer(*this, bytes); }

 private:
  Area(File file, std::size_t memory_bytes)
      : file_(std::move(file)), memory_left_(static_cast<std::int64_t>(memory_bytes)) {}
  File file_;
  std::atomic<std::uint64_t> end_ = 0;
  std::atomic<std::int64_t> memory_left_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<const char[]>> blocks_;  // guarded by mutex_; their bytes never change
};

// Collects the records of one chunk, sorts them and writes them once. Owned by one thread.
class SegmentBuilder {
 public:
  // Begins a record; the caller appends its payload to the string, then calls end_record().
  std::string& begin_record(std::string_view key, std::uint32_t row_id);
  void end_record();
  std::size_t bytes() const { return data_.size(); }
  bool empty() const { return entries_.empty(); }
  void clear();

  // Writes all records sorted by (key, row id) and gives one range per bucket: bucket i holds the keys below
  // splitters[i], the last one the rest. The builder is empty afterwards.
  Result<std::vector<Range>> finish(Area& area, std::span<const std::string> splitters);
  // The same records, in the same order, one by one; `end_bucket` follows the last one of every bucket.
  Result<void> finish(std::span<const std::string> splitters,
                      const std::function<Result<void>(std::string_view record)>& take,
                      const std::function<Result<void>()>& end_bucket);

 private:
  struct Entry {
    std::uint64_t prefix[2];  // the key's first sixteen bytes as one number, its low half first
    std::uint64_t at;         // of the record in data_
    std::uint32_t row_id;
    std::uint32_t key_size;
  };
  std::string_view key(const Entry& entry) const;
  void sort();
  // The first of the sorted entries whose key is not below the splitter.
  std::size_t first_from(std::string_view splitter) const;
  template <class Take, class EndBucket>
  Result<void> hand_over(std::span<const std::string> splitters, Take&& take, EndBucket&& end_bucket);

  std::string data_;
  std::vector<Entry> entries_;
};

// Appends the record as a range holds it: records appended in order are a range in memory.
void append_record(std::string& range, const Record& record);
// Calls `take` with every record of a range in memory, which is whole.
void for_each_record(std::string_view range, const std::function<void(const Record&)>& take);

// Reads several ranges as one sorted stream. Memory: `buffer_bytes` over all ranges (more only for huge records).
class Merge {
 public:
  // `file` is that of the area; ranges with a file of their own are read from there.
  Merge(const File& file, std::span<const Range> ranges, std::size_t buffer_bytes);
  ~Merge();
  Merge(const Merge&) = delete;
  Merge& operator=(const Merge&) = delete;

  // False at the end. The record's views are valid until the next call.
  Result<bool> next(Record& record);

 private:
  struct Input;
  Result<void> start();
  Result<bool> ensure(Input& input, std::size_t bytes);
  Result<bool> advance(Input& input);
  Result<bool> read_record(Input& input);
  static bool later(const Input* left, const Input* right);

  const File& file_;
  std::vector<std::unique_ptr<Input>> inputs_;
  std::vector<Input*> heap_;
  Input* current_ = nullptr;
  bool started_ = false;
};

}  // namespace lade::staging
