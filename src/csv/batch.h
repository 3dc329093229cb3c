#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace lade::csv {

// A field as a view into its batch's block. `raw` is the text without its outer quotes; `escaped` says that it holds
// doubled quotes or escapes, which unescape() resolves.
struct Field {
  std::string_view raw;
  bool quoted = false;
  bool escaped = false;
};

// A record whose number of fields differs from the header's. Missing fields read as empty and not quoted; fields too
// many are found only in Batch::record.
struct RaggedRecord {
  std::uint32_t row = 0;     // index in the batch
  std::uint32_t fields = 0;  // how many it has
  std::uint32_t end = 0;     // where the record ends, for Batch::record
};

// The first fault inside one record. The record is still delivered, read as well as possible; the consumer decides what
// it costs.
//   stray_quote         a quote inside a field that does not start with one; the field reads as it stands
//   text_after_quote    text between a closing quote and the delimiter; the field reads as it stands, quotes included
//   unterminated_quote  the input ends inside quotes; the field reads up to the end of the input
struct RecordFault {
  std::uint32_t row = 0;
  std::string_view code;
};

// The whole records of one block, row-major with a fixed number of columns. Views point into the Reader's memory and
// are valid until the next call of Reader::next.
class Batch {
 public:
  // So many bytes behind any field may be read (they mean nothing): short fields can be copied in whole vectors.
  static constexpr std::size_t kReadableBehind = 64;

  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }

  Field field(std::size_t row, std::size_t column) const {
    const std::size_t at = row * columns_ + column;
    const std::uint32_t packed = lengths_[at];
    return {{base_ + offsets_[at], packed >> 2}, (packed & 1) != 0, (packed & 2) != 0};
  }

  std::int64_t row_id(std::size_t row) const { return first_row_ + static_cast<std::int64_t>(row); }
  // Physical line (1-based) on which the record starts, and byte offset of its first byte in the file.
  std::int64_t line(std::size_t row) const { return first_line_ + lines_[row]; }
  std::uint64_t offset(std::size_t row) const { return base_offset_ + begin_of(row); }
  // The record as it stands in the file, without its line end.
  std::string_view record(std::size_t row) const;
  // The bytes of all records, for checks over the whole block (UTF-8, NUL).
  std::string_view block() const { return {base_ + begin_, end_ - begin_}; }

  // Both in order of their rows.
  const std::vector<RaggedRecord>& ragged() const { return ragged_; }
  const std::vector<RecordFault>& faults() const { return faults_; }

 private:
  friend class BatchBuilder;
  std::size_t begin_of(std::size_t row) const {
    const std::size_t at = row * columns_;
    return offsets_[at] - (lengths_[at] & 1);
  }

  const char* base_ = nullptr;  // offsets count from here
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::size_t rows_ = 0;
  std::size_t columns_ = 0;
  std::int64_t first_row_ = 1;
  std::int64_t first_line_ = 1;
  std::uint64_t base_offset_ = 0;  // where base_ stands in the file
  // Grown, never shrunk: only the first rows_ * columns_ (rows_) entries mean something.
  std::vector<std::uint32_t> offsets_;
  std::vector<std::uint32_t> lengths_;  // length << 2 | escaped << 1 | quoted
  std::vector<std::uint32_t> lines_;    // counted from first_line_
  std::vector<RaggedRecord> ragged_;
  std::vector<RecordFault> faults_;
};

}  // namespace lade::csv
