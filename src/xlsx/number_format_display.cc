// What a spreadsheet program shows for a number.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "xlsx/number_format.h"
#include "xlsx/shown_moment.h"
#include "xlsx/shown_number.h"

namespace lade::xlsx {
namespace {

using Type = FormatToken::Type;
using Tokens = std::vector<FormatToken>;

bool holds(const FormatSection& section, Type type) {
  return std::any_of(section.tokens.begin(), section.tokens.end(),
                     [&](const auto& token) { return token.type == type; });
}

bool meets(const FormatSection& section, double value) {
  using Comparison = FormatSection::Comparison;
  switch (section.comparison) {
    case Comparison::none: return false;
    case Comparison::less: return value < section.operand;
    case Comparison::less_equal: return value <= section.operand;
    case Comparison::equal: return value == section.operand;
    case Comparison::not_equal: return value != section.operand;
    case Comparison::greater_equal: return value >= section.operand;
    case Comparison::greater: return value > section.operand;
  }
  return false;
}

// The section for a number; those for text are left out of the count.
std::size_t section_for(const std::vector<FormatSection>& sections, double value) {
  std::size_t count = std::min<std::size_t>(sections.size(), 3);
  if (sections.size() > 1 && sections.size() < 4 && holds(sections.back(), Type::text)) count = sections.size() - 1;
  const bool first = sections[0].comparison != FormatSection::Comparison::none;
  const bool second = count > 1 && sections[1].comparison != FormatSection::Comparison::none;
  if (first || second) {
    if (first && meets(sections[0], value)) return 0;
    if (second && meets(sections[1], value)) return 1;
    return std::min<std::size_t>(first && second ? 2 : 1, count - 1);
  }
  if (value < 0) return count > 1 ? 1 : 0;
  return value == 0 && count > 2 ? 2 : 0;
}

// A stretch of a format's tokens that holds places for digits.
struct Places {
  std::size_t begin = 0;
  std::size_t end = 0;
};

char blank_of(const std::string& place) {
  return place == "0" ? '0' : place == "?" ? ' ' : '\0';
}

// Digits before the point, from the right; what is left over stands at the first place.
std::string show_whole(const Tokens& tokens, Places places, const std::string& digits, bool groups) {
  std::string reversed;
  std::size_t shown = 0;
  std::size_t left = digits.size();
  std::size_t first = places.begin;
  while (first < places.end && tokens[first].type != Type::digit) ++first;
  const auto put = [&](char character) {
    if (groups && shown > 0 && shown % 3 == 0) reversed += character == ' ' ? ' ' : ',';
    reversed += character;
    ++shown;
  };
  for (std::size_t at = places.end; at-- > places.begin;) {
    const FormatToken& token = tokens[at];
    if (token.type == Type::comma) continue;
    if (token.type != Type::digit) {
      reversed.append(token.text.rbegin(), token.text.rend());
      continue;
    }
    do {
      if (left > 0) {
        put(digits[--left]);
      } else if (const char blank = blank_of(token.text); blank != '\0') {
        put(blank);
      }
    } while (at == first && left > 0);
  }
  return {reversed.rbegin(), reversed.rend()};
}

std::string show_decimals(const Tokens& tokens, Places places, const std::string& digits) {
  const std::size_t last = digits.find_last_not_of('0');
  const std::size_t needed = last == std::string::npos ? 0 : last + 1;
  std::string text;
  std::size_t next = 0;
  for (std::size_t at = places.begin; at < places.end; ++at) {
    const FormatToken& token = tokens[at];
    if (token.type == Type::comma) continue;
    if (token.type != Type::digit) {
      text += token.text;
      continue;
    }
    const std::size_t index = next++;
    if (index < needed || token.text == "0") {
      text += digits[index];
    } else if (token.text == "?") {
      text += ' ';
    }
  }
  return text;
}

class NumberView {
 public:
  NumberView(const Tokens& tokens, double value) : tokens_(tokens), value_(value) {}

  // `value` is not negative.
  std::string show() {
    measure();
    if (slash_ < tokens_.size()) return show_fraction();
    if (exponent_ < tokens_.size()) return show_exponent();
    const Places after{std::min(point_ + 1, tokens_.size()), tokens_.size()};
    const ShownDigits digits = shown_digits(value_, count(after));
    const bool no_places = count({0, tokens_.size()}) == 0;
    return show_whole(tokens_, {0, point_}, no_places ? "" : digits.whole, groups_) + point() +
           show_decimals(tokens_, after, digits.decimals);
  }

