#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "csv/dialect.h"

// A second CSV reader, written for plainness only: a state machine over the whole text. The real one must agree with
// it.
namespace lade::testing {

struct NaiveField {
  std::string text;
  bool quoted = false;

  bool operator==(const NaiveField&) const = default;
};

struct NaiveRecord {
  std::vector<NaiveField> fields;
  std::string as_written;
  std::string fault;
  std::uint64_t offset = 0;
  std::int64_t line = 1;

  bool operator==(const NaiveRecord&) const = default;
};

struct NaiveFile {
  std::vector<NaiveRecord> records;
  std::int64_t end_line = 1;
};

// Reads the text from `offset` 0 (a byte order mark is skipped).
NaiveFile read_naively(std::string_view text, const csv::Dialect& dialect);

// Text made to provoke every state of a reader: mostly well-formed records of one width with quotes, doubled quotes,
// escapes, inner line ends and comments, and now and then ragged records, blank lines, stray quotes, lone CRs, NULs, no
// last line end, an open quote at the end.
class CsvGenerator {
 public:
  explicit CsvGenerator(std::uint64_t seed) : random_(seed) {}

  csv::Dialect dialect();
  std::string text(const csv::Dialect& dialect, std::size_t records);

 private:
  std::size_t below(std::size_t limit) { return static_cast<std::size_t>(random_() % limit); }
  bool one_in(std::size_t count) { return below(count) == 0; }
  void append_field(std::string& out, const csv::Dialect& dialect, bool hostile);
  void append_inner(std::string& out, const csv::Dialect& dialect);
  void append_comment(std::string& out, const csv::Dialect& dialect);
  void append_line_end(std::string& out, const csv::Dialect& dialect);

  std::mt19937_64 random_;
};

}  // namespace lade::testing
