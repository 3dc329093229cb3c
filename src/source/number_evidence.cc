#include "source/number_evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace lade::source {
namespace {

// The ways of writing numbers that can be told apart by looking; of locales that write alike one stands for all.
struct Writing {
  std::string_view locale;
  char decimal_sign;
  std::array<std::string_view, 4> group_signs;
  int middle_group;  // digits of the groups between the first and the last
};
constexpr std::array<Writing, 6> kWritings = {{
    {"", '.', {}, 3},
    {"en-US", '.', {","}, 3},
    {"de-CH", '.', {"'", "\u2019"}, 3},
    {"en-IN", '.', {","}, 2},
    {"de-DE", ',', {"."}, 3},
    {"fr-FR", ',', {" ", "\u00A0", "\u2009", "\u202F"}, 3},
}};
constexpr std::size_t kPlain = 0;
constexpr unsigned kPointStyles = 0b001111;
constexpr unsigned kCommaStyles = 0b110000;

// More digits are no amount but an identifier, and no integer of 64 bits.
constexpr int kMostIntegerDigits = 18;
constexpr int kMostDigits = 38;
// What a drafted decimal has at least, so that next month's file fits too.
constexpr int kUsualPrecision = 14;

constexpr std::array<std::string_view, 6> kSigns = {"$", "\u20AC", "\u00A3", "\u00A5", "\u20B9", "\u20BD"};
constexpr std::array<std::string_view, 16> kCodes = {"EUR", "USD", "GBP", "CHF", "JPY", "CNY", "INR", "SEK",
                                                     "NOK", "DKK", "PLN", "CZK", "HUF", "CAD", "AUD", "BRL"};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

int take_run(std::string_view& rest) {
  std::size_t count = 0;
  while (count < rest.size() && is_digit(rest[count])) ++count;
  rest.remove_prefix(count);
  return static_cast<int>(count);
}

// The group sign that stands next, which must be the same for all groups of a number.
std::string_view group_sign(std::string_view rest, const Writing& writing) {
  for (const std::string_view sign : writing.group_signs)
    if (!sign.empty() && rest.starts_with(sign)) return sign;
  return {};
}

// Groups after the first run of digits: all at their places, the last of three digits.
bool take_groups(std::string_view& rest, const Writing& writing, int first, WrittenNumber& written) {
  const std::string_view sign = group_sign(rest, writing);
  if (sign.empty()) return true;
  if (first < 1 || first > writing.middle_group || written.leading_zero) return false;
  while (rest.starts_with(sign)) {
    rest.remove_prefix(sign.size());
    const int digits = take_run(rest);
    const bool last = !rest.starts_with(sign);
    if (digits != (last ? 3 : writing.middle_group)) return false;
    written.integer_digits += digits;
  }
  written.grouped = true;
  return true;
}

// 1.5E3, 1E-7. Without decimals or a sign of the exponent (12E4) it is rather a code.
bool take_exponent(std::string_view& rest, WrittenNumber& written) {
  if (rest.empty() || (rest.front() != 'e' && rest.front() != 'E')) return true;
  rest.remove_prefix(1);
  const bool negative = rest.starts_with('-');
  const bool has_sign = negative || rest.starts_with('+');
  if (has_sign) rest.remove_prefix(1);
  if (!has_sign && written.whole) return false;
  int exponent = 0, digits = 0;
  for (; !rest.empty() && is_digit(rest.front()) && digits < 3; rest.remove_prefix(1), ++digits)
    exponent = exponent * 10 + (rest.front() - '0');
  if (digits == 0) return false;
  written.exponent = true;
  if (negative) exponent = -exponent;
  written.whole = false;
  written.decimals = std::max(0, written.decimals - exponent);
  written.integer_digits = std::max(1, written.integer_digits + exponent);
  return true;
}

std::optional<WrittenNumber> read_number(std::string_view rest, const Writing& writing) {
  if (!rest.empty() && (rest.front() == '-' || rest.front() == '+')) rest.remove_prefix(1);
  WrittenNumber written;
  const std::string_view digits = rest;
  const int first = take_run(rest);
  written.integer_digits = first;
  written.leading_zero = first > 0 && digits.front() == '0';
  if (!take_groups(rest, writing, first, written)) return std::nullopt;
  if (!rest.empty() && rest.front() == writing.decimal_sign) {
    rest.remove_prefix(1);
    written.decimals = take_run(rest);
    written.whole = false;
  }
  if (written.integer_digits + written.decimals == 0) return std::nullopt;
  if (writing.locale.empty() && !take_exponent(rest, written)) return std::nullopt;
  written.leading_zero = written.leading_zero && first > 1;
  if (!rest.empty() || written.integer_digits + written.decimals > kMostDigits) return std::nullopt;
  return written;
}

void trim_spaces(std::string_view& text) {
  for (const std::string_view space : {" ", "\u00A0", "\u202F"}) {
    while (text.starts_with(space)) text.remove_prefix(space.size());
    while (text.ends_with(space)) text.remove_suffix(space.size());
  }
}

bool cut(std::string_view& text, std::string_view sign) {
  if (text.starts_with(sign)) {
    text.remove_prefix(sign.size());
  } else if (text.ends_with(sign)) {
    text.remove_suffix(sign.size());
  } else {
    return false;
  }
  trim_spaces(text);
  return true;
}

bool cut_currency(std::string_view& text) {
  // -$5 and $-5 are both written.
  const bool sign_first = text.size() > 1 && text.front() == '-' && !is_digit(text[1]);
  std::string_view rest = text.substr(sign_first ? 1 : 0);
  const auto is_cut = [&](std::string_view sign) { return cut(rest, sign); };
  if (!std::any_of(kSigns.begin(), kSigns.end(), is_cut) && !std::any_of(kCodes.begin(), kCodes.end(), is_cut))
    return false;
  text = rest;
  return true;
}

// Neither a percent nor a currency sign stands at its ends.
bool is_bare(std::string_view cell) {
  const char first = cell.front();
  return is_digit(cell.back()) && (is_digit(first) || (first == '-' && cell.size() > 1 && is_digit(cell[1])));
}

std::string place(std::string_view cell, std::int64_t line) {
  return fmt::format("{} in line {}", cell, line);
}

}  // namespace

