#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/cast.h"
#include "base/result.h"

namespace lade::analysis {

enum class DateField : std::uint8_t {
  literal,
  year,
  short_year,
  month,
  month_name,       // Jan
  month_long_name,  // January
  day,
  hour,
  half_day_hour,  // 1–12
  meridiem,       // am, pm
  minute,
  second,
  fraction,
  offset,  // Z, ±HH, ±HHMM, ±HH:MM
};

// One token of a date pattern.
struct DateElement {
  DateField field = DateField::literal;
  std::uint8_t least = 1;  // digits
  std::uint8_t most = 1;
  char byte = 0;  // of a literal; of others a point that follows
};

// A point of the calendar as written, before any zone is applied.
struct WrittenDate {
  int year = 0;
  int month = 0;
  int day = 0;
  int hour = 0;
  int minute = 0;
  int second = 0;
  int microsecond = 0;
  int offset_minutes = 0;
  bool has_offset = false;
  bool operator==(const WrittenDate&) const = default;
};

// One way to read a date.
struct DateReading {
  enum class Kind : std::uint8_t { iso, excel, excel1904, pattern };
  Kind kind = Kind::pattern;
  std::string name;                   // as the definition writes it
  std::vector<DateElement> elements;  // of a pattern
  bool time_may_follow = false;       // a time of day after the pattern, in any usual writing
};

// Refuses with format_invalid, naming the token.
Result<std::vector<DateElement>> parse_date_pattern(std::string_view pattern);
// Takes what follows the pattern from the front of `rest`. False when it does not begin like that. Ranges of the time
// are checked, the day of the month is not. `months` nullptr: English names.
bool read_by_pattern(std::string_view& rest, const std::vector<DateElement>& pattern, const MonthNames* months,
                     WrittenDate& written);
// 9:30, 09:30:15.5, 9.30, 9:30 pm, then nothing or an offset; also after a comma.
bool read_time_of_day(std::string_view rest, WrittenDate& written);
// Days since the beginning of 1900 or 1904 as spreadsheets count them, to the millisecond. False for texts that are no
// such number, and for the days that do not exist: 0 and 60 (1900-02-29) of 1900, beyond 9999.
bool read_excel_serial(std::string_view text, bool from_1904, WrittenDate& written);

// ISO 8601 as cast.h describes it; ranges of the time are checked, the day of the month is not.
bool read_iso_date(std::string_view text, WrittenDate& written);
bool read_iso_timestamp(std::string_view text, WrittenDate& written);
// Z, ±HH, ±HHMM or ±HH:MM at the front of `rest`, taken away from it.
bool read_offset(std::string_view& rest, WrittenDate& written);
// Exactly `count` digits at the front of `rest`, taken away from it; -1 when they are not there.
int read_digits(std::string_view& rest, std::size_t count);

// Whether the day exists, in the years 0001–9999.
bool is_day(const WrittenDate& written);
// Days since 1970-01-01 of a day that exists from year 0001 on, and back for any number of days.
std::int32_t days_from_civil(int year, int month, int day);
WrittenDate civil_from_days(std::int32_t days);

// Takes a local time (seconds since 1970-01-01 by the wall clock) to UTC. False: it does not exist or occurs twice.
bool local_to_utc(const ::date::time_zone& zone, std::int64_t local_seconds, std::int64_t& utc_seconds);
// Refuses with timezone_unknown.
Result<const ::date::time_zone*> find_zone(std::string_view name);

}  // namespace lade::analysis
