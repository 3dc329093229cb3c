#include "xlsx/sheet_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "xlsx/cell_text.h"
#include "xlsx/rich_text.h"

namespace lade::xlsx {
namespace {

using Token = XmlReader::Token;
constexpr std::size_t kMostMergedRanges = 1'000'000;
// Texts of one row together: a few strings, repeated in every cell, must not fill the memory.
constexpr std::uint64_t kMostRowBytes = 32 * 1024 * 1024;

std::string_view trimmed(std::string_view text) {
  const auto is_space = [](char character) { return static_cast<unsigned char>(character) <= ' '; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

template <class Number>
bool parse_whole(std::string_view text, Number& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

bool all_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool parse_type(std::string_view text, CellType& type) {
  static constexpr std::pair<std::string_view, CellType> kTypes[] = {{"", CellType::number},
                                                                     {"n", CellType::number},
                                                                     {"s", CellType::shared},
                                                                     {"str", CellType::text},
                                                                     {"inlineStr", CellType::inline_text},
                                                                     {"b", CellType::boolean},
                                                                     {"e", CellType::error},
                                                                     {"d", CellType::date}};
  const auto* const found =
      std::find_if(std::begin(kTypes), std::end(kTypes), [&](const auto& entry) { return entry.first == text; });
  if (found == std::end(kTypes)) return false;
  type = found->second;
  return true;
}

}  // namespace

SheetParser::SheetParser(ByteSource& source, const std::string& part, const SheetContext& context, Options options)
    : xml_(source, part, {.block_bytes = options.block_bytes}), context_(context), fast_(options.fast) {}

Error SheetParser::damaged(std::string_view what) const {
  return xml_.damaged(row_ == 0 ? std::string(what) : fmt::format("row {}: {}", row_, what));
}

Error SheetParser::too_large(std::string_view what) const {
  return {"workbook_too_large", fmt::format("{}: {}", xml_.place(), what), "split the sheet, or raise the limit",
          ErrorKind::invalid};
}

Result<bool> SheetParser::next(Row& row) {
  if (!started_) {
    started_ = true;
    LADE_ASSIGN(in_rows_, find_rows());
  }
  while (in_rows_) {
    LADE_ASSIGN(const Token token, xml_.next());
    if (token == Token::end) {
      in_rows_ = false;
      row_ = 0;
      LADE_TRY(read_rest());
    }
    if (token != Token::start) continue;
    if (xml_.name() != "row") {
      LADE_TRY(xml_.skip_element());
      continue;
    }
    LADE_TRY(read_row());
    if (cells_.empty()) continue;
    row = {row_, cells_};
    return true;
  }
  return false;
}

// Moves to the inside of sheetData; false when the part has none.
Result<bool> SheetParser::find_rows() {
  for (;;) {
    LADE_ASSIGN(const Token token, xml_.next());
    if (token == Token::finish) return false;
    if (token != Token::start || xml_.depth() == 1) continue;
    if (xml_.name() == "sheetData") return true;
    LADE_TRY(xml_.skip_element());
  }
}

// What stands behind the rows, to the end of the part.
Result<void> SheetParser::read_rest() {
  for (;;) {
    LADE_ASSIGN(const Token token, xml_.next());
    if (token == Token::finish) return {};
    if (token != Token::start || xml_.name() == "mergeCells") continue;
    if (xml_.name() == "mergeCell" && xml_.depth() == 3) LADE_TRY(read_merged_range());
    LADE_TRY(xml_.skip_element());
  }
}

Result<void> SheetParser::read_merged_range() {
  const std::string_view text = xml_.attribute("ref");
  const std::size_t colon = std::min(text.find(':'), text.size());
  const auto first = parse_reference(text.substr(0, colon));
  const auto last = colon == text.size() ? first : parse_reference(text.substr(colon + 1));
  if (!first || !last || first->column > last->column || first->row > last->row) {
    return fail(damaged(fmt::format("{:?} is no range of cells", text.substr(0, 40))));
  }
  if (merged_.size() == kMostMergedRanges) return fail(too_large("the sheet has too many merged ranges"));
  merged_.push_back({*first, *last});
  return {};
}

Result<void> SheetParser::begin_row() {
  cells_.clear();
  arena_.clear();
  next_column_ = 0;
  ascending_ = true;
  row_bytes_ = 0;
  std::int64_t number = row_ + 1;
  const std::string_view written = trimmed(xml_.attribute("r"));
  if (!written.empty() && !parse_whole(written, number)) {
    return fail(damaged(fmt::format("{:?} is no row number", written.substr(0, 40))));
  }
  if (number <= row_) return fail(damaged(fmt::format("row {} stands behind it; rows must ascend", number)));
  if (number > context_.limits.max_rows) {
    return fail(
        too_large(fmt::format("the sheet has a row {}; at most {} are accepted", number, context_.limits.max_rows)));
  }
  row_ = number;
  scanner_.begin_row(xml_.prefix(), fmt::format_int(row_).c_str());
  return {};
}

Result<void> SheetParser::read_row() {
  LADE_TRY(begin_row());
  for (;;) {
    if (fast_ && xml_.at_markup()) LADE_TRY(scan_cells());
    LADE_ASSIGN(const Token token, xml_.next());
    if (token == Token::end) return end_row();
    if (token != Token::start) continue;
    if (xml_.name() == "c") {
      LADE_TRY(read_cell());
    } else {
      LADE_TRY(xml_.skip_element());
    }
  }
}

Result<void> SheetParser::end_row() {
  sheet_bytes_ += row_bytes_;
  if (sheet_bytes_ > context_.limits.max_cell_bytes) {
    return fail(
        too_large(fmt::format("the cells of the sheet have more than {} bytes", context_.limits.max_cell_bytes)));
  }
  if (ascending_) return {};
  std::stable_sort(cells_.begin(), cells_.end(), [](const Cell& a, const Cell& b) { return a.column < b.column; });
  const auto twice = std::adjacent_find(cells_.begin(), cells_.end(),
                                        [](const Cell& a, const Cell& b) { return a.column == b.column; });
  if (twice != cells_.end()) return fail(damaged(fmt::format("column {} has two cells", twice->column + 1)));
  return {};
}

// Cells of the fast path, as many as follow each other within the window.
Result<void> SheetParser::scan_cells() {
  ByteWindow& window = xml_.window();
  const char* at = window.begin();
  ScannedCell cell;
  for (;;) {
    const char* const behind = scanner_.scan(at, window.end(), next_column_, cell);
    if (behind == nullptr) break;
    if (longer_than(cell.value, context_.limits.max_text)) break;
    window.consume_to(behind);
    at = behind;
    next_column_ = cell.head.column + 1;
    if (!add_scanned(cell)) return fail(std::move(failure_));
  }
  return {};
}

Result<CellHead> SheetParser::read_head() {
  CellHead head{next_column_};
  if (const std::string_view written = trimmed(xml_.attribute("r")); !written.empty()) {
    const auto reference = parse_reference(written);
    if (!reference || reference->row != row_) {
      return fail(damaged(fmt::format("{:?} is no place in this row", written.substr(0, 40))));
    }
    head.column = reference->column;
  }
  if (const std::string_view written = trimmed(xml_.attribute("s"));
      !written.empty() && !parse_whole(written, head.style)) {
    return fail(damaged(fmt::format("{:?} is no cell format", written.substr(0, 40))));
  }
  if (const std::string_view written = xml_.attribute("t"); !parse_type(written, head.type)) {
    return fail(damaged(fmt::format("{:?} is no type of a cell", written.substr(0, 40))));
  }
  next_column_ = head.column + 1;
  return head;
}

// A cell by the tokenizer.
Result<void> SheetParser::read_cell() {
  LADE_ASSIGN(const CellHead head, read_head());
  const std::size_t inside = xml_.depth();
  const std::size_t max_text = context_.limits.max_text;
  text_.clear();
  while (xml_.depth() >= inside) {
    LADE_ASSIGN(const Token token, xml_.next());
    if (token != Token::start) continue;
    if (xml_.name() == "v") {
      text_.clear();
      LADE_TRY(read_plain_text(xml_, max_text, text_));
    } else if (xml_.name() == "is" && text_.empty()) {
      LADE_TRY(read_rich_text(xml_, max_text, text_));
    } else {
      LADE_TRY(xml_.skip_element());
    }
  }
  const bool text = head.type == CellType::text || head.type == CellType::inline_text;
  const std::string_view written = text ? std::string_view(text_) : trimmed(text_);
  if (!written.empty() && !add(head, written)) return fail(std::move(failure_));
  return {};
}

bool SheetParser::refuse(Error error) {
  failure_ = std::move(error);
  return false;
}

bool SheetParser::add_scanned(const ScannedCell& cell) {
  if (cell.value.empty()) return true;
  if (cell.whole && cell.head.type == CellType::shared) return add_shared(cell.head, cell.number);
  if (cell.whole && cell.head.type == CellType::number) {
    const FormatKind kind = context_.styles.kind(cell.head.style);
    if (kind == FormatKind::number) return add_text(cell.head, CellKind::number, cell.value);
    if (kind != FormatKind::zeros) return add_moment(cell.head, kind, static_cast<double>(cell.number), cell.value);
  }
  if (!cell.escaped) return add(cell.head, cell.value);
  text_.clear();
  append_unescaped(cell.value, text_);
  return add(cell.head, text_);
}

// `written` is not empty.
bool SheetParser::add(const CellHead& head, std::string_view written) {
  switch (head.type) {
    case CellType::number: return add_number(head, written);
    case CellType::error: return add_text(head, CellKind::error, written);
    case CellType::date: return add_text(head, iso_kind(written), written);
    case CellType::text:
    case CellType::inline_text: return add_text(head, CellKind::text, written);
    case CellType::shared: {
      std::size_t index = 0;
      if (parse_whole(written, index)) return add_shared(head, index);
      return refuse(damaged(fmt::format("{:?} is no number of a shared string", written.substr(0, 40))));
    }
    case CellType::boolean: break;
  }
  if (written == "1" || written == "true") return add_cell(head, CellKind::boolean, "TRUE");
  if (written == "0" || written == "false") return add_cell(head, CellKind::boolean, "FALSE");
  return add_text(head, CellKind::text, written);
}

bool SheetParser::add_number(const CellHead& head, std::string_view written) {
  const FormatKind kind = context_.styles.kind(head.style);
  if (kind == FormatKind::number) return add_plain_number(head, written);
  if (kind == FormatKind::zeros) {
    const bool negative = written.starts_with('-');
    const std::string_view digits = written.substr(negative ? 1 : 0);
    const ZeroPattern& zeros = context_.styles.zeros(head.style);
    if (!all_digits(digits) || (negative && !zeros.negatives)) return add_plain_number(head, written);
    return add_text(head, CellKind::number, zeros.padded(digits, negative));
  }
  double serial = 0;
  const auto [end, error] = std::from_chars(written.data(), written.data() + written.size(), serial);
  const bool number = error == std::errc() && end == written.data() + written.size();
  return number ? add_moment(head, kind, serial, written) : add_plain_number(head, written);
}

bool SheetParser::add_moment(const CellHead& head, FormatKind kind, double serial, std::string_view written) {
  const MomentText moment = moment_text(serial, kind, context_.from_1904);
  if (moment.kind == CellKind::number) return add_plain_number(head, written);
  return add_text(head, moment.kind, {moment.text, moment.length});
}

bool SheetParser::add_plain_number(const CellHead& head, std::string_view written) {
  if (plain_as_written(written)) return add_text(head, CellKind::number, written);
  char buffer[kRoundedBytes];
  if (const std::size_t length = rounded_decimal(written, buffer); length > 0) {
    return add_text(head, CellKind::number, {buffer, length});
  }
  // Text in a cell of numbers is not for us to judge.
  const auto plain = plain_number(written);
  return plain ? add_text(head, CellKind::number, *plain) : add_text(head, CellKind::text, written);
}

bool SheetParser::add_shared(const CellHead& head, std::size_t index) {
  if (index >= context_.strings.size()) [[unlikely]] {
    return refuse(damaged(
        fmt::format("the workbook has no shared string {}; it has {} of them", index, context_.strings.size())));
  }
  if (!context_.strings.spilled()) {
    const std::string_view text = context_.strings.resident(index);
    return text.empty() || add_cell(head, CellKind::text, text);
  }
  auto text = context_.strings.at(index);
  if (!text) return refuse(std::move(text.error()));
  return text->empty() || add_text(head, CellKind::text, *text);
}

bool SheetParser::add_cell(const CellHead& head, CellKind kind, std::string_view text) {
  row_bytes_ += text.size();
  if (head.column >= context_.limits.max_columns) [[unlikely]] {
    return refuse(too_large(fmt::format("row {} has a column {}; at most {} are accepted", row_, head.column + 1,
                                        context_.limits.max_columns)));
  }
  if (cells_.size() == context_.limits.max_columns) return refuse(damaged("it has more cells than columns"));
  if (row_bytes_ > kMostRowBytes) {
    return refuse(too_large(fmt::format("row {} has more than {} bytes", row_, kMostRowBytes)));
  }
  ascending_ &= cells_.empty() || cells_.back().column < head.column;
  cells_.push_back({head.column, kind, head.style, text});
  return true;
}

}  // namespace lade::xlsx
