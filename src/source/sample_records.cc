#include "source/sample_records.h"

#include <algorithm>

#include "csv/reader.h"

namespace lade::source {
namespace {

// The fields of one record; the batch has only as many as the first record.
std::vector<std::string> fields_of(std::string_view record, const csv::Dialect& dialect) {
  MemorySource source(record);
  csv::ReaderOptions options;
  options.dialect = dialect;
  options.block_bytes = record.size();
  options.max_columns = record.size() + 1;
  options.first_offset = 1;  // a byte order mark is text here
  csv::Reader reader(source, options);
  csv::Batch batch;
  const Result<bool> more = reader.next(batch);
  std::vector<std::string> fields;
  if (!more || !*more) return fields;
  std::string scratch;
  for (std::size_t column = 0; column < batch.columns(); ++column)
    fields.emplace_back(csv::unescape(batch.field(0, column), dialect, scratch));
  return fields;
}

}  // namespace

std::vector<SampleRecord> sample_records(std::string_view sample, const csv::Dialect& dialect, const SamplePlace& place,
                                         std::size_t most) {
  MemorySource source(sample);
  csv::ReaderOptions options;
  options.dialect = dialect;
  options.columns = 1;  // only where records begin and end is asked for
  options.block_bytes = std::min(options.block_bytes, sample.size());
  options.first_offset = place.offset;
  options.first_line = place.line;
  csv::Reader reader(source, options);
  csv::Batch batch;
  std::vector<SampleRecord> records;
  while (records.size() < most) {
    const Result<bool> more = reader.next(batch);
    if (!more || !*more) break;
    for (std::size_t row = 0; row < batch.rows() && records.size() < most; ++row)
      records.push_back({fields_of(batch.record(row), dialect), batch.offset(row), batch.line(row)});
  }
  return records;
}

}  // namespace lade::source
