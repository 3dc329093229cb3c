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
  std::string row_end_;  // digits and closing quote, e.g. 17"
  PrefixedTags prefixed_;
};

}  // namespace lade::xlsx
