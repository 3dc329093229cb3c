#include "source/sheet_input.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "testing/temporary_folder.h"
#include "testing/workbook_bytes.h"

namespace lade::source {
namespace {

using testing::WorkbookParts;

class SheetInputTest : public ::testing::Test {
 protected:
  Result<Input> open(const WorkbookParts& parts, const Overrides& overrides = {}) {
    const std::string path = (folder_.path() / "book.xlsx").string();
    std::ofstream(path, std::ios::binary) << testing::workbook_bytes(parts);
    return open_input(path, folder_.path(), 1'000'000'000, overrides);
  }
  static std::string text_of(const Result<Input>& input) {
    if (!input) return input.error().code;
    std::string text(input->bytes, '\0');
    EXPECT_TRUE(input->file.read_at(0, text));
    return text;
  }

  testing::TemporaryFolder folder_;
};

TEST_F(SheetInputTest, ARowIsALineAndQuotesTellText) {
  const auto input =
      open({.sheet_data = R"(<row r="2"><c r="A2" t="str"><v>a "b"</v></c><c r="C2"><v>1.5</v></c></row>)"
                          R"(<row r="4"><c r="B4" t="b"><v>1</v></c><c r="D4" t="inlineStr"><is><t>x
y</t></is></c></row>)"});
  EXPECT_EQ(text_of(input), "\n\"a \"\"b\"\"\",,1.5\n\n,TRUE,,\"x\ny\"\n");
  EXPECT_TRUE(input->sheet_rows);
  EXPECT_EQ(input->origin.format, "xlsx");
  EXPECT_TRUE(input->original.is_open());
}

TEST_F(SheetInputTest, SheetsAreFoundByNameAndPlace) {
  WorkbookParts parts{.sheet_data = "<row><c><v>1</v></c></row>"};
  parts.sheets =
      R"(<sheet name="Hidden" sheetId="2" state="hidden" r:id="rId1"/><sheet name="Prices" sheetId="1" r:id="rId1"/>)";
  EXPECT_EQ(open(parts)->origin.sheet, "Prices") << "hidden sheets are read only by name";
  for (const auto& [wanted, found] : {std::pair("Hidden", "Hidden"), std::pair("prices", "Prices"),
                                      std::pair("1", "Hidden"), std::pair("2", "Prices")}) {
    Overrides overrides;
    overrides.sheet = wanted;
    EXPECT_EQ(open(parts, overrides)->origin.sheet, found) << wanted;
  }
  Overrides overrides;
  overrides.sheet = "3";
  const auto missing = open(parts, overrides);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, "sheet_not_found");
  EXPECT_THAT(missing.error().message, ::testing::HasSubstr("there are: Hidden, Prices"));
}

TEST_F(SheetInputTest, AWorkbookWithoutCellsIsEmpty) {
  EXPECT_EQ(text_of(open({})), "file_empty");
  EXPECT_EQ(text_of(open({.sheet_data = "<row r=\"5\"/>"})), "file_empty");
}

// Ten thousand cells that share the longest text there is: 328 MB out of a few KB.
TEST_F(SheetInputTest, SharedTextDoesNotFillTheDisk) {
  std::string rows;
  for (int i = 0; i < 10'000; ++i) rows += "<row><c t=\"s\"><v>0</v></c></row>";
  const auto input = open({.sheet_data = rows, .shared_strings = "<si><t>" + std::string(32'767, 'x') + "</t></si>"});
  EXPECT_EQ(text_of(input), "workbook_too_large");
}

}  // namespace
}  // namespace lade::source