void WrittenNumber::add(const WrittenNumber& other) {
  integer_digits = std::max(integer_digits, other.integer_digits);
  decimals = std::max(decimals, other.decimals);
  whole = whole && other.whole;
  grouped = grouped || other.grouped;
}

bool NumberEvidence::take_digits(std::string_view cell, std::int64_t line) {
  if (!std::all_of(cell.begin(), cell.end(), is_digit)) return false;
  if (cell.size() > 1 && cell.front() == '0') {
    leading_zeros_ = place(cell, line);
    alive_ = 0;
  } else if (cell.size() > kMostIntegerDigits) {
    alive_ = 0;
  }
  most_digits_ = std::max(most_digits_, static_cast<int>(std::min<std::size_t>(cell.size(), kMostDigits)));
  return true;
}

void NumberEvidence::take(std::string_view cell, std::int64_t line) {
  if (alive_ == 0) return;
  ++cells_;
  if (take_digits(cell, line)) return;
  std::string_view number = cell;
  if (!is_bare(cell)) {
    if (cut(number, "%")) {
      ++percent_;
    } else if (cut_currency(number)) {
      ++currency_;
    }
  }
  take_number(number, cell, line);
}

void NumberEvidence::take_typed(std::string_view cell, std::int64_t line) {
  if (alive_ == 0) return;
  const auto plain = read_number(cell, kWritings[kPlain]);
  if (!plain || plain->leading_zero || plain->integer_digits > kMostIntegerDigits) return take(cell, line);
  ++cells_;
  for (WrittenNumber& style : styles_) style.add(*plain);
}

