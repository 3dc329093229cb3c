#include "source/sniff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/input_of.h"

namespace lade::source {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace std::string_literals;

Result<Sniffed> sniff_bytes(std::string_view bytes, const Overrides& overrides = {}) {
  const testing::InputFolder folder;
  LADE_ASSIGN(const Input input, folder.open(bytes, overrides));
  return sniff(input, overrides);
}

Sniffed sniffed(std::string_view bytes, const Overrides& overrides = {}) {
  const auto result = sniff_bytes(bytes, overrides);
  EXPECT_TRUE(result) << result.error().message;
  return result.value_or(Sniffed{});
}

std::string refusal(std::string_view bytes) {
  const auto result = sniff_bytes(bytes);
  return result ? "accepted" : result.error().code;
}

TEST(Sniff, FindsEachDelimiter) {
  for (const char delimiter : {',', ';', '\t', '|', ':', '^', '~'}) {
    std::string sample = "Name,Price,Town\nBolt,12,Oslo\nNut,7,Bergen\n";
    std::ranges::replace(sample, ',', delimiter);
    const Sniffed found = sniffed(sample);
    EXPECT_EQ(found.dialect.delimiter, delimiter);
    EXPECT_EQ(found.columns, 3U);
    EXPECT_THAT(found.header, ElementsAre("Name", "Price", "Town"));
  }
}

TEST(Sniff, DecimalCommasDoNotHideSemicolons) {
  const Sniffed found = sniffed("Name;Price;Waste\nBolt;1,5;0,1\nNut;2,25;0,2\nPin;3;0\n");
  EXPECT_EQ(found.dialect.delimiter, ';');
  EXPECT_THAT(found.evidence, Contains(HasSubstr("delimiter ';': 3 fields in 4 of 4 records")));
}

TEST(Sniff, TimesOfDayDoNotMakeColonsDelimiters) {
  EXPECT_EQ(sniffed("10:00:01,5\n10:00:02,6\n10:00:03,7\n").dialect.delimiter, ',');
}

TEST(Sniff, TextWithCommasInQuotes) {
  const Sniffed found = sniffed("id,text\n1,\"a, b, c\"\n2,\"d, e\"\n3,f\n");
  EXPECT_EQ(found.dialect, csv::Dialect{});
  EXPECT_EQ(found.columns, 2U);
}

TEST(Sniff, FindsApostrophesAsQuotes) {
  const Sniffed found = sniffed("id,text\n1,'a, b'\n2,'c, d, e'\n3,'it''s'\n");
  EXPECT_EQ(found.dialect.quote, '\'');
  EXPECT_EQ(found.columns, 2U);
}

TEST(Sniff, ApostrophesInTextAreNoQuotes) {
  EXPECT_EQ(sniffed("id,text\n1,it's\n2,'tis the season\n3,rock 'n' roll\n").dialect.quote, '"');
}

TEST(Sniff, FindsBackslashEscapes) {
  const Sniffed found = sniffed("id,text\n1,\"say \\\"a, b\\\"\"\n2,\"c \\\"d, e\\\"\"\n3,x\n");
  EXPECT_EQ(found.dialect.escape, '\\');
  EXPECT_EQ(found.columns, 2U);
}

TEST(Sniff, FindsLoneCarriageReturns) {
  const Sniffed found = sniffed("a,b\r1,2\r3,4\r");
  EXPECT_TRUE(found.dialect.lone_cr);
  EXPECT_EQ(found.rows.size(), 2U);
  EXPECT_FALSE(sniffed("a,b\r\n1,2\r\n").dialect.lone_cr);
}

TEST(Sniff, OneColumnReadsAsOne) {
  const Sniffed found = sniffed("name\nBolt\nNut\n");
  EXPECT_EQ(found.columns, 1U);
  EXPECT_EQ(found.dialect, csv::Dialect{});
}

TEST(Sniff, ARaggedTableKeepsItsDelimiter) {
  EXPECT_EQ(sniffed("a,b,c\n1,27,,too long\n,too short\n0,x,17\n").dialect, csv::Dialect{});
}

TEST(Sniff, OneColumnOfQuotedTextWithCommasStaysOne) {
  const Sniffed found = sniffed("\"pattern\"\n\"#,##0\"\nplain\n");
  EXPECT_EQ(found.columns, 1U);
  EXPECT_EQ(found.dialect, csv::Dialect{});
}

TEST(Sniff, QuotesThatNeverCloseAreNone) {
  EXPECT_EQ(sniffed("size,item\n\"5,bolt\n\"6,nut\n7,pin\n\"8,nail\n").dialect.quote, 0);
}

TEST(Sniff, ARecordThatIsCutOffDoesNoHarm) {
  std::string sample = "a,b,c\n";
  for (int row = 0; row < 20; ++row) sample += "x,\"y,z\",1\n";
  const Sniffed found = sniffed(sample + "x,\"cut");
  EXPECT_EQ(found.columns, 3U);
  EXPECT_THAT(found.evidence, Contains(HasSubstr("3 fields in 21 of 21 records")));
}

TEST(Sniff, HeaderIsJudgedByTheColumnsBelow) {
  EXPECT_TRUE(sniffed("name,amount\nBolt,5\nNut,6\n").has_header);
  EXPECT_TRUE(sniffed("name,town\nBolt,Oslo\nNut,Bergen\n").has_header);
  EXPECT_TRUE(sniffed("country,2019,2020\nNorway,1.5,2.5\nSweden,3.5,4.5\n").has_header);
  const Sniffed numbers = sniffed("Bolt,5\nNut,6\nPin,7\n");
  EXPECT_FALSE(numbers.has_header);
  EXPECT_TRUE(numbers.header.empty());
  EXPECT_FALSE(sniffed("Oslo,red\nBergen,blue\nOslo,green\n").has_header);
  EXPECT_FALSE(sniffed("2024-01-01,5\n2024-01-02,6\n").has_header);
}

TEST(Sniff, AHeaderAloneIsAHeader) {
  EXPECT_TRUE(sniffed("name,amount\n").has_header);
  EXPECT_FALSE(sniffed("1,2\n").has_header);
}

TEST(Sniff, KnowsTheByteOrderMark) {
  const Sniffed found = sniffed("\xEF\xBB\xBFname,amount\nBolt,5\n");
  EXPECT_TRUE(found.origin.bom);
  EXPECT_EQ(found.origin.encoding, "utf-8");
  EXPECT_THAT(found.header, ElementsAre("name", "amount"));
}

TEST(Sniff, RefusesEmptyFiles) {
  for (const std::string sample : {"", "\n\n", "\r\n", "\xEF\xBB\xBF"}) EXPECT_EQ(refusal(sample), "file_empty");
}

TEST(Sniff, RefusesWhatIsNoTable) {
  for (const std::string& sample : {"%PDF-1.7"s, "SQLite format 3\0x"s, "<!DOCTYPE html><p>"s, "\x01\x02\x03\x04"s,
                                    " {\"a\": 1}"s, "[{\"a\": 1}]"s, "\n[\n  []]"s, "\x89PNG\r\n"s}) {
    EXPECT_EQ(refusal(sample), "not_a_csv") << sample;
  }
  EXPECT_EQ(refusal("\xD0\xCF\x11\xE0"s), "not_a_workbook");
  EXPECT_EQ(refusal("a,b\n1,x\0y\n2,this is a long line of text around it\n"s), "accepted");
  EXPECT_EQ(refusal("[id],[name]\n1,2\n"), "accepted");
}

TEST(Sniff, RefusesOtherCompressionsByName) {
  const auto result = sniff_bytes("BZh91AY&SY");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, "unsupported_compression");
  EXPECT_THAT(result.error().message, HasSubstr("bzip2"));
  EXPECT_THAT(result.error().hint, HasSubstr("bunzip2"));
  EXPECT_EQ(refusal("\xFD"
                    "7zXZ\0\0"s),
            "unsupported_compression");
}

