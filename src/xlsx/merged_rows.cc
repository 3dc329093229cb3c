#include "xlsx/merged_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace lade::xlsx {
namespace {

constexpr std::uint64_t kMostFilledCells = 4'000'000;
constexpr std::uint64_t kMostOpenBytes = 32 * 1024 * 1024;
constexpr std::uint64_t kMostRowBytes = 32 * 1024 * 1024;

bool by_column(const Cell& a, const Cell& b) {
  return a.column < b.column;
}

}  // namespace

MergedRows::MergedRows(SheetParser& rows, std::vector<MergedRange> ranges, const Limits& limits, std::string sheet)
    : rows_(rows), ranges_(std::move(ranges)), limits_(limits), sheet_(std::move(sheet)) {
  for (MergedRange& range : ranges_) {
    range.last.row = std::min(range.last.row, limits_.max_rows);
    range.last.column = std::min(range.last.column, static_cast<std::uint32_t>(limits_.max_columns - 1));
  }
  std::stable_sort(ranges_.begin(), ranges_.end(),
                   [](const MergedRange& a, const MergedRange& b) { return a.first.row < b.first.row; });
}

Error MergedRows::too_large(std::string_view what) const {
  return {"workbook_too_large", fmt::format("sheet {:?}, row {}: {}", sheet_, number_, what),
          "merge fewer cells, or read the sheet without filling them", ErrorKind::invalid};
}

Result<bool> MergedRows::next(Row& row) {
  if (!have_ahead_ && !ended_) {
    LADE_ASSIGN(have_ahead_, rows_.next(ahead_));
    ended_ = !have_ahead_;
  }
  std::erase_if(open_, [&](const Open& open) {
    const bool over = open.range.last.row <= number_;
    if (over) open_bytes_ -= open.text.size();
    return over;
  });
  if (!have_ahead_ && open_.empty()) return false;
  const bool from_sheet = have_ahead_ && (open_.empty() || ahead_.number == number_ + 1);
  number_ = from_sheet ? ahead_.number : number_ + 1;
  const Row source = from_sheet ? ahead_ : Row{number_, {}};
  if (from_sheet) {
    have_ahead_ = false;
    LADE_TRY(open_ranges(source));
  }
  LADE_TRY(fill(source));
  row = {number_, cells_};
  return true;
}

// Ranges that begin in this row and have a value.
Result<void> MergedRows::open_ranges(const Row& row) {
  for (; next_range_ < ranges_.size() && ranges_[next_range_].first.row <= row.number; ++next_range_) {
    const MergedRange& range = ranges_[next_range_];
    if (range.first.row < row.number) continue;
    const auto cell = std::lower_bound(row.cells.begin(), row.cells.end(), Cell{range.first.column}, by_column);
    if (cell == row.cells.end() || cell->column != range.first.column) continue;
    open_bytes_ += cell->text.size();
    if (open_bytes_ > kMostOpenBytes) return fail(too_large("the merged cells that begin here are too large"));
    open_.push_back({range, cell->kind, cell->style, std::string(cell->text)});
  }
  return {};
}

Result<void> MergedRows::fill(const Row& row) {
  filled_.clear();
  std::uint64_t bytes = 0;
  for (const Open& open : open_) {
    const std::uint64_t width = open.range.last.column - open.range.first.column + 1;
    filled_cells_ += width;
    bytes += width * open.text.size();
    if (filled_cells_ > kMostFilledCells) {
      return fail(too_large(fmt::format("merged cells would fill more than {} cells", kMostFilledCells)));
    }
    for (std::uint32_t column = open.range.first.column; column <= open.range.last.column; ++column) {
      filled_.push_back({column, open.kind, open.style, open.text});
    }
  }
  filled_bytes_ += bytes;
  if (bytes > kMostRowBytes || filled_bytes_ > limits_.max_cell_bytes) {
    return fail(too_large("merged cells would repeat too much text"));
  }
  // Where ranges overlap, the one that began first counts; a filled cell counts more than the sheet's own.
  if (open_.size() > 1) {
    std::stable_sort(filled_.begin(), filled_.end(), by_column);
    const auto same_column = [](const Cell& a, const Cell& b) { return a.column == b.column; };
    filled_.erase(std::unique(filled_.begin(), filled_.end(), same_column), filled_.end());
  }
  cells_.clear();
  std::set_union(filled_.begin(), filled_.end(), row.cells.begin(), row.cells.end(), std::back_inserter(cells_),
                 by_column);
  return {};
}

}  // namespace lade::xlsx
