#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "analysis/cast.h"

namespace lade::analysis {

// The writing of numbers that several locales share.
struct NumberStyle {
  char decimal_sign;
  std::array<std::string_view, 4> group_signs;  // UTF-8; unused ones are empty
  int middle_group;                             // digits of the groups between the first and the last: 3, in India 2
  const char* example;
};

// The style of a locale ("de-DE", "de_DE", "de"), nullptr when its language is not known.
const NumberStyle* number_style(std::string_view locale);

// A number as written: mantissa · 10^exponent, the mantissa without trailing zeros. A mantissa of more than 38 digits
// is only counted: `digits` is then above 38 and `mantissa` has no meaning.
struct WrittenNumber {
  bool negative = false;
  bool whole = true;  // neither decimal sign nor exponent
  UInt128 mantissa = 0;
  std::int64_t digits = 0;
  std::int64_t exponent = 0;
};

// Reads the whole text; style nullptr: the empty locale. False when it is not a number.
bool read_number(std::string_view text, const NumberStyle* style, WrittenNumber& number);

}  // namespace lade::analysis
