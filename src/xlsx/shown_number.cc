#include "xlsx/shown_number.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace lade::xlsx {
namespace {

constexpr int kGeneralWidth = 11;
constexpr std::size_t kScientificDecimals = 5;

std::string without_trailing_zeros(std::string text) {
  if (text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

// d.ddddE+ee
std::string scientific(double value) {
  const std::string text = fmt::format("{:.{}E}", value, kScientificDecimals);
  const std::size_t exponent = text.find('E');
  return without_trailing_zeros(text.substr(0, exponent)) + text.substr(exponent);
}

}  // namespace

ShownDigits shown_digits(double value, std::size_t decimals) {
  // A percent may have made it too large for a number.
  if (!std::isfinite(value)) return {"", std::string(decimals, '0')};
  // d.dddddddddddddde±xx: 15 digits
  const std::string text = fmt::format("{:.14e}", value);
  std::string digits = text.substr(0, 1) + text.substr(2, 14);
  int exponent = 0;
  const char* const begin = text.data() + text.find('e') + 1;
  std::from_chars(*begin == '+' ? begin + 1 : begin, text.data() + text.size(), exponent);
  // The digits that are kept, counted from the first one; a leading zero takes the carry.
  const long kept = exponent + 1 + static_cast<long>(decimals);
  digits.insert(0, 1, '0');
  if (kept < 0) {
    digits.assign(1, '0');
  } else if (kept + 1 < static_cast<long>(digits.size())) {
    const bool up = digits[static_cast<std::size_t>(kept) + 1] >= '5';
    digits.resize(static_cast<std::size_t>(kept) + 1);
    for (std::size_t at = digits.size(); up && at-- > 0;) {
      if (digits[at]++ != '9') break;
      digits[at] = '0';
    }
  }
  // As one whole number of units of the last decimal.
  const long length = std::max(kept, 0L) + 1;
  digits.resize(static_cast<std::size_t>(length), '0');
  if (digits.size() < decimals) digits.insert(0, decimals - digits.size(), '0');
  ShownDigits shown{digits.substr(0, digits.size() - decimals), digits.substr(digits.size() - decimals)};
  shown.whole.erase(0, std::min(shown.whole.find_first_not_of('0'), shown.whole.size()));
  return shown;
}

std::string shown_general(double value) {
  if (value == 0) return "0";
  const double size = std::fabs(value);
  const std::string sign = value < 0 ? "-" : "";
  if (size >= 1e11) return sign + scientific(size);
  if (size < 1e-4) {  // plainly where no digit is lost by it
    const std::string plain = without_trailing_zeros(fmt::format("{:.9f}", size));
    return sign + (fmt::format("{:.14e}", std::stod(plain)) == fmt::format("{:.14e}", size) ? plain : scientific(size));
  }
  const int whole_digits = size < 1 ? 1 : static_cast<int>(std::floor(std::log10(size))) + 1;
  const std::size_t decimals = static_cast<std::size_t>(std::max(kGeneralWidth - 1 - whole_digits, 0));
  const ShownDigits shown = shown_digits(size, decimals);
  if (shown.whole.size() > static_cast<std::size_t>(kGeneralWidth)) return sign + scientific(size);
  return sign + without_trailing_zeros((shown.whole.empty() ? "0" : shown.whole) + "." + shown.decimals);
}

}  // namespace lade::xlsx