 private:
  std::size_t find(Type type) const {
    const auto found =
        std::find_if(tokens_.begin(), tokens_.end(), [&](const auto& token) { return token.type == type; });
    return static_cast<std::size_t>(found - tokens_.begin());
  }

  std::size_t count(Places places) const {
    return static_cast<std::size_t>(std::count_if(tokens_.begin() + static_cast<std::ptrdiff_t>(places.begin),
                                                  tokens_.begin() + static_cast<std::ptrdiff_t>(places.end),
                                                  [](const FormatToken& token) { return token.type == Type::digit; }));
  }

  std::string point() const { return point_ < tokens_.size() ? "." : ""; }

  // Where the parts are, and what commas and percents do to the value.
  void measure() {
    point_ = find(Type::point);
    exponent_ = find(Type::exponent);
    slash_ = count({0, tokens_.size()}) > 0 ? find(Type::slash) : tokens_.size();
    std::size_t last_place = tokens_.size();
    for (std::size_t at = 0; at < std::min({point_, exponent_, tokens_.size()}); ++at) {
      if (tokens_[at].type == Type::digit) last_place = at;
    }
    for (std::size_t at = 0; at < tokens_.size(); ++at) {
      if (tokens_[at].type == Type::percent) value_ *= 100;
      if (tokens_[at].type != Type::comma || last_place == tokens_.size()) continue;
      if (at < last_place) groups_ = true;
      if (at > last_place && at < exponent_) value_ /= 1000;
    }
    if (!std::isfinite(value_)) value_ = 0;  // percents of the largest numbers
  }

  // 0.00E+00; several places before the point make the exponent a multiple of their number.
  std::string show_exponent() {
    const std::size_t mantissa_end = std::min(point_, exponent_);
    const auto step = static_cast<int>(std::max<std::size_t>(count({0, mantissa_end}), 1));
    const Places after{std::min(point_ + 1, exponent_), exponent_};
    int exponent = value_ == 0 ? 0 : static_cast<int>(std::floor(std::log10(value_)));
    const auto lowest = [&](int of) { return of - ((of % step) + step) % step; };
    exponent = lowest(exponent);
    // In two steps: the power of a very small number's exponent would be none.
    const auto mantissa = [&] {
      return value_ / std::pow(10.0, exponent / 2) / std::pow(10.0, exponent - exponent / 2);
    };
    ShownDigits digits = shown_digits(mantissa(), count(after));
    if (digits.whole.size() > static_cast<std::size_t>(step)) {  // rounded up to one digit more
      exponent += step;
      digits = shown_digits(mantissa(), count(after));
    }
    const std::string& letters = tokens_[exponent_].text;
    std::string text = show_whole(tokens_, {0, mantissa_end}, digits.whole, false) + (point_ < exponent_ ? "." : "") +
                       show_decimals(tokens_, after, digits.decimals) + letters.substr(0, 1);
    text += exponent < 0 ? "-" : letters[1] == '+' ? "+" : "";
    const std::string shown = exponent == 0 ? "" : std::to_string(std::abs(exponent));
    return text + show_whole(tokens_, {exponent_ + 1, tokens_.size()}, shown, false);
  }

  std::string show_fraction();

