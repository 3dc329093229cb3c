#include "analysis/cast_number.h"

#include <fmt/format.h>

#include <limits>

namespace lade::analysis {
namespace {

constexpr int kMostDigits = 38;                            // of a decimal: 10^38 still fits Int128
constexpr int kFastDigits = 18;                            // any 18 digits fit std::int64_t
constexpr int kPercentDigits = 2;                          // 1 % is 10^-2
constexpr int kGroupDigits = 3;                            // of the last group, in every style
constexpr std::int64_t kHugeExponent = 1'000'000'000'000;  // beyond any text that fits memory

constexpr std::array<std::uint64_t, kFastDigits + 1> kPowers = [] {
  std::array<std::uint64_t, kFastDigits + 1> powers{1};
  for (std::size_t at = 1; at < powers.size(); ++at) powers[at] = powers[at - 1] * 10;
  return powers;
}();

// 0–9, or more when `c` is no digit.
unsigned digit_of(char c) {
  return static_cast<unsigned>(static_cast<unsigned char>(c)) - '0';
}

// Reads digits from `at` up to the first other byte; the caller knows that they fit.
std::uint64_t read_digits(const char*& at, const char* end, std::uint64_t number) {
  for (; at != end; ++at) {
    const unsigned digit = digit_of(*at);
    if (digit > 9) break;
    number = number * 10 + digit;
  }
  return number;
}

bool read_sign(const char*& at, const char* end) {
  if (at == end || (*at != '-' && *at != '+')) return false;
  return *at++ == '-';
}

// Reads one number of any length and style, front to back.
class NumberReader {
 public:
  NumberReader(std::string_view text, const NumberStyle* style, WrittenNumber& number)
      : rest_(text), style_(style), number_(number) {}

  bool read() {
    number_.negative = take('-') || take_minus_sign();
    if (!number_.negative) take('+');
    if (!read_whole_part() || !read_fraction() || !read_exponent()) return false;
    number_.exponent += pending_zeros_;
    return rest_.empty();
  }

 private:
  bool take(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }

  // U+2212, which several locales write.
  bool take_minus_sign() {
    constexpr std::string_view kMinusSign = "\u2212";
    if (style_ == nullptr || !rest_.starts_with(kMinusSign)) return false;
    rest_.remove_prefix(kMinusSign.size());
    return true;
  }

  // Zeros are held back until another digit follows, so that they may be as many as they like.
  void add(unsigned digit) {
    if (digit == 0) {
      if (number_.digits > 0) ++pending_zeros_;
      return;
    }
    number_.digits += pending_zeros_ + 1;
    if (number_.digits <= kMostDigits) {
      for (; pending_zeros_ > 0; --pending_zeros_) number_.mantissa *= 10;
      number_.mantissa = number_.mantissa * 10 + digit;
    }
    pending_zeros_ = 0;
  }

  std::int64_t read_run() {
    std::int64_t count = 0;
    for (; !rest_.empty() && digit_of(rest_.front()) <= 9; ++count) {
      add(digit_of(rest_.front()));
      rest_.remove_prefix(1);
    }
    return count;
  }

  bool take_group_sign() {
    if (style_ == nullptr) return false;
    for (const std::string_view sign : style_->group_signs) {
      if (sign.empty() || !rest_.starts_with(sign)) continue;
      if (!group_sign_.empty() && group_sign_ != sign) return false;
      group_sign_ = sign;
      rest_.remove_prefix(sign.size());
      return true;
    }
    return false;
  }

  bool read_whole_part() {
    const bool starts_with_zero = !rest_.empty() && rest_.front() == '0';
    std::int64_t count = read_run();
    has_digits_ = count > 0;
    if (!has_digits_ || !take_group_sign()) return true;
    if (starts_with_zero || count > style_->middle_group) return false;
    while (true) {
      count = read_run();
      if (!take_group_sign()) return count == kGroupDigits;
      if (count != style_->middle_group) return false;
    }
  }

  bool read_fraction() {
    if (!take(style_ == nullptr ? '.' : style_->decimal_sign)) return has_digits_;
    number_.whole = false;
    const std::int64_t count = read_run();
    number_.exponent -= count;
    return has_digits_ || count > 0;
  }

  bool read_exponent() {
    if (style_ != nullptr || (!take('e') && !take('E'))) return true;
    number_.whole = false;
    const bool negative = take('-');
    if (!negative) take('+');
    if (rest_.empty()) return false;
    std::int64_t exponent = 0;
    for (; !rest_.empty() && digit_of(rest_.front()) <= 9; rest_.remove_prefix(1))
      if (exponent < kHugeExponent) exponent = exponent * 10 + digit_of(rest_.front());
    number_.exponent += negative ? -exponent : exponent;
    return true;
  }

