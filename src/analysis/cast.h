#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/number_signs.h"
#include "base/result.h"

namespace date {
class time_zone;
}

// Text of one cell → one value of a type. Pure, no allocation on the good path, safe on any bytes (UTF-8 was checked
// before) and from several threads. Every cast trims nothing and accepts nothing more than it says; the caller trims
// and handles blanks: empty text is a fault of every cast. Only ASCII digits are digits.
namespace lade::analysis {

// Why a cell was not accepted, as a stable issue code; accepted() of the format says what would be. nullptr: it was.
struct CastFault {
  const char* code = nullptr;  // not_an_integer, not_a_number, out_of_range, too_many_decimals, not_a_boolean,
                               // not_a_date, not_a_timestamp, not_a_uuid, not_json, ambiguous_time, ambiguous_date,
                               // wrong_currency
  explicit operator bool() const { return code != nullptr; }
};

// The day after all others, in columns that take the word `infinity`.
constexpr std::int32_t kInfinityDay = std::numeric_limits<std::int32_t>::max();
constexpr std::string_view kInfinityWord = "infinity";

// Not in ISO C++, but in every compiler this runs on.
__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 UInt128;

struct NumberStyle;
struct WrittenNumber;
struct DateReading;
struct WrittenDate;
class MonthNames;

// How numbers are written in a locale: decimal sign and the group signs accepted, e.g. de-DE 1.234,56; de-CH 1'234.56,
// also ’; fr-FR with a space, no-break space, thin space or narrow no-break space; en-IN 12,34,567.8. Groups are
// optional; where present they must all be there, at their places and of one sign (1,23 is no number in en-US), and the
// first does not start with 0 (0.123 is no number in de-DE). Empty locale: no groups, decimal point.
class NumberFormat {
 public:
  // "de-DE", "de_DE", "de" or any other BCP 47 tag, any case; an unknown region follows its language. `formats` says
  // what may stand around a number, see number_signs.h. Refuses with locale_unknown, format_invalid.
  static Result<NumberFormat> for_locale(std::string_view locale, std::span<const std::string> formats = {});

  // [+-]digits, leading zeros allowed. A fraction, even of zeros, or an exponent is not_an_integer.
  CastFault integer(std::string_view text, std::int64_t& value) const;
  // Fixed point: value = number · 10^scale; 1 ≤ precision ≤ 38, 0 ≤ scale ≤ precision. [+-]digits with at most one
  // decimal sign, at least one digit on one of its sides. More significant decimals than scale: too_many_decimals
  // (trailing zeros are fine); more digits than precision: out_of_range. The empty locale also takes an exponent
  // (1.5e3).
  CastFault decimal(std::string_view text, int precision, int scale, Int128& value) const;

  // What is accepted, for messages: "a number such as 1.234,56".
  std::string accepted() const;

 private:
  CastFault read(std::string_view text, WrittenNumber& number) const;
  CastFault long_integer(std::string_view text, std::int64_t& value) const;
  CastFault long_decimal(std::string_view text, int precision, int scale, Int128& value) const;

  char decimal_sign_ = '.';
  const NumberStyle* style_ = nullptr;  // of static storage; nullptr: the empty locale
  NumberSigns signs_;
};

// format: empty = true/false, yes/no, y/n, 1/0, t/f, on/off; "ja/nein" or "ja,j,x/nein,n,-" = just these words. Any
// case, also beyond ASCII.
class BooleanFormat {
 public:
  static Result<BooleanFormat> parse(std::string_view format);  // refuses with format_invalid
  CastFault boolean(std::string_view text, bool& value) const;
  std::string accepted() const;

