#pragma once

#include <string>

namespace lade::xlsx {

// The decimal digits of a number that is not negative, rounded half up from the 15 digits that a spreadsheet knows of
// it.
struct ShownDigits {
  std::string whole;     // without leading zeros; empty below 1
  std::string decimals;  // as many as asked for
};
ShownDigits shown_digits(double value, std::size_t decimals);

// A number in the format General: at most 11 characters and the sign.
std::string shown_general(double value);

}  // namespace lade::xlsx
