// Every sheet is read with and without the fast path, with windows of every size; all readings must agree.
#include "xlsx/sheet_parser.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <random>

#include "xlsx/shared_strings.h"

namespace lade::xlsx {
namespace {

class SheetReadings : public ::testing::Test {
 protected:
  SheetReadings() : strings_(std::filesystem::temp_directory_path(), 1 << 20) {
    for (const std::string_view text : {"", "one", "two & three"}) EXPECT_TRUE(strings_.append(text));
    EXPECT_TRUE(strings_.finish());
    MemorySource source(
        "<styleSheet><cellXfs><xf numFmtId=\"0\"/><xf numFmtId=\"14\"/><xf numFmtId=\"22\"/></cellXfs></styleSheet>");
    styles_ = Styles::read(source, "styles").value();
  }

  std::string read(std::string_view part, SheetParser::Options options) {
    MemorySource source(part);
    SheetParser parser(source, "sheet", {styles_, strings_, limits_}, options);
    std::string seen;
    Row row;
    for (;;) {
      const auto more = parser.next(row);
      if (!more) return seen + more.error().code;
      if (!*more) return seen;
      seen += fmt::format("{}:", row.number);
      for (const Cell& cell : row.cells)
        seen += fmt::format(" {}/{}={}", cell.column, static_cast<int>(cell.kind), cell.text);
      seen += '\n';
    }
  }

  void expect_one_reading(std::string_view part) {
    const std::string expected = read(part, {.block_bytes = 1 << 16, .fast = false});
    EXPECT_EQ(read(part, {.block_bytes = 1 << 16, .fast = true}), expected) << part;
    for (std::size_t block = 1; block < 200; block += block < 40 ? 1 : 37) {
      ASSERT_EQ(read(part, {.block_bytes = block, .fast = true}), expected) << block << " " << part;
    }
  }

  Styles styles_;
  StringTable strings_;
  Limits limits_;
};

constexpr std::string_view kSheet =
    R"(<?xml version="1.0"?><worksheet><dimension ref="A1"/><sheetData><row r="1" spans="1:3"><c r="A1" t="s"><v>1</v></c>)"
    R"(<c r="B1" s="1"><v>45322</v></c><c r="C1" s="2"><v>45322.5</v></c></row> <row r="3"><c r="A3"><v>0.28999999999999998</v></c>)"
    R"(<c r="B3" t="inlineStr"><is><t>in_x0041_line</t></is></c><c r="C3" t="str"><f>A1&amp;"x"</f><v>a &lt; b</v></c>)"
    R"(<c r="D3"><f>SUM(A1:A2)</f><v>-12.50</v></c><c r="E3" t="b"><v>1</v></c><c r="F3" t="e"><v>#N/A</v></c></row>)"
    R"(<row><c t="s"><v>2</v></c><!-- c --><c t="inlineStr"><is><r><t>ri</t></r><r><t>ch</t></r></is></c></row></sheetData></worksheet>)";

TEST_F(SheetReadings, AgreeOnAnOrdinarySheet) {
  expect_one_reading(kSheet);
  EXPECT_EQ(read(kSheet, {}),
            "1: 0/1=one 1/3=2024-01-31 2/5=2024-01-31T12:00:00\n"
            "3: 0/2=0.29 1/1=inAline 2/1=a < b 3/2=-12.50 4/6=TRUE 5/7=#N/A\n"
            "4: 0/1=two & three 1/1=rich\n");
}

// Mutations that know XML: pieces are taken out, doubled, exchanged, and single characters changed to telling ones.
TEST_F(SheetReadings, AgreeOnMutatedSheets) {
  std::mt19937 random(20'240'131);
  const auto below = [&](std::size_t bound) { return random() % bound; };
  constexpr std::string_view kTelling = "<>/\"'&; =cvrst019AZ_x\r\n.-";
  for (int round = 0; round < 300; ++round) {
    std::string part(kSheet);
    for (std::size_t change = 1 + below(3); change > 0; --change) {
      const std::size_t at = below(part.size());
      const std::size_t length = std::min(part.size() - at, below(30));
      switch (below(3)) {
        case 0: part.erase(at, length); break;
        case 1: part.insert(below(part.size()), part.substr(at, length)); break;
        default: part[at] = kTelling[below(kTelling.size())]; break;
      }
      if (part.empty()) part = "<";
    }
    expect_one_reading(part);
    if (HasFatalFailure()) return;
  }
}

TEST(StringTableTest, GivesTheSameFromDiskAsFromMemory) {
  StringTable resident(std::filesystem::temp_directory_path(), 10'000'000);
  StringTable spilled(std::filesystem::temp_directory_path(), 20'000);
  for (int index = 0; index < 5000; ++index) {
    const std::string text = fmt::format("text {} {}", index, std::string(static_cast<std::size_t>(index % 50), 'x'));
    ASSERT_TRUE(resident.append(text));
    ASSERT_TRUE(spilled.append(text));
  }
  ASSERT_TRUE(resident.finish());
  ASSERT_TRUE(spilled.finish());
  EXPECT_FALSE(resident.spilled());
  EXPECT_TRUE(spilled.spilled());
  std::mt19937 random(1);
  for (int round = 0; round < 20'000; ++round) {
    const std::size_t index = round < 5000 ? static_cast<std::size_t>(round) : random() % 5000;
    ASSERT_EQ(spilled.at(index).value(), resident.at(index).value()) << index;
  }
}

TEST(StylesTest, RefusesAbsurdNumbers) {
  std::string part = "<styleSheet><cellXfs>";
  for (int index = 0; index <= 1'000'000; ++index) part += "<xf/>";
  MemorySource styles(part);
  EXPECT_EQ(Styles::read(styles, "styles").error().code, "workbook_too_large");
  part = "<styleSheet><numFmts>";
  for (int index = 0; index <= 65'536; ++index)
    part += fmt::format("<numFmt numFmtId=\"{}\" formatCode=\"0\"/>", index);
  MemorySource formats(part);
  EXPECT_EQ(Styles::read(formats, "styles").error().code, "workbook_too_large");
}

TEST(SharedStringsTest, AgreeHoweverTheyAreRead) {
  const std::string part =
      "<sst count=\"9\"><si><t>one</t></si><si><t xml:space=\"preserve\"> two_x000D_ </t></si><si><t>a &amp; "
      "b</t></si><si/>"
      "<si><r><t>ri</t></r><r><t>ch</t></r><rPh><t>no</t></rPh></si> "
      "<si><t><![CDATA[<t>]]></t></si><extLst><si><t>no</t></si></extLst></sst>";
  for (std::size_t block = 1; block < 300; ++block) {
    for (const bool fast : {false, true}) {
      StringTable table(std::filesystem::temp_directory_path(), 1 << 20);
      MemorySource source(part);
      ASSERT_TRUE(read_shared_strings(source, "strings", {}, table, {.block_bytes = block, .fast = fast}));
      std::string seen;
      for (std::size_t index = 0; index < table.size(); ++index) seen += std::string(table.at(index).value()) + "|";
      ASSERT_EQ(seen, "one| two\r |a & b||rich|<t>|") << block;
    }
  }
}

}  // namespace
}  // namespace lade::xlsx