 private:
  std::vector<std::string> yes_, no_;  // without their case
};

// format: empty = ISO 8601 (date: YYYY-MM-DD or YYYYMMDD; timestamp: YYYY-MM-DD[T or space]HH:MM[:SS[.ffffff]] and then
// nothing, Z, ±HH, ±HHMM or ±HH:MM; a bare date is midnight); otherwise a pattern of
//   YYYY  YY (69–99: 19.., 00–68: 20..)   MM M  MMM (Jan)  MMMM (January)   DD D
//   HH H (0–23)   hh h (1–12, with a)   a (am, pm)   mm m   ss s   S… (1–6 digits of a fraction)   Z (as above)
// where a double letter takes exactly two digits and a single one takes one or two; names and am/pm in any case. Text
// in 'single quotes' and every other character stand for themselves. E.g. DD.MM.YYYY, M/D/YYYY h:mm a. Further formats:
//   iso   ISO 8601 as above, beside others
//   excel, excel1904   the days since 1900 or 1904 that a spreadsheet counts, with a fraction for the time: 45292.5
// Several formats are tried in their order; a text that two of them read differently is ambiguous_date. With a locale
// the names of months are those of its language, in any length of at least three letters; with a locale and no format
// the locale's order of day, month and year is read (locale_dates.h), and ISO 8601.
class DateFormat {
 public:
  // ISO 8601 in UTC.
  DateFormat();
  DateFormat(const DateFormat&);
  DateFormat(DateFormat&&) noexcept;
  DateFormat& operator=(const DateFormat&);
  DateFormat& operator=(DateFormat&&) noexcept;
  ~DateFormat();

  // timezone: IANA name for timestamps without their own; empty = UTC. Refuses with format_invalid, timezone_unknown.
  static Result<DateFormat> parse(std::string_view format, std::string_view timezone = {});
  // The same of several formats, in a locale. Refuses also with locale_unknown, locale_ambiguous.
  static Result<DateFormat> parse(std::span<const std::string> formats, std::string_view locale,
                                  std::string_view timezone);

  // Days since 1970-01-01; years 0001–9999. A time of day in the format is read and dropped.
  CastFault date(std::string_view text, std::int32_t& days) const;
  // Microseconds since 1970-01-01T00:00:00Z. A local time that does not exist or occurs twice: ambiguous_time; one that
  // lies outside the years 0001–9999 in UTC: out_of_range.
  CastFault timestamp(std::string_view text, std::int64_t& microseconds) const;

  std::string accepted() const;
  // How each format reads a text that is ambiguous_date, for messages: "2024-01-02 (DD/MM/YYYY), 2024-02-01 (…)".
  std::string readings(std::string_view text) const;

 private:
  Result<void> add_format(std::string_view format);
  Result<void> add_locale(std::string_view locale);
  // By the readings; `found` tells whether one of them reads the text.
  CastFault read(std::string_view text, bool with_time, WrittenDate& written, bool& found) const;

  std::vector<DateReading> readings_;         // none: ISO 8601
  bool exclusive_ = false;                    // no text can be read by two of them
  std::string example_;                       // of the locale
  std::shared_ptr<const MonthNames> months_;  // shared by copies; none: English
  const ::date::time_zone* zone_ = nullptr;   // owned by the library's database; nullptr: UTC
};

// 16 bytes; accepts 8-4-4-4-12 or 32 hexadecimal digits of any case, either in braces.
CastFault uuid(std::string_view text, unsigned char (&value)[16]);
// Checks the syntax (RFC 8259, at most 1,024 levels deep) only; the text itself is kept.
CastFault json(std::string_view text);

// The canonical text of a value, appended: what SQLite stores and what messages show.
void append_integer(std::string& out, std::int64_t value);
void append_decimal(std::string& out, Int128 value, int scale);        // always `scale` decimals
void append_date(std::string& out, std::int32_t days);                 // YYYY-MM-DD, infinity
void append_timestamp(std::string& out, std::int64_t microseconds);    // YYYY-MM-DDTHH:MM:SS[.ffffff]Z
void append_uuid(std::string& out, const unsigned char (&value)[16]);  // 8-4-4-4-12, lower case

}  // namespace lade::analysis
