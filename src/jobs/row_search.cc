#include "jobs/row_search.h"

#include <algorithm>

#include "analysis/fold_case.h"

namespace lade::jobs {
namespace {

constexpr std::int64_t kFew = 20;         // one row in so many
constexpr std::size_t kRowsAtOnce = 500;  // of few

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char letter) { return static_cast<unsigned char>(letter) < 0x80; });
}

char lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

RowWish without_text(RowWish wish) {
  wish.text.clear();
  return wish;
}

}  // namespace

TextFinder::TextFinder(std::string_view text, const std::vector<GridColumn>& columns, const csv::Dialect& dialect)
    : columns_(columns),
      dialect_(dialect),
      folded_(analysis::folded_case(text)),
      ascii_(is_ascii(folded_)),
      glance_((dialect.quote == 0 || folded_.find(dialect.quote) == std::string::npos) &&
              (dialect.escape == 0 || folded_.find(lower(dialect.escape)) == std::string::npos)) {}

bool TextFinder::is_in(const std::vector<std::string>& cells) const {
  for (std::size_t column = 0; column < cells.size(); ++column) {
    if (column < columns_.size() && columns_[column].sensitive) continue;
    if (analysis::folded_case(cells[column]).find(folded_) != std::string::npos) return true;
  }
  return false;
}

bool TextFinder::may_be_in(std::string_view record) {
  // Letters outside ASCII may fold to ASCII ("ß"), never the other way round.
  if (!is_ascii(record)) return true;
  if (!ascii_) return false;
  if (!glance_) return true;
  lowered_.resize(record.size());
  std::ranges::transform(record, lowered_.begin(), lower);
  return lowered_.find(folded_) != std::string::npos;
}

bool TextFinder::is_in(const csv::Batch& batch, std::size_t row) {
  if (!may_be_in(batch.record(row))) return false;
  for (std::size_t column = 0; column < batch.columns(); ++column) {
    if (column < columns_.size() && columns_[column].sensitive) continue;
    const std::string_view cell = csv::unescape(batch.field(row, column), dialect_, scratch_);
    if (analysis::folded_case(cell).find(folded_) != std::string::npos) return true;
  }
  return false;
}

RowSearch::RowSearch(std::shared_ptr<GridFile> file, std::shared_ptr<const RowIndex> index, RowWish wish)
    : file_(std::move(file)),
      index_(std::move(index)),
      wish_(without_text(wish)),
      few_(index_->count(wish_) * kFew < index_->rows()),
      finder_(wish.text, file_->columns(), file_->job().plan.layout.dialect) {
  const bool by_issue = !wish_.code.empty() || !wish_.column.empty();
  if (few_ || by_issue) candidates_ = index_->page(wish_, 0, index_->rows());
}

bool RowSearch::fits(std::int64_t row) {
  if (candidates_.empty()) return index_->fits(wish_, row);
  while (candidate_ < candidates_.size() && candidates_[candidate_] < row) ++candidate_;
  return candidate_ < candidates_.size() && candidates_[candidate_] == row;
}

void RowSearch::take(std::int64_t row) {
  if (found_.size() < kMostFound)
    found_.push_back(static_cast<std::uint32_t>(row));
  else
    complete_ = true;
}

Result<void> RowSearch::look_at_few(db::Connection& connection) {
  const std::size_t end = std::min(candidate_ + kRowsAtOnce, candidates_.size());
  const std::vector<std::int64_t> ids(candidates_.begin() + static_cast<std::ptrdiff_t>(candidate_),
                                      candidates_.begin() + static_cast<std::ptrdiff_t>(end));
  LADE_ASSIGN(const auto rows, Grid(file_, index_).cells(connection, ids));
  for (const GridRow& row : rows)
    if (finder_.is_in(row.cells)) take(row.row);
  candidate_ = end;
  complete_ = complete_ || candidate_ == candidates_.size();
  looked_at_ = candidate_ == candidates_.size() ? index_->rows() : candidates_[candidate_] - 1;
  return {};
}

Result<void> RowSearch::look_at_batch(db::Connection& connection) {
  const Plan& plan = file_->job().plan;
  if (!reader_) {
    if (chunk_ >= plan.split.chunks.size()) {
      complete_ = true;
      looked_at_ = index_->rows();
      return {};
    }
    const csv::ChunkStart& start = plan.split.chunks[chunk_];
    range_.emplace(file_->job().input.file, start.offset, plan.chunk_end(chunk_));
    reader_.emplace(*range_, file_->job().reader_options(start));
  }
  LADE_ASSIGN(const bool more, reader_->next(batch_));
  if (!more) {
    reader_.reset();
    ++chunk_;
    return {};
  }
  std::vector<std::int64_t> rows, edited;
  for (std::size_t i = 0; i < batch_.rows(); ++i) {
    const std::int64_t row = batch_.row_id(i);
    if (row > index_->rows() || !fits(row)) continue;
    if (index_->is_edited(row))
      edited.push_back(row);
    else if (finder_.is_in(batch_, i))
      rows.push_back(row);
  }
  if (!edited.empty()) {
    LADE_ASSIGN(const auto corrected, Grid(file_, index_).cells(connection, edited));
    for (const GridRow& row : corrected)
      if (finder_.is_in(row.cells)) rows.push_back(row.row);
    std::ranges::sort(rows);
  }
  for (const std::int64_t row : rows) take(row);
  if (batch_.rows() > 0) looked_at_ = batch_.row_id(batch_.rows() - 1);
  return {};
}

Result<RowSearch::Found> RowSearch::page(db::Connection& connection, std::int64_t from, std::optional<std::int64_t> row,
                                         std::int64_t limit, std::chrono::milliseconds time) {
  const std::lock_guard lock(mutex_);
  const auto end = std::chrono::steady_clock::now() + time;
  while (!complete_) {
    LADE_TRY(few_ ? look_at_few(connection) : look_at_batch(connection));
    if (std::chrono::steady_clock::now() >= end) break;
  }
  if (complete_) reader_.reset();
  if (row) from = std::ranges::lower_bound(found_, *row) - found_.begin();
  Found found{.from = from,
              .matching = static_cast<std::int64_t>(found_.size()),
              .looked_at = looked_at_,
              .complete = complete_};
  for (std::int64_t at = from; at < found.matching && at - from < limit; ++at)
    found.rows.push_back(found_[static_cast<std::size_t>(at)]);
  return found;
}

}  // namespace lade::jobs
