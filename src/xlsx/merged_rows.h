#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "xlsx/sheet_parser.h"
#include "xlsx/workbook.h"

namespace lade::xlsx {

// Rows in which every cell of a merged range has the value of its first one; rows that only a range has are added. What
// is filled in is limited: one range may span a whole sheet.
class MergedRows {
 public:
  // `rows` delivers the sheet from its beginning and outlives this.
  MergedRows(SheetParser& rows, std::vector<MergedRange> ranges, const Limits& limits, std::string sheet);
  Result<bool> next(Row& row);

 private:
  // A range that has begun, with the value of its first cell.
  struct Open {
    MergedRange range;
    CellKind kind;
    std::uint32_t style;
    std::string text;
  };

  Result<void> open_ranges(const Row& row);
  Result<void> fill(const Row& row);
  Error too_large(std::string_view what) const;

  SheetParser& rows_;
  std::vector<MergedRange> ranges_;  // by their first row
  const Limits& limits_;
  std::string sheet_;
  std::size_t next_range_ = 0;
  std::vector<Open> open_;
  std::uint64_t open_bytes_ = 0;
  std::uint64_t filled_cells_ = 0;
  std::uint64_t filled_bytes_ = 0;
  Row ahead_;  // the next row of the sheet
  bool have_ahead_ = false;
  bool ended_ = false;
  std::int64_t number_ = 0;  // of the row given last
  std::vector<Cell> filled_;
  std::vector<Cell> cells_;
};

}  // namespace lade::xlsx
