#include <gtest/gtest.h>

#include <string>

#include "analysis/cast.h"

namespace lade::analysis {
namespace {

DateFormat format_of(std::string_view pattern, std::string_view timezone = {}) {
  auto format = DateFormat::parse(pattern, timezone);
  EXPECT_TRUE(format) << pattern << ' ' << timezone;
  return format ? *format : DateFormat{};
}

// The canonical text, or the fault's code.
std::string date_of(std::string_view text, std::string_view pattern = {}) {
  std::int32_t days = 0;
  if (const CastFault fault = format_of(pattern).date(text, days)) return fault.code;
  std::string out;
  append_date(out, days);
  return out;
}

std::string timestamp_of(std::string_view text, std::string_view pattern = {}, std::string_view timezone = {}) {
  std::int64_t microseconds = 0;
  if (const CastFault fault = format_of(pattern, timezone).timestamp(text, microseconds)) return fault.code;
  std::string out;
  append_timestamp(out, microseconds);
  return out;
}

TEST(CastDate, CountsDaysFromTheEpoch) {
  const struct {
    const char* text;
    std::int32_t days;
  } cases[] = {{"1970-01-01", 0},       {"1969-12-31", -1},      {"2000-02-29", 11016}, {"2000-03-01", 11017},
               {"0001-01-01", -719162}, {"9999-12-31", 2932896}, {"20240131", 19753}};
  for (const auto& c : cases) {
    std::int32_t days = 0;
    ASSERT_FALSE(DateFormat{}.date(c.text, days)) << c.text;
    EXPECT_EQ(days, c.days) << c.text;
  }
}

TEST(CastDate, EveryDayRoundTrips) {
  std::string text;
  for (std::int32_t days = -719162; days <= 2932896; days += 1) {
    text.clear();
    append_date(text, days);
    std::int32_t read = 0;
    if (DateFormat{}.date(text, read) || read != days) FAIL() << text << " read as " << read << ", not " << days;
  }
}

TEST(CastDate, RefusesDaysThatDoNotExist) {
  for (const char* text : {"2023-02-29", "1900-02-29", "2100-02-29", "2024-02-30", "2024-04-31", "2024-13-01",
                           "2024-00-10", "2024-01-00", "2024-01-32", "0000-01-01", "20230229", "00000101"})
    EXPECT_EQ(date_of(text), "not_a_date") << text;
  EXPECT_EQ(date_of("2024-02-29"), "2024-02-29");
  EXPECT_EQ(date_of("2000-02-29"), "2000-02-29");
}

TEST(CastDate, RefusesOtherWritings) {
  for (const char* text : {"", "2024", "2024-1-01", "2024-01-1", "2024/01/01", "2024-01-01T00:00", "2024-01-01 ",
                           " 2024-01-01", "+2024-01-01", "-2024-01-01", "12024-01-01", "2024-01-0a", "٢٠٢٤-٠١-٠١",
                           "31.12.2024", "2024010", "202401011", "2024-001"})
    EXPECT_EQ(date_of(text), "not_a_date") << text;
}

TEST(CastDate, FollowsPatterns) {
  const struct {
    const char* pattern;
    const char* text;
    const char* expected;
  } cases[] = {
      {"DD.MM.YYYY", "31.01.2024", "2024-01-31"},
      {"DD.MM.YYYY", "1.1.2024", "not_a_date"},
      {"DD.MM.YYYY", "31.02.2024", "not_a_date"},
      {"DD.MM.YYYY", "31.01.2024 ", "not_a_date"},
      {"DD.MM.YYYY", "2024-01-31", "not_a_date"},
      {"D.M.YYYY", "1.1.2024", "2024-01-01"},
      {"D.M.YYYY", "01.12.2024", "2024-12-01"},
      {"D.M.YYYY", "001.12.2024", "not_a_date"},
      {"M/D/YYYY", "2/29/2024", "2024-02-29"},
      {"M/D/YYYY", "2/29/2023", "not_a_date"},
      {"M/D/YYYY", "13/1/2023", "not_a_date"},
      {"DD.MM.YY", "01.02.68", "2068-02-01"},
      {"DD.MM.YY", "01.02.69", "1969-02-01"},
      {"D MMM YYYY", "5 Mar 2024", "2024-03-05"},
      {"D MMM YYYY", "5 MAR 2024", "2024-03-05"},
      {"D MMM YYYY", "5 March 2024", "not_a_date"},
      {"MMMM D, YYYY", "september 9, 2024", "2024-09-09"},
      {"MMMM D, YYYY", "Mai 9, 2024", "not_a_date"},
      {"YYYYMMDD", "20240229", "2024-02-29"},
      {"YYYY年M月D日", "2024年2月9日", "2024-02-09"},
      {"'day 'D'/'MM YYYY", "day 7/08 2024", "2024-08-07"},
      {"DD.MM.YYYY HH:mm", "31.01.2024 23:59", "2024-01-31"},
      {"YYYY-MM-DD", "0000-01-01", "not_a_date"},
      {"YYYY-MM-DD", "", "not_a_date"},
  };
  for (const auto& c : cases) EXPECT_EQ(date_of(c.text, c.pattern), c.expected) << c.pattern << ' ' << c.text;
}

TEST(CastTimestamp, ReadsIso) {
  const struct {
    const char* text;
    const char* expected;
  } cases[] = {
      {"2024-03-31T14:30:00Z", "2024-03-31T14:30:00Z"},
      {"2024-03-31 14:30", "2024-03-31T14:30:00Z"},
      {"2024-03-31T14:30:05.5", "2024-03-31T14:30:05.500000Z"},
      {"2024-03-31T14:30:05.123456Z", "2024-03-31T14:30:05.123456Z"},
      {"2024-03-31T14:30:05.120000000Z", "2024-03-31T14:30:05.120000Z"},
      {"2024-03-31T00:30:00+02", "2024-03-30T22:30:00Z"},
      {"2024-03-31T00:30:00+0530", "2024-03-30T19:00:00Z"},
      {"2024-12-31T23:30:00-01:00", "2025-01-01T00:30:00Z"},
      {"2024-02-29", "2024-02-29T00:00:00Z"},
      {"20240229", "2024-02-29T00:00:00Z"},
      {"1969-12-31T23:59:59.999999Z", "1969-12-31T23:59:59.999999Z"},
      {"0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"},
      {"9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.999999Z"},
      {"0001-01-01T00:00:00+01", "out_of_range"},
      {"9999-12-31T23:59:59-01", "out_of_range"},
  };
  for (const auto& c : cases) EXPECT_EQ(timestamp_of(c.text), c.expected) << c.text;
}

TEST(CastTimestamp, RefusesOtherWritings) {
  for (const char* text : {"",
                           "2024-03-31T",
                           "2024-03-31T14",
                           "2024-03-31T1430",
                           "2024-03-31T24:00:00",
                           "2024-03-31T23:60",
                           "2024-03-31T23:59:60",
                           "2024-03-31t14:30:00",
                           "2024-03-31T14:30:00z",
                           "2024-03-31T14:30:00.",
                           "2024-03-31T14:30:00.1234567",
                           "2024-03-31T14:30:00,5",
                           "2024-03-31T14:30Z ",
                           "2024-03-31T14:30+",
                           "2024-03-31T14:30+1",
                           "2024-03-31T14:30+01:",
                           "2024-03-31T14:30+01:6",
                           "2024-03-31T14:30+01:60",
                           "2024-03-31T14:30+16",
                           "2024-03-31  14:30",
                           "2024-02-30T14:30",
                           "2024-03-31T14:30 Europe/Berlin"})
    EXPECT_EQ(timestamp_of(text), "not_a_timestamp") << text;
}

TEST(CastTimestamp, FollowsPatterns) {
  const struct {
    const char* pattern;
    const char* text;
    const char* expected;
  } cases[] = {
      {"M/D/YYYY h:mm a", "3/9/2024 12:05 AM", "2024-03-09T00:05:00Z"},
      {"M/D/YYYY h:mm a", "3/9/2024 12:05 pm", "2024-03-09T12:05:00Z"},
      {"M/D/YYYY h:mm a", "3/9/2024 11:59 PM", "2024-03-09T23:59:00Z"},
      {"M/D/YYYY h:mm a", "3/9/2024 0:05 AM", "not_a_timestamp"},
      {"M/D/YYYY h:mm a", "3/9/2024 13:05 PM", "not_a_timestamp"},
      {"M/D/YYYY h:mm a", "3/9/2024 1:05", "not_a_timestamp"},
      {"M/D/YYYY h:mm a", "3/9/2024 1:05 xm", "not_a_timestamp"},
      {"DD.MM.YYYY HH:mm:ss.SSS", "09.03.2024 05:06:07.089", "2024-03-09T05:06:07.089000Z"},
      {"DD.MM.YYYY HH:mm:ss.SSS", "09.03.2024 05:06:07.08", "not_a_timestamp"},
      {"DD.MM.YYYY HH:mm:ss.SSS", "09.03.2024 24:06:07.089", "not_a_timestamp"},
      {"YYYY-MM-DDTHH:mm:ssZ", "2024-03-09T05:06:07+01:00", "2024-03-09T04:06:07Z"},
      {"YYYY-MM-DDTHH:mm:ssZ", "2024-03-09T05:06:07", "not_a_timestamp"},
      {"DD.MM.YYYY", "09.03.2024", "2024-03-09T00:00:00Z"},
      {"YYYYMMDDHHmmss", "20240309050607", "2024-03-09T05:06:07Z"},
      {"YYYYMMDDHHmmss", "2024030905060a", "not_a_timestamp"},
      {"D.M.YYYY H:m:s", "9.3.2024 5:6:7", "2024-03-09T05:06:07Z"},
  };
  for (const auto& c : cases) EXPECT_EQ(timestamp_of(c.text, c.pattern), c.expected) << c.pattern << ' ' << c.text;
}

TEST(CastTimestamp, AppliesTheZoneAndRefusesGapsAndOverlaps) {
  const struct {
    const char* zone;
    const char* text;
    const char* expected;
  } cases[] = {
      {"Europe/Berlin", "2024-01-15T12:00", "2024-01-15T11:00:00Z"},
      {"Europe/Berlin", "2024-07-15T12:00", "2024-07-15T10:00:00Z"},
      {"Europe/Berlin", "2024-07-15T12:00Z", "2024-07-15T12:00:00Z"},
      {"Europe/Berlin", "2024-03-31T01:59:59", "2024-03-31T00:59:59Z"},
      {"Europe/Berlin", "2024-03-31T02:00:00", "ambiguous_time"},  // the clock jumps from 2 to 3
      {"Europe/Berlin", "2024-03-31T02:59:59", "ambiguous_time"},
      {"Europe/Berlin", "2024-03-31T03:00:00", "2024-03-31T01:00:00Z"},
      {"Europe/Berlin", "2024-10-27T01:59:59", "2024-10-26T23:59:59Z"},
      {"Europe/Berlin", "2024-10-27T02:00:00", "ambiguous_time"},  // occurs twice
      {"Europe/Berlin", "2024-10-27T02:59:59", "ambiguous_time"},
      {"Europe/Berlin", "2024-10-27T03:00:00", "2024-10-27T02:00:00Z"},
      {"Europe/Berlin", "2024-10-27T02:30:00+02:00", "2024-10-27T00:30:00Z"},
      {"Pacific/Apia", "2011-12-30T12:00", "ambiguous_time"},  // a day that Samoa left out
      {"Pacific/Apia", "2011-12-29T12:00", "2011-12-29T22:00:00Z"},
      {"Pacific/Apia", "2011-12-31T12:00", "2011-12-30T22:00:00Z"},
      {"Asia/Kolkata", "2024-07-15T12:00", "2024-07-15T06:30:00Z"},
      {"America/New_York", "2024-03-10T02:30", "ambiguous_time"},
      {"UTC", "2024-03-31T02:30", "2024-03-31T02:30:00Z"},
  };
  // Twice and back to front, so that whatever is remembered from one time is asked about another.
  for (int round = 0; round < 2; ++round) {
    for (const auto& c : cases) EXPECT_EQ(timestamp_of(c.text, "", c.zone), c.expected) << c.zone << ' ' << c.text;
    for (auto c = std::rbegin(cases); c != std::rend(cases); ++c)
      EXPECT_EQ(timestamp_of(c->text, "", c->zone), c->expected) << c->zone << ' ' << c->text;
  }
}

TEST(DateFormat, RefusesPatternsThatCannotWork) {
  for (const char* pattern : {"YYYY", "DD.MM", "YYY-MM-DD", "YYYY-MM-DDD", "YYYY-MM-DD YY", "YYYY-MM-DD MMM",
                              "YYYY-MM-DD h:mm", "YYYY-MM-DD H:mm a", "YYYYMD", "YYYY-MM-DD 'at", "YYYY-MM-DD SSSSSSS",
                              "YYYY-MM-DD mm", "YYYY-MM-DD HH.SS", "YYYY-MM-DD HH:ss", "YYYY-MM-DD ZZ"}) {
    const auto format = DateFormat::parse(pattern);
    ASSERT_FALSE(format) << pattern;
    EXPECT_EQ(format.error().code, "format_invalid");
    EXPECT_NE(format.error().message.find(pattern), std::string::npos);
  }
  for (const char* zone : {"Europe/Atlantis", "../../etc/passwd", "+01:00", " "}) {
    const auto format = DateFormat::parse("", zone);
    ASSERT_FALSE(format) << zone;
    EXPECT_EQ(format.error().code, "timezone_unknown");
  }
  EXPECT_EQ(format_of("DD.MM.YYYY").accepted(), "the format DD.MM.YYYY");
}

TEST(AppendDate, WritesYearsOutsideTheCastsRangeToo) {
  std::string out;
  append_date(out, -719163);
  out.push_back(' ');
  append_date(out, -719163 - 366);
  out.push_back(' ');
  append_date(out, 2932897);
  out.push_back(' ');
  append_timestamp(out, -1);
  EXPECT_EQ(out, "0000-12-31 -0001-12-31 0010000-01-01 1969-12-31T23:59:59.999999Z");
}

}  // namespace
}  // namespace lade::analysis
