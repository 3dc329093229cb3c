#include "csv/batch_builder.h"

#include <algorithm>

namespace lade::csv {

BatchBuilder::BatchBuilder(Batch& batch, const BatchOrigin& origin) : batch_(batch) {
  batch.base_ = origin.base;
  batch.base_offset_ = origin.base_offset;
  batch.begin_ = origin.begin;
  batch.end_ = origin.begin;
  batch.rows_ = 0;
  batch.columns_ = origin.columns;
  batch.first_row_ = origin.row;
  batch.first_line_ = origin.line;
  batch.ragged_.clear();
  batch.faults_.clear();
}

void BatchBuilder::reserve(std::size_t more_rows) {
  const std::size_t rows = batch_.rows_ + more_rows;
  if (rows > batch_.lines_.size()) batch_.lines_.resize(std::max(rows, 2 * batch_.lines_.size()));
  const std::size_t fields = rows * batch_.columns_;
  if (fields <= batch_.offsets_.size()) return;
  const std::size_t size = std::max(fields, 2 * batch_.offsets_.size());
  batch_.offsets_.resize(size);
  batch_.lengths_.resize(size);
}

void BatchBuilder::append(const ParsedRecord& record) {
  reserve(1);
  const auto row = static_cast<std::uint32_t>(batch_.rows_);
  const auto end = static_cast<std::uint32_t>(record.end);
  std::size_t at = batch_.rows_ * batch_.columns_;
  for (std::size_t column = 0; column < batch_.columns_; ++column, ++at) {
    const bool has = column < record.fields.size();
    batch_.offsets_[at] = has ? record.fields[column].offset : end;
    batch_.lengths_[at] = has ? record.fields[column].packed : 0;
  }
  if (record.fields.size() != batch_.columns_) {
    batch_.ragged_.push_back({row, static_cast<std::uint32_t>(record.fields.size()), end});
  }
  if (!record.fault.empty()) batch_.faults_.push_back({row, record.fault});
  line_ += static_cast<std::uint32_t>(record.blank_lines);
  batch_.lines_[row] = line_;
  line_ += static_cast<std::uint32_t>(record.line_ends);
  batch_.end_ = record.next;
  ++batch_.rows_;
}

void BatchBuilder::skip(std::size_t blank_lines, std::size_t end) {
  line_ += static_cast<std::uint32_t>(blank_lines);
  batch_.end_ = end;
}

}  // namespace lade::csv
