#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "csv/reader.h"
#include "jobs/corrections.h"
#include "jobs/job.h"

// One record of a job's source by itself.
namespace lade::jobs {

struct SourceRecord {
  std::int64_t row = 0;
  std::int64_t line = 0;
  std::uint64_t offset = 0;
  std::string text;  // as it stands there, without its line end
};

// Reads its chunk up to the row. Fails with row_not_found.
Result<SourceRecord> read_record(const Job& job, std::int64_t row);

// The rows of the same chunk, in order, read in one go up to the last. Fails with row_not_found.
Result<std::vector<SourceRecord>> read_records(const Job& job, std::span<const std::int64_t> rows);

// The chunk of a row that the file has.
std::size_t chunk_of(const Plan& plan, std::int64_t row);

// The record with other text in some of its cells; all else stays as it stands, byte by byte. Cells that the record
// lacks are added up to the last one that is given; text in the last column also stands for fields that are too many.
// Fails with source_column_unknown, and with value_not_writable when it is not UTF-8 or the file's dialect cannot say
// it.
Result<SourceRecord> with_cells(const Job& job, const SourceRecord& record, const Cells& cells);

// The text of its cells, one for every column of the header.
Result<std::vector<std::string>> cells_of(const Job& job, const SourceRecord& record);

// The same as result files give them: also what is known of their types, and in the last column fields that are too
// many, as they stand.
Result<std::vector<CellText>> given_cells(const Job& job, const SourceRecord& record);
std::string_view surplus_of(const csv::Batch& batch, std::size_t row);

// The text with U+FFFD in place of every byte that is not UTF-8, and of NUL: what databases and JSON can say.
std::string readable(std::string_view text);

// A record read as the only one of a batch, which lives as long as this.
class SingleRecord {
 public:
  SingleRecord(const Job& job, const SourceRecord& record);
  // Fails with record_not_readable when it is none, or several.
  Result<const csv::Batch*> read();

 private:
  MemorySource source_;
  csv::Reader reader_;
  csv::Batch batch_;
};

}  // namespace lade::jobs
