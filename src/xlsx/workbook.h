#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "zip/archive.h"

// Workbooks (.xlsx, .xlsm, strict or transitional) → rows of cells, streaming. Knows no imports.
namespace lade::xlsx {

struct Limits {
  zip::Limits zip;
  std::size_t max_columns = 16'384;
  std::int64_t max_rows = 1'048'576;              // the last row number that a sheet may have
  std::size_t max_text = 32'767;                  // characters of a cell, as Excel has it
  std::uint64_t max_cell_bytes = 10'000'000'000;  // of all cells of a sheet together, as delivered
  std::size_t string_memory = 12 * 1024 * 1024;   // of shared strings; more go to a nameless file
};

enum class CellKind : std::uint8_t { blank, text, number, date, time, timestamp, boolean, error };

// `text` is what an import reads; it is valid until the next call of SheetReader::next:
//   text       as it stands, rich text joined, phonetic runs left out, _xHHHH_ resolved
//   number     plain decimal digits, never an exponent: as written where the file has at most 15 significant digits or
//              plain digits alone, else rounded to the 15 digits that Excel shows (0.28999999999999998 is 0.29); a
//              number format of zeros and literals (00000, 000-00-0000) is applied, so leading zeros are kept; no other
//              format is
//   date       2024-01-31; time 13:45:00; timestamp 2024-01-31T13:45:00[.fff]: numbers whose format is a date's or
//   time's,
//              by the workbook's date system, and cells of type d; a number that is no date (negative, beyond 9999)
//              stays a number
//   boolean    TRUE, FALSE
//   error      #N/A, #DIV/0! … as it stands
// Formulas have their cached value.
struct Cell {
  std::uint32_t column = 0;  // 0-based
  CellKind kind = CellKind::blank;
  std::uint32_t style = 0;  // index into the workbook's cell formats
  std::string_view text;
};

struct Row {
  std::int64_t number = 0;      // 1-based, as the sheet counts
  std::span<const Cell> cells;  // ascending columns, blank ones left out; never empty
};

struct Sheet {
  std::string name;
  bool hidden = false;
};

// Rows in ascending order; rows without content are left out. What the sheet says about its own size is not believed.
class SheetReader {
 public:
  ~SheetReader();
  // False at the end, when the whole part has been read and its checksum holds. Refuses with workbook_damaged (place in
  // the part, sheet row), workbook_too_large (which limit), and what zip refuses.
  Result<bool> next(Row& row);

 private:
  friend class Workbook;
  struct State;
  explicit SheetReader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

class Workbook {
 public:
  // Reads the parts that say what there is: relations, sheets, styles; shared strings with the first sheet. `name` is
  // for messages; the file outlives the workbook; strings beyond the memory go to a nameless file in `spill_folder`.
  // Refuses with workbook_old (.xls), workbook_encrypted, workbook_damaged, workbook_dtd (document types and entities,
  // in any part and encoding), not_a_workbook (a zip of something else; says what it is where that is known: .ods,
  // .docx, .xlsb), and what zip refuses.
  static Result<Workbook> open(const File& file, const std::string& name, const std::filesystem::path& spill_folder,
                               const Limits& limits = {});
  Workbook(Workbook&&) noexcept;
  Workbook& operator=(Workbook&&) noexcept;
  ~Workbook();

  // Work sheets in the order of their tabs, chart sheets left out.
  const std::vector<Sheet>& sheets() const;
  bool dates_from_1904() const;

  // One reader at a time; the workbook outlives it. With `merged`, every cell of a merged range has the value of its
  // first one.
  Result<std::unique_ptr<SheetReader>> read(std::size_t sheet, bool merged = false) const;

  // The number format of a cell's style, e.g. "General" or "#,##0.00".
  std::string_view number_format(std::uint32_t style) const;

 private:
  struct State;
  explicit Workbook(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace lade::xlsx
