#include "csv/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "csv/batch_builder.h"
#include "csv/block_buffer.h"
#include "csv/record_parser.h"
#include "csv/scan.h"

namespace lade::csv {
namespace {

// Positions and lengths of a batch have 30 bits.
constexpr std::size_t kLargestBlock = std::size_t{1} << 29;
// Scanned at once: the index of such a stretch stays in the nearest caches.
constexpr std::size_t kStretchBytes = 16 * 1024;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

ReaderOptions bounded(ReaderOptions options) {
  options.max_record_bytes = std::clamp<std::size_t>(options.max_record_bytes, 1, kLargestBlock);
  options.block_bytes = std::clamp<std::size_t>(options.block_bytes, kByteOrderMark.size(), kLargestBlock);
  return options;
}

// Whole steps, and so few that no record of a stretch can be too long.
std::size_t stretch_of(const ReaderOptions& options) {
  const std::size_t block = (options.block_bytes + kScanStep - 1) / kScanStep * kScanStep;
  return std::min({kStretchBytes, block, options.max_record_bytes / kScanStep * kScanStep});
}

// Where the next comment line begins behind `begin`, or `end`. Inside quotes it is none, but that only a parser knows.
std::size_t next_comment(const char* base, std::size_t begin, std::size_t end, char comment) {
  const char line_start[] = {'\n', comment};
  const void* found = memmem(base + begin, end - begin, line_start, sizeof line_start);
  return found == nullptr ? end : static_cast<std::size_t>(static_cast<const char*>(found) - base) + 1;
}

// Leaves only the records that end before `end`.
void cut(RecordIndex& index, std::size_t end) {
  while (index.record_count > 0 && index.ends[index.records[index.record_count - 1]] >> 2 >= end) --index.record_count;
}

bool fits_scan(const ReaderOptions& options) {
  const Dialect& dialect = options.dialect;
  return options.vectorised && stretch_of(options) > 0 && !dialect.lone_cr &&
         (dialect.quote == 0 || dialect.escape == dialect.quote) && can_scan();
}

}  // namespace

struct Reader::State {
  State(ByteSource& source, const ReaderOptions& given)
      : options(bounded(given)),
        buffer(source, options.block_bytes),
        parser(options.dialect),
        scans(fits_scan(options)),
        density(options.dialect.quote == 0 ? QuoteDensity::none : QuoteDensity::sparse),
        stretch_bytes(stretch_of(options)),
        index(scans ? stretch_bytes : 0),
        columns(options.columns),
        row(options.first_row),
        line(options.first_line),
        offset(options.first_offset) {}

  Result<bool> next(Batch& batch);
  Result<void> start();
  Result<bool> parse_block(Batch& batch);
  bool append_scanned(BatchBuilder& builder, std::size_t most_rows);
  Result<bool> append_one(BatchBuilder& builder);
  Result<void> find_columns();
  BatchOrigin origin() const;
  void move_to(const BatchBuilder& builder);
  Error too_long();
  Error too_many_columns(std::size_t count) const;

