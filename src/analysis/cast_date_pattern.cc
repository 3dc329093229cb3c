#include <fmt/format.h>

#include <array>

#include "analysis/cast_date.h"
#include "analysis/month_names.h"

namespace lade::analysis {
namespace {

constexpr std::array<std::string_view, 12> kMonths = {"january",   "february", "march",    "april",
                                                      "may",       "june",     "july",     "august",
                                                      "september", "october",  "november", "december"};
constexpr std::string_view kTokenLetters = "YMDHhmsSaZ";
constexpr std::size_t kShortName = 3;
constexpr std::uint8_t kMostFraction = 6;

struct Token {
  std::string_view letters;
  DateElement element;
};

constexpr Token kTokens[] = {
    {"YYYY", {DateField::year, 4, 4}},
    {"YY", {DateField::short_year, 2, 2}},
    {"MMMM", {DateField::month_long_name, 0, 0}},
    {"MMM", {DateField::month_name, 0, 0}},
    {"MM", {DateField::month, 2, 2}},
    {"M", {DateField::month, 1, 2}},
    {"DD", {DateField::day, 2, 2}},
    {"D", {DateField::day, 1, 2}},
    {"HH", {DateField::hour, 2, 2}},
    {"H", {DateField::hour, 1, 2}},
    {"hh", {DateField::half_day_hour, 2, 2}},
    {"h", {DateField::half_day_hour, 1, 2}},
    {"mm", {DateField::minute, 2, 2}},
    {"m", {DateField::minute, 1, 2}},
    {"ss", {DateField::second, 2, 2}},
    {"s", {DateField::second, 1, 2}},
    {"a", {DateField::meridiem, 0, 0}},
    {"Z", {DateField::offset, 0, 0}},
};

bool is_numeric(DateField field) {
  switch (field) {
    case DateField::literal:
    case DateField::month_name:
    case DateField::month_long_name:
    case DateField::meridiem:
    case DateField::offset: return false;
    default: return true;
  }
}

tl::unexpected<Error> invalid(std::string_view pattern, const std::string& what) {
  return fail(
      "format_invalid", fmt::format("date format \"{}\": {}", pattern, what),
      "YYYY YY MM M MMM MMMM DD D HH H hh h a mm m ss s S… Z and literal text, e.g. DD.MM.YYYY or M/D/YYYY h:mm a",
      ErrorKind::invalid);
}

// What a run of one token letter means; nothing when it means nothing.
bool find_token(std::string_view letters, DateElement& element) {
  if (letters.front() == 'S') {
    if (letters.size() > kMostFraction) return false;
    const auto width = static_cast<std::uint8_t>(letters.size());
    element = {DateField::fraction, width, width};
    return true;
  }
  for (const Token& token : kTokens) {
    if (token.letters != letters) continue;
    element = token.element;
    return true;
  }
  return false;
}

// The part of the calendar that a field sets: no part may be set twice.
int part_of(DateField field) {
  switch (field) {
    case DateField::short_year: return static_cast<int>(DateField::year);
    case DateField::month_name:
    case DateField::month_long_name: return static_cast<int>(DateField::month);
    case DateField::half_day_hour: return static_cast<int>(DateField::hour);
    default: return static_cast<int>(field);
  }
}

Result<void> check_parts(std::string_view pattern, const std::vector<DateElement>& elements) {
  std::array<int, static_cast<int>(DateField::offset) + 1> seen{};
  bool half_day = false;
  for (std::size_t at = 0; at < elements.size(); ++at) {
    const DateElement& element = elements[at];
    if (element.field == DateField::literal) continue;
    if (seen.at(static_cast<std::size_t>(part_of(element.field)))++ > 0) return invalid(pattern, "a part stands twice");
    half_day = half_day || element.field == DateField::half_day_hour;
    if (element.least < element.most && at + 1 < elements.size() && is_numeric(elements[at + 1].field))
      return invalid(pattern, "a part of one or two digits stands right before another number");
  }
  const auto has = [&](DateField field) { return seen.at(static_cast<std::size_t>(field)) > 0; };
  if (!has(DateField::year) || !has(DateField::month) || !has(DateField::day))
    return invalid(pattern, "year, month and day are all needed");
  if (half_day != has(DateField::meridiem)) return invalid(pattern, "h and a belong together");
  if (has(DateField::minute) && !has(DateField::hour)) return invalid(pattern, "minutes need hours");
  if (has(DateField::second) && !has(DateField::minute)) return invalid(pattern, "seconds need minutes");
  if (has(DateField::fraction) && !has(DateField::second)) return invalid(pattern, "a fraction needs seconds");
  return {};
}

bool equal_ignoring_case(std::string_view text, std::string_view lower) {
  if (text.size() != lower.size()) return false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if ((c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c) != lower[at]) return false;
  }
  return true;
}

bool read_english_name(std::string_view& rest, bool long_name, int& month) {
  for (std::size_t at = 0; at < kMonths.size(); ++at) {
    const std::string_view name = long_name ? kMonths[at] : kMonths[at].substr(0, kShortName);
    if (!equal_ignoring_case(rest.substr(0, name.size()), name)) continue;
    rest.remove_prefix(name.size());
    month = static_cast<int>(at) + 1;
    return true;
  }
  return false;
}

// The number of a numeric element, -1 when it is not there.
int read_number(std::string_view& rest, const DateElement& element) {
  std::size_t count = element.least;
  while (count < element.most && count < rest.size() && rest[count] >= '0' && rest[count] <= '9') ++count;
  return read_digits(rest, count);
}

bool set(int number, int least, int most, int& part) {
  part = number;
  return number >= least && number <= most;
}

bool read_numeric(std::string_view& rest, const DateElement& element, WrittenDate& written) {
  int number = read_number(rest, element);
  switch (element.field) {
    case DateField::year: return set(number, 1, 9999, written.year);
    case DateField::short_year: return number >= 0 && set(number + (number < 69 ? 2000 : 1900), 1, 9999, written.year);
    case DateField::month: return set(number, 1, 12, written.month);
    case DateField::day: return set(number, 1, 31, written.day);
    case DateField::hour: return set(number, 0, 23, written.hour);
    case DateField::half_day_hour: return set(number, 1, 12, written.hour);
    case DateField::minute: return set(number, 0, 59, written.minute);
    case DateField::second: return set(number, 0, 59, written.second);
    default: break;
  }
  for (std::uint8_t width = element.most; width < kMostFraction; ++width) number *= 10;
  return set(number, 0, 999'999, written.microsecond);
}

bool read_month_name(std::string_view& rest, const DateElement& element, const MonthNames* months, int& month) {
  if (months == nullptr) return read_english_name(rest, element.field == DateField::month_long_name, month);
  if (!months->take(rest, month)) return false;
  // The point of an abbreviation, unless the pattern has it.
  if (element.byte != '.' && rest.starts_with('.')) rest.remove_prefix(1);
  return true;
}

// `afternoon` becomes 0 or 1 when the text says so.
bool read_element(std::string_view& rest, const DateElement& element, const MonthNames* months, WrittenDate& written,
                  int& afternoon) {
  switch (element.field) {
    case DateField::literal:
      if (rest.empty() || rest.front() != element.byte) return false;
      rest.remove_prefix(1);
      return true;
    case DateField::month_name:
    case DateField::month_long_name: return read_month_name(rest, element, months, written.month);
    case DateField::meridiem:
      afternoon = equal_ignoring_case(rest.substr(0, 2), "pm") ? 1 : 0;
      if (afternoon == 0 && !equal_ignoring_case(rest.substr(0, 2), "am")) return false;
      rest.remove_prefix(2);
      return true;
    case DateField::offset: return read_offset(rest, written);
    default: return read_numeric(rest, element, written);
  }
}

}  // namespace

Result<std::vector<DateElement>> parse_date_pattern(std::string_view pattern) {
  std::vector<DateElement> elements;
  for (std::size_t at = 0; at < pattern.size();) {
    if (pattern[at] == '\'') {
      const std::size_t close = pattern.find('\'', at + 1);
      if (close == std::string_view::npos) return invalid(pattern, "a quote is not closed");
      for (++at; at < close; ++at) elements.push_back({DateField::literal, 1, 1, pattern[at]});
      ++at;
      continue;
    }
    if (kTokenLetters.find(pattern[at]) == std::string_view::npos) {
      elements.push_back({DateField::literal, 1, 1, pattern[at++]});
      continue;
    }
    const std::size_t run_end = std::min(pattern.find_first_not_of(pattern[at], at), pattern.size());
    const std::string_view letters = pattern.substr(at, run_end - at);
    DateElement element;
    if (!find_token(letters, element)) return invalid(pattern, fmt::format("\"{}\" means nothing", letters));
    if (pattern.substr(run_end).starts_with('.')) element.byte = '.';
    elements.push_back(element);
    at = run_end;
  }
  LADE_TRY(check_parts(pattern, elements));
  return elements;
}

bool read_by_pattern(std::string_view& rest, const std::vector<DateElement>& pattern, const MonthNames* months,
                     WrittenDate& written) {
  int afternoon = -1;
  for (const DateElement& element : pattern)
    if (!read_element(rest, element, months, written, afternoon)) return false;
  if (afternoon >= 0) written.hour = written.hour % 12 + afternoon * 12;
  return true;
}

}  // namespace lade::analysis
