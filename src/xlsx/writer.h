#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

// Rows → one sheet of a new workbook, in constant memory. The same rows give the same bytes.
namespace lade::xlsx {

// A column of a template: what is said about it beside its header.
struct ColumnHint {
  std::string comment = {};               // shown when the header cell is pointed at
  std::vector<std::string> choices = {};  // offered as a drop-down list for the cells below
  bool required = false;                  // the header cell is marked
  double width = 0;                       // characters; 0: by the header's length
};

struct WrittenCell {
  std::string_view text;
  // A plain number, ISO date or timestamp, TRUE or FALSE becomes a cell of that kind where that reads back as the same
  // text; otherwise all text is text. Nothing is ever taken for a formula.
  bool typed = false;
};

class Writer {
 public:
  // Works in nameless or short-lived files of `folder`. What Excel does not allow in the name of a sheet is replaced.
  // Refuses with workbook_write.
  static Result<Writer> create(const std::filesystem::path& folder, std::string_view sheet);
  Writer(Writer&&) noexcept;
  Writer& operator=(Writer&&) noexcept;
  ~Writer();

  // The first row, in bold and kept in sight. `hints` is empty or as long as `names`.
  Result<void> header(std::span<const std::string> names, std::span<const ColumnHint> hints = {});
  // Refuses with workbook_full beyond 1,048,576 rows or 16,384 columns; cells longer than 32,767 characters are cut
  // there and end with "…". Bytes that are no UTF-8 become U+FFFD.
  Result<void> row(std::span<const WrittenCell> cells);
  // Gives the whole workbook to the sink; nothing can be added afterwards.
  Result<void> finish(ByteSink& to);

 private:
  struct State;
  explicit Writer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace lade::xlsx
