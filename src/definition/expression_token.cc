#include "definition/expression_token.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace lade::definition {
namespace {

constexpr std::array<std::string_view, 7> kKeywords = {"and", "or", "not", "is", "blank", "true", "false"};
// Longer ones first.
constexpr std::array<std::string_view, 13> kSymbols = {"<=", ">=", "<>", "!=", "<", ">", "=",
                                                       "+",  "-",  "*",  "/",  "(", ")"};

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
// Letters beyond ASCII may stand in a name as they are.
bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}
bool is_name_part(char c) {
  return is_name_start(c) || is_digit(c);
}

std::string lowered(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return result;
}

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  Result<std::vector<Token>> scan() {
    std::vector<Token> tokens;
    while (skip_space(), at_ < text_.size()) {
      LADE_ASSIGN(Token token, next());
      tokens.push_back(std::move(token));
    }
    tokens.push_back({Token::Kind::end, {}, at_ + 1});
    return tokens;
  }

 private:
  void skip_space() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  }
  char peek(std::size_t ahead) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  Result<Token> next() {
    const char first = text_[at_];
    if (is_digit(first) || (first == '.' && is_digit(peek(1)))) return number();
    if (first == '\'' || first == '"') return enclosed(Token::Kind::text, first, "text");
    if (first == '[') return enclosed(Token::Kind::name, ']', "column name");
    if (first == '`') return enclosed(Token::Kind::name, first, "column name");
    if (is_name_start(first)) return word();
    return symbol();
  }

  Result<Token> number() {
    const std::size_t begin = at_;
    while (is_digit(peek(0))) ++at_;
    if (peek(0) == '.' && is_digit(peek(1))) {
      ++at_;
      while (is_digit(peek(0))) ++at_;
    }
    if (is_name_part(peek(0)) || peek(0) == '.') {
      while (is_name_part(peek(0)) || peek(0) == '.') ++at_;
      return refuse(begin, fmt::format("'{}' is not a number; write 12 or 12.5", text_.substr(begin, at_ - begin)));
    }
    return Token{Token::Kind::number, std::string(text_.substr(begin, at_ - begin)), begin + 1};
  }

  Result<Token> enclosed(Token::Kind kind, char closing, std::string_view what) {
    const std::size_t begin = at_++;
    std::string value;
    while (at_ < text_.size()) {
      const char character = text_[at_++];
      if (character == closing && peek(0) != closing) {
        if (kind == Token::Kind::name && value.empty()) return refuse(begin, "the column name is empty");
        return Token{kind, std::move(value), begin + 1};
      }
      if (character == closing) ++at_;
      value.push_back(character);
    }
    return refuse(begin, fmt::format("the {} is not closed; {} is missing", what, closing));
  }

  Result<Token> word() {
    const std::size_t begin = at_;
    while (is_name_part(peek(0))) ++at_;
    const std::string_view name = text_.substr(begin, at_ - begin);
    std::string folded = lowered(name);
    if (std::find(kKeywords.begin(), kKeywords.end(), folded) != kKeywords.end())
      return Token{Token::Kind::keyword, std::move(folded), begin + 1};
    return Token{Token::Kind::name, std::string(name), begin + 1};
  }

  Result<Token> symbol() {
    for (const std::string_view candidate : kSymbols) {
      if (!text_.substr(at_).starts_with(candidate)) continue;
      at_ += candidate.size();
      return Token{Token::Kind::symbol, std::string(candidate), at_ - candidate.size() + 1};
    }
    const std::string_view hint = text_[at_] == '&'   ? "; write 'and'"
                                  : text_[at_] == '|' ? "; write 'or'"
                                  : text_[at_] == '!' ? "; write 'not' or '!='"
                                                      : "";
    return refuse(at_, fmt::format("'{}' has no meaning here{}", text_[at_], hint));
  }

  static tl::unexpected<Error> refuse(std::size_t offset, const std::string& what) {
    return fail("expression_invalid", fmt::format("{} at position {}", what, offset + 1), {}, ErrorKind::invalid);
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

Result<std::vector<Token>> tokens_of(std::string_view text) {
  return Scanner(text).scan();
}

}  // namespace lade::definition
