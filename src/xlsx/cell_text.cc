#include "xlsx/cell_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>

#include "xlsx/utf8.h"

namespace lade::xlsx {
namespace {

constexpr std::int64_t kMillisecondsPerDay = 86'400'000;
constexpr int kLargestExponent = 308;

bool is_digit(char character) {
  return character >= '0' && character <= '9';
}

// A number taken apart: 0.d₁d₂d₃… × 10^exponent, without leading or trailing zeros.
struct Decimal {
  bool negative = false;
  std::string digits;
  int exponent = 0;
};

std::optional<Decimal> parse_decimal(std::string_view written) {
  Decimal result;
  if (!written.empty() && (written[0] == '-' || written[0] == '+')) {
    result.negative = written[0] == '-';
    written.remove_prefix(1);
  }
  const std::size_t mantissa_end = std::min(written.find_first_of("eE"), written.size());
  bool any = false;
  bool point = false;
  for (const char character : written.substr(0, mantissa_end)) {
    if (character == '.' && !point) {
      point = true;
      continue;
    }
    if (!is_digit(character)) return std::nullopt;
    any = true;
    const bool leading = result.digits.empty() && character == '0';
    if (!leading) result.digits += character;
    if (point ? leading : !leading) result.exponent += point ? -1 : 1;
  }
  if (!any) return std::nullopt;
  if (mantissa_end < written.size()) {
    std::string_view text = written.substr(mantissa_end + 1);
    if (text.starts_with('+')) text.remove_prefix(1);
    int exponent = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), exponent);
    if (text.empty() || end != text.data() + text.size() || error != std::errc() || std::abs(exponent) > 10'000) {
      return std::nullopt;
    }
    result.exponent += exponent;
  }
  return result;
}

// Rounds half up in decimal: the digits are those of a double already, so that ties are real ones.
void round_to(Decimal& number, std::size_t places) {
  if (number.digits.size() > places) {
    const bool up = number.digits[places] >= '5';
    number.digits.resize(places);
    std::size_t at = places;
    while (up && at > 0 && number.digits[at - 1] == '9') number.digits[--at] = '0';
    if (up && at > 0) ++number.digits[at - 1];
    if (up && at == 0) {
      number.digits.insert(0, 1, '1');
      ++number.exponent;
    }
  }
  while (number.digits.ends_with('0')) number.digits.pop_back();
}

std::string plain_text(const Decimal& number) {
  if (number.digits.empty()) return "0";
  std::string text(number.negative ? "-" : "");
  const auto digits = static_cast<int>(number.digits.size());
  if (number.exponent <= 0) {
    text += "0." + std::string(static_cast<std::size_t>(-number.exponent), '0') + number.digits;
  } else if (number.exponent >= digits) {
    text += number.digits + std::string(static_cast<std::size_t>(number.exponent - digits), '0');
  } else {
    text += number.digits;
    text.insert(text.size() - static_cast<std::size_t>(digits - number.exponent), 1, '.');
  }
  return text;
}

char* append_padded(char* to, unsigned value, int digits) {
  for (int index = digits - 1; index >= 0; --index, value /= 10) to[index] = static_cast<char>('0' + value % 10);
  return to + digits;
}

char* append_date(char* to, std::chrono::sys_days day) {
  const std::chrono::year_month_day date(day);
  to = append_padded(to, static_cast<unsigned>(static_cast<int>(date.year())), 4);
  *to++ = '-';
  to = append_padded(to, static_cast<unsigned>(date.month()), 2);
  *to++ = '-';
  return append_padded(to, static_cast<unsigned>(date.day()), 2);
}

// Hours may be more than a day has.
char* append_time(char* to, std::int64_t milliseconds) {
  const auto seconds = static_cast<std::uint64_t>(milliseconds / 1000);
  const std::uint64_t hours = seconds / 3600;
  to = hours < 100 ? append_padded(to, static_cast<unsigned>(hours), 2) : fmt::format_to(to, "{}", hours);
  *to++ = ':';
  to = append_padded(to, static_cast<unsigned>(seconds / 60 % 60), 2);
  *to++ = ':';
  to = append_padded(to, static_cast<unsigned>(seconds % 60), 2);
  const auto rest = static_cast<unsigned>(milliseconds % 1000);
  if (rest == 0) return to;
  *to++ = '.';
  return append_padded(to, rest, 3);
}

// The day of a serial number. In the system of 1900, day 60 is a 29 February that never was.
std::optional<std::chrono::sys_days> day_of(std::int64_t serial, bool from_1904) {
  using namespace std::chrono;
  constexpr sys_days kFirst1904 = sys_days(year(1904) / 1 / 1);
  constexpr sys_days kBefore1900 = sys_days(year(1899) / 12 / 31);
  constexpr sys_days kLast = sys_days(year(9999) / 12 / 31);
  if (serial < 0 || serial > 3'000'000) return std::nullopt;
  if (!from_1904 && (serial == 0 || serial == 60)) return std::nullopt;
  const sys_days day = from_1904 ? kFirst1904 + days(serial) : kBefore1900 + days(serial > 60 ? serial - 1 : serial);
  return day <= kLast ? std::optional(day) : std::nullopt;
}

bool matches(std::string_view text, std::string_view pattern) {
  return text.size() == pattern.size() &&
         std::equal(text.begin(), text.end(), pattern.begin(), [](char character, char wanted) {
           return wanted == '9' ? is_digit(character) : character == wanted;
         });
}

