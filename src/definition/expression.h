#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace lade::definition {

enum class Operation {
  column,
  number,
  text,
  boolean_literal,
  add,
  subtract,
  multiply,
  divide,
  negate,
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  logical_and,
  logical_or,
  logical_not,
  is_blank,
  is_not_blank,
};

// An expression tree: columns, literals, + - * /, = != <> < <= > >=, and, or, not, `is blank`, `is not blank`.
struct Expression {
  Operation operation = Operation::number;
  std::string text;  // column name, number as written, string, "true"/"false"
  std::vector<Expression> operands;

  bool operator==(const Expression&) const = default;
};

// Precedence, weakest first: or, and, not, comparison and `is blank`, + -, * /, unary minus. Texts stand in 'single' or
// "double" quotes, doubled inside; columns are names, or any text in [brackets] or `backticks`. Keywords in any case.
// Refuses with code expression_invalid, the position (1-based) and what was expected there.
Result<Expression> parse_expression(std::string_view text);
// The columns it reads, in order of first mention, each once.
std::vector<std::string> columns_of(const Expression& expression);

}  // namespace lade::definition
