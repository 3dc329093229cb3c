#include "definition/bounds.h"

#include <charconv>
#include <chrono>

namespace lade::definition {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Takes exactly `count` digits from the front.
std::optional<int> take_digits(std::string_view& rest, std::size_t count) {
  if (rest.size() < count) return std::nullopt;
  int value = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (!is_digit(rest[i])) return std::nullopt;
    value = value * 10 + (rest[i] - '0');
  }
  rest.remove_prefix(count);
  return value;
}

bool take(std::string_view& rest, char expected) {
  if (!rest.starts_with(expected)) return false;
  rest.remove_prefix(1);
  return true;
}

std::optional<Ordinal> parse_integer(std::string_view text) {
  std::int64_t value = 0;
  const auto [stop, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || stop != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<Ordinal> parse_decimal(std::string_view text, int precision, int scale) {
  const bool negative = take(text, '-');
  Ordinal value = 0;
  int digits = 0;     // significant ones
  int decimals = -1;  // -1: before the point
  for (const char c : text) {
    if (c == '.' && decimals < 0) {
      decimals = 0;
      continue;
    }
    if (!is_digit(c)) return std::nullopt;
    if (decimals >= 0 && ++decimals > scale) return std::nullopt;
    if (value != 0 || c != '0') ++digits;
    if (digits > precision) return std::nullopt;
    value = value * 10 + (c - '0');
  }
  if (text.empty() || text.front() == '.' || text.back() == '.') return std::nullopt;
  for (int missing = scale - (decimals < 0 ? 0 : decimals); missing > 0; --missing) {
    if (value != 0 && ++digits > precision) return std::nullopt;
    value *= 10;
  }
  return negative ? -value : value;
}

// YYYY-MM-DD from the front.
std::optional<Ordinal> take_days(std::string_view& rest) {
  const auto year = take_digits(rest, 4);
  if (!year || !take(rest, '-')) return std::nullopt;
  const auto month = take_digits(rest, 2);
  if (!month || !take(rest, '-')) return std::nullopt;
  const auto day = take_digits(rest, 2);
  if (!day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year), std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok() || *year < 1) return std::nullopt;
  return std::chrono::sys_days(date).time_since_epoch().count();
}

// HH:MM[:SS[.ffffff]] from the front, in microseconds.
std::optional<Ordinal> take_time(std::string_view& rest) {
  const auto hours = take_digits(rest, 2);
  if (!hours || *hours > 23 || !take(rest, ':')) return std::nullopt;
  const auto minutes = take_digits(rest, 2);
  if (!minutes || *minutes > 59) return std::nullopt;
  std::int64_t microseconds = (*hours * 60 + *minutes) * std::int64_t{60'000'000};
  if (!take(rest, ':')) return microseconds;
  const auto seconds = take_digits(rest, 2);
  if (!seconds || *seconds > 59) return std::nullopt;
  microseconds += *seconds * std::int64_t{1'000'000};
  if (!take(rest, '.')) return microseconds;
  std::int64_t unit = 100'000;
  if (rest.empty() || !is_digit(rest.front())) return std::nullopt;
  for (; !rest.empty() && is_digit(rest.front()) && unit > 0; unit /= 10) microseconds += unit * *take_digits(rest, 1);
  return microseconds;
}

// Z or ±HH[:MM] up to the end, in microseconds to take off; nothing written is UTC.
std::optional<Ordinal> parse_zone(std::string_view rest) {
  if (rest.empty() || rest == "Z") return 0;
  const bool west = rest.front() == '-';
  if (!take(rest, '-') && !take(rest, '+')) return std::nullopt;
  const auto hours = take_digits(rest, 2);
  if (!hours || *hours > 18) return std::nullopt;
  take(rest, ':');
  const auto minutes = rest.empty() ? std::optional(0) : take_digits(rest, 2);
  if (!minutes || *minutes > 59 || !rest.empty()) return std::nullopt;
  const std::int64_t offset = (*hours * 60 + *minutes) * std::int64_t{60'000'000};
  return west ? -offset : offset;
}

std::optional<Ordinal> parse_date(std::string_view text) {
  const auto days = take_days(text);
  return text.empty() ? days : std::nullopt;
}

std::optional<Ordinal> parse_timestamp(std::string_view text) {
  constexpr Ordinal kDay = 86'400'000'000;
  const auto days = take_days(text);
  if (!days) return std::nullopt;
  if (text.empty()) return *days * kDay;
  if (!take(text, 'T') && !take(text, ' ')) return std::nullopt;
  const auto time = take_time(text);
  if (!time) return std::nullopt;
  const auto offset = parse_zone(text);
  if (!offset) return std::nullopt;
  return *days * kDay + *time - *offset;
}

}  // namespace

bool has_order(TypeKind kind) {
  return kind == TypeKind::integer || kind == TypeKind::decimal || kind == TypeKind::date ||
         kind == TypeKind::timestamp;
}

std::optional<Ordinal> parse_bound(const Type& type, std::string_view text) {
  switch (type.kind) {
    case TypeKind::integer: return parse_integer(text);
    case TypeKind::decimal: return parse_decimal(text, type.precision, type.scale);
    case TypeKind::date: return parse_date(text);
    case TypeKind::timestamp: return parse_timestamp(text);
    default: return std::nullopt;
  }
}

std::string_view bound_example(TypeKind kind) {
  switch (kind) {
    case TypeKind::integer: return "a whole number such as 12";
    case TypeKind::decimal: return "a number that fits the type, such as 12.5";
    case TypeKind::date: return "a date such as 2024-12-31";
    case TypeKind::timestamp: return "a time such as 2024-12-31T23:59:59Z";
    default: return "nothing";
  }
}

}  // namespace lade::definition
