// The vector path of the CSV reader must give what the byte-by-byte path gives, whatever the text, dialect and block; a
// file must split into chunks that give the same rows. The first two bytes choose the settings.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/assert.h"
#include "csv/reader.h"
#include "csv/split.h"

namespace {

using lade::csv::Batch;
using lade::csv::ReaderOptions;

// Everything a consumer can see of a reading, as text.
struct Seen {
  std::string text;
  std::int64_t rows = 0;
  std::size_t columns = 0;

  void number(std::uint64_t value) { text.append(std::to_string(value)).push_back(' '); }
};

void see(const Batch& batch, const ReaderOptions& options, Seen& seen) {
  std::string scratch;
  for (std::size_t row = 0; row < batch.rows(); ++row) {
    seen.number(static_cast<std::uint64_t>(batch.row_id(row)));
    seen.number(static_cast<std::uint64_t>(batch.line(row)));
    seen.number(batch.offset(row));
    seen.text.append(batch.record(row));
    for (std::size_t column = 0; column < batch.columns(); ++column) {
      const auto field = batch.field(row, column);
      seen.number((field.quoted ? 1U : 0U) + (field.escaped ? 2U : 0U));
      seen.text.append(lade::csv::unescape(field, options.dialect, scratch));
    }
  }
  for (const auto& ragged : batch.ragged()) {
    seen.number(static_cast<std::uint64_t>(batch.row_id(ragged.row)));
    seen.number(ragged.fields);
  }
  for (const auto& fault : batch.faults()) {
    seen.number(static_cast<std::uint64_t>(batch.row_id(fault.row)));
    seen.text.append(fault.code);
  }
}

void read(std::string_view text, const ReaderOptions& options, Seen& seen) {
  lade::MemorySource source(text);
  lade::csv::Reader reader(source, options);
  Batch batch;
  for (;;) {
    const auto more = reader.next(batch);
    if (!more) seen.text.append(more.error().code + more.error().message);
    if (!more || !*more) break;
    see(batch, options, seen);
  }
  seen.rows = reader.row() - options.first_row;
  seen.columns = reader.columns();
  seen.number(static_cast<std::uint64_t>(reader.line()));
  seen.number(reader.offset());
}

// Ragged records and faults are listed per batch, so that only readings of equal blocks can be compared as a whole.
Seen read_whole(std::string_view text, ReaderOptions options, bool vectorised) {
  options.vectorised = vectorised;
  Seen seen;
  read(text, options, seen);
  return seen;
}

std::int64_t rows_of_chunks(std::string_view text, ReaderOptions options, std::uint64_t chunk_bytes) {
  lade::MemorySource source(text);
  const auto split = lade::csv::split(source, options, chunk_bytes);
  if (!split) return -1;
  std::int64_t rows = 0;
  options.columns = split->columns;
  for (std::size_t chunk = 0; chunk < split->chunks.size(); ++chunk) {
    const auto& start = split->chunks[chunk];
    const auto& stop = chunk + 1 < split->chunks.size() ? split->chunks[chunk + 1] : split->end;
    options.first_offset = start.offset;
    options.first_row = start.row;
    options.first_line = start.line;
    const std::string_view part = text.substr(start.offset, stop.offset - start.offset);
    const Seen seen = read_whole(part, options, true);
    LADE_ASSERT(seen.rows == stop.row - start.row);
    rows += seen.rows;
  }
  return rows;
}

ReaderOptions options_from(std::uint8_t first, std::uint8_t second) {
  ReaderOptions options;
  options.dialect.delimiter = ",;\t|"[first & 3];
  if ((first & 4) != 0) options.dialect.quote = options.dialect.escape = '\'';
  if ((first & 8) != 0) options.dialect.escape = '\\';
  if ((first & 16) != 0) options.dialect.lone_cr = true;
  if ((first & 32) != 0) options.dialect.quote = 0;
  if ((first & 64) != 0) options.dialect.comment = '#';
  options.dialect.rows_are_lines = (first & 128) != 0;
  options.columns = second % 4;
  options.block_bytes = second < 200 ? second + 1U : (second - 199U) * 1000U;
  options.max_record_bytes = second % 2 == 0 ? 1U << 20 : 300U;
  return options;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const ReaderOptions options = options_from(data[0], data[1]);
  const std::string_view text(reinterpret_cast<const char*>(data) + 2, size - 2);
  const Seen bytewise = read_whole(text, options, false);
  LADE_ASSERT(read_whole(text, options, true).text == bytewise.text);
  const std::int64_t rows = rows_of_chunks(text, options, 1 + data[1] % 50U);
  LADE_ASSERT(rows == -1 || rows == bytewise.rows);
  return 0;
}
