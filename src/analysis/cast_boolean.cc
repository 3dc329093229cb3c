#include <fmt/format.h>

#include <algorithm>

#include "analysis/cast.h"
#include "analysis/fold_case.h"

namespace lade::analysis {
namespace {

constexpr std::string_view kYes[] = {"1", "true", "yes", "y", "t", "on"};
constexpr std::string_view kNo[] = {"0", "false", "no", "n", "f", "off"};

template <class Words>
bool is_one_of(std::string_view text, const Words& words) {
  return std::any_of(std::begin(words), std::end(words), [&](const auto& word) { return folds_to(text, word); });
}

std::string_view trimmed(std::string_view word) {
  while (word.starts_with(' ')) word.remove_prefix(1);
  while (word.ends_with(' ')) word.remove_suffix(1);
  return word;
}

// The words between commas, without their case; none when one is empty.
std::vector<std::string> words_of(std::string_view side) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin <= side.size();) {
    const std::size_t end = std::min(side.find(',', begin), side.size());
    words.push_back(folded_case(trimmed(side.substr(begin, end - begin))));
    if (words.back().empty()) return {};
    begin = end + 1;
  }
  return words;
}

}  // namespace

Result<BooleanFormat> BooleanFormat::parse(std::string_view format) {
  BooleanFormat result;
  if (format.empty()) return result;
  const std::size_t slash = format.find('/');
  const bool two_sides = slash != std::string_view::npos && format.find('/', slash + 1) == std::string_view::npos;
  if (two_sides) {
    result.yes_ = words_of(format.substr(0, slash));
    result.no_ = words_of(format.substr(slash + 1));
  }
  const bool shared = std::any_of(result.yes_.begin(), result.yes_.end(), [&](const std::string& word) {
    return std::find(result.no_.begin(), result.no_.end(), word) != result.no_.end();
  });
  if (result.yes_.empty() || result.no_.empty() || shared)
    return fail("format_invalid", fmt::format("boolean format \"{}\" is not two different words", format),
                "the words for true and false with a slash between them, e.g. ja/nein or ja,j,x/nein,n,-",
                ErrorKind::invalid);
  return result;
}

CastFault BooleanFormat::boolean(std::string_view text, bool& value) const {
  const bool plain = yes_.empty();
  if (plain ? is_one_of(text, kYes) : is_one_of(text, yes_)) {
    value = true;
    return {};
  }
  if (plain ? is_one_of(text, kNo) : is_one_of(text, no_)) {
    value = false;
    return {};
  }
  return {"not_a_boolean"};
}

std::string BooleanFormat::accepted() const {
  return yes_.empty() ? "true/false, yes/no, y/n, 1/0, t/f or on/off"
                      : fmt::format("{} or {}", fmt::join(yes_, ", "), fmt::join(no_, ", "));
}

}  // namespace lade::analysis
