#include "xlsx/number_format.h"

#include <gtest/gtest.h>

namespace lade::xlsx {
namespace {

FormatKind kind_of(std::string_view code) {
  return NumberFormat::parse(code).kind();
}

std::string shown(double value, std::string_view code) {
  return NumberFormat::parse(code).display(value);
}

TEST(NumberFormat, KnowsDatesAndTimes) {
  EXPECT_EQ(kind_of("yyyy-mm-dd"), FormatKind::date);
  EXPECT_EQ(kind_of("[$-F800]dddd\\,\\ mmmm\\ dd\\,\\ yyyy"), FormatKind::date);
  EXPECT_EQ(kind_of("mm:ss.0"), FormatKind::time);
  EXPECT_EQ(kind_of("h AM/PM"), FormatKind::time);
  EXPECT_EQ(kind_of("dd.mm.yyyy hh:mm"), FormatKind::timestamp);
  EXPECT_EQ(kind_of("[hh]:mm"), FormatKind::elapsed);
  EXPECT_EQ(kind_of("yyyy\"年\"m\"月\"d\"日\";@"), FormatKind::date);
  for (const char* code : {"General", "0.00", "[$-409]#,##0", "[Red]0", "0\" days\"", "@", "0.00E+00", "", "\"ymd\"",
                           "\\y0", "[$kr-41D]0"}) {
    EXPECT_EQ(kind_of(code), FormatKind::number) << code;
  }
}

TEST(NumberFormat, KnowsZeros) {
  EXPECT_EQ(kind_of("00000"), FormatKind::zeros);
  EXPECT_EQ(kind_of("000\\-00\\-0000"), FormatKind::zeros);
  EXPECT_EQ(kind_of("0"), FormatKind::number);
  EXPECT_EQ(kind_of("00.0"), FormatKind::number);
  EXPECT_EQ(NumberFormat::parse("\"A-\"000").zero_pattern().padded("7", false), "A-007");
  EXPECT_EQ(NumberFormat::parse(std::string_view("00\0\0"
                                                 "0-00",
                                                 8))
                .zero_pattern()
                .padded("12", false),
            "000-12");
}

TEST(NumberFormat, ShowsNumbers) {
  EXPECT_EQ(shown(1234.5, "#,##0.00"), "1,234.50");
  EXPECT_EQ(shown(-1234.5, "#,##0.00_);\\(#,##0.00\\)"), "(1,234.50)");
  EXPECT_EQ(shown(0.256, "0.0%"), "25.6%");
  EXPECT_EQ(shown(1.005, "0.00"), "1.01") << "as the 15 digits say, not the double";
  EXPECT_EQ(shown(12345, "0.00E+00"), "1.23E+04");
  EXPECT_EQ(shown(12345, "##0.0E+0"), "12.3E+3");
  EXPECT_EQ(shown(1234567, "0.0,,\" M\""), "1.2 M");
  EXPECT_EQ(shown(0, "#"), "");
  EXPECT_EQ(shown(5, "[>=100]\"many\";\"few\""), "few");
  EXPECT_EQ(shown(1.25, "# ?/?"), "1 1/4");
  EXPECT_EQ(shown(1e15, "General"), "1E+15");
  EXPECT_EQ(shown(0.1 + 0.2, "General"), "0.3");
  EXPECT_EQ(NumberFormat::parse("\"<\"@\">\"").display("text"), "<text>");
}

TEST(NumberFormat, ShowsTheSmallestAndTheLargestNumbers) {
  EXPECT_EQ(shown(1e-310, "0.0E+0"), "1.0E-310");
  EXPECT_EQ(shown(1e308, "0.0E+0"), "1.0E+308");
  EXPECT_EQ(shown(1e308, "0%"), "0%") << "too large for a number";
  EXPECT_EQ(shown(1e308, "0.0E+0%"), "0.0E+0%") << "too large for a number";
}

TEST(NumberFormat, ShowsMoments) {
  EXPECT_EQ(shown(45322.572916666664, "yyyy-mm-dd hh:mm:ss"), "2024-01-31 13:45:00");
  EXPECT_EQ(shown(45322.572916666664, "ddd d mmm yy h:mm AM/PM"), "Wed 31 Jan 24 1:45 PM");
  EXPECT_EQ(shown(1.5, "[h]:mm"), "36:00");
  EXPECT_EQ(shown(60, "m/d/yyyy"), "2/29/1900") << "a day that spreadsheets know";
  EXPECT_EQ(shown(-1, "m/d/yyyy"), "########");
  EXPECT_EQ(NumberFormat::parse("yyyy").display(0.0, true), "1904");
}

TEST(NumberFormat, TakesAnyCode) {
  for (const std::string& code :
       {std::string("["), std::string("\""), std::string("\\"), std::string("_"), std::string(";;;;;;"),
        std::string(1000, '0'), std::string(100'000, '#'), std::string("0.") + std::string(900, '0'),
        std::string("/////"), std::string("0/0/0"), std::string("E+E+E+"), std::string("yyyyyyyyyyyyyyyyyyyyyyyyy")}) {
    for (const double value : {0.0, -1.5, 1e308, 1e-308, 5e-324, 45322.5}) {
      EXPECT_LT(shown(value, code).size(), 4000U) << code;
    }
  }
}

}  // namespace
}  // namespace lade::xlsx
