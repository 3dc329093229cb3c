#include "analysis/cast_date.h"

namespace lade::analysis {
namespace {

constexpr int kMostDayDigits = 7;
constexpr int kMostFractionDigits = 17;
constexpr std::int64_t kMillisecondsPerDay = 86'400'000;
constexpr int kLeapDayOf1900 = 60;            // that spreadsheets count, though it never was
constexpr std::int32_t kLastDay = 2'932'896;  // 9999-12-31

// Digits at the front of `rest`, at most `most`; -1 when there are none or more.
std::int64_t take_number(std::string_view& rest, int most, int& count) {
  std::int64_t number = 0;
  for (count = 0; !rest.empty() && rest.front() >= '0' && rest.front() <= '9'; ++count) {
    if (count == most) return -1;
    number = number * 10 + (rest.front() - '0');
    rest.remove_prefix(1);
  }
  return count == 0 ? -1 : number;
}

}  // namespace

bool read_excel_serial(std::string_view text, bool from_1904, WrittenDate& written) {
  int digits = 0;
  const std::int64_t serial = take_number(text, kMostDayDigits, digits);
  if (serial < 0) return false;
  std::int64_t milliseconds = 0;
  if (text.starts_with('.') || text.starts_with(',')) {
    text.remove_prefix(1);
    const std::int64_t fraction = take_number(text, kMostFractionDigits, digits);
    if (fraction < 0) return false;
    Int128 unit = 1;
    for (int i = 0; i < digits; ++i) unit *= 10;
    milliseconds = static_cast<std::int64_t>((Int128{fraction} * kMillisecondsPerDay * 2 + unit) / (unit * 2));
  }
  if (!text.empty() || (!from_1904 && (serial == 0 || serial == kLeapDayOf1900))) return false;
  const std::int32_t first =
      from_1904 ? days_from_civil(1904, 1, 1) : days_from_civil(1899, 12, serial < kLeapDayOf1900 ? 31 : 30);
  const std::int64_t days = first + serial + milliseconds / kMillisecondsPerDay;
  if (days > kLastDay) return false;
  milliseconds %= kMillisecondsPerDay;
  written = civil_from_days(static_cast<std::int32_t>(days));
  written.hour = static_cast<int>(milliseconds / 3'600'000);
  written.minute = static_cast<int>(milliseconds / 60'000 % 60);
  written.second = static_cast<int>(milliseconds / 1000 % 60);
  written.microsecond = static_cast<int>(milliseconds % 1000 * 1000);
  return true;
}

}  // namespace lade::analysis
