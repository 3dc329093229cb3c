#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "csv/dialect.h"

namespace lade::source {

// What the definition, the request or the command line says about the file; the rest is sniffed.
struct Overrides {
  std::string format;    // "csv", "xlsx"; empty: by content
  std::string encoding;  // any name that ICU knows, e.g. "windows-1252"; empty: found out
  std::string sheet;     // of a workbook: its name, or its place from 1 on; empty: the first visible one with cells
  bool repeat_merged = false;  // of a workbook: every cell of a merged range has the value of its first
  std::optional<char> delimiter, quote, escape, comment;
  bool no_quote = false;
  int skip_rows = 0;              // physical lines to leave out before anything else
  std::optional<int> header_row;  // line of the header among the rest, 1-based; 0: there is none; not given: found out
  std::vector<std::string> header;  // names when there is none
  std::vector<std::string>
      expected;  // header names that the definition knows: a delimiter or a line that shows them is the right one
  std::size_t max_columns = 4096;
  std::size_t max_record_bytes = 16 * 1024 * 1024;
};

// How the bytes at rest became the records of an Input.
struct Origin {
  std::string format = "csv";      // csv, xlsx
  std::string encoding = "utf-8";  // as found or given; a workbook has "utf-8"
  bool bom = false;
  std::string compression;                 // gzip, zstd, zip; empty: none
  std::string sheet;                       // that is read
  std::vector<std::string> sheets;         // all of the workbook; hidden ones too
  std::int64_t bad_bytes = 0;              // that mean nothing in that encoding; they stay bytes that are no UTF-8
  std::vector<std::uint64_t> bad_offsets;  // of the first ten, in the decompressed file
  std::vector<std::string> evidence;       // one finding a line, for people
};

// A file of UTF-8 records that can be read at any place, by several threads.
struct Input {
  std::string name;  // as shown to people
  File file;
  std::uint64_t bytes = 0;  // after decompression and decoding
  bool spooled = false;     // copied aside once: a pipe, compressed, of another encoding, a workbook
  Origin origin;
  File original;  // the file as it came; open when `file` is not it
  // The records are the rows of a sheet, written by lade in its own dialect: one record or blank line a row, so that
  // line n is row n of the sheet (csv::Dialect::rows_are_lines).
  bool sheet_rows = false;
};

// Opens a path, or standard input for "-". What cannot be read in place is written to a nameless file in
// `spool_folder`, streaming, at most `max_bytes`: pipes, gzip, zstd and zip (of one file) by their content, other
// encodings than UTF-8, workbooks. Refuses what cannot be read at all, saying what to do (docs/errors.md).
Result<Input> open_input(const std::string& path, const std::filesystem::path& spool_folder, std::uint64_t max_bytes,
                         const Overrides& overrides = {}, const std::stop_token& stop = {});

// The same of a file that is open already, at its beginning; `name` is for people.
Result<Input> as_input(File file, const std::string& name, const std::filesystem::path& spool_folder,
                       std::uint64_t max_bytes, const Overrides& overrides = {}, const std::stop_token& stop = {});

// How the file is read, and where its data begin.
struct Layout {
  Origin origin;  // the input's
  csv::Dialect dialect;
  std::vector<std::string> header;  // column_1 … when the overrides say that there is none
  bool has_header = true;           // the header looks like one; when not, its record may well be data
  std::uint64_t header_offset = 0;  // of the record that is the header, or of the first one
  std::int64_t header_line = 1;
  std::uint64_t data_offset = 0;
  std::int64_t data_line = 1;
  std::vector<std::string> evidence;
};

// Refuses with file_empty, not_a_csv, unsupported_encoding (a header with bytes that mean nothing), record_too_long,
// too_many_columns, header_not_found, dialect_invalid. Titles above the header are left out where header_row does not
// say its line.
Result<Layout> recognise(const Input& input, const Overrides& overrides);

}  // namespace lade::source
