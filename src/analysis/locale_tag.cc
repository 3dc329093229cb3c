#include "analysis/locale_tag.h"

#include <algorithm>
#include <vector>

namespace lade::analysis {
namespace {

bool is_letter(char c) {
  return c >= 'a' && c <= 'z';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool all_letters(std::string_view subtag) {
  return std::all_of(subtag.begin(), subtag.end(), is_letter);
}
bool all_digits(std::string_view subtag) {
  return std::all_of(subtag.begin(), subtag.end(), is_digit);
}

std::string folded(std::string_view locale) {
  std::string tag(locale);
  for (char& c : tag) {
    if (c == '_') c = '-';
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return tag;
}

std::vector<std::string_view> subtags_of(std::string_view tag) {
  std::vector<std::string_view> subtags;
  for (std::size_t begin = 0; begin <= tag.size();) {
    const std::size_t end = std::min(tag.find('-', begin), tag.size());
    subtags.push_back(tag.substr(begin, end - begin));
    begin = end + 1;
  }
  return subtags;
}

bool is_script(std::string_view subtag) {
  return subtag.size() == 4 && all_letters(subtag);
}
bool is_region(std::string_view subtag) {
  return (subtag.size() == 2 && all_letters(subtag)) || (subtag.size() == 3 && all_digits(subtag));
}
bool is_variant(std::string_view subtag) {
  return subtag.size() >= 5 || (subtag.size() == 4 && is_digit(subtag.front()));
}

// Extensions and private use: a letter or digit alone, then at least one subtag.
bool are_extensions(const std::vector<std::string_view>& subtags, std::size_t at) {
  if (at == subtags.size()) return true;
  bool open = false;  // a subtag must follow
  for (; at < subtags.size(); ++at) {
    if (subtags[at].size() > 1) {
      open = false;
      continue;
    }
    if (open) return false;
    if (subtags[at] == "x") return at + 1 < subtags.size();
    open = true;
  }
  return !open;
}

}  // namespace

std::optional<LocaleTag> parse_locale_tag(std::string_view locale) {
  const std::string tag = folded(locale);
  const std::vector<std::string_view> subtags = subtags_of(tag);
  const auto well_formed = [](std::string_view subtag) {
    return !subtag.empty() && subtag.size() <= 8 &&
           std::all_of(subtag.begin(), subtag.end(), [](char c) { return is_letter(c) || is_digit(c); });
  };
  const std::string_view language = subtags.front();
  if (!std::all_of(subtags.begin(), subtags.end(), well_formed)) return std::nullopt;
  if (language.size() < 2 || language.size() > 3 || !all_letters(language)) return std::nullopt;
  LocaleTag result{std::string(language), {}};
  std::size_t at = 1;
  if (at < subtags.size() && is_script(subtags[at])) ++at;
  if (at < subtags.size() && is_region(subtags[at])) result.region = subtags[at++];
  while (at < subtags.size() && is_variant(subtags[at])) ++at;
  if (at < subtags.size() && subtags[at].size() > 1) return std::nullopt;
  if (!are_extensions(subtags, at)) return std::nullopt;
  return result;
}

}  // namespace lade::analysis
