#include "source/shown_lines.h"

#include <algorithm>
#include <deque>

#include "csv/reader.h"
#include "source/sample_records.h"

namespace lade::source {
namespace {

constexpr std::uint64_t kPieceBytes = 256 * 1024;

using Kind = ShownLine::Kind;

csv::ReaderOptions options_at(const Layout& layout, std::uint64_t offset, std::int64_t line) {
  csv::ReaderOptions options;
  options.dialect = layout.dialect;
  options.columns = layout.header.size();
  options.max_columns = std::max(options.max_columns, layout.header.size());
  options.first_offset = offset;
  options.first_line = line;
  return options;
}

ShownLine line_of(const csv::Batch& batch, std::size_t row, const csv::Dialect& dialect) {
  ShownLine shown{.line = batch.line(row), .row = batch.row_id(row)};
  for (SampleRecord& record : sample_records(batch.record(row), dialect, {1, 1}, 1))
    shown.cells = std::move(record.fields);
  return shown;
}

// What stands before the data.
Result<std::vector<ShownLine>> beginning(const Input& input, const Layout& layout) {
  std::vector<ShownLine> lines;
  const std::uint64_t bytes = std::min<std::uint64_t>(layout.data_offset, kPieceBytes);
  if (bytes == 0) return lines;
  FileRange range(input.file, 0, bytes);
  csv::Reader reader(range, options_at(layout, 0, 1));
  csv::Batch batch;
  while (lines.size() < kMostShownLines) {
    const Result<bool> more = reader.next(batch);
    if (!more || !*more) break;
    for (std::size_t row = 0; row < batch.rows() && lines.size() < kMostShownLines; ++row) {
      ShownLine line = line_of(batch, row, layout.dialect);
      line.row = 0;
      line.kind = layout.has_header && batch.offset(row) >= layout.header_offset ? Kind::header : Kind::above;
      lines.push_back(std::move(line));
    }
  }
  return lines;
}

// Takes records of the data as they pass.
class Collector {
 public:
  Collector(const Layout& layout, ShownPlace place, std::uint64_t middle, std::vector<ShownLine> before)
      : layout_(layout), place_(place), middle_(middle), lines_(before.begin(), before.end()) {}

  void take(const csv::Batch& batch) {
    auto ragged = batch.ragged().begin();
    for (std::size_t row = 0; row < batch.rows(); ++row) {
      const bool odd = ragged != batch.ragged().end() && ragged->row == row;
      if (odd) ++ragged;
      if (!wants(batch, row, odd)) continue;
      ShownLine line = line_of(batch, row, layout_.dialect);
      line.kind = odd ? Kind::odd : Kind::data;
      lines_.push_back(std::move(line));
      if (place_ == ShownPlace::end && lines_.size() > kMostShownLines) lines_.pop_front();
    }
  }
  std::vector<ShownLine> finish() { return {lines_.begin(), lines_.end()}; }

 private:
  bool wants(const csv::Batch& batch, std::size_t row, bool odd) const {
    if (place_ == ShownPlace::end) return row + kMostShownLines >= batch.rows();
    if (lines_.size() >= kMostShownLines || (place_ == ShownPlace::odd && !odd)) return false;
    return place_ != ShownPlace::middle || batch.offset(row) >= middle_;
  }

  const Layout& layout_;
  const ShownPlace place_;
  const std::uint64_t middle_;
  std::deque<ShownLine> lines_;
};

// A piece of a file that is too large to be counted through, from the first line end behind `offset` on.
std::vector<ShownLine> piece(const Input& input, const Layout& layout, ShownPlace place, std::uint64_t offset) {
  std::vector<ShownLine> lines;
  std::string text(kPieceBytes, '\0');
  const auto got = input.file.read_at(offset, text);
  if (!got) return lines;
  text.resize(*got);
  const std::size_t line_end = text.find('\n');
  if (line_end == std::string::npos) return lines;
  const std::string_view whole = std::string_view(text).substr(line_end + 1);
  const std::size_t most = place == ShownPlace::end ? whole.size() : kMostShownLines;
  auto records = sample_records(whole, layout.dialect, {offset + line_end + 1, 1}, most);
  if (records.size() > kMostShownLines)
    records.erase(records.begin(), records.end() - static_cast<std::ptrdiff_t>(kMostShownLines));
  for (SampleRecord& record : records) {
    const Kind kind = record.fields.size() == layout.header.size() ? Kind::data : Kind::odd;
    lines.push_back({.cells = std::move(record.fields), .kind = kind});
  }
  return lines;
}

}  // namespace

std::optional<ShownPlace> shown_place(std::string_view word) {
  static constexpr std::pair<std::string_view, ShownPlace> kWords[] = {
      {"start", ShownPlace::start}, {"middle", ShownPlace::middle}, {"end", ShownPlace::end}, {"odd", ShownPlace::odd}};
  for (const auto& [name, place] : kWords)
    if (name == word) return place;
  return std::nullopt;
}

std::string_view to_string(Kind kind) {
  switch (kind) {
    case Kind::above: return "above";
    case Kind::header: return "header";
    case Kind::data: return "data";
    case Kind::odd: return "odd";
  }
  return "";
}

Result<ShownLines> shown_lines(const Input& input, const Layout& layout, ShownPlace place,
                               std::uint64_t counted_bytes) {
  ShownLines shown;
  std::vector<ShownLine> before;
  if (place == ShownPlace::start) {
    LADE_ASSIGN(before, beginning(input, layout));
  }
  const std::uint64_t begin = layout.data_offset, left = input.bytes > begin ? input.bytes - begin : 0;
  shown.complete = left <= counted_bytes;
  Collector collector(layout, place, begin + left / 2, std::move(before));
  FileRange range(input.file, begin, begin + std::min(left, counted_bytes));
  csv::Reader reader(range, options_at(layout, begin, layout.data_line));
  csv::Batch batch;
  while (true) {
    const Result<bool> more = reader.next(batch);
    if (!more || !*more) break;
    shown.rows += static_cast<std::int64_t>(batch.rows());
    shown.odd += static_cast<std::int64_t>(batch.ragged().size());
    collector.take(batch);
  }
  shown.lines = collector.finish();
  const bool elsewhere = place == ShownPlace::middle || place == ShownPlace::end;
  if (!shown.complete && elsewhere)
    shown.lines = piece(input, layout, place,
                        place == ShownPlace::middle ? begin + left / 2 : input.bytes - std::min(kPieceBytes, left));
  return shown;
}

}  // namespace lade::source
