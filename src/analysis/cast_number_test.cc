#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <string>

#include "analysis/cast.h"

namespace lade::analysis {
namespace {

NumberFormat locale(std::string_view name) {
  auto format = NumberFormat::for_locale(name);
  EXPECT_TRUE(format) << name;
  return format.value_or(NumberFormat{});
}

// The canonical text, or the fault's code.
std::string integer_of(std::string_view text, std::string_view locale_name = {}) {
  std::int64_t value = 0;
  if (const CastFault fault = locale(locale_name).integer(text, value)) return fault.code;
  std::string out;
  append_integer(out, value);
  return out;
}

std::string decimal_of(std::string_view text, int precision, int scale, std::string_view locale_name = {}) {
  Int128 value = 0;
  if (const CastFault fault = locale(locale_name).decimal(text, precision, scale, value)) return fault.code;
  std::string out;
  append_decimal(out, value, scale);
  return out;
}

struct Case {
  std::string text;
  std::string expected;
  std::string locale = {};
};

TEST(CastInteger, TakesDigitsWithAnOptionalSign) {
  const Case cases[] = {
      {"0", "0"},
      {"-0", "0"},
      {"+5", "5"},
      {"007", "7"},
      {"-12", "-12"},
      {"123456789012345678", "123456789012345678"},
      {"9223372036854775807", "9223372036854775807"},
      {"-9223372036854775808", "-9223372036854775808"},
      {std::string(500, '0') + "42", "42"},
      {"1000000000000000000", "1000000000000000000"},
  };
  for (const Case& c : cases) EXPECT_EQ(integer_of(c.text), c.expected) << c.text;
}

TEST(CastInteger, RefusesEverythingElse) {
  for (const char* text : {"",        "+",     "-",   "--1",  "+-1",
                           "1-",      " 1",    "1 ",  "1.0",  "1.",
                           "12,0",    "1,000", "1e3", "0x10", "1_000",
                           "NaN",     "inf",   "٣",   "３",   "1\u00A0000",
                           "\u22125", "a",     "12a", "a12",  "1234567890123456789012x"})
    EXPECT_EQ(integer_of(text), "not_an_integer") << text;
  EXPECT_EQ(integer_of(std::string_view("1\0", 2)), "not_an_integer");
  for (const char* text :
       {"9223372036854775808", "-9223372036854775809", "10000000000000000000", "18446744073709551616",
        "340282366920938463463374607431768211456", "99999999999999999999999999999999999999999999999"})
    EXPECT_EQ(integer_of(text), "out_of_range") << text;
  EXPECT_EQ(integer_of("1" + std::string(1'000'000, '0')), "out_of_range");
}

TEST(CastInteger, TakesGroupsOnlyWhereTheyBelong) {
  const Case cases[] = {
      {"1,234", "1234", "en-US"},
      {"-1,234,567", "-1234567", "en-US"},
      {"1234567", "1234567", "en-US"},
      {"1,23", "not_an_integer", "en-US"},
      {"1234,567", "not_an_integer", "en-US"},
      {",123", "not_an_integer", "en-US"},
      {"1,,234", "not_an_integer", "en-US"},
      {"1,234,", "not_an_integer", "en-US"},
      {"1,2345", "not_an_integer", "en-US"},
      {"0,123", "not_an_integer", "en-US"},
      {"1.234", "not_an_integer", "en-US"},
      {"1.234", "1234", "de-DE"},
      {"1'234", "1234", "de-CH"},
      {"1’234’567", "1234567", "de-CH"},
      {"1'234’567", "not_an_integer", "de-CH"},
      {"12,34,567", "1234567", "en-IN"},
      {"1,23,456", "123456", "en-IN"},
      {"123,456", "not_an_integer", "en-IN"},
      {"12,345,678", "not_an_integer", "en-IN"},
      {"9,223,372,036,854,775,807", "9223372036854775807", "en"},
      {"9,223,372,036,854,775,808", "out_of_range", "en"},
  };
  for (const Case& c : cases) EXPECT_EQ(integer_of(c.text, c.locale), c.expected) << c.locale << ' ' << c.text;
}

TEST(CastDecimal, ReadsPlainNumbers) {
  const Case cases[] = {
      {"0", "0.0000"},
      {"-0", "0.0000"},
      {"-0.0", "0.0000"},
      {"1", "1.0000"},
      {"+1.5", "1.5000"},
      {"-12.3400", "-12.3400"},
      {"0012.34", "12.3400"},
      {".5", "0.5000"},
      {"5.", "5.0000"},
      {"1.50000000000000000000", "1.5000"},
      {"1.5e3", "1500.0000"},
      {"15E-1", "1.5000"},
      {"1e+2", "100.0000"},
      {"0e999999999999999999999", "0.0000"},
      {"1000000000e-9", "1.0000"},
      {"9999999999.9999", "9999999999.9999"},
      {"-9999999999.9999", "-9999999999.9999"},
  };
  for (const Case& c : cases) EXPECT_EQ(decimal_of(c.text, 14, 4), c.expected) << c.text;
}

TEST(CastDecimal, RefusesWithTheRightCode) {
  for (const char* text :
       {"",   "+",   "-",     ".",    "-.",   "1..2", "1.2.3",     "--1", " 1",       "1 ",  "1,5",   "e5",
        "1e", "1e+", "1e5.0", "1e 5", "1e5x", "abc",  "12,50 EUR", "NaN", "Infinity", "٣.٥", "0x1p3", "1.2-"})
    EXPECT_EQ(decimal_of(text, 14, 4), "not_a_number") << text;
  for (const char* text : {"0.00001", "1.23456", "1e-5", "1e-999999999999999", "99999999999.00001"})
    EXPECT_EQ(decimal_of(text, 14, 4), "too_many_decimals") << text;
  for (const char* text :
       {"10000000000", "99999999999", "1e10", "1e999999999999999999999", "123456789012345678901234567890"})
    EXPECT_EQ(decimal_of(text, 14, 4), "out_of_range") << text;
}

TEST(CastDecimal, ReachesAllDigitsOfItsPrecision) {
  const std::string nines(38, '9');
  EXPECT_EQ(decimal_of(nines, 38, 0), nines);
  EXPECT_EQ(decimal_of("-" + nines, 38, 0), "-" + nines);
  EXPECT_EQ(decimal_of("0." + nines, 38, 38), "0." + nines);
  EXPECT_EQ(decimal_of("1" + std::string(38, '0'), 38, 0), "out_of_range");
  EXPECT_EQ(decimal_of("1." + nines, 38, 38), "out_of_range");
  EXPECT_EQ(decimal_of("999999999999999999", 18, 0), "999999999999999999");
  EXPECT_EQ(decimal_of("1000000000000000000", 18, 0), "out_of_range");
  EXPECT_EQ(decimal_of("1000000000000000000", 19, 0), "1000000000000000000");
  EXPECT_EQ(decimal_of("12345678901234567.89", 20, 3), "12345678901234567.890");
  EXPECT_EQ(decimal_of("0.5", 1, 1), "0.5");
  EXPECT_EQ(decimal_of("1", 1, 1), "out_of_range");
}

TEST(CastDecimal, TakesHugeTextsInLinearTime) {
  const std::string zeros(1'000'000, '0');
  EXPECT_EQ(decimal_of(zeros + "1.5" + zeros, 14, 4), "1.5000");
  EXPECT_EQ(decimal_of("0." + zeros + "1", 14, 4), "too_many_decimals");
  EXPECT_EQ(decimal_of("1" + zeros + "e-1000000", 14, 4), "1.0000");
  EXPECT_EQ(decimal_of(std::string(1'000'000, '7'), 14, 4), "out_of_range");
}

TEST(CastDecimal, FollowsTheLocale) {
  const Case cases[] = {
      {"1.234,56", "1234.56", "de-DE"},
      {"1234,56", "1234.56", "de_de"},
      {"-1.234.567,8", "-1234567.80", "DE"},
      {"1,234.56", "not_a_number", "de-DE"},
      {"12.34", "not_a_number", "de-DE"},
      {"0.123", "not_a_number", "de-DE"},
      {"1.234", "1234.00", "de-DE"},
      {"1,5e3", "not_a_number", "de-DE"},
      {"1.234,567.8", "not_a_number", "de-DE"},
      {"1 234,56", "1234.56", "fr-FR"},
      {"1\u00A0234\u00A0567,5", "1234567.50", "fr-FR"},
      {"1\u202F234,56", "1234.56", "fr-FR"},
      {"1 234\u00A0567", "not_a_number", "fr-FR"},
      {"1 23", "not_a_number", "fr"},
      {" 234", "not_a_number", "fr"},
      {"1\u00A0234,5", "1234.50", "ru"},
      {"1'234.5", "1234.50", "de-CH"},
      {"1\u2019234.5", "1234.50", "it-CH"},
      {"1 234,5", "1234.50", "fr-CH"},
      {"12,34,567.8", "1234567.80", "en-IN"},
      {"1,234.56", "1234.56", "en-GB"},
      {"1,234.56", "1234.56", "es-MX"},
      {"1.234,56", "1234.56", "es-ES"},
      {"1 234,56", "1234.56", "de-AT"},
      {"1.234,56", "1234.56", "sr-Latn-RS"},
      {"1,234.5", "1234.50", "en-001"},
  };
  for (const Case& c : cases) EXPECT_EQ(decimal_of(c.text, 14, 2, c.locale), c.expected) << c.locale << ' ' << c.text;
}

TEST(NumberFormat, RefusesUnknownLocales) {
  for (const char* name :
       {"xx", "xx-DE", "d", "-", "de-", "de-DE-", "de-Deutschland", "de DE", "german", "d\xC3\xA9", "12"}) {
    const auto format = NumberFormat::for_locale(name);
    ASSERT_FALSE(format) << name;
    EXPECT_EQ(format.error().code, "locale_unknown");
    EXPECT_EQ(format.error().kind, ErrorKind::invalid);
    EXPECT_NE(format.error().message.find(name), std::string::npos);
  }
  EXPECT_EQ(locale("de-DE").accepted(), "a number such as 1.234,56");
  EXPECT_EQ(locale("").accepted(), "a number such as 1234.56");
}

TEST(CastNumber, RoundTripsRandomValues) {
  std::mt19937_64 random(20240229);
  for (int round = 0; round < 20'000; ++round) {
    const auto value = static_cast<std::int64_t>(random() >> (random() % 64)) * (random() % 2 == 0 ? 1 : -1);
    std::string text;
    append_integer(text, value);
    EXPECT_EQ(integer_of(text), text);

    const int scale = static_cast<int>(random() % 39);
    const Int128 wide = static_cast<Int128>(value) * static_cast<std::int64_t>(random() % 1'000'000'000);
    text.clear();
    append_decimal(text, wide, scale);
    Int128 read = 0;
    ASSERT_FALSE(NumberFormat{}.decimal(text, 38, scale, read)) << text;
    EXPECT_TRUE(read == wide) << text;
  }
}

TEST(AppendDecimal, WritesExtremes) {
  std::string out;
  const Int128 most = static_cast<Int128>(~UInt128{0} >> 1);
  append_decimal(out, most, 0);
  EXPECT_EQ(out, "170141183460469231731687303715884105727");
  out.clear();
  append_decimal(out, -most - 1, 38);
  EXPECT_EQ(out, "-1.70141183460469231731687303715884105728");
  out.clear();
  append_decimal(out, 1'000'000'000'000'000'000, 0);
  EXPECT_EQ(out, "1000000000000000000");
  out.clear();
  append_integer(out, std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(out, "-9223372036854775808");
}

}  // namespace
}  // namespace lade::analysis
