#include "harvest/css.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>

#include "harvest/charset.h"

namespace lade::harvest {
namespace {

constexpr std::size_t kLongestSelector = 4096;
constexpr int kDeepestNot = 4;

bool is_name_letter(char letter) {
  const auto byte = static_cast<unsigned char>(letter);
  return std::isalnum(byte) != 0 || letter == '-' || letter == '_' || byte >= 128;
}

bool is_blank(char letter) {
  return letter == ' ' || letter == '\t' || letter == '\n' || letter == '\r' || letter == '\f';
}

// It stands in the XPath as it is.
bool is_element_name(std::string_view name) {
  return std::isalpha(static_cast<unsigned char>(name[0])) != 0 && std::ranges::all_of(name, [](char letter) {
           return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '-' || letter == '_';
         });
}

// Characters that an XPath may have in a literal.
bool is_text(std::string_view text) {
  const auto is_control = [](char letter) {
    return static_cast<unsigned char>(letter) < ' ' && letter != '\t' && letter != '\n' && letter != '\r';
  };
  return is_utf8(text) && std::ranges::none_of(text, is_control) &&
         text.find("\xEF\xBF\xBE") == std::string_view::npos &&  // U+FFFE and U+FFFF are no characters
         text.find("\xEF\xBF\xBF") == std::string_view::npos;
}

std::string small(std::string text) {
  for (char& letter : text) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return text;
}

// XPath has no escapes: a text with both quotes is put together.
std::string literal(const std::string& text) {
  if (text.find('\'') == std::string::npos) return "'" + text + "'";
  if (text.find('"') == std::string::npos) return '"' + text + '"';
  std::string parts = "concat(";
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t quote = std::min(text.find('\'', begin), text.size());
    parts += fmt::format("{}'{}'", begin == 0 ? "" : ", \"'\", ", text.substr(begin, quote - begin));
    begin = quote + 1;
  }
  return parts + ")";
}

std::string has_word(const std::string& attribute, const std::string& word) {
  return fmt::format("contains(concat(' ', normalize-space({}), ' '), {})", attribute, literal(" " + word + " "));
}

// position = a × n + b for some n ≥ 0.
std::string nth(long a, long b, std::string_view side) {
  const std::string position = fmt::format("(count({}::*) + 1)", side);
  if (a == 0) return fmt::format("{} = {}", position, b);
  if (a > 0) return fmt::format("({0} >= {1} and ({0} - {1}) mod {2} = 0)", position, b, a);
  return fmt::format("({0} <= {1} and ({1} - {0}) mod {2} = 0)", position, b, -a);
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<std::string> group() {
    std::string result;
    for (;;) {
      skip_blanks();
      LADE_ASSIGN(const std::string one, complex());
      result += (result.empty() ? "" : " | ") + one;
      if (is_done()) return result;
      ++at_;  // the comma
    }
  }

 private:
  struct Compound {
    std::string type = "*";
    std::string conditions = {};  // [..][..]
  };

  bool is_done() const { return at_ >= text_.size(); }
  char here() const { return is_done() ? '\0' : text_[at_]; }
  bool take(char letter) {
    if (here() != letter || is_done()) return false;
    ++at_;
    return true;
  }
  bool skip_blanks() {
    const std::size_t begin = at_;
    while (!is_done() && is_blank(here())) ++at_;
    return at_ != begin;
  }
  tl::unexpected<Error> fault(std::string_view what) const {
    const std::string found = is_done() ? "its end" : fmt::format("'{}'", text_.substr(at_, 1));
    return fail("selector_invalid", fmt::format("css '{}' at character {}, {}: {}", text_, at_ + 1, found, what),
                "see docs/harvest.md for what selectors may say", ErrorKind::invalid);
  }

  Result<std::string> complex() {
    LADE_ASSIGN(const Compound first, compound());
    std::string path = "/descendant::" + first.type + first.conditions;
    for (;;) {
      const bool has_blank = skip_blanks();
      if (is_done() || here() == ',') return path;
      const char sign = here();
      if (sign == '>' || sign == '+' || sign == '~') {
        ++at_;
        skip_blanks();
      } else if (!has_blank) {
        return fault("here a selector ends or a combinator stands");
      }
      LADE_ASSIGN(const Compound next, compound());
      if (sign == '>')
        path += "/" + next.type + next.conditions;
      else if (sign == '+')
        path += fmt::format("/following-sibling::*[1][self::{}]{}", next.type, next.conditions);
      else if (sign == '~')
        path += "/following-sibling::" + next.type + next.conditions;
      else
        path += "/descendant::" + next.type + next.conditions;
    }
  }

  Result<Compound> compound() {
    Compound result;
    const std::size_t begin = at_;
    if (!take('*') && is_name_letter(here())) {
      LADE_ASSIGN(std::string type, name());
      result.type = small(std::move(type));
      if (!is_element_name(result.type)) return fault("no HTML element has this name");
    }
    while (!is_done()) {
      LADE_ASSIGN(const auto condition, simple(0));
      if (!condition) break;
      result.conditions += "[" + *condition + "]";
    }
    if (at_ == begin) return fault("a selector is expected here");
    return result;
  }

  // One of .class #id [attribute] :pseudo as a condition; nothing when none begins here.
  Result<std::optional<std::string>> simple(int depth) {
    if (take('.')) {
      LADE_ASSIGN(const std::string word, name());
      return has_word("@class", word);
    }
    if (take('#')) {
      LADE_ASSIGN(const std::string id, name());
      return "@id = " + literal(id);
    }
    if (take('[')) return attribute();
    if (take(':')) return pseudo(depth);
    return std::nullopt;
  }

  Result<std::string> name() {
    std::string result;
    while (!is_done()) {
      if (is_name_letter(here())) {
        result += text_[at_++];
      } else if (take('\\')) {
        if (is_done()) return fault("a letter is expected after a backslash");
        result += text_[at_++];
      } else {
        break;
      }
    }
    if (result.empty()) return fault("a name is expected here");
    return result;
  }

  Result<std::optional<std::string>> attribute() {
    skip_blanks();
    LADE_ASSIGN(const std::string raw, name());
    const std::string named = "@*[name() = " + literal(small(raw)) + "]";
    skip_blanks();
    if (take(']')) return named;
    char sign = '=';
    if (std::string_view("~|^$*").find(here()) != std::string_view::npos) sign = text_[at_++];
    if (!take('=')) return fault("'=' or ']' is expected here");
    skip_blanks();
    LADE_ASSIGN(const std::string value, attribute_value());
    skip_blanks();
    if (!take(']')) return fault("']' is expected here");
    return compared(named, sign, value);
  }

  Result<std::string> attribute_value() {
    const char quote = here();
    if (quote != '"' && quote != '\'') return name();
    ++at_;
    std::string value;
    while (!is_done() && here() != quote) {
      if (take('\\') && is_done()) break;
      value += text_[at_++];
    }
    if (!take(quote)) return fault("the quote is not closed");
    return value;
  }

  static std::string compared(const std::string& named, char sign, const std::string& value) {
    const std::string text = literal(value);
    if (sign == '=') return fmt::format("{} = {}", named, text);
    if (value.empty()) return "false()";  // as CSS has it
    if (sign == '~') return value.find(' ') == std::string::npos ? has_word(named, value) : "false()";
    if (sign == '|') return fmt::format("({0} = {1} or starts-with({0}, {2}))", named, text, literal(value + "-"));
    if (sign == '^') return fmt::format("starts-with({}, {})", named, text);
    if (sign == '*') return fmt::format("contains({}, {})", named, text);
    return fmt::format("substring({0}, string-length({0}) - string-length({1}) + 1) = {1}", named, text);
  }

  Result<std::optional<std::string>> pseudo(int depth) {
    const std::size_t begin = at_;
    LADE_ASSIGN(const std::string raw, name());
    const std::string kind = small(raw);
    if (kind == "first-child") return "not(preceding-sibling::*)";
    if (kind == "last-child") return "not(following-sibling::*)";
    if (kind == "only-child") return "not(preceding-sibling::*) and not(following-sibling::*)";
    if (kind == "empty") return "not(*) and not(text())";
    const bool is_nth = kind == "nth-child", is_last = kind == "nth-last-child";
    if ((is_nth || is_last) && take('(')) return nth_child(is_nth ? "preceding-sibling" : "following-sibling");
    if (kind == "not" && take('(')) return negation(depth);
    at_ = begin;
    return fault(fmt::format("':{}' is not understood", kind));
  }

  Result<std::optional<std::string>> nth_child(std::string_view side) {
    const std::size_t begin = at_;
    const std::size_t end = text_.find(')', at_);
    if (end == std::string_view::npos) return fault("the parenthesis is not closed");
    std::string formula;
    for (const char letter : text_.substr(at_, end - at_))
      if (!is_blank(letter)) formula += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    at_ = end + 1;
    if (formula == "odd") return nth(2, 1, side);
    if (formula == "even") return nth(2, 0, side);
    const std::size_t n = formula.find('n');
    const auto a = n == std::string::npos ? 0 : number(formula.substr(0, n), true);
    const std::string rest = n == std::string::npos ? formula : formula.substr(n + 1);
    const auto b = n != std::string::npos && rest.empty() ? 0 : number(rest, false);
    if (a && b) return nth(*a, *b, side);
    at_ = begin;
    return fault("a number, 'odd', 'even' or a formula such as 2n+1 is expected here");
  }

  // At most six digits; alone, a sign stands for one.
  static std::optional<long> number(std::string text, bool may_lack_digits) {
    const bool is_negative = text.starts_with('-');
    if (is_negative || text.starts_with('+')) text.erase(0, 1);
    if (text.empty() && may_lack_digits) return is_negative ? -1 : 1;
    long value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    if (read.ec != std::errc() || read.ptr != text.data() + text.size() || text.size() > 6 || text[0] == '-')
      return std::nullopt;
    return is_negative ? -value : value;
  }

  Result<std::optional<std::string>> negation(int depth) {
    if (depth >= kDeepestNot) return fault("':not' is nested too deeply");
    std::string any;
    for (;;) {
      skip_blanks();
      std::string all;
      if (!take('*') && is_name_letter(here())) {
        LADE_ASSIGN(const std::string type, name());
        all = "name() = " + literal(small(type));
      } else if (here() != '.' && here() != '#' && here() != '[' && here() != ':') {
        if (at_ == 0 || text_[at_ - 1] != '*') return fault("a simple selector is expected here");
        all = "true()";
      }
      while (!is_done()) {
        LADE_ASSIGN(const auto condition, simple(depth + 1));
        if (!condition) break;
        all += (all.empty() ? "" : " and ") + ("(" + *condition + ")");
      }
      any += (any.empty() ? "(" : " or (") + all + ")";
      skip_blanks();
      if (take(')')) return "not(" + any + ")";
      if (!take(',')) return fault("')' is expected here");
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

Result<std::string> xpath_of_css(std::string_view selector) {
  if (selector.size() > kLongestSelector)
    return fail("selector_invalid",
                fmt::format("a selector of {} characters; at most {} are accepted", selector.size(), kLongestSelector),
                "", ErrorKind::invalid);
  if (!is_text(selector))
    return fail("selector_invalid", "a selector with control characters, or that is no UTF-8", "", ErrorKind::invalid);
  return Parser(selector).group();
}

}  // namespace lade::harvest
