#include "analysis/formula_guard.h"

namespace lade::analysis {
namespace {

// The place of the character that would start a formula, behind apostrophes; npos when the text is harmless.
std::size_t formula_start(std::string_view text) {
  const auto first = text.find_first_not_of('\'');
  if (first == std::string_view::npos) return first;
  const char c = text[first];
  return c == '=' || c == '+' || c == '-' || c == '@' || c == '\t' || c == '\r' ? first : std::string_view::npos;
}

bool is_plain_number(std::string_view text) {
  return text.size() > 1 && (text.front() == '-' || text.front() == '+') &&
         text.find_first_not_of("0123456789.,", 1) == std::string_view::npos;
}

}  // namespace

std::string_view guard_formula(std::string_view text, std::string& scratch) {
  if (formula_start(text) == std::string_view::npos || is_plain_number(text)) return text;
  scratch.assign(1, '\'');
  scratch.append(text);
  return scratch;
}

std::string_view unguard_formula(std::string_view text) {
  const std::size_t start = formula_start(text);
  return start == 0 || start == std::string_view::npos ? text : text.substr(1);
}

}  // namespace lade::analysis
