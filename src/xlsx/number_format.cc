#include "xlsx/number_format.h"

#include <algorithm>
#include <charconv>

namespace lade::xlsx {
namespace {

using Type = FormatToken::Type;
constexpr std::size_t kMostSections = 4;

char lower(char character) {
  return character >= 'A' && character <= 'Z' ? static_cast<char>(character - 'A' + 'a') : character;
}

std::size_t character_bytes(std::string_view text) {
  std::size_t bytes = 1;
  while (bytes < text.size() && (static_cast<unsigned char>(text[bytes]) & 0xC0) == 0x80) ++bytes;
  return bytes;
}

bool starts_with_ignoring_case(std::string_view text, std::string_view word) {
  return text.size() >= word.size() &&
         std::equal(word.begin(), word.end(), text.begin(), [](char a, char b) { return lower(a) == lower(b); });
}

bool is_moment(Type type) {
  return type >= Type::year;
}

class FormatParser {
 public:
  explicit FormatParser(std::string_view code) : rest_(code) {}

  std::vector<FormatSection> parse() {
    sections_.emplace_back();
    while (!rest_.empty()) step();
    for (FormatSection& section : sections_) finish(section);
    return std::move(sections_);
  }

 private:
  std::vector<FormatToken>& tokens() { return sections_.back().tokens; }

  void add(Type type, std::string_view text, std::size_t bytes) {
    // Literals join, so that a long one costs one token.
    if (type == Type::literal && !tokens().empty() && tokens().back().type == Type::literal) {
      tokens().back().text += text;
    } else {
      tokens().push_back({type, std::string(text)});
    }
    rest_.remove_prefix(bytes);
  }

  void step() {
    const char first = rest_.front();
    if (first == ';') return next_section();
    if (first == '"') return quoted();
    if (first == '\\' || first == '_' || first == '*') return escaped(first);
    if (first == '[') return bracketed();
    if (word()) return;
    if (letters(lower(first))) return;
    sign(first);
  }

  void next_section() {
    rest_.remove_prefix(1);
    if (sections_.size() < kMostSections) {
      sections_.emplace_back();
    } else {
      rest_ = {};
    }
  }

  void quoted() {
    const std::size_t end = std::min(rest_.find('"', 1), rest_.size());
    add(Type::literal, rest_.substr(1, end - 1), std::min(end + 1, rest_.size()));
  }

  // \x is x, _x a space as wide as x, *x fills the cell with x, which a text cannot show.
  void escaped(char how) {
    if (rest_.size() == 1) return add(Type::literal, how == '\\' ? "\\" : "", 1);
    const std::size_t bytes = character_bytes(rest_.substr(1));
    const std::string_view shown = how == '\\' ? rest_.substr(1, bytes) : how == '_' ? " " : "";
    add(Type::literal, shown, 1 + bytes);
  }

  void bracketed() {
    const std::size_t end = rest_.find(']');
    if (end == std::string_view::npos) return add(Type::literal, "", rest_.size());
    const std::string_view inner = rest_.substr(1, end - 1);
    const char first = inner.empty() ? ']' : lower(inner.front());
    const bool same = std::all_of(inner.begin(), inner.end(), [&](char c) { return lower(c) == first; });
    if (same && (first == 'h' || first == 'm' || first == 's')) {
      return add(Type::elapsed, std::string(inner.size(), first), end + 1);
    }
    if (first == '$') {  // [$€-407]: a currency and a language
      return add(Type::literal, inner.substr(1, std::min(inner.find('-'), inner.size()) - 1), end + 1);
    }
    if (first == '<' || first == '>' || first == '=') condition(inner);
    rest_.remove_prefix(end + 1);
  }

  void condition(std::string_view text) {
    using Comparison = FormatSection::Comparison;
    static constexpr std::pair<std::string_view, Comparison> kSigns[] = {
        {"<=", Comparison::less_equal}, {">=", Comparison::greater_equal}, {"<>", Comparison::not_equal},
        {"<", Comparison::less},        {">", Comparison::greater},        {"=", Comparison::equal}};
    for (const auto& [sign, comparison] : kSigns) {
      if (!text.starts_with(sign)) continue;
      double operand = 0;
      const auto [end, error] = std::from_chars(text.data() + sign.size(), text.data() + text.size(), operand);
      if (error != std::errc()) return;
      sections_.back().comparison = comparison;
      sections_.back().operand = operand;
      return;
    }
  }

  bool word() {
    static constexpr std::string_view kHalves[] = {"am/pm", "a/p", "上午/下午", "午前/午後"};
    for (const std::string_view half : kHalves) {
      if (!starts_with_ignoring_case(rest_, half)) continue;
      add(Type::half, half == "a/p" ? rest_.substr(0, 3) : half, half.size());
      return true;
    }
    if (!starts_with_ignoring_case(rest_, "general")) return false;
    add(Type::general, "", 7);
    return true;
  }

