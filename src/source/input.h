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

// A file of records that can be read at any place, by several threads.
struct Input {
  std::string name;  // as shown to people
  File file;
  std::uint64_t bytes = 0;  // after decompression
  bool spooled = false;     // a pipe or a compressed file, copied aside once
};

// Opens a path, or standard input for "-". What cannot be read at any place (pipes, gzip by its content) is written to
// a nameless file in `spool_folder`, streaming, at most `max_bytes`.
Result<Input> open_input(const std::string& path, const std::filesystem::path& spool_folder, std::uint64_t max_bytes,
                         const std::stop_token& stop = {});

// The same of a file that is open already, at its beginning; `name` is for people.
Result<Input> as_input(File file, const std::string& name, const std::filesystem::path& spool_folder,
                       std::uint64_t max_bytes, const std::stop_token& stop = {});

// What the definition or the command line says about the file; the rest is sniffed.
struct Overrides {
  std::optional<char> delimiter, quote, escape;
  bool no_quote = false;
  int skip_rows = 0;                // physical lines to leave out before anything else
  std::optional<int> header_row;    // line of the header among the rest, 1-based; 0: there is none
  std::vector<std::string> header;  // names when there is none
  std::string encoding;             // "utf-8", or empty; another is refused
  std::vector<std::string>
      expected;  // header names that the definition knows: a delimiter that shows them is the right one
  std::size_t max_columns = 4096;
  std::size_t max_record_bytes = 16 * 1024 * 1024;
};

// How the file is read, and where its data begin.
struct Layout {
  csv::Dialect dialect;
  std::vector<std::string> header;
  std::uint64_t data_offset = 0;
  std::int64_t data_line = 1;
  std::vector<std::string> evidence;
};

// Refuses with file_empty, unsupported_encoding, not_a_csv, record_too_long, too_many_columns, header_not_found.
Result<Layout> recognise(const Input& input, const Overrides& overrides);

}  // namespace lade::source
