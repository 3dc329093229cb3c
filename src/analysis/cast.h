#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "definition/definition.h"

// Text of one cell → one value of a type. Pure, no allocation on the good path, safe on any bytes (UTF-8 was checked
// before). Every cast trims nothing and accepts nothing more than it says; the caller trims and handles blanks.
namespace lade::analysis {

// Why a cell was not accepted: a stable issue code and what would be accepted. nullptr code: it was.
struct CastFault {
  const char* code = nullptr;  // not_an_integer, not_a_number, out_of_range, too_many_decimals, not_a_boolean,
                               // not_a_date, not_a_timestamp, not_a_uuid, not_json, ambiguous_time
  explicit operator bool() const { return code != nullptr; }
};

using Int128 = __int128;

// How numbers are written in a locale: decimal sign, the group signs accepted, e.g. de-DE 1.234,56; de-CH 1'234.56 also ’;
// fr-FR with no-break and narrow no-break spaces; en-IN 12,34,567.8. Groups, when present, must stand where they belong
// (1,23 is not an integer in en-US). Empty locale: no groups, decimal point.
class NumberFormat {
 public:
  static Result<NumberFormat> for_locale(std::string_view locale);  // refuses with locale_unknown
  // [+-]digits. Also accepts a fraction of zeros ("12.00")? No: that is not_an_integer.
  CastFault integer(std::string_view text, std::int64_t& value) const;
  // Fixed point: value = number · 10^scale; precision ≤ 38. More significant decimals than scale: too_many_decimals
  // (trailing zeros are fine); more digits than precision: out_of_range. Accepts exponents (1.5e3) in plain format.
  CastFault decimal(std::string_view text, int precision, int scale, Int128& value) const;

 private:
  char decimal_sign_ = '.';
  std::string group_signs_;  // UTF-8 sequences, see the source
  bool indian_groups_ = false;
};

// format: empty = true/false, yes/no, y/n, 1/0, t/f, on/off (any case); or "ja/nein".
class BooleanFormat {
 public:
  static Result<BooleanFormat> parse(std::string_view format);  // refuses with format_invalid
  CastFault boolean(std::string_view text, bool& value) const;

 private:
  std::string yes_, no_;
};

// format: empty = ISO 8601 (date: YYYY-MM-DD or YYYYMMDD; timestamp: YYYY-MM-DD[T or space]HH:MM[:SS[.ffffff]][Z|±HH[:MM]],
// a bare date is midnight); otherwise a pattern of YYYY YY MM M DD D HH H hh h mm m ss s SSS.. (fraction) a (am/pm) MMM
// (Jan) MMMM (January) Z (zone offset) and literal characters, e.g. DD.MM.YYYY, M/D/YYYY h:mm a.
class DateFormat {
 public:
  // timezone: IANA name for timestamps without their own; empty = UTC. Refuses with format_invalid, timezone_unknown.
  static Result<DateFormat> parse(std::string_view format, std::string_view timezone = {});
  // Days since 1970-01-01; years 0001–9999.
  CastFault date(std::string_view text, std::int32_t& days) const;
  // Microseconds since 1970-01-01T00:00:00Z. A local time that does not exist or occurs twice: ambiguous_time.
  CastFault timestamp(std::string_view text, std::int64_t& microseconds) const;

 private:
  std::string format_;
  const void* zone_ = nullptr;  // date::time_zone
};

// 16 bytes; accepts 8-4-4-4-12, 32 digits, braces and any case.
CastFault uuid(std::string_view text, unsigned char (&value)[16]);
// Checks the syntax only; the text itself is kept.
CastFault json(std::string_view text);

// The canonical text of a value, appended: what SQLite stores and what messages show.
void append_integer(std::string& out, std::int64_t value);
void append_decimal(std::string& out, Int128 value, int scale);
void append_date(std::string& out, std::int32_t days);            // YYYY-MM-DD
void append_timestamp(std::string& out, std::int64_t microseconds);  // YYYY-MM-DDTHH:MM:SS[.ffffff]Z
void append_uuid(std::string& out, const unsigned char (&value)[16]);

}  // namespace lade::analysis
