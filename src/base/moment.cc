#include "base/moment.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace lade {
namespace {

using namespace std::chrono;

// The number that these characters are; -1 when they are none.
int number_at(std::string_view text, std::size_t first, std::size_t count) {
  int number = -1;
  const char* end = text.data() + first + count;
  const auto parsed = std::from_chars(text.data() + first, end, number);
  return parsed.ptr == end ? number : -1;
}

}  // namespace

Moment now() {
  return floor<milliseconds>(system_clock::now());
}

std::optional<Moment> moment_of(std::string_view text) {
  constexpr std::string_view kShape = "0000-00-00T00:00:00.000Z";
  if (text.size() != kShape.size() || text[10] != 'T' || text.back() != 'Z') return std::nullopt;
  const year_month_day date{year{number_at(text, 0, 4)}, month{static_cast<unsigned>(number_at(text, 5, 2))},
                            day{static_cast<unsigned>(number_at(text, 8, 2))}};
  if (!date.ok()) return std::nullopt;
  return sys_days(date) + hours(number_at(text, 11, 2)) + minutes(number_at(text, 14, 2)) +
         seconds(number_at(text, 17, 2)) + milliseconds(number_at(text, 20, 3));
}

std::optional<Moment> moment_of(std::int64_t microseconds) {
  if (microseconds == 0) return std::nullopt;
  return Moment(floor<milliseconds>(std::chrono::microseconds(microseconds)));
}

std::string to_text(std::optional<Moment> moment) {
  if (!moment) return {};
  const auto second = floor<seconds>(*moment);
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", second, (*moment - second).count());
}

std::string for_people(std::optional<Moment> moment) {
  return moment ? fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", floor<seconds>(*moment)) : std::string();
}

std::string for_people(milliseconds duration) {
  if (duration < seconds(10))
    return fmt::format("{:.1f} s", duration_cast<std::chrono::duration<double>>(duration).count());
  if (duration < minutes(2)) return fmt::format("{} s", floor<seconds>(duration).count());
  if (duration < hours(1)) return fmt::format("{} min", floor<minutes>(duration).count());
  if (duration < hours(48))
    return fmt::format("{} h {} min", floor<hours>(duration).count(), (floor<minutes>(duration) % hours(1)).count());
  return fmt::format("{} days", floor<days>(duration).count());
}

std::string age_of(std::optional<Moment> moment) {
  // Another machine's clock may be ahead of this one's.
  return moment ? for_people(std::max(now() - *moment, milliseconds(0))) + " ago" : std::string();
}

}  // namespace lade
