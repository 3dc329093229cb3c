#include "analysis/cast_date.h"

#include <bit>
#include <cstring>

namespace lade::analysis {
namespace {

constexpr std::int64_t kSecondsPerDay = 86'400;
constexpr std::int64_t kMicrosecondsPerSecond = 1'000'000;
constexpr int kLargestOffsetHours = 15;
constexpr std::int64_t kFirstDay = -719'162;  // 0001-01-01
constexpr std::int64_t kLastDay = 2'932'896;  // 9999-12-31

unsigned digit_at(std::string_view text, std::size_t at) {
  return static_cast<unsigned>(static_cast<unsigned char>(text[at])) - '0';
}

bool take(std::string_view& rest, char c) {
  if (rest.empty() || rest.front() != c) return false;
  rest.remove_prefix(1);
  return true;
}

// Two digits not above `most`, -1 when they are not there.
int read_pair(std::string_view& rest, int most) {
  const int number = read_digits(rest, 2);
  return number <= most ? number : -1;
}

// Up to six digits; more only when they are zeros, since nothing finer than a microsecond is kept.
bool read_fraction(std::string_view& rest, int& microsecond) {
  std::size_t count = 0;
  microsecond = 0;
  for (; count < rest.size(); ++count) {
    const unsigned digit = digit_at(rest, count);
    if (digit > 9) break;
    if (count < 6)
      microsecond = microsecond * 10 + static_cast<int>(digit);
    else if (digit != 0)
      return false;
  }
  for (std::size_t filled = count; filled < 6; ++filled) microsecond *= 10;
  rest.remove_prefix(count);
  return count > 0;
}

// Eight bytes at once: XOR with "0000-00-" leaves the digits' values, and adding 0x76 (0x7f where a dash must stand)
// sets the top bit of every byte that is not what it should be.
bool read_dashed_date(std::string_view text, WrittenDate& written) {
  static_assert(std::endian::native == std::endian::little);
  if (text.size() < 10) return false;
  std::uint64_t front;
  std::memcpy(&front, text.data(), sizeof front);
  front ^= 0x2d30'302d'3030'3030;
  const unsigned tens = digit_at(text, 8);
  const unsigned ones = digit_at(text, 9);
  if (((front | (front + 0x7f76'767f'7676'7676)) & 0x8080'8080'8080'8080) != 0 || tens > 9 || ones > 9) return false;
  const std::uint64_t pairs = front * 10 + (front >> 8);
  written.year = static_cast<int>((pairs & 0xff) * 100 + (pairs >> 16 & 0xff));
  written.month = static_cast<int>(pairs >> 40 & 0xff);
  written.day = static_cast<int>(tens * 10 + ones);
  return true;
}

// HH:MM[:SS[.ffffff]]
bool read_iso_time(std::string_view& rest, WrittenDate& written) {
  written.hour = read_pair(rest, 23);
  if (written.hour < 0 || !take(rest, ':')) return false;
  written.minute = read_pair(rest, 59);
  if (written.minute < 0) return false;
  if (!take(rest, ':')) return true;
  written.second = read_pair(rest, 59);
  if (written.second < 0) return false;
  return !take(rest, '.') || read_fraction(rest, written.microsecond);
}

}  // namespace

int read_digits(std::string_view& rest, std::size_t count) {
  if (rest.size() < count) return -1;
  int number = 0;
  for (std::size_t at = 0; at < count; ++at) {
    const unsigned digit = digit_at(rest, at);
    if (digit > 9) return -1;
    number = number * 10 + static_cast<int>(digit);
  }
  rest.remove_prefix(count);
  return number;
}

bool read_offset(std::string_view& rest, WrittenDate& written) {
  written.has_offset = true;
  written.offset_minutes = 0;
  if (take(rest, 'Z')) return true;
  const bool west = take(rest, '-');
  if (!west && !take(rest, '+')) return false;
  const int hours = read_pair(rest, kLargestOffsetHours);
  if (hours < 0) return false;
  int minutes = 0;
  if (take(rest, ':') || (!rest.empty() && digit_at(rest, 0) <= 9)) minutes = read_pair(rest, 59);
  if (minutes < 0) return false;
  written.offset_minutes = (west ? -1 : 1) * (hours * 60 + minutes);
  return true;
}

bool read_iso_date(std::string_view text, WrittenDate& written) {
  if (text.size() == 10) return read_dashed_date(text, written);
  if (text.size() != 8) return false;
  written.year = read_digits(text, 4);
  written.month = read_digits(text, 2);
  written.day = read_digits(text, 2);
  return written.year >= 0 && written.month >= 0 && written.day >= 0;
}

bool read_iso_timestamp(std::string_view text, WrittenDate& written) {
  if (text.size() <= 10) return read_iso_date(text, written);
  if (!read_dashed_date(text, written)) return false;
  text.remove_prefix(10);
  if (!take(text, 'T') && !take(text, ' ')) return false;
  if (!read_iso_time(text, written)) return false;
  return text.empty() || (read_offset(text, written) && text.empty());
}

bool read_time_of_day(std::string_view rest, WrittenDate& written) {
  take(rest, ',');
  if (!take(rest, ' ') && !take(rest, 'T')) return false;
  written.hour = read_digits(rest, rest.size() > 1 && digit_at(rest, 1) <= 9 ? 2 : 1);
  const char separator = rest.starts_with('.') ? '.' : ':';
  if (written.hour < 0 || written.hour > 23 || !take(rest, separator)) return false;
  written.minute = read_pair(rest, 59);
  if (written.minute < 0) return false;
  if (take(rest, separator)) {
    written.second = read_pair(rest, 59);
    if (written.second < 0) return false;
    if ((take(rest, '.') || take(rest, ',')) && !read_fraction(rest, written.microsecond)) return false;
  }
  const bool spaced = take(rest, ' ');
  if (rest.size() == 2 && (rest[1] | 0x20) == 'm') {
    const bool afternoon = (rest[0] | 0x20) == 'p';
    if ((!afternoon && (rest[0] | 0x20) != 'a') || written.hour < 1 || written.hour > 12) return false;
    written.hour = written.hour % 12 + (afternoon ? 12 : 0);
    return true;
  }
  return rest.empty() ? !spaced : read_offset(rest, written) && rest.empty();
}

bool is_day(const WrittenDate& written) {
  static constexpr signed char kDays[] = {0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  if (written.year < 1 || written.year > 9999 || written.month < 1 || written.month > 12 || written.day < 1)
    return false;
  if (written.day <= kDays[written.month]) return true;
  const bool leap = written.year % 4 == 0 && (written.year % 100 != 0 || written.year % 400 == 0);
  return leap && written.month == 2 && written.day == 29;
}

// Counts in years that start in March, so that the leap day is the last; 719468 days lie before 1970-01-01.
std::int32_t days_from_civil(int year, int month, int day) {
  static constexpr short kDaysBefore[] = {0, 306, 337, 0, 31, 61, 92, 122, 153, 184, 214, 245, 275};
  const int shifted_year = year - static_cast<int>(month <= 2);
  return 365 * shifted_year + shifted_year / 4 - shifted_year / 100 + shifted_year / 400 + kDaysBefore[month] + day -
         1 - 719'468;
}

WrittenDate civil_from_days(std::int32_t days) {
  const std::int64_t shifted = std::int64_t{days} + 719'468;
  const std::int64_t era = (shifted >= 0 ? shifted : shifted - 146'096) / 146'097;
  const auto day_of_era = static_cast<int>(shifted - era * 146'097);
  const int year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
  const int day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const int shifted_month = (5 * day_of_year + 2) / 153;
  WrittenDate written;
  written.day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
  written.month = shifted_month < 10 ? shifted_month + 3 : shifted_month - 9;
  written.year = static_cast<int>(era * 400) + year_of_era + (written.month <= 2 ? 1 : 0);
  return written;
}

CastFault DateFormat::date(std::string_view text, std::int32_t& days) const {
  WrittenDate written;
  bool found = false;
  if (readings_.empty())
    found = read_iso_date(text, written) && is_day(written);
  else if (const CastFault fault = read(text, false, written, found))
    return fault;
  if (!found) return {"not_a_date"};
  days = days_from_civil(written.year, written.month, written.day);
  return {};
}

CastFault DateFormat::timestamp(std::string_view text, std::int64_t& microseconds) const {
  WrittenDate written;
  bool found = false;
  if (readings_.empty())
    found = read_iso_timestamp(text, written) && is_day(written);
  else if (const CastFault fault = read(text, true, written, found))
    return fault;
  if (!found) return {"not_a_timestamp"};
  std::int64_t seconds = days_from_civil(written.year, written.month, written.day) * kSecondsPerDay +
                         written.hour * 3600 + written.minute * 60 + written.second - written.offset_minutes * 60;
  if (zone_ != nullptr && !written.has_offset && !local_to_utc(*zone_, seconds, seconds)) return {"ambiguous_time"};
  if (seconds < kFirstDay * kSecondsPerDay || seconds > kLastDay * kSecondsPerDay + (kSecondsPerDay - 1))
    return {"out_of_range"};
  microseconds = seconds * kMicrosecondsPerSecond + written.microsecond;
  return {};
}

}  // namespace lade::analysis
