#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace lade::definition {

// One word of an expression.
struct Token {
  enum class Kind { number, text, name, keyword, symbol, end };

  Kind kind = Kind::end;
  std::string text;          // keywords in lower case; texts and bracketed names without their quotes
  std::size_t position = 1;  // of its first byte, 1-based
};

// The words of an expression, an `end` last. Refuses with expression_invalid.
Result<std::vector<Token>> tokens_of(std::string_view text);

}  // namespace lade::definition
