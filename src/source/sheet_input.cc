#include "source/sheet_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "xlsx/workbook.h"

namespace lade::source {
namespace {

constexpr std::size_t kBlockBytes = 256 * 1024;
constexpr std::uint64_t kFreeCellBytes = 256'000'000;
constexpr std::uint64_t kMostGrowth = 100;  // the text of all cells, against the workbook's size

std::string folded(std::string_view name) {
  std::string text(name);
  std::ranges::transform(text, text.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return text;
}

// By name (also in other case), or by its place from 1 on.
std::optional<std::size_t> find_sheet(const std::vector<xlsx::Sheet>& sheets, const std::string& wanted) {
  for (std::size_t i = 0; i < sheets.size(); ++i)
    if (sheets[i].name == wanted) return i;
  for (std::size_t i = 0; i < sheets.size(); ++i)
    if (folded(sheets[i].name) == folded(wanted)) return i;
  std::size_t place = 0;
  const auto [end, error] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), place);
  if (error != std::errc() || end != wanted.data() + wanted.size() || place == 0 || place > sheets.size())
    return std::nullopt;
  return place - 1;
}

// The rows of a sheet on their way into the spool.
class SheetSpooler {
 public:
  // False when the sheet has no cells; then nothing was written.
  Result<bool> run(xlsx::SheetReader& reader, Spool& to) {
    xlsx::Row row;
    for (;;) {
      LADE_ASSIGN(const bool more, reader.next(row));
      if (!more) break;
      for (; next_row_ < row.number; ++next_row_) block_.push_back('\n');
      add(row);
      if (block_.size() >= kBlockBytes) LADE_TRY(flush(to));
    }
    LADE_TRY(flush(to));
    return to.bytes() > 0;
  }

 private:
  void add(const xlsx::Row& row) {
    const csv::Dialect dialect = sheet_dialect();
    std::uint32_t column = 0;
    for (const xlsx::Cell& cell : row.cells) {
      block_.append(cell.column - column, dialect.delimiter);
      column = cell.column;
      if (cell.kind == xlsx::CellKind::text)
        add_quoted(cell.text, dialect.quote);
      else
        block_ += cell.text;
    }
    block_.push_back('\n');
    ++next_row_;
  }

  // Quotes tell text from what Excel knows as a number or a date: 1.234 without them is no German 1234.
  void add_quoted(std::string_view text, char quote) {
    block_.push_back(quote);
    for (std::size_t at = text.find(quote); at != std::string_view::npos; at = text.find(quote)) {
      block_.append(text.substr(0, at + 1)).push_back(quote);
      text.remove_prefix(at + 1);
    }
    block_.append(text).push_back(quote);
  }

  Result<void> flush(Spool& to) {
    LADE_TRY(to.write(block_));
    block_.clear();
    return {};
  }

  std::string block_;
  std::int64_t next_row_ = 1;
};

// The sheets to look at, in that order: the one that is asked for, or all that can be seen.
Result<std::vector<std::size_t>> candidates(const std::vector<xlsx::Sheet>& sheets, const Overrides& overrides,
                                            const Input& input) {
  if (!overrides.sheet.empty()) {
    if (const auto found = find_sheet(sheets, overrides.sheet)) return std::vector{*found};
    return fail("sheet_not_found",
                fmt::format("{}: there is no sheet '{}'; there are: {}", input.name, overrides.sheet,
                            fmt::join(input.origin.sheets, ", ")),
                "correct source.sheet: a name, or a number from 1 on", ErrorKind::invalid);
  }
  std::vector<std::size_t> visible;
  for (std::size_t i = 0; i < sheets.size(); ++i)
    if (!sheets[i].hidden) visible.push_back(i);
  return visible;
}

std::string evidence_of(const Overrides& overrides, const Origin& origin, std::size_t chosen) {
  if (!overrides.sheet.empty()) return fmt::format("sheet '{}': as given", origin.sheet);
  if (origin.sheets.size() == 1) return fmt::format("sheet '{}': the only one", origin.sheet);
  return fmt::format("sheet '{}': the first of {} that can be seen and has cells (place {})", origin.sheet,
                     origin.sheets.size(), chosen + 1);
}

}  // namespace

csv::Dialect sheet_dialect() {
  csv::Dialect dialect;
  dialect.rows_are_lines = true;
  return dialect;
}

Result<void> read_sheet(const Overrides& overrides, const Spooling& spooling, Input& input) {
  xlsx::Limits limits;
  limits.zip.max_bytes = spooling.max_bytes;
  // One long text that thousands of cells share costs nothing in the file.
  limits.max_cell_bytes = std::min(spooling.max_bytes, std::max(kFreeCellBytes, kMostGrowth * input.bytes));
  File packed = std::move(input.file);
  LADE_ASSIGN(const xlsx::Workbook book, xlsx::Workbook::open(packed, input.name, spooling.folder, limits));
  input.origin.format = "xlsx";
  for (const xlsx::Sheet& sheet : book.sheets()) input.origin.sheets.push_back(sheet.name);
  LADE_ASSIGN(const std::vector<std::size_t> wanted, candidates(book.sheets(), overrides, input));
  for (const std::size_t sheet : wanted) {
    LADE_ASSIGN(const auto reader, book.read(sheet, overrides.repeat_merged));
    LADE_ASSIGN(Spool spool, Spool::create(spooling));
    LADE_ASSIGN(const bool has_cells, SheetSpooler().run(*reader, spool));
    if (!has_cells) continue;
    input.origin.sheet = book.sheets()[sheet].name;
    input.origin.evidence.push_back(evidence_of(overrides, input.origin, sheet));
    input.original = std::move(packed);
    input.bytes = spool.bytes();
    input.file = std::move(spool).take();
    input.spooled = input.sheet_rows = true;
    return {};
  }
  return fail("file_empty",
              overrides.sheet.empty()
                  ? fmt::format("{}: no sheet that can be seen has cells", input.name)
                  : fmt::format("{}: the sheet '{}' has no cells", input.name, book.sheets()[wanted.front()].name),
              "name the sheet with source.sheet", ErrorKind::invalid);
}

}  // namespace lade::source