  std::string_view rest_;
  const NumberStyle* style_;
  WrittenNumber& number_;
  std::string_view group_sign_;
  std::int64_t pending_zeros_ = 0;
  bool has_digits_ = false;
};

}  // namespace

bool read_number(std::string_view text, const NumberStyle* style, WrittenNumber& number) {
  return NumberReader(text, style, number).read();
}

Result<NumberFormat> NumberFormat::for_locale(std::string_view locale, std::span<const std::string> formats) {
  NumberFormat format;
  LADE_ASSIGN(format.signs_, NumberSigns::parse(formats));
  if (locale.empty()) return format;
  format.style_ = number_style(locale);
  if (format.style_ == nullptr)
    return fail(
        "locale_unknown", fmt::format("locale \"{}\" is not known", locale),
        "a language and region such as de-DE, en-US, fr-FR, de-CH or en-IN; none for plain numbers such as 1234.56",
        ErrorKind::invalid);
  format.decimal_sign_ = format.style_->decimal_sign;
  return format;
}

CastFault NumberFormat::integer(std::string_view text, std::int64_t& value) const {
  const char* at = text.data();
  const char* const end = at + text.size();
  const bool negative = read_sign(at, end);
  const std::ptrdiff_t length = end - at;
  if (length == 0 || length > kFastDigits) return long_integer(text, value);
  const auto number = static_cast<std::int64_t>(read_digits(at, end, 0));
  if (at != end) return long_integer(text, value);
  value = negative ? -number : number;
  return {};
}

CastFault NumberFormat::read(std::string_view text, WrittenNumber& number) const {
  BareNumber bare{.digits = text};
  if (signs_.any() && !take_signs(text, signs_, bare)) return {"not_a_number"};
  if (!read_number(bare.digits, style_, number)) return {"not_a_number"};
  if (!signs_.any()) return {};
  const bool any_currency = signs_.code.front() == '\0' || bare.currency.empty();
  if (!any_currency && !means_currency(bare.currency, {signs_.code.data(), signs_.code.size()}))
    return {"wrong_currency"};
  number.negative = bare.negative;
  if (bare.percent) number.exponent -= kPercentDigits;
  return {};
}

CastFault NumberFormat::long_integer(std::string_view text, std::int64_t& value) const {
  WrittenNumber number;
  const CastFault fault = read(text, number);
  if (fault && fault.code == std::string_view("wrong_currency")) return fault;
  if (fault || !number.whole) return {"not_an_integer"};
  if (number.digits == 0) {
    value = 0;
    return {};
  }
  if (number.digits + number.exponent > kFastDigits + 1) return {"out_of_range"};
  for (; number.exponent > 0; --number.exponent) number.mantissa *= 10;
  constexpr auto kMost = static_cast<UInt128>(std::numeric_limits<std::int64_t>::max());
  if (number.mantissa > kMost + (number.negative ? 1 : 0)) return {"out_of_range"};
  const auto magnitude = static_cast<std::uint64_t>(number.mantissa);
  value = static_cast<std::int64_t>(number.negative ? 0 - magnitude : magnitude);
  return {};
}

CastFault NumberFormat::decimal(std::string_view text, int precision, int scale, Int128& value) const {
  const char* at = text.data();
  const char* const end = at + text.size();
  const bool negative = read_sign(at, end);
  if (end - at > kFastDigits + 1) return long_decimal(text, precision, scale, value);
  const char* const first = at;
  std::uint64_t number = read_digits(at, end, 0);
  std::ptrdiff_t digits = at - first;
  std::ptrdiff_t missing = scale;  // decimals to fill up with zeros
  if (at != end && *at == decimal_sign_) {
    const char* const fraction = ++at;
    number = read_digits(at, end, number);
    digits += at - fraction;
    missing -= at - fraction;
  }
  if (at != end || digits == 0 || missing < 0 || digits + missing > kFastDigits)
    return long_decimal(text, precision, scale, value);
  number *= kPowers[static_cast<std::size_t>(missing)];
  if (precision <= kFastDigits && number >= kPowers[static_cast<std::size_t>(precision)]) return {"out_of_range"};
  const auto magnitude = static_cast<std::int64_t>(number);
  value = negative ? -magnitude : magnitude;
  return {};
}

CastFault NumberFormat::long_decimal(std::string_view text, int precision, int scale, Int128& value) const {
  WrittenNumber number;
  if (const CastFault fault = read(text, number)) return fault;
  if (number.digits == 0) {
    value = 0;
    return {};
  }
  const std::int64_t missing = number.exponent + scale;
  if (missing < 0) return {"too_many_decimals"};
  if (number.digits + missing > precision) return {"out_of_range"};
  for (std::int64_t at = 0; at < missing; ++at) number.mantissa *= 10;
  const auto magnitude = static_cast<Int128>(number.mantissa);
  value = number.negative ? -magnitude : magnitude;
  return {};
}

std::string NumberFormat::accepted() const {
  return fmt::format("a number such as {}", style_ == nullptr ? "1234.56" : style_->example);
}

}  // namespace lade::analysis
