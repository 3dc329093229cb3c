#pragma once

#include <cstddef>
#include <cstdint>

#include "csv/batch.h"
#include "csv/record_parser.h"
#include "csv/scan.h"

namespace lade::csv {

// Where a batch begins: `base` is the address that positions count from and stands at `base_offset` in the file.
struct BatchOrigin {
  const char* base = nullptr;
  std::uint64_t base_offset = 0;
  std::size_t begin = 0;
  std::size_t columns = 0;
  std::int64_t row = 1;
  std::int64_t line = 1;
  bool count_inner_line_ends = true;  // those inside quotes are lines, too
};

// Fills one batch, record by record in the order of the file.
class BatchBuilder {
 public:
  BatchBuilder(Batch& batch, const BatchOrigin& origin);

  std::size_t rows() const { return batch_.rows_; }
  // Position and line behind the last record.
  std::size_t end() const { return batch_.end_; }
  std::int64_t line() const { return batch_.first_line_ + line_; }

  void append(const ParsedRecord& record);
  // The records of an index that starts at end(), up to `most_rows` rows in the batch.
  void append(const RecordIndex& index, std::size_t most_rows);
  // Lines up to `end` that are no records.
  void skip(std::size_t lines, std::size_t end);

 private:
  void reserve(std::size_t more_rows);
  void append_regular(const RecordIndex& index, std::size_t first_end, std::size_t count);
  void append_other(const RecordIndex& index, std::size_t first_end, std::size_t last_end);

  Batch& batch_;
  const std::uint32_t inner_line_;  // what a line end inside quotes counts
  std::uint32_t line_ = 0;
};

}  // namespace lade::csv
