#include "source/date_cell.h"

#include <algorithm>

namespace lade::source {
namespace {

constexpr std::array<std::string_view, 12> kMonths = {"january",   "february", "march",    "april",
                                                      "may",       "june",     "july",     "august",
                                                      "september", "october",  "november", "december"};
constexpr std::array<std::string_view, 6> kSeparators = {", ", ". ", ".", "/", "-", " "};
constexpr std::size_t kShortName = 3;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

bool equals(std::string_view text, std::string_view lower_case) {
  return text.size() == lower_case.size() &&
         std::equal(text.begin(), text.end(), lower_case.begin(), [](char a, char b) { return lower(a) == b; });
}

// Digits at the beginning, at most `most`; -1: there is none.
int take_number(std::string_view& rest, int most, int& digits) {
  int number = 0;
  for (digits = 0; digits < most && !rest.empty() && is_digit(rest.front()); ++digits, rest.remove_prefix(1))
    number = number * 10 + (rest.front() - '0');
  return digits == 0 ? -1 : number;
}

bool take(std::string_view& rest, char c) {
  if (!rest.starts_with(c)) return false;
  rest.remove_prefix(1);
  return true;
}

bool take_name(std::string_view& rest, std::size_t place, DateCell& cell) {
  const auto end = std::find_if_not(rest.begin(), rest.end(), is_letter);
  const std::string_view word = rest.substr(0, static_cast<std::size_t>(end - rest.begin()));
  for (std::size_t month = 0; month < kMonths.size(); ++month) {
    const bool full = equals(word, kMonths[month]);
    if (!full && !equals(word, kMonths[month].substr(0, kShortName))) continue;
    if (cell.shape.name_place >= 0 || place > 1) return false;
    cell.shape.name_place = static_cast<int>(place);
    cell.parts[place] = static_cast<int>(month) + 1;
    cell.name = !full ? MonthName::abbreviated : (word.size() == kShortName ? MonthName::either : MonthName::full);
    rest.remove_prefix(word.size());
    return true;
  }
  return false;
}

bool take_part(std::string_view& rest, std::size_t place, DateCell& cell) {
  if (rest.empty()) return false;
  if (is_letter(rest.front())) return take_name(rest, place, cell);
  cell.parts[place] = take_number(rest, 4, cell.digits[place]);
  if (cell.parts[place] < 0 || cell.digits[place] == 3) return false;
  if (cell.digits[place] < 4) return true;
  if (cell.shape.year_place >= 0 || place == 1) return false;
  cell.shape.year_place = static_cast<int>(place);
  return true;
}

bool take_separator(std::string_view& rest, std::string_view& separator) {
  for (const std::string_view one : kSeparators) {
    if (!rest.starts_with(one)) continue;
    separator = one;
    rest.remove_prefix(one.size());
    return true;
  }
  return false;
}

bool take_meridiem(std::string_view& rest, DateShape& shape) {
  std::string_view word = rest;
  const bool space = take(word, ' ');
  if (!equals(word.substr(0, 2), "am") && !equals(word.substr(0, 2), "pm")) return false;
  shape.has_meridiem = true;
  shape.space_before_meridiem = space;
  rest = word.substr(2);
  return true;
}

// Z, +02, +0200, +02:00
bool take_zone(std::string_view& rest, DateShape& shape) {
  shape.has_zone = true;
  shape.space_before_zone = take(rest, ' ');
  if (take(rest, 'Z')) return true;
  if (!take(rest, '+') && !take(rest, '-')) return false;
  int digits = 0;
  if (take_number(rest, 2, digits) > 23 || digits != 2) return false;
  if (rest.empty()) return true;
  take(rest, ':');
  return take_number(rest, 2, digits) < 60 && digits == 2;
}

bool take_seconds(std::string_view& rest, DateShape& shape) {
  int digits = 0;
  if (!take(rest, ':')) return true;
  shape.has_seconds = true;
  if (take_number(rest, 2, digits) > 59 || digits != 2) return false;
  return !take(rest, '.') || take_number(rest, 6, shape.fraction) >= 0;
}

bool take_time(std::string_view rest, DateCell& cell) {
  DateShape& shape = cell.shape;
  shape.has_time = true;
  shape.has_t = rest.front() == 'T';
  if (!take(rest, 'T') && !take(rest, ' ')) return false;
  const int hour = take_number(rest, 2, cell.hour_digits);
  int digits = 0;
  if (hour < 0 || !take(rest, ':') || take_number(rest, 2, digits) > 59 || digits != 2) return false;
  if (!take_seconds(rest, shape)) return false;
  const bool half_day = take_meridiem(rest, shape);
  if (half_day ? hour < 1 || hour > 12 : hour > 23) return false;
  return (rest.empty() || take_zone(rest, shape)) && rest.empty();
}

}  // namespace

bool is_day(int year, int month, int day) {
  if (year < 1 || month < 1 || month > 12 || day < 1) return false;
  if (month == 2) return day <= (year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28);
  return day <= (month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31);
}

std::optional<DateCell> read_date_cell(std::string_view text) {
  DateCell cell;
  std::string_view rest = text;
  for (std::size_t place = 0; place < 3; ++place) {
    if (!take_part(rest, place, cell)) return std::nullopt;
    if (place < 2 && !take_separator(rest, cell.shape.separators[place])) return std::nullopt;
  }
  if (!rest.empty() && !take_time(rest, cell)) return std::nullopt;
  return cell;
}

}  // namespace lade::source
