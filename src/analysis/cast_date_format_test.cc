// Dates by locale, by several formats, and as the numbers of spreadsheets.
#include <gtest/gtest.h>

#include <string>

#include "analysis/cast.h"

namespace lade::analysis {
namespace {

using Formats = std::vector<std::string>;

DateFormat format_of(const Formats& formats, std::string_view locale = {}, std::string_view timezone = {}) {
  auto format = DateFormat::parse(formats, locale, timezone);
  EXPECT_TRUE(format) << locale;
  return format ? *format : DateFormat{};
}

// The canonical text, or the fault's code.
std::string date_of(std::string_view text, const Formats& formats, std::string_view locale = {}) {
  std::int32_t days = 0;
  if (const CastFault fault = format_of(formats, locale).date(text, days)) return fault.code;
  std::string out;
  append_date(out, days);
  return out;
}

std::string timestamp_of(std::string_view text, const Formats& formats, std::string_view locale = {},
                         std::string_view timezone = {}) {
  std::int64_t microseconds = 0;
  if (const CastFault fault = format_of(formats, locale, timezone).timestamp(text, microseconds)) return fault.code;
  std::string out;
  append_timestamp(out, microseconds);
  return out;
}

TEST(LocaleDates, FollowTheOrderOfTheLocale) {
  const struct {
    const char* locale;
    const char* text;
    const char* expected;
  } cases[] = {
      {"de-DE", "31.12.2024", "2024-12-31"},
      {"de-DE", "1.2.2024", "2024-02-01"},
      {"de-CH-1996", "01.02.2024", "2024-02-01"},
      {"en-US", "1/2/2024", "2024-01-02"},
      {"en-US", "12/31/2024", "2024-12-31"},
      {"en-GB", "01/02/2024", "2024-02-01"},
      {"fr-FR", "1/2/2024", "2024-02-01"},
      {"sv-SE", "2024-02-01", "2024-02-01"},
      {"nl", "1-2-2024", "2024-02-01"},
      {"nl-BE", "1/2/2024", "2024-02-01"},
      {"hu", "2024. 02. 01.", "2024-02-01"},
      {"ko-KR", "2024. 2. 1.", "2024-02-01"},
      {"ja", "2024/2/1", "2024-02-01"},
      {"ja-JP", "2024年2月1日", "2024-02-01"},
      {"zh-Hant-TW", "2024/2/1", "2024-02-01"},
      {"cs-CZ", "1. 2. 2024", "2024-02-01"},
      {"hr", "1. 2. 2024.", "2024-02-01"},
      {"fr-CA", "2024-02-01", "2024-02-01"},
      {"de-DE-u-ca-gregory", "1.2.2024", "2024-02-01"},
      {"de_DE", "2024-02-01", "2024-02-01"},
      {"en-US", "31/12/2024", "not_a_date"},
      {"de-DE", "12/31/2024", "not_a_date"},
      {"de-DE", "1.2.24", "not_a_date"},
      {"de-DE", "31.12.2024 10:00", "not_a_date"},
      {"de-DE", "30.2.2024", "not_a_date"},
  };
  for (const auto& c : cases) EXPECT_EQ(date_of(c.text, {}, c.locale), c.expected) << c.locale << ' ' << c.text;
}

TEST(LocaleDates, KnowTheNamesOfMonths) {
  const struct {
    const char* locale;
    const char* text;
  } cases[] = {
      {"de-DE", "1. März 2024"},       {"de-DE", "1. MÄRZ 2024"},        {"de-DE", "1 Mär. 2024"},
      {"de-DE", "1. Mär 2024"},        {"en-US", "March 1, 2024"},       {"en-US", "Mar. 1, 2024"},
      {"en-GB", "1 March 2024"},       {"en-GB", "1-Mar-2024"},          {"fr-FR", "1 mars 2024"},
      {"es-ES", "1 de marzo de 2024"}, {"pt-BR", "1 de mar. de 2024"},   {"it-IT", "1 marzo 2024"},
      {"sv-SE", "1 mars 2024"},        {"nl-NL", "1 maart 2024"},        {"da-DK", "1. marts 2024"},
      {"nb-NO", "1. mars 2024"},       {"fi-FI", "1. maaliskuuta 2024"}, {"pl-PL", "1 marca 2024"},
      {"cs-CZ", "1. března 2024"},     {"ru-RU", "1 Марта 2024"},        {"el-GR", "1 Μαρτίου 2024"},
  };
  for (const auto& c : cases) EXPECT_EQ(date_of(c.text, {}, c.locale), "2024-03-01") << c.locale << ' ' << c.text;
  EXPECT_EQ(date_of("1 juil 2024", {}, "fr-FR"), "2024-07-01");
  EXPECT_EQ(date_of("1 jui 2024", {}, "fr-FR"), "not_a_date") << "juin or juillet";
  EXPECT_EQ(date_of("1. March 2024", {}, "de-DE"), "not_a_date");
  EXPECT_EQ(date_of("01-MÄR-24", {"DD-MMM-YY"}, "de-DE"), "2024-03-01");
  EXPECT_EQ(date_of("1 Sept. 2024", {"D MMM. YYYY"}, "en-GB"), "2024-09-01") << "the pattern has the point";
}

TEST(LocaleDates, AreNotGuessedWhereUsageIsDivided) {
  for (const char* locale : {"en", "en-CA", "es-US", "en-Latn-XY"}) {
    const auto format = DateFormat::parse(Formats{}, locale, "");
    ASSERT_FALSE(format) << locale;
    EXPECT_EQ(format.error().code, "locale_ambiguous");
    EXPECT_TRUE(DateFormat::parse(Formats{"D/M/YYYY"}, locale, "")) << locale;
  }
  EXPECT_EQ(DateFormat::parse(Formats{}, "xx-YY", "").error().code, "locale_unknown");
}

TEST(LocaleDates, ATimeMayFollow) {
  EXPECT_EQ(timestamp_of("31.12.2024", {}, "de-DE"), "2024-12-31T00:00:00Z");
  EXPECT_EQ(timestamp_of("31.12.2024 9:30", {}, "de-DE"), "2024-12-31T09:30:00Z");
  EXPECT_EQ(timestamp_of("31.12.2024, 09:30:15", {}, "de-DE"), "2024-12-31T09:30:15Z");
  EXPECT_EQ(timestamp_of("31.12.2024 9.30.15,25", {}, "fi"), "2024-12-31T09:30:15.250000Z");
  EXPECT_EQ(timestamp_of("12/31/2024 12:05 AM", {}, "en-US"), "2024-12-31T00:05:00Z");
  EXPECT_EQ(timestamp_of("12/31/2024 1:05:09pm", {}, "en-US"), "2024-12-31T13:05:09Z");
  EXPECT_EQ(timestamp_of("31/12/2024 12:00 +0100", {}, "en-GB"), "2024-12-31T11:00:00Z");
  EXPECT_EQ(timestamp_of("31.07.2024 12:00", {}, "de-DE", "Europe/Berlin"), "2024-07-31T10:00:00Z");
  EXPECT_EQ(timestamp_of("2024-12-31T09:30:00Z", {}, "de-DE"), "2024-12-31T09:30:00Z");
  for (const char* text : {"31.12.2024 ", "31.12.2024 9", "31.12.2024 24:00", "31.12.2024 9:60", "31.12.2024 13:00 pm",
                           "31.12.2024 9:30 ", "31.12.20249:30", "31.12.2024 9:30 xm", "31.12.2024,"})
    EXPECT_EQ(timestamp_of(text, {}, "de-DE"), "not_a_timestamp") << text;
}

TEST(ExcelDates, CountFrom1900) {
  const struct {
    const char* text;
    const char* expected;
  } cases[] = {
      {"45292", "2024-01-01"},  {"1", "1900-01-01"},         {"59", "1900-02-28"},       {"61", "1900-03-01"},
      {"25569", "1970-01-01"},  {"2958465", "9999-12-31"},   {"45292.75", "2024-01-01"}, {"45292,75", "2024-01-01"},
      {"0", "not_a_date"},      {"60", "not_a_date"},        {"2958466", "not_a_date"},  {"-1", "not_a_date"},
      {"45292.", "not_a_date"}, {"45292.1.1", "not_a_date"}, {"", "not_a_date"},         {"99999999", "not_a_date"}};
  for (const auto& c : cases) EXPECT_EQ(date_of(c.text, {"excel"}), c.expected) << c.text;
  EXPECT_EQ(date_of("0", {"excel1904"}), "1904-01-01");
  EXPECT_EQ(date_of("43830", {"excel1904"}), "2024-01-01");
}

TEST(ExcelDates, HaveTimesToTheMillisecond) {
  EXPECT_EQ(timestamp_of("45292.5", {"excel"}), "2024-01-01T12:00:00Z");
  EXPECT_EQ(timestamp_of("45292.5208333333", {"excel"}), "2024-01-01T12:30:00Z") << "as a double shows half past";
  EXPECT_EQ(timestamp_of("45292.999999999", {"excel"}), "2024-01-02T00:00:00Z");
  EXPECT_EQ(timestamp_of("45292.00000001157", {"excel"}), "2024-01-01T00:00:00.001000Z");
  EXPECT_EQ(timestamp_of("45474.5", {"excel"}, {}, "Europe/Berlin"), "2024-07-01T10:00:00Z");
}

TEST(SeveralFormats, AreTriedInTheirOrder) {
  const Formats formats = {"DD.MM.YYYY", "excel", "iso"};
  EXPECT_EQ(date_of("31.01.2024", formats), "2024-01-31");
  EXPECT_EQ(date_of("45292", formats), "2024-01-01");
  EXPECT_EQ(date_of("2024-02-29", formats), "2024-02-29");
  EXPECT_EQ(date_of("20240229", formats), "2024-02-29");
  EXPECT_EQ(date_of("29/02/2024", formats), "not_a_date");
  EXPECT_EQ(format_of(formats).accepted(), "the format DD.MM.YYYY or excel or iso");
}

TEST(SeveralFormats, NeverDecideBetweenTwoReadings) {
  const Formats both = {"D/M/YYYY", "M/D/YYYY"};
  EXPECT_EQ(date_of("13/1/2024", both), "2024-01-13");
  EXPECT_EQ(date_of("1/13/2024", both), "2024-01-13");
  EXPECT_EQ(date_of("5/5/2024", both), "2024-05-05") << "both readings are the same day";
  EXPECT_EQ(date_of("1/2/2024", both), "ambiguous_date");
  EXPECT_EQ(timestamp_of("1/2/2024", both), "ambiguous_date");
  EXPECT_EQ(format_of(both).readings("1/2/2024"), "2024-02-01 (D/M/YYYY), 2024-01-02 (M/D/YYYY)");
  EXPECT_EQ(date_of("45292", {"excel", "excel1904"}), "ambiguous_date");
}

}  // namespace
}  // namespace lade::analysis