  // Letters that mean a part of a date or time, as many as follow each other.
  bool letters(char letter) {
    Type type = Type::literal;
    switch (letter) {
      case 'y':
      case 'b':
      case 'e': type = Type::year; break;
      case 'm': type = Type::month; break;
      case 'd': type = Type::day; break;
      case 'h': type = Type::hour; break;
      case 's': type = Type::second; break;
      case 'g': break;  // the name of an era: not shown
      default: return false;
    }
    if (letter == 'e' && rest_.size() > 1 && (rest_[1] == '+' || rest_[1] == '-')) {
      add(Type::exponent, rest_.substr(0, 2), 2);
      return true;
    }
    std::size_t count = 1;
    while (count < rest_.size() && lower(rest_[count]) == letter) ++count;
    add(type, letter == 'g' ? "" : std::string(count, letter), count);
    return true;
  }

  void sign(char first) {
    switch (first) {
      case '0':
      case '#':
      case '?': return add(Type::digit, rest_.substr(0, 1), 1);
      case '.': return subseconds() ? void() : add(Type::point, ".", 1);
      case ',': return add(Type::comma, ",", 1);
      case '%': return add(Type::percent, "%", 1);
      case '/': return add(Type::slash, "/", 1);
      case '@': return add(Type::text, "@", 1);
      default: return add(Type::literal, rest_.substr(0, character_bytes(rest_)), character_bytes(rest_));
    }
  }

  bool subseconds() {
    if (tokens().empty()) return false;
    const FormatToken& before = tokens().back();
    if (before.type != Type::second && before.type != Type::elapsed) return false;
    std::size_t zeros = 0;
    while (1 + zeros < rest_.size() && rest_[1 + zeros] == '0') ++zeros;
    if (zeros == 0) return false;
    add(Type::subsecond, std::string(zeros, '0'), 1 + zeros);
    return true;
  }

  // Settles what depends on the neighbours: m is a minute behind an hour or before a second; signs of numbers are
  // literals in dates.
  static void finish(FormatSection& section) {
    auto& all = section.tokens;
    const auto has = [&](auto test) { return std::any_of(all.begin(), all.end(), test); };
    const bool digits = has([](const FormatToken& token) { return token.type == Type::digit; });
    section.moment = !digits && has([](const FormatToken& token) { return is_moment(token.type); });
    if (!section.moment) {
      for (FormatToken& token : all) {
        if (is_moment(token.type)) token.type = Type::literal;
      }
      return;
    }
    Type before = Type::literal;
    for (std::size_t index = 0; index < all.size(); ++index) {
      FormatToken& token = all[index];
      if (!is_moment(token.type)) {
        if (token.type != Type::general) token.type = Type::literal;
        continue;
      }
      if (token.type == Type::month && token.text.size() <= 2) {
        const auto next = std::find_if(all.begin() + static_cast<std::ptrdiff_t>(index) + 1, all.end(),
                                       [](const FormatToken& other) { return is_moment(other.type); });
        const bool before_second = next != all.end() && (next->type == Type::second || next->text.starts_with('s'));
        if (before == Type::hour || before == Type::elapsed || before_second) token.type = Type::minute;
      }
      if (token.type != Type::half && token.type != Type::subsecond) before = token.type;
    }
  }

