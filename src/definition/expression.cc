#include "definition/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "definition/expression_token.h"

namespace lade::definition {
namespace {

constexpr int kMaxDepth = 64;
constexpr std::size_t kMaxBytes = 16'384;
// Every operator is a level of the tree when they stand in a row, and trees are walked recursively.
constexpr std::size_t kMaxOperators = 500;

// How tightly an operator binds its operands; a larger one binds tighter.
enum Binding { kOr = 1, kAnd, kNot, kComparison, kSum, kProduct, kMinus };

struct Infix {
  Operation operation;
  Binding binding;
};

std::optional<Infix> infix_of(const Token& token) {
  struct Entry {
    std::string_view text;
    Infix infix;
  };
  static constexpr Entry kOperators[] = {
      {"or", {Operation::logical_or, kOr}},
      {"and", {Operation::logical_and, kAnd}},
      {"=", {Operation::equal, kComparison}},
      {"!=", {Operation::not_equal, kComparison}},
      {"<>", {Operation::not_equal, kComparison}},
      {"<", {Operation::less, kComparison}},
      {"<=", {Operation::less_equal, kComparison}},
      {">", {Operation::greater, kComparison}},
      {">=", {Operation::greater_equal, kComparison}},
      {"+", {Operation::add, kSum}},
      {"-", {Operation::subtract, kSum}},
      {"*", {Operation::multiply, kProduct}},
      {"/", {Operation::divide, kProduct}},
  };
  if (token.kind != Token::Kind::symbol && token.kind != Token::Kind::keyword) return std::nullopt;
  for (const Entry& entry : kOperators)
    if (entry.text == token.text) return entry.infix;
  return std::nullopt;
}

// Pratt parser over the tokens: each operator says how tightly it binds, so one loop serves all levels.
class Parser {
 public:
  explicit Parser(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  Result<Expression> parse() {
    LADE_ASSIGN(Expression whole, expression(0));
    if (current().kind != Token::Kind::end) return unexpected("an operator or the end");
    return whole;
  }

 private:
  const Token& current() const { return tokens_[at_]; }
  bool at_symbol(std::string_view text) const {
    return current().kind == Token::Kind::symbol && current().text == text;
  }
  bool at_keyword(std::string_view text) const {
    return current().kind == Token::Kind::keyword && current().text == text;
  }

  tl::unexpected<Error> refuse(std::string what) const {
    return fail("expression_invalid", fmt::format("{} at position {}", what, current().position), {},
                ErrorKind::invalid);
  }
  tl::unexpected<Error> unexpected(std::string_view expected) const {
    const std::string found =
        current().kind == Token::Kind::end ? "the expression ends" : fmt::format("'{}' stands", current().text);
    return refuse(fmt::format("{} where {} is expected,", found, expected));
  }

  Result<Expression> expression(int weakest) {
    if (++depth_ > kMaxDepth) return refuse(fmt::format("nested deeper than {} levels", kMaxDepth));
    LADE_ASSIGN(Expression left, prefix());
    while (true) {
      if (at_keyword("is") && kComparison >= weakest) {
        LADE_TRY(blank_test(left));
        continue;
      }
      const auto infix = infix_of(current());
      if (!infix || infix->binding < weakest) break;
      LADE_TRY(binary(left, *infix));
    }
    --depth_;
    return left;
  }

  // left OP right; comparisons do not chain, because a < b < c never means what it says.
  Result<void> binary(Expression& left, Infix infix) {
    if (++operators_ > kMaxOperators) return refuse(fmt::format("more than {} operators", kMaxOperators));
    ++at_;
    LADE_ASSIGN(Expression right, expression(infix.binding + 1));
    Expression both{infix.operation, {}, {}};
    both.operands.push_back(std::move(left));
    both.operands.push_back(std::move(right));
    left = std::move(both);
    const auto next = infix_of(current());
    if (infix.binding == kComparison && next && next->binding == kComparison)
      return refuse("comparisons cannot be chained, join them with 'and':");
    return {};
  }

  // is [not] blank
  Result<void> blank_test(Expression& left) {
    ++at_;
    const bool negated = at_keyword("not");
    if (negated) ++at_;
    if (!at_keyword("blank")) return unexpected("'blank' or 'not blank'");
    if (left.operation != Operation::column) return refuse("only a column can be tested with 'is blank':");
    ++at_;
    Expression test{negated ? Operation::is_not_blank : Operation::is_blank, {}, {}};
    test.operands.push_back(std::move(left));
    left = std::move(test);
    return {};
  }

  Result<Expression> prefix() {
    if (at_keyword("not")) return unary(Operation::logical_not, kNot);
    if (at_symbol("-")) return unary(Operation::negate, kMinus);
    if (at_symbol("(")) return parenthesised();
    return operand();
  }

  Result<Expression> unary(Operation operation, Binding binding) {
    ++at_;
    LADE_ASSIGN(Expression inner, expression(binding));
    Expression result{operation, {}, {}};
    result.operands.push_back(std::move(inner));
    return result;
  }

  Result<Expression> parenthesised() {
    ++at_;
    LADE_ASSIGN(Expression inner, expression(0));
    if (!at_symbol(")")) return unexpected("')'");
    ++at_;
    return inner;
  }

  Result<Expression> operand() {
    const Token& token = current();
    Operation operation = Operation::number;
    switch (token.kind) {
      case Token::Kind::number: break;
      case Token::Kind::text: operation = Operation::text; break;
      case Token::Kind::name: operation = Operation::column; break;
      case Token::Kind::keyword:
        if (token.text != "true" && token.text != "false") return unexpected("a column, a number or a text");
        operation = Operation::boolean_literal;
        break;
      default: return unexpected("a column, a number or a text");
    }
    ++at_;
    return Expression{operation, token.text, {}};
  }

  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  std::size_t operators_ = 0;
  int depth_ = 0;
};

void collect_columns(const Expression& expression, std::vector<std::string>& names) {
  if (expression.operation == Operation::column &&
      std::find(names.begin(), names.end(), expression.text) == names.end())
    names.push_back(expression.text);
  for (const Expression& operand : expression.operands) collect_columns(operand, names);
}

}  // namespace

Result<Expression> parse_expression(std::string_view text) {
  if (text.size() > kMaxBytes)
    return fail("expression_invalid", fmt::format("longer than {} bytes", kMaxBytes), {}, ErrorKind::invalid);
  LADE_ASSIGN(std::vector<Token> tokens, tokens_of(text));
  return Parser(std::move(tokens)).parse();
}

std::vector<std::string> columns_of(const Expression& expression) {
  std::vector<std::string> names;
  collect_columns(expression, names);
  return names;
}

}  // namespace lade::definition
