#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "analysis/cast.h"

namespace lade::analysis {

enum class CellState : std::uint8_t {
  value,
  null,   // blank: written as NULL, or not written by the update strategies
  keep,   // blank: the stored value stays
  clear,  // blank: written as NULL by every strategy
  bad,    // not usable; the row has a hard error
};

// A value of a data column. Which member holds it is told by the column's type: `number` for integer, decimal (scaled),
// boolean, date (days since 1970) and timestamp (microseconds since 1970); `text` for text and json; `uuid` for uuid.
union Cell {
  Cell() : number(0) {}
  Int128 number;
  std::string_view text;
  unsigned char uuid[16];
};
static_assert(sizeof(Cell) == 16);

// Text that lives as long as a batch or a slice. clear() forgets the text but keeps the blocks for the next one.
class TextArena {
 public:
  std::string_view keep(std::string_view text);
  void clear();

 private:
  static constexpr std::size_t kBlockBytes = 256 * 1024;
  std::vector<std::unique_ptr<char[]>> blocks_;
  std::vector<std::unique_ptr<char[]>> large_;  // texts longer than a block, each its own
  std::size_t used_blocks_ = 0;
  std::size_t left_ = 0;
  char* at_ = nullptr;
};

// One data column over the rows of a batch.
struct TypedColumn {
  std::vector<Cell> cells;
  std::vector<CellState> states;

  void resize(std::size_t rows) {
    cells.resize(rows);
    states.assign(rows, CellState::null);
  }
};

}  // namespace lade::analysis