  ReaderOptions options;
  BlockBuffer buffer;
  RecordParser parser;
  ParsedRecord record;
  bool scans;
  QuoteDensity density;
  std::size_t stretch_bytes;
  RecordIndex index;
  std::size_t columns;
  std::int64_t row;
  std::int64_t line;
  std::uint64_t offset;
  bool in_comment = false;  // the block begins inside a comment line
  bool started = false;
  bool failed = false;
};

Result<void> Reader::State::start() {
  if (started) return {};
  started = true;
  LADE_TRY(validate(options.dialect));
  if (columns > options.max_columns) return fail(too_many_columns(columns));
  LADE_TRY(buffer.fill());
  if (offset == 0 && buffer.data().starts_with(kByteOrderMark)) {
    buffer.consume(kByteOrderMark.size());
    offset += kByteOrderMark.size();
  }
  return {};
}

Result<bool> Reader::State::next(Batch& batch) {
  LADE_TRY(start());
  for (;;) {
    LADE_TRY(buffer.fill());
    LADE_ASSIGN(const bool whole, parse_block(batch));
    if (batch.rows() > 0) return true;
    if (whole && buffer.at_end()) return false;
    if (!whole) buffer.grow(options.max_record_bytes + 2);
  }
}

BatchOrigin Reader::State::origin() const {
  return {buffer.base(), offset - buffer.begin(), buffer.begin(), columns, row, line, !options.dialect.rows_are_lines};
}

void Reader::State::move_to(const BatchBuilder& builder) {
  offset += builder.end() - buffer.begin();
  buffer.consume(builder.end() - buffer.begin());
  row += static_cast<std::int64_t>(builder.rows());
  line = builder.line();
}

// Appends the records of the block; false when the block ends before its first record does.
Result<bool> Reader::State::parse_block(Batch& batch) {
  if (columns == 0) LADE_TRY(find_columns());
  BatchBuilder builder(batch, origin());
  const std::size_t most_rows = columns == 0 ? 1 : std::max<std::size_t>(options.block_bytes / columns, 1);
  bool more = true;
  while (more && builder.rows() < most_rows) {
    if (scans && columns > 0 && append_scanned(builder, most_rows)) continue;
    LADE_ASSIGN(more, append_one(builder));
  }
  const bool whole = more || builder.end() == buffer.end();
  move_to(builder);
  return whole;
}

// Appends the records of a stretch; false when the next one is for the parser: it is irregular, longer than the
// stretch, or not whole, or a comment comes first.
bool Reader::State::append_scanned(BatchBuilder& builder, std::size_t most_rows) {
  const char comment = options.dialect.comment;
  if (comment != 0 && (in_comment || buffer.base()[builder.end()] == comment)) return false;
  std::size_t end = std::min(buffer.end(), builder.end() + stretch_bytes);
  if (comment != 0) end = next_comment(buffer.base(), builder.end(), end, comment);
  const ScanResult result =
      scan(buffer.base(), builder.end(), end, options.dialect, density, most_rows - builder.rows(), index);
  if (density != QuoteDensity::none) {
    density = result.quote_steps * 4 > result.steps ? QuoteDensity::dense : QuoteDensity::sparse;
  }
  if (comment != 0) cut(index, end);
  builder.append(index, most_rows);
  return index.record_count > 0 && !result.irregular;
}

// False at the end of the block's whole records.
Result<bool> Reader::State::append_one(BatchBuilder& builder) {
  const auto outcome = parser.parse(buffer.window(), builder.end(), buffer.last(), in_comment, record);
  in_comment = record.in_comment;
  const bool complete = outcome == RecordParser::Outcome::record;
  const std::size_t known_bytes = complete ? record.end - record.begin : buffer.end() - record.begin;
  // The last byte of an incomplete record may be the CR of its line end.
  if (known_bytes > options.max_record_bytes + (complete ? 0 : 1)) {
    if (builder.rows() > 0) return false;
    return fail(too_long());
  }
  if (complete) {
    builder.append(record);
    return true;
  }
  builder.skip(record.blank_lines, record.begin);
  return false;
}

Result<void> Reader::State::find_columns() {
  const auto outcome = parser.parse(buffer.window(), buffer.begin(), buffer.last(), in_comment, record);
  // A record that is too long is refused for that, whatever the size of the block.
  if (outcome != RecordParser::Outcome::record || record.end - record.begin > options.max_record_bytes) return {};
  if (record.fields.size() > options.max_columns) return fail(too_many_columns(record.fields.size()));
  columns = record.fields.size();
  return {};
}

Error Reader::State::too_long() {
  const std::int64_t start_line = line + static_cast<std::int64_t>(record.blank_lines);
  const std::uint64_t start_offset = offset + record.begin - buffer.begin();
  // Judged on the same bytes whatever the size of the block.
  const std::string_view head = buffer.window().substr(0, record.begin + options.max_record_bytes);
  parser.parse(head, record.begin, false, false, record);
  std::string message = fmt::format("the record that starts on line {} (row {}, byte {}) is longer than {} bytes",
                                    start_line, row, start_offset, options.max_record_bytes);
  if (record.open_quote) {
    message += fmt::format(": the quote opened on line {} is not closed before that",
                           start_line + static_cast<std::int64_t>(record.open_quote_line));
  }
  return {"record_too_long", std::move(message),
          record.open_quote ? "close or double that quote, or name the right quote character"
                            : "check the delimiter and the line ends, or raise the limit for records",
          ErrorKind::invalid};
}

Error Reader::State::too_many_columns(std::size_t count) const {
  return {"too_many_columns",
          fmt::format("the first record (line {}) has {} fields; at most {} are accepted",
                      line + static_cast<std::int64_t>(record.blank_lines), count, options.max_columns),
          "check the delimiter, or split the table", ErrorKind::invalid};
}

Reader::Reader(ByteSource& source, ReaderOptions options) : state_(std::make_unique<State>(source, options)) {}
Reader::~Reader() = default;

Result<bool> Reader::next(Batch& batch) {
  if (state_->failed) return false;
  Result<bool> result = state_->next(batch);
  state_->failed = !result;
  return result;
}

std::size_t Reader::columns() const {
  return state_->columns;
}
std::int64_t Reader::row() const {
  return state_->row;
}
std::int64_t Reader::line() const {
  return state_->line;
}
std::uint64_t Reader::offset() const {
  return state_->offset;
}

}  // namespace lade::csv
