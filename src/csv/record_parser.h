#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "csv/dialect.h"

namespace lade::csv {

// One record as found by RecordParser, in positions of the data it was given.
struct ParsedRecord {
  struct Field {
    std::uint32_t offset = 0;
    std::uint32_t packed = 0;  // length << 2 | escaped << 1 | quoted
  };
  std::vector<Field> fields;
  std::size_t begin = 0;
  std::size_t end = 0;              // without its line end
  std::size_t next = 0;             // after its line end
  std::size_t blank_lines = 0;      // blank and comment lines skipped before it
  bool in_comment = false;          // the data ends inside a comment line
  std::size_t line_ends = 0;        // line ends inside it and at its end
  bool open_quote = false;          // the data ends inside quotes
  std::size_t open_quote_line = 0;  // line ends between the record's start and that quote
  std::string_view fault;
};

// Reads one record byte by byte: the reference for every dialect and every fault. The fast path must agree with it.
class RecordParser {
 public:
  enum class Outcome {
    record,      // `record` holds it
    incomplete,  // needs more data; `record` says where it begins and whether it stands inside quotes
    none,        // nothing but blank lines and comments up to the end of the data; `record.next` stands there
  };

  explicit RecordParser(const Dialect& dialect);

  // Reads the record at `at`, which must be the start of a line, or stand inside a comment line when `in_comment` says
  // so. `last`: the data ends with the input.
  Outcome parse(std::string_view data, std::size_t at, bool last, bool in_comment, ParsedRecord& record);

 private:
  enum class Step { delimiter, line_end, end_of_data, incomplete };

  Step parse_field(std::size_t& at);
  // Inside quotes from `at`; false when the data ends before the closing quote.
  bool skip_quoted(std::size_t& at, bool& escaped);
  Step parse_quoted(std::size_t& at);
  Step skip_plain(std::size_t& at);
  void add_field(std::size_t begin, std::size_t end, bool quoted, bool escaped);
  void set_fault(std::string_view code);
  // Length of the line end at `at`, 0 when there is none; kUnknown when the byte after the data decides.
  std::size_t line_end_length(std::size_t at) const;
  // Both are false when the byte after the data decides about a line end.
  bool skip_lines_between(std::size_t& at);
  bool skip_comment(std::size_t& at);
  Outcome finish(Step step, std::size_t at);

  static constexpr std::size_t kUnknown = 3;

  Dialect dialect_;
  bool doubled_quotes_;
  std::array<bool, 256> special_in_plain_{};
  std::array<bool, 256> special_in_quotes_{};

  std::string_view data_;
  bool last_ = false;
  ParsedRecord* record_ = nullptr;
};

}  // namespace lade::csv