TEST(Sniff, FindsCommentsThatDoNotFitTheTable) {
  const Sniffed found = sniffed("# made by a program, version 3\n# second\nid,name,town\n1,a,b\n#\n2,c,d\n3,e,f\n");
  EXPECT_EQ(found.dialect.comment, '#');
  EXPECT_THAT(found.header, ElementsAre("id", "name", "town"));
  EXPECT_EQ(found.header_line, 3);
  EXPECT_EQ(found.rows.size(), 3U);
  EXPECT_THAT(found.evidence, Contains(HasSubstr("comment '#': 3 lines")));
}

TEST(Sniff, ASignBeforeTheHeaderIsNoComment) {
  const Sniffed found = sniffed("#id,name\n1,a\n2,b\n");
  EXPECT_EQ(found.dialect.comment, '\0');
  EXPECT_THAT(found.header, ElementsAre("#id", "name"));
  EXPECT_EQ(sniffed("tag\n#one\n#two\nthree\n").dialect.comment, '\0');
}

TEST(Sniff, LeavesOutTitlesAboveTheHeader) {
  for (const std::string titles : {"Sales of the year\n\nall towns\n", "Sales of the year;;\n;;\nall towns;;\n"}) {
    const Sniffed found = sniffed(titles + "town;pieces;price\nOslo;5;1,5\nBergen;7;2,5\nBodø;9;3,5\n");
    EXPECT_EQ(found.dialect.delimiter, ';');
    EXPECT_THAT(found.header, ElementsAre("town", "pieces", "price"));
    EXPECT_EQ(found.header_line, 4);
    EXPECT_EQ(found.skipped_lines, 3);
    EXPECT_EQ(found.rows.size(), 3U);
    EXPECT_THAT(found.evidence, Contains(HasSubstr("in line 4, below")));
  }
}

