#include "analysis/number_signs.h"

#include <gtest/gtest.h>

#include "analysis/cast.h"

namespace lade::analysis {
namespace {

using Formats = std::vector<std::string>;

// The canonical text with two decimals, or the fault's code.
std::string decimal_of(std::string_view text, const Formats& formats, std::string_view locale = {}, int scale = 2) {
  const auto format = NumberFormat::for_locale(locale, formats);
  EXPECT_TRUE(format) << locale;
  Int128 value = 0;
  if (const CastFault fault = format->decimal(text, 14, scale, value)) return fault.code;
  std::string out;
  append_decimal(out, value, scale);
  return out;
}

TEST(NumberSigns, CurrencyStandsOnEitherSide) {
  const struct {
    const char* text;
    const char* locale;
    const char* expected;
  } cases[] = {
      {"€ 1.234,50", "de-DE", "1234.50"},
      {"1.234,50 €", "de-DE", "1234.50"},
      {"1.234,50€", "de-DE", "1234.50"},
      {"1 234,50 kr", "sv-SE", "1234.50"},
      {"kr. 5", "da-DK", "5.00"},
      {"USD 12.50", "", "12.50"},
      {"12.50 usd", "", "12.50"},
      {"$1,234.50", "en-US", "1234.50"},
      {"-$12.50", "en-US", "-12.50"},
      {"$-12.50", "en-US", "-12.50"},
      {"US$ 3", "", "3.00"},
      {"R$ 3,5", "pt-BR", "3.50"},
      {"CHF 1'234.50", "de-CH", "1234.50"},
      {"12 EUR", "", "12.00"},
      {"R 12", "en-ZA", "12.00"},
      {"12 ZAR", "", "12.00"},
      {"1\u00A0234,50\u00A0€", "fr-FR", "1234.50"},
      {"1234.50", "", "1234.50"},
      {"12,5 Kč", "cs-CZ", "12.50"},
      {"zł 2", "pl", "2.00"},
  };
  for (const auto& c : cases) EXPECT_EQ(decimal_of(c.text, {"currency"}, c.locale), c.expected) << c.text;
}

TEST(NumberSigns, NothingElseIsTaken) {
  for (const char* text : {"€", "€ €12", "12 € €", "XYZ 12", "12 apples", "€ 12 USD", "(12)", "12-", "12 %", "--12",
                           "-€-12", "", " ", "€ 1,2,3", "EURO 12", "1€2"})
    EXPECT_EQ(decimal_of(text, {"currency"}), "not_a_number") << text;
  for (const char* text : {"€ 12", "12 %", "(12)", "12-"}) EXPECT_EQ(decimal_of(text, {}), "not_a_number") << text;
}

TEST(NumberSigns, OneCurrencyRefusesOthers) {
  const Formats euro = {"currency(EUR)"};
  EXPECT_EQ(decimal_of("€ 12", euro), "12.00");
  EXPECT_EQ(decimal_of("12 EUR", euro), "12.00");
  EXPECT_EQ(decimal_of("12", euro), "12.00");
  EXPECT_EQ(decimal_of("$ 12", euro), "wrong_currency");
  EXPECT_EQ(decimal_of("12 GBP", euro), "wrong_currency");
  EXPECT_EQ(decimal_of("$ 12", {"currency(CAD)"}), "12.00") << "the sign of many currencies";
  EXPECT_EQ(decimal_of("US$ 12", {"currency(CAD)"}), "wrong_currency");
  std::int64_t value = 0;
  EXPECT_STREQ(NumberFormat::for_locale("", euro)->integer("$ 12", value).code, "wrong_currency");
  EXPECT_STREQ(NumberFormat::for_locale("", euro)->integer("€ 1.5", value).code, "not_an_integer");
}

TEST(NumberSigns, AccountingHasNegativesOfItsOwn) {
  const Formats accounting = {"accounting"};
  EXPECT_EQ(decimal_of("(12.50)", accounting), "-12.50");
  EXPECT_EQ(decimal_of("( 12.50 )", accounting), "-12.50");
  EXPECT_EQ(decimal_of("12-", accounting), "-12.00");
  EXPECT_EQ(decimal_of("12.50 -", accounting), "-12.50");
  EXPECT_EQ(decimal_of("-12", accounting), "-12.00");
  for (const char* text : {"(-12)", "-(12)", "-12-", "(12", "12)", "()", "(12)-", "((12))", "-"})
    EXPECT_EQ(decimal_of(text, accounting), "not_a_number") << text;
  for (const char* text : {"($12.50)", "$(12.50)", "(12.50 $)", "(12.50) USD"})
    EXPECT_EQ(decimal_of(text, {"currency", "accounting"}), "-12.50") << text;
}

TEST(NumberSigns, PercentDividesByAHundred) {
  EXPECT_EQ(decimal_of("19 %", {"percent"}), "0.19");
  EXPECT_EQ(decimal_of("19%", {"percent"}), "0.19");
  EXPECT_EQ(decimal_of("%19", {"percent"}, "tr-TR"), "0.19");
  EXPECT_EQ(decimal_of("-150 %", {"percent"}), "-1.50");
  EXPECT_EQ(decimal_of("7,7 %", {"percent"}, "de-CH"), "not_a_number");
  EXPECT_EQ(decimal_of("7.7 %", {"percent"}, "de-CH", 3), "0.077");
  EXPECT_EQ(decimal_of("7.7 %", {"percent"}), "too_many_decimals");
  EXPECT_EQ(decimal_of("0.19", {"percent"}), "0.19") << "a number without the sign is itself";
  EXPECT_EQ(decimal_of("0 %", {"percent"}), "0.00");
  EXPECT_EQ(decimal_of("19 %%", {"percent"}), "not_a_number");
}

TEST(NumberSigns, ThePlainAndTheTypographicMinus) {
  EXPECT_EQ(decimal_of("\u221212,5", {}, "sv-SE"), "-12.50");
  EXPECT_EQ(decimal_of("\u221212.5", {}), "not_a_number") << "not without a locale";
  EXPECT_EQ(decimal_of("\u2212€ 12", {"currency"}), "-12.00");
}

TEST(NumberSigns, RefusesUnknownFormats) {
  for (const char* format : {"money", "currency()", "currency(XXQ)", "currency(EUR", "Percent", "%"}) {
    const Formats formats = {format};
    const auto signs = NumberSigns::parse(formats);
    ASSERT_FALSE(signs) << format;
    EXPECT_EQ(signs.error().code, "format_invalid");
  }
}

}  // namespace
}  // namespace lade::analysis
