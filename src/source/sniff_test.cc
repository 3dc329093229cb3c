#include "source/sniff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lade::source {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace std::string_literals;

Sniffed sniffed(std::string_view sample) {
  const auto result = sniff_csv(sample);
  EXPECT_TRUE(result) << result.error().message;
  return result.value_or(Sniffed{});
}

std::string refusal(std::string_view sample) {
  const auto result = sniff_csv(sample);
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
  EXPECT_EQ(found.records, 3U);
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
  EXPECT_TRUE(found.bom);
  EXPECT_EQ(found.encoding, "utf-8");
  EXPECT_THAT(found.header, ElementsAre("name", "amount"));
}

TEST(Sniff, SaysWhenBytesAreNoUtf8ButForgivesACutCharacter) {
  EXPECT_EQ(sniffed("name,town\nBolt,M\xFCnchen\nNut,x\n").encoding, "unknown");
  EXPECT_EQ(sniffed("name,town\nBolt,M\xC3").encoding, "utf-8");
}

TEST(Sniff, RefusesEmptyFiles) {
  for (const std::string sample : {"", "\n\n", "\r\n", "\xEF\xBB\xBF"}) EXPECT_EQ(refusal(sample), "file_empty");
}

TEST(Sniff, RefusesWideEncodingsAndSaysHowToConvert) {
  for (const std::string& sample : {"\xFF\xFE"s + "a\0,\0"s, "\xFE\xFF\0a"s, "\xFF\xFE\0\0a\0\0\0"s, "\0\0\xFE\xFF"s,
                                    "a\0,\0b\0\n\0"s, "\0a\0,\0b\0\n"s}) {
    EXPECT_EQ(refusal(sample), "unsupported_encoding");
  }
  EXPECT_THAT(sniff_csv("\xFF\xFE"s + "a\0"s).error().hint, HasSubstr("iconv -f utf-16le"));
}

TEST(Sniff, RefusesWhatIsNoText) {
  for (const std::string& sample : {"PK\x03\x04rest"s, "\x1F\x8B\x08"s, "\xD0\xCF\x11\xE0"s, "%PDF-1.7"s,
                                    "SQLite format 3\0x"s, "<!DOCTYPE html><p>"s, "\x01\x02\x03\x04"s}) {
    EXPECT_EQ(refusal(sample), "not_a_csv") << sample;
  }
  EXPECT_EQ(refusal("a,b\n1,x\0y\n2,this is a long line of text around it\n"s), "accepted");
}

}  // namespace
}  // namespace lade::source
