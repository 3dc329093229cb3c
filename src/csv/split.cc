#include "csv/split.h"

#include <algorithm>

namespace lade::csv {
namespace {

// The batch's first row that lies `bytes` or more behind `start`, or its number of rows. Never the row of `start`
// itself, which stands behind it when a byte order mark or blank lines come first.
std::size_t row_behind(const Batch& batch, const ChunkStart& start, std::uint64_t bytes) {
  std::size_t low = 0;
  std::size_t high = batch.rows();
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (batch.offset(middle) < start.offset + bytes || batch.row_id(middle) <= start.row) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

void add_starts(const Batch& batch, std::uint64_t chunk_bytes, std::vector<ChunkStart>& chunks) {
  for (;;) {
    const std::size_t row = row_behind(batch, chunks.back(), chunk_bytes);
    if (row == batch.rows()) return;
    chunks.push_back({batch.offset(row), batch.row_id(row), batch.line(row)});
  }
}

}  // namespace

Result<Split> split(ByteSource& source, const ReaderOptions& options, std::uint64_t chunk_bytes,
                    const BatchVisitor& on_batch) {
  Split result;
  Reader reader(source, options);
  Batch batch;
  for (;;) {
    LADE_ASSIGN(const bool more, reader.next(batch));
    if (!more) break;
    if (result.chunks.empty()) result.chunks.push_back({options.first_offset, options.first_row, options.first_line});
    add_starts(batch, std::max<std::uint64_t>(chunk_bytes, 1), result.chunks);
    if (on_batch) LADE_TRY(on_batch(batch));
  }
  result.end = {reader.offset(), reader.row(), reader.line()};
  result.rows = reader.row() - options.first_row;
  result.columns = reader.columns();
  return result;
}

}  // namespace lade::csv