// 13:45, 13:45:00, 13:45:00.123 and a zone behind it.
bool is_iso_time(std::string_view text) {
  if (text.ends_with('Z')) text.remove_suffix(1);
  if (text.size() > 6 && matches(text.substr(text.size() - 5), "99:99") &&
      (text[text.size() - 6] == '+' || text[text.size() - 6] == '-')) {
    text.remove_suffix(6);
  }
  if (matches(text, "99:99")) return true;
  if (!matches(text.substr(0, 8), "99:99:99")) return false;
  if (text.size() == 8) return true;
  return text.size() > 9 && text[8] == '.' && std::all_of(text.begin() + 9, text.end(), is_digit);
}

}  // namespace

bool plain_as_written(std::string_view written) {
  if (written.starts_with('-')) written.remove_prefix(1);
  std::size_t significant = 0;
  std::size_t point = std::string_view::npos;
  for (std::size_t at = 0; at < written.size(); ++at) {
    const char character = written[at];
    if (is_digit(character)) {
      significant += significant > 0 || character != '0';
    } else if (character == '.' && point == std::string_view::npos && at > 0 && at + 1 < written.size()) {
      point = at;
    } else {
      return false;
    }
  }
  return !written.empty() && (point == std::string_view::npos || significant <= kSignificantDigits);
}

std::size_t rounded_decimal(std::string_view written, char (&to)[kRoundedBytes]) {
  std::size_t at = written.starts_with('-') ? 1 : 0;
  std::size_t significant = 0;
  std::size_t point = 0;
  std::size_t last = 0;  // behind the 15th digit
  for (; at < written.size(); ++at) {
    const char character = written[at];
    if (character == '.') {
      if (point != 0 || at == 0 || !is_digit(written[at - 1])) return 0;
      point = at;
    } else if (is_digit(character)) {
      significant += significant > 0 || character != '0';
      if (significant == kSignificantDigits && last == 0) last = at + 1;
    } else {
      return 0;
    }
  }
  if (last == 0 || point == 0 || last <= point + 1 || last >= written.size() || last > kRoundedBytes) return 0;
  written.copy(to, last);
  for (at = last; written[last] >= '5';) {
    if (at == 0 || to[at - 1] == '-') return 0;  // one digit more
    --at;
    if (to[at] == '.') continue;
    if (to[at] != '9') {
      ++to[at];
      break;
    }
    to[at] = '0';
  }
  while (to[last - 1] == '0') --last;
  return to[last - 1] == '.' ? last - 1 : last;
}

std::optional<std::string> plain_number(std::string_view written) {
  auto number = parse_decimal(written);
  if (!number) return std::nullopt;
  round_to(*number, kSignificantDigits);
  if (number->digits.empty() || number->exponent < -kLargestExponent) return "0";
  if (number->exponent > kLargestExponent + 1) return std::nullopt;
  return plain_text(*number);
}

MomentText moment_text(double serial, FormatKind kind, bool from_1904) {
  MomentText moment;
  // Beyond the year 9999 in either system; also what is no number.
  if (!(serial >= 0 && serial < 2'958'466)) return moment;
  const std::int64_t milliseconds = std::llround(serial * static_cast<double>(kMillisecondsPerDay));
  const std::int64_t in_day = milliseconds % kMillisecondsPerDay;
  char* end = moment.text;
  if (kind == FormatKind::elapsed) {
    end = append_time(end, milliseconds);
    moment.kind = CellKind::time;
  } else if (kind == FormatKind::time || (!from_1904 && milliseconds > 0 && milliseconds < kMillisecondsPerDay)) {
    end = append_time(end, in_day);
    moment.kind = CellKind::time;
  } else {
    const auto day = day_of(milliseconds / kMillisecondsPerDay, from_1904);
    if (!day) return moment;
    end = append_date(end, *day);
    moment.kind = CellKind::date;
    if (kind == FormatKind::timestamp) {
      *end++ = 'T';
      end = append_time(end, in_day);
      moment.kind = CellKind::timestamp;
    }
  }
  moment.length = static_cast<std::size_t>(end - moment.text);
  return moment;
}

CellKind iso_kind(std::string_view text) {
  if (is_iso_time(text)) return CellKind::time;
  if (!matches(text.substr(0, 10), "9999-99-99")) return CellKind::text;
  if (text.size() == 10) return CellKind::date;
  return text[10] == 'T' && is_iso_time(text.substr(11)) ? CellKind::timestamp : CellKind::text;
}

namespace {

// The code of an _xHHHH_ at the beginning of `text`. NUL stays as it is written: no text can hold it.
std::optional<char32_t> escape_at(std::string_view text) {
  if (text.size() < 7 || text[0] != '_' || text[1] != 'x' || text[6] != '_') return std::nullopt;
  std::uint32_t code = 0;
  const auto [end, error] = std::from_chars(text.data() + 2, text.data() + 6, code, 16);
  if (error != std::errc() || end != text.data() + 6 || code == 0) return std::nullopt;
  return code;
}

}  // namespace

bool has_escape(std::string_view text) {
  return text.find("_x") != std::string_view::npos;
}

void append_unescaped(std::string_view text, std::string& to) {
  while (!text.empty()) {
    const std::size_t at = std::min(text.find("_x"), text.size());
    to += text.substr(0, at);
    text.remove_prefix(at);
    if (text.empty()) return;
    auto code = escape_at(text);
    if (!code) {
      to += text.substr(0, 2);
      text.remove_prefix(2);
      continue;
    }
    text.remove_prefix(7);
    if (is_high_surrogate(*code)) {
      const auto low = escape_at(text);
      if (low && is_low_surrogate(*low)) {
        code = from_surrogates(*code, *low);
        text.remove_prefix(7);
      }
    }
    append_utf8(to, *code);
  }
}

}  // namespace lade::xlsx
