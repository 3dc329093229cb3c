#include <fmt/format.h>

#include "analysis/cast.h"

namespace lade::analysis {
namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (std::size_t at = 0; at < a.size(); ++at)
    if (lower(a[at]) != lower(b[at])) return false;
  return true;
}

constexpr std::string_view kYes[] = {"1", "true", "yes", "y", "t", "on"};
constexpr std::string_view kNo[] = {"0", "false", "no", "n", "f", "off"};

bool is_one_of(std::string_view text, const std::string_view (&words)[6]) {
  for (const std::string_view word : words)
    if (equal_ignoring_case(text, word)) return true;
  return false;
}

}  // namespace

Result<BooleanFormat> BooleanFormat::parse(std::string_view format) {
  BooleanFormat result;
  if (format.empty()) return result;
  const std::size_t slash = format.find('/');
  result.yes_ = format.substr(0, slash);
  if (slash != std::string_view::npos) result.no_ = format.substr(slash + 1);
  const bool two_words = !result.yes_.empty() && !result.no_.empty() && result.no_.find('/') == std::string::npos;
  if (!two_words || equal_ignoring_case(result.yes_, result.no_))
    return fail("format_invalid", fmt::format("boolean format \"{}\" is not two different words", format),
                "the words for true and false with a slash between them, e.g. ja/nein", ErrorKind::invalid);
  return result;
}

CastFault BooleanFormat::boolean(std::string_view text, bool& value) const {
  const bool plain = yes_.empty();
  if (plain ? is_one_of(text, kYes) : equal_ignoring_case(text, yes_)) {
    value = true;
    return {};
  }
  if (plain ? is_one_of(text, kNo) : equal_ignoring_case(text, no_)) {
    value = false;
    return {};
  }
  return {"not_a_boolean"};
}

std::string BooleanFormat::accepted() const {
  return yes_.empty() ? "true/false, yes/no, y/n, 1/0, t/f or on/off" : fmt::format("{} or {}", yes_, no_);
}

}  // namespace lade::analysis
