#include "source/sniff.h"

#include <algorithm>
#include <utility>

#include "csv/reader.h"
#include "source/sniff_content.h"
#include "source/sniff_dialect.h"
#include "source/sniff_header.h"

namespace lade::source {
namespace {

constexpr std::size_t kHeaderRecords = 100;

std::vector<std::vector<std::string>> first_records(std::string_view sample, const csv::Dialect& dialect) {
  MemorySource source(sample);
  csv::ReaderOptions options;
  options.dialect = dialect;
  options.block_bytes = std::min(options.block_bytes, sample.size());
  options.max_columns = sample.size() + 1;
  csv::Reader reader(source, options);
  csv::Batch batch;
  std::vector<std::vector<std::string>> records;
  std::string scratch;
  while (records.size() < kHeaderRecords) {
    const Result<bool> more = reader.next(batch);
    if (!more || !*more) break;
    for (std::size_t row = 0; row < batch.rows() && records.size() < kHeaderRecords; ++row) {
      auto& record = records.emplace_back();
      for (std::size_t column = 0; column < batch.columns(); ++column) {
        record.emplace_back(csv::unescape(batch.field(row, column), dialect, scratch));
      }
    }
  }
  return records;
}

}  // namespace

Result<Sniffed> sniff_csv(std::string_view sample) {
  LADE_ASSIGN(const Content content, sniff_content(sample));
  DialectFinding dialect = sniff_dialect(sample);
  if (dialect.best.records == 0) {
    return fail("file_empty", sample.empty() ? "the file is empty" : "the file holds nothing but blank lines",
                "check that the export has finished and wrote its rows", ErrorKind::invalid);
  }
  auto records = first_records(sample, dialect.best.dialect);
  HeaderFinding header = sniff_header(records);
  Sniffed sniffed;
  sniffed.dialect = dialect.best.dialect;
  sniffed.has_header = header.has_header;
  if (header.has_header) sniffed.header = std::move(records.front());
  sniffed.columns = dialect.best.fields;
  sniffed.records = dialect.best.records;
  sniffed.bom = content.bom;
  sniffed.encoding = content.encoding;
  sniffed.evidence = std::move(dialect.evidence);
  sniffed.evidence.push_back(content.evidence);
  sniffed.evidence.push_back(std::move(header.evidence));
  return sniffed;
}

}  // namespace lade::source