void NumberEvidence::take_number(std::string_view number, std::string_view cell, std::int64_t line) {
  const unsigned before = alive_;
  const auto plain = read_number(number, kWritings[kPlain]);
  bool marked = false;
  for (std::size_t at = 0; at < kStyles; ++at) {
    if ((alive_ & 1U << at) == 0) continue;
    // Groups are optional: a plain number is the same in all styles with a decimal point, but for exponents.
    const bool same = plain && !plain->exponent && (kPointStyles & 1U << at) != 0;
    const auto written = same ? plain : read_number(number, kWritings[at]);
    if (written && written->leading_zero && written->whole) {
      leading_zeros_ = place(cell, line);
      alive_ = 0;
      return;
    }
    if (!written || written->leading_zero || (written->whole && written->integer_digits > kMostIntegerDigits)) {
      alive_ &= ~(1U << at);
      continue;
    }
    styles_[at].add(*written);
    marked = marked || !written->whole || written->grouped;
  }
  if (marked && first_mark_.empty()) first_mark_ = place(cell, line);
  if ((before & kCommaStyles) != 0 && (alive_ & kCommaStyles) == 0) ends_comma_ = place(cell, line);
  if ((before & kPointStyles) != 0 && (alive_ & kPointStyles) == 0) ends_point_ = place(cell, line);
}

TypeReading NumberEvidence::reading(std::size_t at, const std::string& evidence) const {
  WrittenNumber style = styles_[at];
  style.integer_digits = std::max(style.integer_digits, most_digits_);
  TypeReading reading;
  reading.locale = kWritings[at].locale;
  if (percent_ > 0) reading.format = "percent";
  if (currency_ > 0) reading.format = "currency";
  int scale = style.decimals;
  if (percent_ > 0) scale += 2;  // 12.5 % is 0.125
  if (currency_ > 0) scale = std::max(scale, 2);
  const int precision = std::clamp(style.integer_digits + scale, kUsualPrecision, kMostDigits);
  reading.type = style.whole && reading.format.empty() ? "integer" : fmt::format("decimal({},{})", precision, scale);
  reading.evidence = evidence;
  return reading;
}

std::vector<TypeReading> NumberEvidence::readings() const {
  std::vector<TypeReading> found;
  if (cells_ == 0 || (percent_ > 0 && (percent_ < cells_ || currency_ > 0))) return found;
  const auto first_of = [&](unsigned styles) -> std::optional<std::size_t> {
    for (std::size_t at = 0; at < kStyles; ++at)
      if ((alive_ & styles & 1U << at) != 0) return at;
    return std::nullopt;
  };
  const auto point = first_of(kPointStyles), comma = first_of(kCommaStyles);
  if (point)
    found.push_back(reading(
        *point, !ends_comma_.empty() ? ends_comma_ + ": a decimal point" : (first_mark_.empty() ? "" : first_mark_)));
  // Without any sign the two mean the same.
  if (comma && (!point || !first_mark_.empty()))
    found.push_back(reading(*comma, !ends_point_.empty() ? ends_point_ + ": a decimal comma" : first_mark_));
  return found;
}

std::string NumberEvidence::note() const {
  if (!leading_zeros_.empty()) return leading_zeros_ + ": leading zeros are part of it, a code and not a number";
  if (alive_ != 0 && percent_ > 0 && percent_ < cells_) return "some numbers have a percent sign, others have none";
  if (!is_ambiguous()) return {};
  const std::vector<TypeReading> found = readings();
  const auto named = [](const TypeReading& reading) {
    return reading.locale.empty() ? "a decimal point (no locale)" : "locale: " + reading.locale;
  };
  return fmt::format("{} can be thousands or decimals, and no cell tells: decide between {} and {}", first_mark_,
                     named(found[0]), named(found[1]));
}

}  // namespace lade::source
