#include "xlsx/writer.h"

#include <gtest/gtest.h>

#include "testing/temporary_folder.h"
#include "xlsx/workbook.h"
#include "xlsx/written_cell.h"

// libxlsxwriter 1.1.4 forgets the first of two copies that it makes of a drop-down list's range: some 20 bytes a
// column.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() {
  return "leak:lxw_strdup";
}

namespace lade::xlsx {
namespace {

using Table = std::vector<std::vector<std::string>>;

class WriterTest : public ::testing::Test {
 protected:
  Writer writer() {
    auto made = Writer::create(folder_.path(), "Data");
    EXPECT_TRUE(made) << made.error().message;
    return std::move(*made);
  }

  // What a reader finds in the workbook, with its kinds.
  Table read_back(Writer& writer, std::vector<CellKind>* kinds = nullptr) {
    StringSink sink;
    EXPECT_TRUE(writer.finish(sink));
    auto file = File::temporary(folder_.path());
    EXPECT_TRUE(file->write(sink.text));
    const auto book = Workbook::open(*file, "written.xlsx", folder_.path());
    EXPECT_TRUE(book) << book.error().message;
    EXPECT_EQ(book->sheets().front().name, "Data");
    auto reader = book->read(0);
    EXPECT_TRUE(reader);
    Table table;
    Row row;
    while (*(*reader)->next(row)) {
      table.resize(static_cast<std::size_t>(row.number));
      for (const Cell& cell : row.cells) {
        table.back().resize(cell.column + 1);
        table.back().back() = cell.text;
        if (kinds != nullptr) kinds->push_back(cell.kind);
      }
    }
    return table;
  }

  testing::TemporaryFolder folder_;
};

TEST_F(WriterTest, WhatIsWrittenReadsBackAsTheSame) {
  Writer made = writer();
  const std::vector<std::string> names{"Code", "=Name", "a\nb"};
  ASSERT_TRUE(made.header(names));
  const std::string texts[] = {"007",        " padded ", "=1+1", "_x0041_",          "tab\tand\x01\x1f", "Ümläut €",
                               "two\nlines", "cr\r\nlf", "1.50", "\xF0\x9F\x98\x80", "<&>\"'",           "TRUE"};
  Table expected{names};
  for (const std::string& text : texts) {
    const WrittenCell cells[] = {{text}, {""}, {text, true}};
    ASSERT_TRUE(made.row(cells));
    expected.push_back({text, "", text});
  }
  EXPECT_EQ(read_back(made), expected);
}

TEST_F(WriterTest, TypedCellsAreNumbersDatesAndBooleans) {
  Writer made = writer();
  const WrittenCell cells[] = {
      {"12.5", true}, {"-3", true},         {"2024-02-29", true}, {"2024-02-29T13:45:01", true}, {"TRUE", true},
      {"007", true},  {"1900-01-31", true}, {"2023-02-29", true}, {"1234567890123456", true},    {"12.5", false}};
  ASSERT_TRUE(made.row(cells));
  std::vector<CellKind> kinds;
  const Table table = read_back(made, &kinds);
  Table expected(1);
  for (const WrittenCell& cell : cells) expected[0].emplace_back(cell.text);
  EXPECT_EQ(table, expected);
  using enum CellKind;
  EXPECT_EQ(kinds, (std::vector{number, number, date, timestamp, boolean, text, text, text, text, text}));
}

TEST_F(WriterTest, BytesThatAreNoTextAreReplacedAndLongTextIsCut) {
  Writer made = writer();
  const std::string longest(32'767, 'x'), longer(40'000, 'y');
  const WrittenCell cells[] = {{"a\xFF\xC3"}, {longest}, {longer}};
  ASSERT_TRUE(made.row(cells));
  const Table table = read_back(made);
  EXPECT_EQ(table[0][0], "a\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(table[0][1], longest);
  EXPECT_EQ(table[0][2], std::string(32'766, 'y') + "…");
}

TEST_F(WriterTest, TemplatesOfferTheirChoices) {
  Writer made = writer();
  std::vector<ColumnHint> hints(2);
  hints[0] = {.comment = "required", .choices = {"a", "b"}, .required = true};
  for (int i = 0; i < 100; ++i) hints[1].choices.push_back("choice number " + std::to_string(i));
  const std::vector<std::string> names{"Kind", "Region"};
  ASSERT_TRUE(made.header(names, hints));
  const WrittenCell sample[] = {{"a"}, {"choice number 1"}};
  ASSERT_TRUE(made.row(sample));
  EXPECT_EQ(read_back(made), (Table{{"Kind", "Region"}, {"a", "choice number 1"}}));
}

TEST_F(WriterTest, RefusesWhatASheetCannotHold) {
  Writer made = writer();
  const std::vector<WrittenCell> wide(16'385, WrittenCell{"x"});
  const auto refused = made.row(wide);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "workbook_full");
  StringSink sink;
  EXPECT_TRUE(made.finish(sink));
}

TEST_F(WriterTest, TellsWhenItCannotWrite) {
  const std::filesystem::path gone = folder_.path() / "gone";
  std::filesystem::create_directory(gone);
  auto made = Writer::create(gone, "Data");
  ASSERT_TRUE(made);
  std::filesystem::remove_all(gone);
  StringSink sink;
  const auto refused = made->finish(sink);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "workbook_write");
}

TEST(WrittenCell, SheetsHaveNamesThatExcelAllows) {
  EXPECT_EQ(sheet_name("AP Data"), "AP Data");
  EXPECT_EQ(sheet_name("a/b[c]:*?\\\n"), "a_b_c______");
  EXPECT_EQ(sheet_name("'it's'"), "_it's_");
  EXPECT_EQ(sheet_name(""), "Sheet1");
  EXPECT_EQ(sheet_name(std::string(40, 'x')), std::string(31, 'x'));
}

TEST(WrittenCell, NumbersOnlyWhereNothingIsLost) {
  for (const char* text : {"0", "7", "-7", "0.5", "123456789012345", "-0.25"})
    EXPECT_TRUE(written_number(text)) << text;
  for (const char* text :
       {"", "-", "-0", "007", "1.50", "1.", ".5", "1e3", "+1", "1,5", " 1", "1234567890123456", "0x1"})
    EXPECT_FALSE(written_number(text)) << text;
}

}  // namespace
}  // namespace lade::xlsx
