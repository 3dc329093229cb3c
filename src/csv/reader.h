#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"
#include "csv/batch.h"
#include "csv/dialect.h"

namespace lade::csv {

struct ReaderOptions {
  Dialect dialect;
  std::size_t columns = 0;  // fields a record should have; 0: taken from the first record
  std::size_t block_bytes = 256 * 1024;
  std::size_t max_record_bytes = 16 * 1024 * 1024;
  std::size_t max_columns = 4096;
  // Where the first byte of the source stands in the file. A byte order mark at offset 0 is skipped.
  std::int64_t first_row = 1;
  std::int64_t first_line = 1;
  std::uint64_t first_offset = 0;
  bool vectorised = true;  // false: byte by byte, with the same result; tests compare the two
};

// Cuts a stream of bytes into batches of whole records. Blank lines (nothing between two line ends) and comments, of
// any length, are not records. A CR before the end of the input belongs to the line end. Memory is about 10 times the
// block (grown only for a record longer than a block, up to max_record_bytes). Knows nothing of imports.
class Reader {
 public:
  // Block and limits are kept below 512 MiB.
  Reader(ByteSource& source, ReaderOptions options);
  ~Reader();
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  // Fills `batch` with the next records; false at the end. Refuses with record_too_long (naming the line on which the
  // record starts, and the unterminated quote when that is why), too_many_columns, dialect_invalid, or the source's
  // error. The records before a refused one are delivered first. After an error the reader is at its end.
  Result<bool> next(Batch& batch);

  // Fields of a record: as given, or as found in the first record; 0 before it.
  std::size_t columns() const;

  // Position after the last delivered batch: the row id, line and byte offset of the next record (or of blank lines
  // before it).
  std::int64_t row() const;
  std::int64_t line() const;
  std::uint64_t offset() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The field's text with doubled quotes and escapes resolved, in `scratch` when it had any.
std::string_view unescape(const Field& field, const Dialect& dialect, std::string& scratch);

}  // namespace lade::csv
