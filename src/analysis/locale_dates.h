#pragma once

#include <span>
#include <string_view>

#include "analysis/locale_tag.h"

namespace lade::analysis {

// How a locale writes dates: one order of day, month and year, whatever stands between them. No text can be read by two
// of the patterns with different results.
struct DateStyle {
  std::span<const std::string_view> patterns;  // of DateFormat; the usual one first
  std::string_view example;
};

// nullptr where usage is divided or not known ("en" alone, en-CA): nothing is decided silently.
const DateStyle* date_style(const LocaleTag& locale);

}  // namespace lade::analysis
