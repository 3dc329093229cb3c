// What whole columns show: types, locales, orders of day and month, and what stays uncertain.
#include "source/column_evidence.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <fstream>

#include "source/column_tally.h"
#include "testing/results.h"
#include "testing/temporary_folder.h"

namespace lade::source {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ColumnEvidenceTest : public ::testing::Test {
 protected:
  std::vector<ColumnEvidence> evidence_of(const std::string& text, std::int64_t max_rows = 0) {
    std::ofstream(folder.path() / "input", std::ios::binary) << text;
    auto input = open_input((folder.path() / "input").string(), folder.path(), 1 << 30);
    EXPECT_OK(input);
    Overrides overrides;
    overrides.header_row = 1;
    overrides.delimiter = '|';
    auto layout = recognise(*input, overrides);
    EXPECT_OK(layout);
    auto found = column_evidence(*input, *layout, max_rows);
    EXPECT_OK(found);
    return found.value_or(std::vector<ColumnEvidence>());
  }
  // One column with these cells, from line 2 on.
  ColumnEvidence column(const std::vector<std::string>& cells, const std::string& header = "x") {
    std::string text = header + "|y\n";
    for (const std::string& cell : cells) text += cell + "|.\n";
    const auto found = evidence_of(text);
    EXPECT_EQ(found.size(), 2U);
    return found.empty() ? ColumnEvidence() : found.front();
  }
  // "type locale format" of each reading.
  std::vector<std::string> readings(const std::vector<std::string>& cells, const std::string& header = "x") {
    std::vector<std::string> texts;
    for (const TypeReading& reading : column(cells, header).readings)
      texts.push_back(fmt::format("{} [{}] {}", reading.type, reading.locale, reading.format));
    return texts;
  }

