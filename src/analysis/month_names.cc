#include "analysis/month_names.h"

#include <unicode/dtfmtsym.h>

#include <algorithm>

#include "analysis/fold_case.h"

namespace lade::analysis {
namespace {

constexpr int kMonths = 12;
constexpr std::size_t kFewestLetters = 3;

// The first `letters` characters of a text of UTF-8; the whole text when it has fewer.
std::string_view beginning(std::string_view text, std::size_t letters) {
  std::size_t at = 0;
  for (; at < text.size(); ++at)
    if ((static_cast<unsigned char>(text[at]) & 0xC0) != 0x80 && letters-- == 0) break;
  return text.substr(0, at);
}

}  // namespace

std::shared_ptr<const MonthNames> MonthNames::of(const LocaleTag& locale) {
  using Symbols = icu::DateFormatSymbols;
  auto names = std::make_shared<MonthNames>();
  UErrorCode problem = U_ZERO_ERROR;
  const Symbols symbols(icu::Locale(locale.language.c_str(), locale.region.c_str()), problem);
  if (U_FAILURE(problem)) return names;
  for (const auto context : {Symbols::FORMAT, Symbols::STANDALONE}) {
    for (const auto width : {Symbols::WIDE, Symbols::ABBREVIATED}) {
      std::int32_t count = 0;
      const icu::UnicodeString* found = symbols.getMonths(count, context, width);
      for (int month = 0; month < std::min(count, kMonths); ++month) {
        std::string name;
        found[month].toUTF8String(name);
        names->add(std::move(name), month + 1);
      }
    }
  }
  names->add_beginnings();
  std::stable_sort(names->names_.begin(), names->names_.end(),
                   [](const auto& a, const auto& b) { return a.first.size() > b.first.size(); });
  return names;
}

void MonthNames::add(std::string name, int month) {
  name = folded_case(name);
  if (name.ends_with('.')) name.pop_back();
  // Some languages number their months (1月); those are read as numbers.
  const bool is_name = !name.empty() && (name.front() < '0' || name.front() > '9');
  const std::pair<std::string, int> entry{std::move(name), month};
  if (is_name && std::find(names_.begin(), names_.end(), entry) == names_.end()) names_.push_back(entry);
}

void MonthNames::add_beginnings() {
  const auto names = names_;
  for (const auto& [name, month] : names) {
    const std::string_view begins = beginning(name, kFewestLetters);
    const bool unique = std::all_of(names.begin(), names.end(), [&, month = month](const auto& other) {
      return other.second == month || !other.first.starts_with(begins);
    });
    if (unique) add(std::string(begins), month);
  }
}

bool MonthNames::take(std::string_view& rest, int& month) const {
  const std::string folded = folded_case(rest);
  if (folded.size() != rest.size()) return false;  // no name of a month holds a letter that grows
  for (const auto& [name, number] : names_) {
    if (!folded.starts_with(name)) continue;
    month = number;
    rest.remove_prefix(name.size());
    return true;
  }
  return false;
}

}  // namespace lade::analysis
