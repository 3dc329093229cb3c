#pragma once

#include <string>
#include <string_view>

namespace lade::analysis {

// Text without its case, for comparisons: "JA" and "ja", "ÉTÉ" and "été", "Straße" and "STRASSE" are equal.
std::string folded_case(std::string_view text);

// Whether a text folds to `folded`. Text of ASCII alone costs no allocation.
bool folds_to(std::string_view text, std::string_view folded);

}  // namespace lade::analysis
