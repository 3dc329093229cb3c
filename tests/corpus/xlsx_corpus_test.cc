// Reads the workbooks and archives that other projects test their readers with. They are not part of the repository:
// the tests run where the folder is ($LADE_CORPORA, or shared/corpora beside the source) and say so where it is not.
// What comes of every file stands in xlsx_outcomes.txt; LADE_RECORD_OUTCOMES=1 writes that file anew.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <boost/json.hpp>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "xlsx/number_format.h"
#include "xlsx/workbook.h"
#include "zip/archive.h"

namespace lade {
namespace {

namespace fs = std::filesystem;

class XlsxCorpus : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* given = std::getenv("LADE_CORPORA");
    const char* source = std::getenv("LADE_SOURCE_DIR");
    source_ = source != nullptr ? source : ".";
    folder_ = given != nullptr ? fs::path(given) : source_ / "../shared/corpora";
    if (!fs::is_directory(folder_)) {
      GTEST_SKIP() << "no corpora at " << folder_ << " (set LADE_CORPORA): nothing was checked";
    }
  }

  fs::path source_;
  fs::path folder_;
};

std::string content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string read_sheet(const xlsx::Workbook& workbook, std::size_t sheet, bool merged) {
  const auto reader = workbook.read(sheet, merged);
  if (!reader) return reader.error().code;
  xlsx::Row row;
  std::size_t rows = 0;
  std::size_t cells = 0;
  for (;;) {
    const auto more = (*reader)->next(row);
    if (!more) return more.error().code;
    if (!*more) return fmt::format("{}x{}", rows, cells);
    ++rows;
    cells += row.cells.size();
  }
}

// "12x60 3x3": rows and cells of each sheet; the code of an error instead of what it ends.
std::string workbook_outcome(const fs::path& path) {
  const File file = File::open(path).value();
  const auto workbook = xlsx::Workbook::open(file, path.filename(), fs::temp_directory_path());
  if (!workbook) return workbook.error().code;
  std::string outcome;
  for (std::size_t sheet = 0; sheet < workbook->sheets().size(); ++sheet) {
    outcome += (sheet == 0 ? "" : " ") + read_sheet(*workbook, sheet, false);
    read_sheet(*workbook, sheet, true);
  }
  return outcome;
}

Result<void> drain(const zip::Archive& archive, std::size_t entry) {
  LADE_ASSIGN(const auto source, archive.read(entry));
  std::string buffer(100'000, '\0');
  for (;;) {
    LADE_ASSIGN(const std::size_t count, source->read(buffer));
    if (count == 0) return {};
  }
}

// The number of entries, and the codes of those that cannot be read.
std::string archive_outcome(const fs::path& path) {
  const File file = File::open(path).value();
  const auto archive = zip::Archive::open(file, path.filename());
  if (!archive) return archive.error().code;
  std::string outcome = fmt::format("{} entries", archive->entries().size());
  for (std::size_t entry = 0; entry < archive->entries().size(); ++entry) {
    if (const auto read = drain(*archive, entry); !read) outcome += " " + read.error().code;
  }
  return outcome;
}

TEST_F(XlsxCorpus, EveryFileHasItsOutcome) {
  std::map<std::string, std::string> outcomes;
  for (const auto& entry : fs::recursive_directory_iterator(folder_)) {
    const std::string extension = entry.path().extension();
    const bool archive = extension == ".zip";
    if (!archive && extension != ".xlsx" && extension != ".xlsm" && extension != ".xls" && extension != ".ooxml")
      continue;
    const auto begin = std::chrono::steady_clock::now();
    outcomes[fs::relative(entry.path(), folder_).generic_string()] =
        archive ? archive_outcome(entry.path()) : workbook_outcome(entry.path());
    // A machine that tests on all cores may be slow; a bomb would take minutes.
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5)) << entry.path();
  }
  std::string text;
  for (const auto& [name, outcome] : outcomes) text += fmt::format("{}: {}\n", name, outcome);
  const fs::path recorded = source_ / "tests/corpus/xlsx_outcomes.txt";
  if (std::getenv("LADE_RECORD_OUTCOMES") != nullptr) std::ofstream(recorded, std::ios::binary) << text;
  EXPECT_EQ(text, content_of(recorded)) << "LADE_RECORD_OUTCOMES=1 records what is meant to be";
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
#ifndef __SANITIZE_ADDRESS__
  EXPECT_LT(usage.ru_maxrss, 256 * 1024);
