#include "source/column_evidence.h"

#include <algorithm>

#include "csv/reader.h"
#include "source/column_tally.h"

namespace lade::source {
namespace {

// For all columns together: up to 32 bytes each in their tables.
constexpr std::size_t kMostValues = 2'000'000;

std::size_t rows_to_take(const csv::Batch& batch, std::int64_t taken, std::int64_t max_rows) {
  if (max_rows == 0) return batch.rows();
  return static_cast<std::size_t>(std::min(static_cast<std::int64_t>(batch.rows()), max_rows - taken));
}

}  // namespace

Result<std::vector<ColumnEvidence>> column_evidence(const Input& input, const Layout& layout, std::int64_t max_rows) {
  csv::ReaderOptions options;
  options.dialect = layout.dialect;
  options.columns = layout.header.size();
  options.max_columns = std::max(options.max_columns, layout.header.size());
  options.first_offset = layout.data_offset;
  options.first_line = layout.data_line;
  FileRange range(input.file, layout.data_offset, input.bytes);
  csv::Reader reader(range, options);
  const std::size_t most =
      std::max(2 * DistinctValues::kMostCounted, kMostValues / std::max<std::size_t>(1, layout.header.size()));
  std::vector<ColumnTally> tallies(layout.header.size(), ColumnTally(most));
  csv::Batch batch;
  std::string scratch;
  for (std::int64_t taken = 0; max_rows == 0 || taken < max_rows;) {
    LADE_ASSIGN(const bool more, reader.next(batch));
    if (!more) break;
    const std::size_t rows = rows_to_take(batch, taken, max_rows);
    for (std::size_t column = 0; column < tallies.size(); ++column) {
      for (std::size_t row = 0; row < rows; ++row) {
        const csv::Field field = batch.field(row, column);
        const bool typed = input.sheet_rows && !field.quoted;  // texts of a sheet are quoted
        tallies[column].take(csv::unescape(field, layout.dialect, scratch), batch.line(row), typed);
      }
    }
    taken += static_cast<std::int64_t>(rows);
  }
  std::vector<ColumnEvidence> found;
  for (std::size_t column = 0; column < tallies.size(); ++column)
    found.push_back(tallies[column].evidence(layout.header[column]));
  return found;
}

}  // namespace lade::source
