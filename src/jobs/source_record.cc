#include "jobs/source_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "csv/writer.h"
#include "definition/utf8.h"

namespace lade::jobs {
namespace {

csv::ReaderOptions options_of(const Job& job, const SourceRecord& record) {
  csv::ReaderOptions options = job.reader_options({record.offset, record.row, record.line});
  options.block_bytes = std::max<std::size_t>(record.text.size() + 1, 4096);
  return options;
}

Result<std::size_t> column_of(const Job& job, const std::string& name) {
  const std::vector<std::string>& header = job.plan.layout.header;
  const auto found = std::ranges::find(header, name);
  if (found != header.end()) return static_cast<std::size_t>(found - header.begin());
  return fail("source_column_unknown", fmt::format("the file has no column '{}'", name),
              fmt::format("its columns: {}", fmt::join(header, ", ")), ErrorKind::invalid);
}

// The text as a field of the file. In a sheet it is text, not a number or a date that the sheet itself knows.
Result<std::string> as_field(const CellText& cell, const std::string& column, const csv::Dialect& dialect) {
  const std::string& text = cell.text;
  if (definition::find_invalid_utf8(text))
    return fail("value_not_writable", fmt::format("column '{}': the text is not UTF-8, or has a NUL", column),
                "give it as UTF-8", ErrorKind::invalid);
  const char special[] = {dialect.delimiter, '\n', '\r'};
  const bool plain = text.find_first_of(std::string_view(special, sizeof special)) == std::string::npos &&
                     (dialect.comment == 0 || !text.starts_with(dialect.comment));
  if (dialect.quote == 0 || dialect.escape == 0) {
    if (plain && text.find(dialect.quote) == std::string::npos) return text;
    return fail("value_not_writable",
                fmt::format("column '{}': the file has no quotes, so that '{}' cannot stand in it", column, text),
                "leave out delimiters, quotes and line ends", ErrorKind::invalid);
  }
  std::string field;
  if (dialect.rows_are_lines && !text.empty() && !cell.typed) {
    csv::append_quoted_field(field, text, dialect);
  } else {
    csv::append_field(field, text, dialect);
  }
  return field;
}

// Where a field stands in its record, with its quotes.
struct Span {
  std::size_t begin = 0, end = 0;
};

Span span_of(std::string_view record, const csv::Field& field) {
  const auto begin = static_cast<std::size_t>(field.raw.data() - record.data());
  const std::size_t quote = field.quoted ? 1 : 0;
  return {begin - quote, std::min(begin + field.raw.size() + quote, record.size())};
}

}  // namespace

std::size_t chunk_of(const Plan& plan, std::int64_t row) {
  const auto next = std::ranges::upper_bound(plan.split.chunks, row, {}, &csv::ChunkStart::row);
  return static_cast<std::size_t>(next - plan.split.chunks.begin() - 1);
}

Result<std::vector<SourceRecord>> read_records(const Job& job, std::span<const std::int64_t> rows) {
  std::vector<SourceRecord> records;
  if (rows.empty()) return records;
  if (rows.front() < 1 || rows.back() > job.plan.split.rows)
    return fail("row_not_found", fmt::format("the file has no row {}", rows.front() < 1 ? rows.front() : rows.back()),
                fmt::format("its rows are 1 to {}", job.plan.split.rows), ErrorKind::invalid);
  const std::size_t chunk = chunk_of(job.plan, rows.front());
  const csv::ChunkStart& start = job.plan.split.chunks[chunk];
  FileRange range(job.input.file, start.offset, job.plan.chunk_end(chunk));
  csv::Reader reader(range, job.reader_options(start));
  csv::Batch batch;
  while (records.size() < rows.size()) {
    LADE_ASSIGN(const bool more, reader.next(batch));
    if (!more)
      return fail("row_not_found", fmt::format("the file ends before row {}", rows[records.size()]), "",
                  ErrorKind::invalid);
    while (records.size() < rows.size()) {
      const std::int64_t row = rows[records.size()], at = row - batch.row_id(0);
      if (at >= static_cast<std::int64_t>(batch.rows())) break;
      const auto index = static_cast<std::size_t>(at);
      records.push_back({row, batch.line(index), batch.offset(index), std::string(batch.record(index))});
    }
  }
  return records;
}

Result<SourceRecord> read_record(const Job& job, std::int64_t row) {
  LADE_ASSIGN(auto records, read_records(job, {&row, 1}));
  return std::move(records.front());
}

SingleRecord::SingleRecord(const Job& job, const SourceRecord& record)
    : source_(record.text), reader_(source_, options_of(job, record)) {}

Result<const csv::Batch*> SingleRecord::read() {
  LADE_ASSIGN(const bool found, reader_.next(batch_));
  if (found && batch_.rows() == 1) return &batch_;
  return fail("record_not_readable", "the row would not be one record of the file any more",
              "leave out line ends, and at least one cell that is not blank", ErrorKind::invalid);
}

Result<std::vector<std::string>> cells_of(const Job& job, const SourceRecord& record) {
  SingleRecord single(job, record);
  LADE_ASSIGN(const csv::Batch* const batch, single.read());
  std::vector<std::string> cells;
  std::string scratch;
  for (std::size_t column = 0; column < batch->columns(); ++column)
    cells.emplace_back(csv::unescape(batch->field(0, column), job.plan.layout.dialect, scratch));
  return cells;
}

// A row with more fields than the header: what stands from the last column on, as it stands, so that nothing is lost.
std::string_view surplus_of(const csv::Batch& batch, std::size_t row) {
  const auto ragged =
      std::lower_bound(batch.ragged().begin(), batch.ragged().end(), row,
                       [](const csv::RaggedRecord& record, std::size_t wanted) { return record.row < wanted; });
  if (ragged == batch.ragged().end() || ragged->row != row || ragged->fields <= batch.columns()) return {};
  const csv::Field last = batch.field(row, batch.columns() - 1);
  const std::string_view record = batch.record(row);
  const char* begin = last.raw.data() - (last.quoted ? 1 : 0);
  return {begin, static_cast<std::size_t>(record.data() + record.size() - begin)};
}

Result<std::vector<CellText>> given_cells(const Job& job, const SourceRecord& record) {
  SingleRecord single(job, record);
  LADE_ASSIGN(const csv::Batch* const batch, single.read());
  const csv::Dialect& dialect = job.plan.layout.dialect;
  std::vector<CellText> cells;
  std::string scratch;
  for (std::size_t column = 0; column < batch->columns(); ++column) {
    const csv::Field field = batch->field(0, column);
    cells.emplace_back(std::string(csv::unescape(field, dialect, scratch)), dialect.rows_are_lines && !field.quoted);
  }
  if (const std::string_view surplus = surplus_of(*batch, 0); !surplus.empty()) cells.back().text = surplus;
  return cells;
}

std::string readable(std::string_view text) {
  std::string clean;
  while (const auto bad = definition::find_invalid_utf8(text)) {
    clean.append(text.substr(0, *bad)).append("\uFFFD");
    text.remove_prefix(*bad + 1);
  }
  return clean.append(text);
}

Result<SourceRecord> with_cells(const Job& job, const SourceRecord& record, const Cells& cells) {
  const csv::Dialect& dialect = job.plan.layout.dialect;
  std::map<std::size_t, std::string> fields;  // by column
  for (const auto& [name, text] : cells) {
    LADE_ASSIGN(const std::size_t column, column_of(job, name));
    LADE_ASSIGN(fields[column], as_field(text, name, dialect));
  }
  SingleRecord single(job, record);
  LADE_ASSIGN(const csv::Batch* const batch, single.read());
  const std::string_view text = batch->record(0);
  const std::size_t present = batch->ragged().empty() ? batch->columns() : batch->ragged().front().fields;
  SourceRecord changed{record.row, record.line, record.offset, {}};
  std::size_t copied = 0, columns = present;
  for (const auto& [column, field] : fields) {
    if (column >= present) {
      if (columns == present) changed.text += text.substr(copied), copied = text.size();
      changed.text.append(column + 1 - columns, dialect.delimiter);
      columns = column + 1;
    } else {
      const Span span = span_of(text, batch->field(0, column));
      changed.text += text.substr(copied, span.begin - copied);
      copied = column + 1 == batch->columns() ? text.size() : span.end;
    }
    changed.text += field;
  }
  changed.text += text.substr(copied);
  // Alone on its line an empty field would read as a blank line.
  if (changed.text.empty() && dialect.quote != 0) changed.text.assign(2, dialect.quote);
  return changed;
}

}  // namespace lade::jobs