#endif
}

using Table = std::vector<std::vector<std::string>>;

// The CSV that Excel writes.
Table parse_csv(std::string_view text) {
  Table table(1, {""});
  bool quoted = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char character = text[at];
    std::string& cell = table.back().back();
    if (quoted) {
      if (character != '"') {
        cell += character;
      } else if (at + 1 < text.size() && text[at + 1] == '"') {
        cell += text[++at];
      } else {
        quoted = false;
      }
    } else if (character == '"') {
      quoted = true;
    } else if (character == ',') {
      table.back().emplace_back();
    } else if (character == '\n') {
      table.push_back({""});
    } else if (character != '\r') {
      cell += character;
    }
  }
  return table;
}

std::string shown(const xlsx::Workbook& workbook, const xlsx::Cell& cell, double number) {
  const auto format = xlsx::NumberFormat::parse(workbook.number_format(cell.style));
  switch (cell.kind) {
    case xlsx::CellKind::text: return format.display(cell.text);
    case xlsx::CellKind::boolean:
    case xlsx::CellKind::error: return std::string(cell.text);
    default: return format.display(number, workbook.dates_from_1904());
  }
}

// The number behind a cell: that of its text, or the serial number that the text of a date stands for.
double number_of(const xlsx::Cell& cell, bool from_1904) {
  using namespace std::chrono;
  const auto part = [&](std::size_t at, std::size_t length) {
    int value = 0;
    std::from_chars(cell.text.data() + at, cell.text.data() + at + length, value);
    return value;
  };
  const auto time_from = [&](std::size_t at) {
    const std::size_t colon = cell.text.find(':', at);
    double seconds = part(at, colon - at) * 3600.0 + part(colon + 1, 2) * 60.0;
    double rest = 0;
    std::from_chars(cell.text.data() + colon + 4, cell.text.data() + cell.text.size(), rest);
    return (seconds + rest) / 86'400;
  };
  if (cell.kind == xlsx::CellKind::time) return time_from(0);
  if (cell.kind == xlsx::CellKind::date || cell.kind == xlsx::CellKind::timestamp) {
    const sys_days day = year(part(0, 4)) / part(5, 2) / part(8, 2);
    const auto since = (day - sys_days(year(1899) / 12 / 30)).count();
    const double serial = static_cast<double>(since < 61 ? since - 1 : since) - (from_1904 ? 1462 : 0);
    return serial + (cell.kind == xlsx::CellKind::timestamp ? time_from(11) : 0);
  }
  double value = 0;
  // A number that a format of zeros was applied to has literals within it.
  std::string digits;
  std::copy_if(cell.text.begin(), cell.text.end(), std::back_inserter(digits),
               [](char c) { return c != ' ' && c != '(' && c != ')'; });
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

struct Comparison {
  std::size_t cells = 0;
  std::size_t passed_over = 0;  // rows
  std::vector<std::string> misses;
};

bool same_text(std::string_view ours, std::string_view excel) {
  const auto plain = [](std::string_view text) {
    std::string result;
    for (const char character : text) {
      // Letters outside the exporting code page were lost; line ends of a cell are LF in one and CR LF in the other.
      if (static_cast<unsigned char>(character) < 0x80 && character != '?' && character != '\r') result += character;
    }
    return result;
  };
  return ours == excel || plain(ours) == plain(excel);
}

Table shown_table(const xlsx::Workbook& workbook, std::size_t sheet) {
  const auto reader = workbook.read(sheet).value();
  xlsx::Row row;
  Table table;
  while (reader->next(row).value()) {
    table.resize(static_cast<std::size_t>(row.number));
    for (const auto& cell : row.cells) {
      table.back().resize(cell.column + 1);
      table.back()[cell.column] = shown(workbook, cell, number_of(cell, workbook.dates_from_1904()));
    }
  }
  return table;
}

// Excel's text begins with the first row and column in use.
Table from_first_in_use(Table table) {
  const auto blank = [](const std::string& cell) { return cell.empty(); };
  const auto used = std::find_if(table.begin(), table.end(),
                                 [&](const auto& row) { return !std::all_of(row.begin(), row.end(), blank); });
  table.erase(table.begin(), used);
  std::size_t first = std::string::npos;
  for (const auto& row : table) {
    const auto found = std::find_if_not(row.begin(), row.end(), blank);
    if (found != row.end()) first = std::min(first, static_cast<std::size_t>(found - row.begin()));
  }
  for (auto& row : table)
    row.erase(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(std::min(first, row.size())));
  return table;
}

std::string cell_of(const std::vector<std::string>& row, std::size_t column) {
  return column < row.size() ? row[column] : "";
}

bool same_row(const std::vector<std::string>& ours, const std::vector<std::string>& excel) {
  for (std::size_t column = 0; column < std::max(ours.size(), excel.size()); ++column) {
    if (!same_text(cell_of(ours, column), cell_of(excel, column))) return false;
  }
  return true;
}

void compare_rows(const std::vector<std::string>& ours, const std::vector<std::string>& excel, const std::string& place,
                  Comparison& comparison) {
  for (std::size_t column = 0; column < std::max(ours.size(), excel.size()); ++column) {
    const std::string own = cell_of(ours, column);
    const std::string other = cell_of(excel, column);
    if (own.empty() && other.empty()) continue;
    ++comparison.cells;
    if (same_text(own, other)) continue;
    comparison.misses.push_back(fmt::format("{} column {}: {:?}, Excel shows {:?}", place, column + 1, own, other));
  }
}

// Some texts are of an older version of their book, which had fewer rows: rows that our side has more are passed over
// where the next ones agree again, and counted.
void compare_tables(const Table& ours, const Table& excel, const std::string& name, Comparison& comparison) {
  std::size_t own = 0;
  for (std::size_t line = 0; line < excel.size(); ++line) {
    std::size_t ahead = own;
    while (ahead < ours.size() && ahead < own + 40 && !same_row(ours[ahead], excel[line])) ++ahead;
    if (ahead < ours.size() && ahead < own + 40 && ahead > own) {
      comparison.passed_over += ahead - own;
      own = ahead;
    }
    compare_rows(own < ours.size() ? ours[own] : std::vector<std::string>(), excel[line],
                 fmt::format("{} line {}", name, line + 1), comparison);
    ++own;
  }
  comparison.passed_over += ours.size() > own ? ours.size() - own : 0;
}

Comparison compare_sheet(const xlsx::Workbook& workbook, std::size_t sheet, const Table& excel,
                         const std::string& name) {
  const Table table = shown_table(workbook, sheet);
  Comparison whole;
  compare_tables(table, excel, name, whole);
  Comparison in_use;
  compare_tables(from_first_in_use(table), excel, name, in_use);
  return in_use.misses.size() + in_use.passed_over < whole.misses.size() + whole.passed_over ? in_use : whole;
}

// The texts of these are numbered with their chart sheets, of which one has no text.
bool has_chart_sheets(const std::string& book) {
  return book == "WithChartSheet.xlsx" || book == "chart_sheet.xlsx";
}

TEST_F(XlsxCorpus, ShowsWhatExcelShows) {
  Comparison comparison;
  for (const auto& entry : fs::directory_iterator(folder_ / "poi-books/books")) {
    const File file = File::open(entry.path()).value();
    const std::string name = entry.path().filename();
    const auto workbook = xlsx::Workbook::open(file, name, fs::temp_directory_path());
    ASSERT_TRUE(workbook) << name;
    if (has_chart_sheets(name)) continue;
    for (std::size_t sheet = 0; sheet < workbook->sheets().size(); ++sheet) {
      const fs::path path = folder_ / "poi-books/expected" / fmt::format("{}.{}.csv", name, sheet);
      if (!fs::exists(path)) continue;
      const Comparison one =
          compare_sheet(*workbook, sheet, parse_csv(content_of(path)), fmt::format("{}.{}", name, sheet));
      comparison.cells += one.cells;
      comparison.passed_over += one.passed_over;
      comparison.misses.insert(comparison.misses.end(), one.misses.begin(), one.misses.end());
    }
  }
  fmt::print("{} cells compared, {} differ; {} rows passed over\n", comparison.cells, comparison.misses.size(),
             comparison.passed_over);
  if (std::getenv("LADE_SHOW_MISSES") != nullptr) {
    for (const std::string& miss : comparison.misses) fmt::print("{}\n", miss);
  }
  EXPECT_GT(comparison.cells, 2500U);
  EXPECT_LT(comparison.passed_over, 60U);
  EXPECT_LE(comparison.misses.size() * 100, comparison.cells * 2) << "at least 98 % must be as Excel shows them";
}

// [value, format or built-in id, expected text] of SheetJS's formatter.
void compare_format(const boost::json::value& value, const boost::json::value& code, const boost::json::value& expected,
                    Comparison& comparison) {
  if (!expected.is_string() || !(code.is_string() || code.is_number())) return;
  const std::string format = code.is_string() ? std::string(code.as_string())
                                              : std::string(xlsx::built_in_format(code.to_number<std::uint32_t>()));
  // The standard's codes for these are not what Excel shows: 14 and 22 have a year of four digits there, 39 and 40 room
  // for a bracket, 47 a colon.
  static constexpr std::uint32_t kOtherwise[] = {14, 22, 39, 40, 47};
  if (code.is_number() && std::count(std::begin(kOtherwise), std::end(kOtherwise), code.to_number<std::uint32_t>()) > 0)
    return;
  const auto parsed = xlsx::NumberFormat::parse(format);
  const std::string text = value.is_number()   ? parsed.display(value.to_number<double>())
                           : value.is_string() ? parsed.display(std::string_view(value.as_string()))
                                               : "";
  if (!value.is_number() && !value.is_string()) return;
  // That formatter gives an empty text for what is no date, a spreadsheet number signs.
  if (expected.as_string().empty() && text.starts_with("####")) return;
  ++comparison.cells;
  if (text != expected.as_string()) {
    comparison.misses.push_back(fmt::format("{} by {:?}: {:?}, should be {:?}", boost::json::serialize(value), format,
                                            text, std::string_view(expected.as_string())));
  }
}

TEST_F(XlsxCorpus, FormatsNumbersAsSheetJsDoes) {
  Comparison comparison;
  for (const std::string name : {"fraction", "general", "implied"}) {
    const auto cases = boost::json::parse(content_of(folder_ / "ssf-number-formats" / (name + ".json")));
    for (const auto& one : cases.as_array()) {
      const auto& fields = one.as_array();
      if (!fields.at(1).is_array()) {
        compare_format(fields.at(0), fields.at(1), fields.at(2), comparison);
        continue;
      }
      for (const auto& inner : fields.at(1).as_array()) {
        compare_format(fields.at(0), inner.as_array().at(0), inner.as_array().at(1), comparison);
      }
    }
  }
  fmt::print("{} formats compared, {} differ\n", comparison.cells, comparison.misses.size());
  if (std::getenv("LADE_SHOW_MISSES") != nullptr) {
    for (const std::string& miss : comparison.misses) fmt::print("{}\n", miss);
  }
  EXPECT_GT(comparison.cells, 200U);
  EXPECT_LE(comparison.misses.size() * 100, comparison.cells * 5);
}

}  // namespace
}  // namespace lade
