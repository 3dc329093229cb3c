#include "csv/batch_builder.h"

#include <algorithm>
#include <numeric>

namespace lade::csv {

BatchBuilder::BatchBuilder(Batch& batch, const BatchOrigin& origin)
    : batch_(batch), inner_line_(origin.count_inner_line_ends ? 1 : 0) {
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
  const std::size_t fields = rows * batch_.columns_ + RecordIndex::kSlack;
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

// Regular records have the expected number of fields; they are taken in runs, which end at any other record and behind
// one with a line end inside quotes.
void BatchBuilder::append(const RecordIndex& index, std::size_t most_rows) {
  std::size_t inner = 0;
  std::size_t first_end = 0;
  // In a table of one column only a look at the field tells a record from a blank line.
  const std::size_t regular_ends = batch_.columns_ > 1 ? batch_.columns_ : 0;
  for (std::size_t record = 0; record < index.record_count && batch_.rows_ < most_rows;) {
    const bool has_inner = inner < index.inner_line_end_count;
    const std::size_t run_end =
        std::min({index.record_count, record + most_rows - batch_.rows_,
                  has_inner ? index.inner_line_ends[inner] + std::size_t{1} : index.record_count});
    std::size_t last_end = first_end;
    std::size_t count = 0;
    while (record + count < run_end && index.records[record + count] - last_end == regular_ends) {
      last_end = index.records[record + count];
      ++count;
    }
    if (count > 0) {
      append_regular(index, first_end, count);
    } else {
      last_end = index.records[record];
      append_other(index, first_end, last_end);
      count = 1;
    }
    record += count;
    first_end = last_end;
    while (inner < index.inner_line_end_count && index.inner_line_ends[inner] < record) {
      ++inner;
      line_ += inner_line_;
    }
    batch_.end_ = (index.ends[last_end] >> 2) + 1;
  }
}

void BatchBuilder::append_regular(const RecordIndex& index, std::size_t first_end, std::size_t count) {
  reserve(count);
  const std::size_t columns = batch_.columns_;
  const std::size_t first_field = batch_.rows_ * columns;
  std::uint32_t* lengths = batch_.lengths_.data() + first_field;
  write_views(index.ends, first_end, count * columns, batch_.offsets_.data() + first_field, lengths);
  const std::uint32_t* ends = index.ends.data() + first_end;
  const char* base = batch_.base_;
  for (std::size_t row = 0; row < count; ++row) {
    lengths += columns;
    ends += columns;
    lengths[-1] -= base[(*ends >> 2) - 1] == '\r' ? 4U : 0U;
  }
  std::iota(batch_.lines_.data() + batch_.rows_, batch_.lines_.data() + batch_.rows_ + count, line_);
  line_ += static_cast<std::uint32_t>(count);
  batch_.rows_ += count;
}

// A ragged record, a blank line, or the record of a table with one column.
void BatchBuilder::append_other(const RecordIndex& index, std::size_t first_end, std::size_t last_end) {
  const std::size_t begin = (index.ends[first_end] >> 2) + 1;
  const std::size_t line_feed = index.ends[last_end] >> 2;
  const std::size_t end = line_feed - (line_feed > begin && batch_.base_[line_feed - 1] == '\r' ? 1 : 0);
  const std::size_t fields = last_end - first_end;
  if (begin < end) {
    reserve(1);
    const std::size_t first_field = batch_.rows_ * batch_.columns_;
    const std::size_t known = std::min(fields, batch_.columns_);
    std::uint32_t* offsets = batch_.offsets_.data() + first_field;
    std::uint32_t* lengths = batch_.lengths_.data() + first_field;
    write_views(index.ends, first_end, known, offsets, lengths);
    if (known == fields) lengths[known - 1] -= static_cast<std::uint32_t>((line_feed - end) << 2);
    std::fill(offsets + known, offsets + batch_.columns_, static_cast<std::uint32_t>(end));
    std::fill(lengths + known, lengths + batch_.columns_, 0U);
    const auto row = static_cast<std::uint32_t>(batch_.rows_);
    if (fields != batch_.columns_) {
      batch_.ragged_.push_back({row, static_cast<std::uint32_t>(fields), static_cast<std::uint32_t>(end)});
    }
    batch_.lines_[row] = line_;
    ++batch_.rows_;
  }
  ++line_;
}

void BatchBuilder::skip(std::size_t lines, std::size_t end) {
  line_ += static_cast<std::uint32_t>(lines);
  batch_.end_ = end;
}

}  // namespace lade::csv