  std::string_view rest_;
  std::vector<FormatSection> sections_;
};

FormatKind kind_of(const FormatSection& section) {
  const auto has = [&](auto... types) {
    return std::any_of(section.tokens.begin(), section.tokens.end(),
                       [&](const FormatToken& token) { return ((token.type == types) || ...); });
  };
  if (section.moment) {
    if (has(Type::elapsed)) return FormatKind::elapsed;
    const bool date = has(Type::year, Type::month, Type::day);
    const bool time = has(Type::hour, Type::minute, Type::second, Type::half);
    return date && time ? FormatKind::timestamp : date ? FormatKind::date : FormatKind::time;
  }
  std::size_t zeros = 0;
  for (const FormatToken& token : section.tokens) {
    if (token.type == Type::literal) continue;
    if (token.type != Type::digit || token.text != "0") return FormatKind::number;
    ++zeros;
  }
  return zeros >= 2 ? FormatKind::zeros : FormatKind::number;
}

}  // namespace

NumberFormat NumberFormat::parse(std::string_view code) {
  NumberFormat format;
  format.sections_ = FormatParser(code.size() > kLongestCode ? "General" : code).parse();
  format.kind_ = kind_of(format.sections_.front());
  return format;
}

ZeroPattern NumberFormat::zero_pattern() const {
  ZeroPattern result;
  for (const FormatToken& token : sections_.front().tokens) {
    const bool place = token.type == Type::digit;
    for (const char literal : token.text)
      if (!place && literal != '\0') result.pattern += literal;  // no text has that character, but a code may
    if (place) result.pattern += '\0';
    result.places += place;
  }
  result.negatives = sections_.size() == 1;
  return result;
}

std::string ZeroPattern::padded(std::string_view digits, bool negative) const {
  std::string all(digits.size() < places ? places - digits.size() : 0, '0');
  all += digits;
  std::string result(negative ? "-" : "");
  std::size_t at = 0;
  for (const char character : pattern) {
    if (character != '\0') {
      result += character;
      continue;
    }
    // More digits than places stand at the first place.
    const std::size_t count = at == 0 ? all.size() - places + 1 : 1;
    result.append(all, at, count);
    at += count;
  }
  return result;
}

std::string_view built_in_format(std::uint32_t id) {
  static constexpr std::pair<std::uint32_t, std::string_view> kCodes[] = {
      {0, "General"},
      {1, "0"},
      {2, "0.00"},
      {3, "#,##0"},
      {4, "#,##0.00"},
      {5, "\"$\"#,##0_);\\(\"$\"#,##0\\)"},
      {6, "\"$\"#,##0_);[Red]\\(\"$\"#,##0\\)"},
      {7, "\"$\"#,##0.00_);\\(\"$\"#,##0.00\\)"},
      {8, "\"$\"#,##0.00_);[Red]\\(\"$\"#,##0.00\\)"},
      {9, "0%"},
      {10, "0.00%"},
      {11, "0.00E+00"},
      {12, "# ?/?"},
      {13, "# ?\?/??"},
      {14, "m/d/yyyy"},
      {15, "d-mmm-yy"},
      {16, "d-mmm"},
      {17, "mmm-yy"},
      {18, "h:mm AM/PM"},
      {19, "h:mm:ss AM/PM"},
      {20, "h:mm"},
      {21, "h:mm:ss"},
      {22, "m/d/yyyy h:mm"},
      {27, "yyyy/m/d"},
      {28, "yyyy/m/d"},
      {29, "yyyy/m/d"},
      {30, "m/d/yy"},
      {31, "yyyy/m/d"},
      {32, "h:mm"},
      {33, "h:mm:ss"},
      {34, "h:mm"},
      {35, "h:mm:ss"},
      {36, "yyyy/m/d"},
      {37, "#,##0_);\\(#,##0\\)"},
      {38, "#,##0_);[Red]\\(#,##0\\)"},
      {39, "#,##0.00_);\\(#,##0.00\\)"},
      {40, "#,##0.00_);[Red]\\(#,##0.00\\)"},
      {41, "_(* #,##0_);_(* \\(#,##0\\);_(* \"-\"_);_(@_)"},
      {42, "_(\"$\"* #,##0_);_(\"$\"* \\(#,##0\\);_(\"$\"* \"-\"_);_(@_)"},
      {43, "_(* #,##0.00_);_(* \\(#,##0.00\\);_(* \"-\"??_);_(@_)"},
      {44, "_(\"$\"* #,##0.00_);_(\"$\"* \\(#,##0.00\\);_(\"$\"* \"-\"??_);_(@_)"},
      {45, "mm:ss"},
      {46, "[h]:mm:ss"},
      {47, "mm:ss.0"},
      {48, "##0.0E+0"},
      {49, "@"},
      {50, "yyyy/m/d"},
      {51, "m/d"},
      {52, "yyyy/m"},
      {53, "m/d"},
      {54, "m/d"},
      {55, "yyyy/m"},
      {56, "m/d"},
      {57, "yyyy/m"},
      {58, "m/d"},
      {59, "0"},
      {60, "0.00"},
      {61, "#,##0"},
      {62, "#,##0.00"},
      {67, "0%"},
      {68, "0.00%"},
      {69, "# ?/?"},
      {70, "# ?\?/??"},
      {71, "d/m/yyyy"},
      {72, "d-mmm-yy"},
      {73, "d-mmm"},
      {74, "mmm-yy"},
      {75, "h:mm"},
      {76, "h:mm:ss"},
      {77, "d/m/yyyy h:mm"},
      {78, "mm:ss"},
      {79, "[h]:mm:ss"},
      {80, "mm:ss.0"},
      {81, "d/m/yy"},
  };
  const auto found = std::lower_bound(std::begin(kCodes), std::end(kCodes), id,
                                      [](const auto& entry, std::uint32_t wanted) { return entry.first < wanted; });
  return found != std::end(kCodes) && found->first == id ? found->second : "General";
}

}  // namespace lade::xlsx