  testing::TemporaryFolder folder;
};

TEST_F(ColumnEvidenceTest, CountsCellsBlanksAndValues) {
  const ColumnEvidence found = column({"a", " b", "", "a", "\u00e4\u00f6\u00fc"});
  EXPECT_EQ(found.name, "x");
  EXPECT_EQ(found.cells, 5);
  EXPECT_EQ(found.blank, 1);
  EXPECT_EQ(found.distinct, 3);
  EXPECT_FALSE(found.unique);
  EXPECT_TRUE(found.padded);
  EXPECT_EQ(found.max_length, 3U);
  EXPECT_THAT(found.samples, ElementsAre("a", "b", "\u00e4\u00f6\u00fc"));
  EXPECT_THAT(found.values, ElementsAre("a", "b", "\u00e4\u00f6\u00fc"));
  EXPECT_THAT(found.readings, IsEmpty());
}

TEST_F(ColumnEvidenceTest, CountsUpToAThousandValuesAndKnowsWhetherTheyRepeat) {
  std::vector<std::string> cells;
  for (int i = 0; i < 1001; ++i) cells.push_back(fmt::format("v{}", i));
  ColumnEvidence found = column(cells);
  EXPECT_EQ(found.distinct, 0);
  EXPECT_TRUE(found.unique);
  EXPECT_THAT(found.values, IsEmpty());
  EXPECT_EQ(found.samples.size(), 5U);
  cells.emplace_back("v7");
  EXPECT_FALSE(column(cells).unique);
  cells.resize(1000);
  found = column(cells);
  EXPECT_EQ(found.distinct, 1000);
  EXPECT_TRUE(found.unique);
}

TEST_F(ColumnEvidenceTest, ReadsNoMoreRowsThanAsked) {
  const auto found = evidence_of("a|b\n1|x\n2|y\nz|z\n", 2);
  EXPECT_EQ(found.front().cells, 2);
  EXPECT_EQ(found.front().readings.front().type, "integer");
}

TEST_F(ColumnEvidenceTest, NumbersByTheirSigns) {
  EXPECT_THAT(readings({"1", "-20", "+3"}), ElementsAre("integer [] "));
  EXPECT_THAT(readings({"1", "2.50"}), ElementsAre("decimal(14,2) [] "));
  EXPECT_THAT(readings({"1,234.50", "7"}), ElementsAre("decimal(14,2) [en-US] "));
  EXPECT_THAT(readings({"1,234,567"}), ElementsAre("integer [en-US] "));
  EXPECT_THAT(readings({"1.234,50", "7"}), ElementsAre("decimal(14,2) [de-DE] "));
  EXPECT_THAT(readings({"12,5"}), ElementsAre("decimal(14,1) [de-DE] "));
  EXPECT_THAT(readings({"1'234.50"}), ElementsAre("decimal(14,2) [de-CH] "));
  EXPECT_THAT(readings({"1 234,50"}), ElementsAre("decimal(14,2) [fr-FR] "));
  EXPECT_THAT(readings({"1\u202f234\u202f567"}), ElementsAre("integer [fr-FR] "));
  EXPECT_THAT(readings({"12,34,567.5"}), ElementsAre("decimal(14,1) [en-IN] "));
  EXPECT_THAT(readings({"1.5E-3", "2"}), ElementsAre("decimal(14,4) [] "));
  EXPECT_THAT(readings({"1.5E-3", "1,234.5"}), IsEmpty()) << "no locale with groups takes an exponent";
  EXPECT_THAT(readings({"1234567890123456789"}), IsEmpty()) << "an identifier";
  EXPECT_THAT(readings({"12E4"}), IsEmpty()) << "a code";
  EXPECT_THAT(readings({"1,23,456.7", "1,234,567.8"}), IsEmpty());
  EXPECT_THAT(readings({"1", "x"}), IsEmpty());
  EXPECT_THAT(readings({"-", "."}), IsEmpty());
}

TEST_F(ColumnEvidenceTest, ThousandsOrDecimalsAreNotDecided) {
  ColumnEvidence found = column({"1,234", "7"});
  EXPECT_TRUE(found.ambiguous);
  ASSERT_EQ(found.readings.size(), 2U);
  EXPECT_EQ(found.readings[0].type + found.readings[0].locale, "integeren-US");
  EXPECT_EQ(found.readings[1].type + found.readings[1].locale, "decimal(14,3)de-DE");
  EXPECT_THAT(found.note, HasSubstr("1,234 in line 2"));
  EXPECT_THAT(readings({"1.234"}), ElementsAre("decimal(14,3) [] ", "integer [de-DE] "));
  found = column({"1,234", "0,5"});
  EXPECT_FALSE(found.ambiguous);
  EXPECT_EQ(found.readings.front().evidence, "0,5 in line 3: a decimal comma");
  EXPECT_THAT(readings({"1.234", "0.500"}), ElementsAre("decimal(14,3) [] "));
}

TEST(ColumnTally, NumbersOfAWorkbookAreNotAmbiguous) {
  ColumnTally typed(10);
  typed.take("1.234", 2, true);
  ColumnEvidence found = typed.evidence("x");
  EXPECT_FALSE(found.ambiguous);
  ASSERT_EQ(found.readings.size(), 1U);
  EXPECT_EQ(found.readings[0].type + found.readings[0].locale, "decimal(14,3)");
  ColumnTally mixed(10);
  mixed.take("1.234,5", 2);
  mixed.take("1.23", 3, true);
  found = mixed.evidence("x");
  ASSERT_EQ(found.readings.size(), 1U);
  EXPECT_EQ(found.readings[0].type + found.readings[0].locale, "decimal(14,2)de-DE");
  mixed.take("x", 4, true);
  EXPECT_THAT(mixed.evidence("x").readings, IsEmpty());
}

TEST_F(ColumnEvidenceTest, LeadingZerosMakeACode) {
  for (const char* cell : {"007", "-007", "01.5", "$01"}) {
    const ColumnEvidence found = column({"5", cell});
    EXPECT_THAT(found.readings, IsEmpty()) << cell;
  }
  const ColumnEvidence found = column({"123", "007", "008"});
  EXPECT_TRUE(found.leading_zeros);
  EXPECT_THAT(found.note, HasSubstr("007 in line 3"));
  EXPECT_THAT(readings({"0", "0.5"}), ElementsAre("decimal(14,1) [] "));
}

TEST_F(ColumnEvidenceTest, PercentAndCurrency) {
  EXPECT_THAT(readings({"12.5%", "3 %"}), ElementsAre("decimal(14,3) [] percent"));
  EXPECT_THAT(readings({"$1,234.50", "-$5"}), ElementsAre("decimal(14,2) [en-US] currency"));
  EXPECT_THAT(readings({"1.234,50 \u20ac", "5 EUR"}), ElementsAre("decimal(14,2) [de-DE] currency"));
  const ColumnEvidence mixed = column({"5%", "0.05"});
  EXPECT_THAT(mixed.readings, IsEmpty());
  EXPECT_THAT(mixed.note, HasSubstr("percent"));
}

TEST_F(ColumnEvidenceTest, DatesByTheirFormat) {
  EXPECT_THAT(readings({"2024-04-13"}), ElementsAre("date [] "));
  EXPECT_THAT(readings({"2024-04-13", "2024-04-13T10:00:00Z"}), ElementsAre("timestamp [] "));
  EXPECT_THAT(readings({"2024-04-13 10:00"}), ElementsAre("timestamp [] "));
  EXPECT_THAT(readings({"13.04.2024"}), ElementsAre("date [] DD.MM.YYYY"));
  EXPECT_THAT(readings({"13.04.2024", "5.4.2024"}), ElementsAre("date [] D.M.YYYY"));
  EXPECT_THAT(readings({"04/13/2024", "04/05/2024"}), ElementsAre("date [] MM/DD/YYYY"));
  EXPECT_THAT(readings({"2024/1/31"}), ElementsAre("date [] YYYY/M/DD"));
  EXPECT_THAT(readings({"31/12/99"}), ElementsAre("date [] DD/MM/YY"));
  EXPECT_THAT(readings({"5-Mar-2024", "17-MAY-2024"}), ElementsAre("date [] D-MMM-YYYY"));
  EXPECT_THAT(readings({"March 5, 2024", "May 17, 2024"}), ElementsAre("date [] MMMM D, YYYY"));
  EXPECT_THAT(readings({"13.04.2024 9:30", "13.04.2024 10:30"}), ElementsAre("timestamp [] DD.MM.YYYY H:mm"));
  EXPECT_THAT(readings({"4/13/2024 02:30:15.123 PM"}), ElementsAre("timestamp [] M/DD/YYYY hh:mm:ss.SSS a"));
  EXPECT_THAT(readings({"13.04.2024T10:00:00+02:00"}), ElementsAre("timestamp [] DD.MM.YYYYTHH:mm:ssZ"));
  EXPECT_THAT(readings({"30.02.2024"}), IsEmpty());
  EXPECT_THAT(readings({"13.04.2024", "13/04/2024"}), IsEmpty());
  EXPECT_THAT(readings({"13.04.2024", "2024-04-13"}), IsEmpty());
  EXPECT_THAT(readings({"13.04.2024 25:00"}), IsEmpty());
}

TEST_F(ColumnEvidenceTest, DayAndMonthAreNotDecidedWithoutACellThatTells) {
  ColumnEvidence found = column({"03/04/2024", "05/06/2024"});
  EXPECT_TRUE(found.ambiguous);
  ASSERT_EQ(found.readings.size(), 2U);
  EXPECT_EQ(found.readings[0].format, "DD/MM/YYYY");
  EXPECT_EQ(found.readings[1].format, "MM/DD/YYYY");
  EXPECT_THAT(found.note, HasSubstr("no cell tells day from month (03/04/2024 in line 2)"));
  found = column({"03/04/2024", "13/06/2024"});
  EXPECT_FALSE(found.ambiguous);
  EXPECT_EQ(found.readings.front().evidence, "13/06/2024 in line 3: the first number is the day");
  EXPECT_EQ(column({"03/04/05"}).readings.size(), 3U);
}

TEST_F(ColumnEvidenceTest, EightDigitsAreADateAndANumber) {
  EXPECT_THAT(readings({"20240413"}), ElementsAre("integer [] ", "date [] "));
  EXPECT_THAT(readings({"20240413"}, "Order Date"), ElementsAre("date [] ", "integer [] "));
  EXPECT_THAT(readings({"20241313"}), ElementsAre("integer [] "));
}

TEST_F(ColumnEvidenceTest, DaysAsExcelCountsThemAreOnlyANote) {
  EXPECT_THAT(column({"45395", "45396"}, "Order Date").note, HasSubstr("Excel"));
  EXPECT_EQ(column({"45395", "45396"}, "Amount").note, "");
}

TEST_F(ColumnEvidenceTest, BooleansByTheirWords) {
  EXPECT_THAT(readings({"true", "FALSE"}), ElementsAre("boolean [] "));
  EXPECT_THAT(readings({"Ja", "nein", "ja"}), ElementsAre("boolean [] ja/nein"));
  EXPECT_THAT(readings({"1", "0"}), ElementsAre("integer [] ", "boolean [] "));
  EXPECT_THAT(readings({"y", "y"}), IsEmpty()) << "one letter alone says little";
  EXPECT_THAT(readings({"yes", "nein"}), IsEmpty());
  EXPECT_THAT(column({"nein", "N/A"}).null_words, ElementsAre("N/A"));
}

TEST_F(ColumnEvidenceTest, NullWordsDoNotHideAType) {
  const ColumnEvidence found = column({"5", "N/A", "-", "7", "N/A"});
  EXPECT_EQ(found.readings.front().type, "integer");
  EXPECT_THAT(found.null_words, ElementsAre("N/A", "-"));
  EXPECT_THAT(column({"a", "-"}).null_words, IsEmpty()) << "in a text they mean what they mean";
  EXPECT_THAT(column({"N/A"}).readings, IsEmpty());
}

TEST_F(ColumnEvidenceTest, UuidsAndBlankColumns) {
  EXPECT_THAT(readings({"6F9619FF-8B86-D011-B42D-00CF4FC964FF"}), ElementsAre("uuid [] "));
  EXPECT_THAT(readings({"6F9619FF-8B86-D011-B42D-00CF4FC964FG"}), IsEmpty());
  const ColumnEvidence blank = column({"", " "});
  EXPECT_EQ(blank.blank, 2);
  EXPECT_EQ(blank.note, "every cell is blank");
  EXPECT_THAT(blank.readings, IsEmpty());
}

}  // namespace
}  // namespace lade::source
