#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lade::source {

// How the month is written: by its number, or by its English name.
enum class MonthName : std::uint8_t { none, either, abbreviated, full };  // either: May

// How a date is written, apart from its numbers: the cells of one column share it.
struct DateShape {
  std::array<std::string_view, 2> separators;  // of static storage
  int year_place = -1;  // of a year with four digits: 0 or 2; -1: all parts have at most two digits
  int name_place = -1;  // of a month's name: 0 or 1; -1: there is none
  bool has_time = false;
  bool has_t = false;  // T before the time, else a space
  bool has_seconds = false;
  int fraction = 0;  // digits of a second's fraction
  bool has_meridiem = false;
  bool space_before_meridiem = false;
  bool has_zone = false;
  bool space_before_zone = false;

  bool operator==(const DateShape&) const = default;
};

struct DateCell {
  DateShape shape;
  std::array<int, 3> parts{};   // in the order in which they stand; of a name its month
  std::array<int, 3> digits{};  // of each; 0: a name
  MonthName name = MonthName::none;
  int hour_digits = 0;
};

// A date of three parts with a separator between them, perhaps with a time of day behind it: 5.3.2024, 03/05/24 14:30,
// 5-Mar-2024, March 5, 2024 2:30 pm. Says nothing about which part is the day; times are checked. Nullopt: it is none.
std::optional<DateCell> read_date_cell(std::string_view text);

// Whether there is such a day.
bool is_day(int year, int month, int day);

}  // namespace lade::source
