#include "source/sniff.h"

#include "csv/reader.h"
#include "source/sample_records.h"

namespace lade::source {
namespace {

constexpr std::size_t kShownRows = 20;

// The first rows from `offset` on; a record that cannot be read ends them.
Result<std::vector<std::vector<std::string>>> first_rows(const Input& input, const Layout& layout,
                                                         const Overrides& overrides, std::uint64_t offset) {
  csv::ReaderOptions options;
  options.dialect = layout.dialect;
  options.columns = layout.header.size();
  options.max_columns = overrides.max_columns;
  options.max_record_bytes = overrides.max_record_bytes;
  options.first_offset = offset;
  FileRange range(input.file, offset, input.bytes);
  csv::Reader reader(range, options);
  csv::Batch batch;
  std::vector<std::vector<std::string>> rows;
  while (rows.size() < kShownRows) {
    LADE_ASSIGN(const bool more, reader.next(batch));
    if (!more) break;
    const SamplePlace place{batch.offset(0), batch.line(0)};
    for (SampleRecord& record : sample_records(batch.block(), layout.dialect, place, kShownRows - rows.size()))
      rows.push_back(std::move(record.fields));
  }
  return rows;
}

}  // namespace

Result<Sniffed> sniff(const Input& input, const Overrides& overrides) {
  LADE_ASSIGN(Layout layout, recognise(input, overrides));
  LADE_ASSIGN(auto rows,
              first_rows(input, layout, overrides, layout.has_header ? layout.data_offset : layout.header_offset));
  Sniffed sniffed;
  sniffed.origin = input.origin;
  sniffed.dialect = layout.dialect;
  sniffed.skipped_lines = layout.header_line - 1;
  sniffed.has_header = layout.has_header;
  sniffed.header_line = layout.has_header ? layout.header_line : 0;
  sniffed.columns = layout.header.size();
  if (layout.has_header) sniffed.header = std::move(layout.header);
  sniffed.rows = std::move(rows);
  sniffed.evidence = input.origin.evidence;
  sniffed.evidence.insert(sniffed.evidence.end(), layout.evidence.begin(), layout.evidence.end());
  return sniffed;
}

}  // namespace lade::source