  const Tokens& tokens_;
  double value_;
  std::size_t point_ = 0;
  std::size_t exponent_ = 0;
  std::size_t slash_ = 0;
  bool groups_ = false;
};

struct Fraction {
  std::int64_t whole = 0;
  std::int64_t numerator = 0;
  std::int64_t denominator = 1;
};

// The fraction nearest to `value` with a denominator of at most `most`, by continued fractions.
Fraction nearest_fraction(double value, std::int64_t most) {
  std::int64_t numerator_before = 0, numerator = 1, denominator_before = 1, denominator = 0;
  double rest = value;
  for (int step = 0; step < 40; ++step) {
    const double term = std::floor(rest);
    if (term > 1e12) break;
    const auto whole = static_cast<std::int64_t>(term);
    const std::int64_t next_denominator = whole * denominator + denominator_before;
    if (next_denominator > most) break;
    const std::int64_t next_numerator = whole * numerator + numerator_before;
    numerator_before = std::exchange(numerator, next_numerator);
    denominator_before = std::exchange(denominator, next_denominator);
    if (rest - term < 5e-10) break;
    rest = 1 / (rest - term);
  }
  return {0, numerator, std::max<std::int64_t>(denominator, 1)};
}

std::int64_t power_of_ten(std::size_t exponent) {
  std::int64_t result = 1;
  for (std::size_t at = 0; at < std::min<std::size_t>(exponent, 9); ++at) result *= 10;
  return result;
}

// # ?/?, # ??/16 …: numerators stand right, denominators left.
std::string NumberView::show_fraction() {
  // The numerator's places are those just before the slash.
  std::size_t numerator_begin = slash_;
  while (numerator_begin > 0 && tokens_[numerator_begin - 1].type == Type::digit) --numerator_begin;
  const bool mixed = count({0, numerator_begin}) > 0;
  std::size_t denominator_end = slash_ + 1;
  std::string fixed;
  const auto number_like = [](const FormatToken& token) {
    return token.type == Type::digit ||
           (token.type == Type::literal &&
            std::all_of(token.text.begin(), token.text.end(), [](char c) { return c >= '0' && c <= '9'; }));
  };
  for (; denominator_end < tokens_.size() && number_like(tokens_[denominator_end]); ++denominator_end) {
    fixed += tokens_[denominator_end].text;
  }
  const std::size_t width = std::max<std::size_t>(denominator_end - slash_ - 1, 1);
  const bool is_fixed = fixed.find_first_of("123456789") != std::string::npos &&
                        fixed.find_first_of("#?") == std::string::npos && fixed.size() < 10;
  Fraction fraction;
  const double whole = mixed ? std::floor(value_) : 0;
  if (is_fixed) {
    fraction.denominator = std::stoll(fixed);
    fraction.numerator = std::llround((value_ - whole) * static_cast<double>(fraction.denominator));
  } else {
    fraction = nearest_fraction(value_ - whole, power_of_ten(width) - 1);
  }
  fraction.whole = static_cast<std::int64_t>(std::min(whole, 9e15));
  if (mixed && fraction.numerator == fraction.denominator) {
    ++fraction.whole;
    fraction.numerator = 0;
  }
  const std::size_t numerator_width = std::max<std::size_t>(slash_ - numerator_begin, 1);
  std::string text =
      show_whole(tokens_, {0, numerator_begin}, fraction.whole == 0 ? "" : std::to_string(fraction.whole), groups_);
  if (mixed && fraction.whole == 0 && fraction.numerator == 0 && text.find('0') == std::string::npos) text = "0" + text;
  if (mixed && fraction.numerator == 0) {
    text.append(numerator_width + 1 + (is_fixed ? fixed.size() : width), ' ');
  } else {
    text += fmt::format("{:>{}}/", fraction.numerator, numerator_width);
    text += is_fixed ? fixed : fmt::format("{:<{}}", fraction.denominator, width);
  }
  for (std::size_t at = denominator_end; at < tokens_.size(); ++at) text += tokens_[at].text;
  return text;
}

std::string show_section(const FormatSection& section, double value) {
  if (!holds(section, Type::general) && !holds(section, Type::text)) return NumberView(section.tokens, value).show();
  std::string text;
  for (const FormatToken& token : section.tokens) {
    const bool number = token.type == Type::general || token.type == Type::text;
    text += number ? shown_general(value) : token.text;
  }
  return text;
}

}  // namespace

std::string NumberFormat::display(double value, bool dates_from_1904) const {
  if (!std::isfinite(value)) return "";
  const std::size_t index = section_for(sections_, value);
  const FormatSection& section = sections_[index];
  if (section.moment) return shown_moment(section, value, dates_from_1904);
  // A section of its own says itself how a negative number looks.
  const bool signed_here = value < 0 && (index == 0 || section.comparison != FormatSection::Comparison::none);
  return (signed_here ? "-" : "") + show_section(section, std::fabs(value));
}

std::string NumberFormat::display(std::string_view text) const {
  const FormatSection* section = nullptr;
  if (sections_.size() == 4 || holds(sections_.back(), Type::text)) section = &sections_.back();
  if (section == nullptr) return std::string(text);
  std::string shown;
  for (const FormatToken& token : section->tokens) {
    shown += token.type == Type::text || token.type == Type::general ? text : std::string_view(token.text);
  }
  return shown;
}

}  // namespace lade::xlsx
