#include "xlsx/shown_moment.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace lade::xlsx {
namespace {

using Type = FormatToken::Type;
constexpr std::string_view kMonths[] = {"January", "February", "March",     "April",   "May",      "June",
                                        "July",    "August",   "September", "October", "November", "December"};
constexpr std::string_view kDays[] = {"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};
constexpr std::int64_t kDaysBefore1904 = 1462;
constexpr std::int64_t kLastSerial = 2'958'465;
constexpr int kBuddhistYears = 543;

struct Moment {
  std::int64_t serial = 0;  // days in the system of 1900
  int year = 0;
  unsigned month = 0;
  unsigned day = 0;
  std::int64_t seconds = 0;   // of the day
  std::int64_t fraction = 0;  // of the second, in units of the format
};

// Spreadsheets know a day 0 and a 29 February 1900.
void set_date(Moment& moment) {
  using namespace std::chrono;
  moment.year = 1900;
  if (moment.serial == 0 || moment.serial == 60) {
    moment.month = moment.serial == 0 ? 1 : 2;
    moment.day = moment.serial == 0 ? 0 : 29;
    return;
  }
  const year_month_day date(sys_days(year(1899) / 12 / 31) +
                            days(moment.serial > 60 ? moment.serial - 1 : moment.serial));
  moment.year = static_cast<int>(date.year());
  moment.month = static_cast<unsigned>(date.month());
  moment.day = static_cast<unsigned>(date.day());
}

std::string padded(std::int64_t value, std::size_t letters) {
  return fmt::format("{:0{}}", value, std::min<std::size_t>(letters, 20));
}

std::string shown_month(const Moment& moment, std::size_t letters) {
  const std::string_view name = kMonths[moment.month - 1];
  if (letters <= 2) return padded(moment.month, letters);
  return std::string(letters == 3 ? name.substr(0, 3) : letters == 5 ? name.substr(0, 1) : name);
}

std::string shown_day(const Moment& moment, std::size_t letters) {
  if (letters <= 2) return padded(moment.day, letters);
  const std::string_view name = kDays[(moment.serial + 6) % 7];
  return std::string(letters == 3 ? name.substr(0, 3) : name);
}

std::string shown_year(const Moment& moment, const std::string& letters) {
  const int year = letters.front() == 'b' ? moment.year + kBuddhistYears : moment.year;
  return letters.size() <= 2 && letters.front() != 'e' ? padded(year % 100, 2) : padded(year, 4);
}

std::string shown_half(const Moment& moment, const std::string& letters) {
  const bool afternoon = moment.seconds >= 12 * 3600;
  if (letters.size() == 3) return afternoon ? letters.substr(2) : letters.substr(0, 1);
  if (letters == "am/pm") return afternoon ? "PM" : "AM";
  const std::size_t slash = letters.find('/');
  return afternoon ? letters.substr(slash + 1) : letters.substr(0, slash);
}

std::string shown_elapsed(const Moment& moment, const std::string& letters) {
  const std::int64_t seconds = moment.serial * 86'400 + moment.seconds;
  const std::int64_t unit = letters.front() == 'h' ? 3600 : letters.front() == 'm' ? 60 : 1;
  return padded(seconds / unit, letters.size());
}

std::string shown_token(const FormatToken& token, const Moment& moment, bool half) {
  const std::int64_t hour = moment.seconds / 3600;
  switch (token.type) {
    case Type::year: return shown_year(moment, token.text);
    case Type::month: return shown_month(moment, token.text.size());
    case Type::day: return shown_day(moment, token.text.size());
    case Type::hour: return padded(half ? (hour + 11) % 12 + 1 : hour, std::min<std::size_t>(token.text.size(), 2));
    case Type::minute: return padded(moment.seconds / 60 % 60, token.text.size());
    case Type::second: return padded(moment.seconds % 60, std::min<std::size_t>(token.text.size(), 2));
    case Type::subsecond: return "." + padded(moment.fraction, token.text.size());
    case Type::half: return shown_half(moment, token.text);
    case Type::elapsed: return shown_elapsed(moment, token.text);
    default: return token.text;
  }
}

}  // namespace

std::string shown_moment(const FormatSection& section, double serial, bool from_1904) {
  if (from_1904) serial += static_cast<double>(kDaysBefore1904);
  if (!(serial >= 0 && serial < static_cast<double>(kLastSerial + 1))) return "########";
  bool half = false;
  std::int64_t units = 1;  // of a second
  for (const FormatToken& token : section.tokens) {
    half |= token.type == Type::half;
    if (token.type == Type::subsecond)
      units = static_cast<std::int64_t>(std::pow(10, std::min<std::size_t>(token.text.size(), 3)));
  }
  const std::int64_t ticks = std::llround(serial * 86'400 * static_cast<double>(units));
  Moment moment;
  moment.fraction = ticks % units;
  moment.serial = ticks / units / 86'400;
  moment.seconds = ticks / units % 86'400;
  set_date(moment);
  std::string text;
  for (const FormatToken& token : section.tokens) text += shown_token(token, moment, half);
  return text;
}

}  // namespace lade::xlsx
