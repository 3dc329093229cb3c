#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "xlsx/cell_reference.h"
#include "xlsx/cell_scanner.h"
#include "xlsx/string_table.h"
#include "xlsx/styles.h"
#include "xlsx/text_arena.h"
#include "xlsx/workbook.h"
#include "xlsx/xml_reader.h"

namespace lade::xlsx {

// What the cells of a sheet refer to. All outlive the parser.
struct SheetContext {
  const Styles& styles;
  StringTable& strings;
  const Limits& limits;
  bool from_1904 = false;
};

struct MergedRange {
  CellReference first;
  CellReference last;  // included
};

// The part of a sheet → rows. Cells as programs write them are found by comparing bytes within the window (the fast
// path); whatever is not just so is left to the tokenizer, cell by cell.
class SheetParser {
 public:
  struct Options {
    std::size_t block_bytes = 128 * 1024;
    bool fast = true;  // false: the tokenizer alone, which must give the same
  };

  SheetParser(ByteSource& source, const std::string& part, const SheetContext& context, Options options);
  SheetParser(ByteSource& source, const std::string& part, const SheetContext& context)
      : SheetParser(source, part, context, Options{}) {}

  // False at the end of the part. Rows must ascend, as all programs write them; cells within a row may come in any
  // order. Refuses as SheetReader::next does.
  Result<bool> next(Row& row);
  // Known at the end.
  const std::vector<MergedRange>& merged_ranges() const { return merged_; }

 private:
  Result<bool> find_rows();
  Result<void> read_rest();
  Result<void> read_merged_range();
  Result<void> read_row();
  Result<void> begin_row();
  Result<void> end_row();
  Result<void> scan_cells();
  Result<void> read_cell();
  Result<CellHead> read_head();

  // False when the cell cannot be taken; failure_ says why. (A Result for every cell would cost more than the cell.)
  bool add_scanned(const ScannedCell& cell);
  bool add(const CellHead& head, std::string_view written);
  bool add_number(const CellHead& head, std::string_view written);
  bool add_moment(const CellHead& head, FormatKind kind, double serial, std::string_view written);
  bool add_plain_number(const CellHead& head, std::string_view written);
  bool add_shared(const CellHead& head, std::size_t index);
  bool add_text(const CellHead& head, CellKind kind, std::string_view text) {
    return add_cell(head, kind, arena_.keep(text));
  }
  bool add_cell(const CellHead& head, CellKind kind, std::string_view text);
  bool refuse(Error error);

  Error damaged(std::string_view what) const;
  Error too_large(std::string_view what) const;

  XmlReader xml_;
  const SheetContext context_;
  const bool fast_;
  CellScanner scanner_;
  std::vector<Cell> cells_;
  TextArena arena_;
  std::string text_;
  std::vector<MergedRange> merged_;
  bool started_ = false;
  bool in_rows_ = false;
  std::int64_t row_ = 0;
  std::uint32_t next_column_ = 0;
  bool ascending_ = true;
  std::uint64_t row_bytes_ = 0;
  std::uint64_t sheet_bytes_ = 0;
  Error failure_;
};

}  // namespace lade::xlsx
