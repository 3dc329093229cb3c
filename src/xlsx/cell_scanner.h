#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lade::xlsx {

enum class CellType : std::uint8_t { number, shared, text, inline_text, boolean, error, date };

// The attributes of a cell.
struct CellHead {
  std::uint32_t column = 0;
  std::uint32_t style = 0;
  CellType type = CellType::number;
};

struct ScannedCell {
  CellHead head;
  std::string_view value;  // as written; empty: the cell is blank
  bool escaped = false;    // a text that may hold _xHHHH_
  bool whole = false;      // the value is nothing but digits, of which `number` is the value
  std::uint64_t number = 0;
};

// The fast path of a sheet: cells as programs write them, found by comparing bytes. It takes only what the tokenizer
// would read in the same way; everything else (references, comments, odd spaces, other attributes) is not found.
class CellScanner {
 public:
  // For the cells of the row with this number; `prefix` is that of the row's tag ("x:").
  void begin_row(std::string_view prefix, std::string_view row_digits);

  // The cell at `at`, of which 64 readable zero bytes follow `end`. Gives what is behind it, or null when there is no
  // such cell, or not whole. `next_column` is that of a cell which does not say its own.
  const char* scan(const char* at, const char* end, std::uint32_t next_column, ScannedCell& cell) const {
    return prefix_.empty() ? scan_with(PlainTags{}, at, end, next_column, cell)
                           : scan_with(prefixed_, at, end, next_column, cell);
  }

 private:
  struct PlainTags {
    static constexpr std::string_view cell = "<c";
    static constexpr std::string_view value = "<v>";
    static constexpr std::string_view value_end = "</v></c>";
    static constexpr std::string_view inline_text = "<is><t";
    static constexpr std::string_view inline_end = "</t></is></c>";
    static constexpr std::string_view cell_end = "</c>";
  };
  struct PrefixedTags {
    std::string cell, value, value_end, inline_text, inline_end, cell_end;
  };

  template <class Tags>
  const char* scan_with(const Tags& tags, const char* at, const char* end, std::uint32_t next_column,
                        ScannedCell& cell) const;
  template <class Tags>
  static const char* scan_value(const Tags& tags, const char* at, const char* end, ScannedCell& cell);
  const char* scan_attributes(const char* at, CellHead& head) const;
  const char* scan_reference(const char* at, std::uint32_t& column) const;

  std::string prefix_;
  // How a reference to a cell of the row ends (17"), as the bytes of one word.
  std::uint64_t row_end_ = 0;
  std::uint64_t row_end_mask_ = 0;
  unsigned row_end_bytes_ = 0;  // 0: too long for a word, which no sheet has
  PrefixedTags prefixed_;
};

}  // namespace lade::xlsx
