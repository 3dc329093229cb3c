#include "definition/expression.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lade::definition {
namespace {

std::string_view symbol(Operation operation) {
  switch (operation) {
    case Operation::add: return "+";
    case Operation::subtract: return "-";
    case Operation::multiply: return "*";
    case Operation::divide: return "/";
    case Operation::negate: return "neg";
    case Operation::equal: return "=";
    case Operation::not_equal: return "!=";
    case Operation::less: return "<";
    case Operation::less_equal: return "<=";
    case Operation::greater: return ">";
    case Operation::greater_equal: return ">=";
    case Operation::logical_and: return "and";
    case Operation::logical_or: return "or";
    case Operation::logical_not: return "not";
    case Operation::is_blank: return "blank";
    case Operation::is_not_blank: return "filled";
    default: return "";
  }
}

// The tree as (operator operand …), leaves marked by what they are.
std::string tree(const Expression& expression) {
  switch (expression.operation) {
    case Operation::column: return expression.text;
    case Operation::number: return "#" + expression.text;
    case Operation::text: return "'" + expression.text + "'";
    case Operation::boolean_literal: return "?" + expression.text;
    default: break;
  }
  std::string result = "(" + std::string(symbol(expression.operation));
  for (const Expression& operand : expression.operands) result += " " + tree(operand);
  return result + ")";
}

std::string parsed(std::string_view text) {
  const auto result = parse_expression(text);
  return result ? tree(*result) : result.error().code + ": " + result.error().message;
}

TEST(Expression, Precedence) {
  EXPECT_EQ(parsed("a or b and c"), "(or a (and b c))");
  EXPECT_EQ(parsed("not a and b"), "(and (not a) b)");
  EXPECT_EQ(parsed("not a = 1"), "(not (= a #1))");
  EXPECT_EQ(parsed("a + 2 * b >= 3 - c"), "(>= (+ a (* #2 b)) (- #3 c))");
  EXPECT_EQ(parsed("-a * b"), "(* (neg a) b)");
  EXPECT_EQ(parsed("a - b - c"), "(- (- a b) c)");
  EXPECT_EQ(parsed("a / b / c"), "(/ (/ a b) c)");
  EXPECT_EQ(parsed("(a or b) and c"), "(and (or a b) c)");
  EXPECT_EQ(parsed("quantity >= 0 or quantity is blank"), "(or (>= quantity #0) (blank quantity))");
  EXPECT_EQ(parsed("a is not blank and not b is blank"), "(and (filled a) (not (blank b)))");
}

TEST(Expression, EveryComparison) {
  EXPECT_EQ(parsed("a = 1"), "(= a #1)");
  EXPECT_EQ(parsed("a != 1"), "(!= a #1)");
  EXPECT_EQ(parsed("a <> 1"), "(!= a #1)");
  EXPECT_EQ(parsed("a<1"), "(< a #1)");
  EXPECT_EQ(parsed("a<=1"), "(<= a #1)");
  EXPECT_EQ(parsed("a>1"), "(> a #1)");
  EXPECT_EQ(parsed("a>=-1"), "(>= a (neg #1))");
}

TEST(Expression, Literals) {
  EXPECT_EQ(parsed("12.50 = .5"), "(= #12.50 #.5)");
  EXPECT_EQ(parsed("a = 'it''s'"), "(= a 'it's')");
  EXPECT_EQ(parsed(R"(a = "say ""yes""")"), "(= a 'say \"yes\"')");
  EXPECT_EQ(parsed("a = ''"), "(= a '')");
  EXPECT_EQ(parsed("a = true or b = FALSE"), "(or (= a ?true) (= b ?false))");
}

TEST(Expression, ColumnNames) {
  EXPECT_EQ(parsed("[Unit Price] > `net weight`"), "(> Unit Price net weight)");
  EXPECT_EQ(parsed("[a]]b] = 1"), "(= a]b #1)");
  EXPECT_EQ(parsed("größe > 1"), "(> größe #1)");
  EXPECT_EQ(parsed("[and] = 1"), "(= and #1)");
  EXPECT_EQ(parsed("A IS NOT BLANK AND B IS BLANK"), "(and (filled A) (blank B))");
}

TEST(Expression, ColumnsInOrderOfFirstMention) {
  const auto expression = parse_expression("b > a and [c d] = b or a is blank");
  ASSERT_TRUE(expression);
  EXPECT_THAT(columns_of(*expression), ::testing::ElementsAre("b", "a", "c d"));
}

TEST(Expression, RefusalsNameThePosition) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"", "the expression ends where a column, a number or a text is expected, at position 1"},
      {"a >", "the expression ends where a column, a number or a text is expected, at position 4"},
      {"a b", "'b' stands where an operator or the end is expected, at position 3"},
      {"(a = 1", "the expression ends where ')' is expected, at position 7"},
      {"a = 1)", "')' stands where an operator or the end is expected, at position 6"},
      {"a is empty", "'empty' stands where 'blank' or 'not blank' is expected, at position 6"},
      {"a + 1 is blank", "only a column can be tested"},
      {"a < b < c", "comparisons cannot be chained, join them with 'and': at position 7"},
      {"a = 'x", "the text is not closed; ' is missing at position 5"},
      {"[a = 1", "the column name is not closed; ] is missing at position 1"},
      {"[] = 1", "the column name is empty at position 1"},
      {"a = 1.2.3", "'1.2.3' is not a number; write 12 or 12.5 at position 5"},
      {"a = 12abc", "'12abc' is not a number"},
      {"a && b", "'&' has no meaning here; write 'and' at position 3"},
      {"a || b", "'|' has no meaning here; write 'or' at position 3"},
      {"!a", "'!' has no meaning here; write 'not' or '!=' at position 1"},
      {"a ; b", "';' has no meaning here at position 3"},
      {"blank = 1", "'blank' stands where a column, a number or a text is expected"},
  };
  for (const auto& [text, message] : cases) {
    SCOPED_TRACE(text);
    const auto result = parse_expression(text);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, "expression_invalid");
    EXPECT_EQ(result.error().kind, ErrorKind::invalid);
    EXPECT_THAT(result.error().message, ::testing::HasSubstr(message));
  }
}

TEST(Expression, RefusesWhatWouldExhaustTheStack) {
  EXPECT_THAT(parsed(std::string(10000, '(')), ::testing::HasSubstr("nested deeper than 64 levels"));
  std::string minuses(5000, '-');
  EXPECT_THAT(parsed(minuses + "1"), ::testing::HasSubstr("nested deeper than 64 levels"));
  std::string sum = "1";
  for (int i = 0; i < 3000; ++i) sum += "+1";
  EXPECT_THAT(parsed(sum), ::testing::HasSubstr("more than 500 operators"));
  EXPECT_THAT(parsed(std::string(20000, ' ')), ::testing::HasSubstr("longer than 16384 bytes"));
}

}  // namespace
}  // namespace lade::definition
