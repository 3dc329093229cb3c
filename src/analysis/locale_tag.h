#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace lade::analysis {

// What of a language tag (BCP 47) says how numbers and dates are written.
struct LocaleTag {
  std::string language;  // lower case
  std::string region;    // lower case; empty: none

  // "de-ch"
  std::string name() const { return region.empty() ? language : language + "-" + region; }
};

// "de-DE", "de_DE", "de", "zh-Hant-TW", "de-CH-1996", "de-DE-u-co-phonebk", any case. Scripts, variants and extensions
// are allowed and change nothing. Nothing when it is no language tag.
std::optional<LocaleTag> parse_locale_tag(std::string_view locale);

}  // namespace lade::analysis
