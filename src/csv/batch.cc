#include "csv/batch.h"

#include <algorithm>

namespace lade::csv {

std::string_view Batch::record(std::size_t row) const {
  const std::size_t begin = begin_of(row);
  const auto ragged =
      std::lower_bound(ragged_.begin(), ragged_.end(), row,
                       [](const RaggedRecord& record, std::size_t value) { return record.row < value; });
  if (ragged != ragged_.end() && ragged->row == row) return {base_ + begin, ragged->end - begin};
  const std::size_t last = (row + 1) * columns_ - 1;
  // A quote that was never closed has nothing behind its text.
  const std::size_t end = std::min<std::size_t>(offsets_[last] + (lengths_[last] >> 2) + (lengths_[last] & 1), end_);
  return {base_ + begin, end - begin};
}

}  // namespace lade::csv