TEST(Sniff, AHeaderIsNoTitleForADelimiterInTheData) {
  EXPECT_EQ(sniffed("text|number\nfoo|123,000\nbar|456,000\nbaz|789,000\n").dialect.delimiter, '|');
}

TEST(Sniff, TitlesMayHoldTheDelimiter) {
  EXPECT_EQ(sniffed("some notes\nmore, notes\nnumber,text,date\n345.0,TEST4,2000-12-13\n").header_line, 3);
}

TEST(Sniff, ARaggedFirstRecordIsNoTitle) {
  EXPECT_EQ(sniffed("id\n1,2\n3,4\n5,6\n").header_line, 1);
  EXPECT_EQ(sniffed("a,b\n1,2,3,4\n3,4,5,6\n5,6,7,8\n").header_line, 1);
}

TEST(Sniff, TheHeaderMayBeGiven) {
  const std::string text = "title\na;b\n1;2\n3;4\n5;6\n";
  EXPECT_EQ(sniffed(text).header_line, 2);
  EXPECT_EQ(sniffed(text, {.header_row = 1}).header_line, 1);
  const Sniffed none = sniffed(text, {.skip_rows = 1, .header_row = 0});
  EXPECT_EQ(none.header_line, 0);
  EXPECT_EQ(none.rows.size(), 4U);
}

TEST(Sniff, ExpectedNamesDecide) {
  Overrides overrides;
  overrides.expected = {"town", "pieces"};
  const Sniffed found = sniffed("a,b,c\nd,e,f\ntown,pieces,x\nOslo,5,6\n", overrides);
  EXPECT_EQ(found.header_line, 3);
  EXPECT_THAT(found.evidence, Contains(HasSubstr("2 of the 2 names")));
}

TEST(Sniff, ReadsTheLineThatExcelWritesAboutTheDelimiter) {
  const Sniffed found = sniffed("sep=|\na|b,c\n1|2,3\n");
  EXPECT_EQ(found.dialect.delimiter, '|');
  EXPECT_THAT(found.header, ElementsAre("a", "b,c"));
  EXPECT_EQ(found.header_line, 2);
}

TEST(Sniff, SpacesDivideOnlyWhatTheyDivideAlike) {
  const Sniffed found = sniffed("a b c\n1 2 3\n4 5 6\n7 8 9\n");
  EXPECT_EQ(found.dialect.delimiter, ' ');
  EXPECT_EQ(found.columns, 3U);
  EXPECT_EQ(sniffed("name\nAnn Lee\nBob Ray\nCid Fox\n").columns, 1U);
}

TEST(Sniff, WhatIsGivenIsNotSought) {
  const Sniffed found = sniffed("a,b;c\n1,2;3\n4,5;6\n", {.delimiter = ';'});
  EXPECT_THAT(found.header, ElementsAre("a,b", "c"));
  EXPECT_EQ(sniffed("a,b\n%x\n1,2\n", {.comment = '%'}).rows.size(), 1U);
  EXPECT_EQ(sniff_bytes("a,b\n1,2\n", {.quote = ',', .comment = ','}).error().code, "dialect_invalid");
}

TEST(Sniff, ShowsTheFirstRows) {
  std::string text = "n,square\n";
  for (int n = 0; n < 50; ++n) text += std::to_string(n) + "," + std::to_string(n * n) + (n == 3 ? ",more\n" : "\n");
  const Sniffed found = sniffed(text);
  ASSERT_EQ(found.rows.size(), 20U);
  EXPECT_THAT(found.rows[2], ElementsAre("2", "4"));
  EXPECT_THAT(found.rows[3], ElementsAre("3", "9", "more"));
}

}  // namespace
}  // namespace lade::source
