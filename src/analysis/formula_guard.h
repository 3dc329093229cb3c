#pragma once

#include <string>
#include <string_view>

namespace lade::analysis {

// A spreadsheet runs text that begins like a formula (= + - @, tab, CR); an apostrophe before it stops that. Plain
// numbers are left alone. Exactly reversible: unguard_formula() of the result gives the text again.
std::string_view guard_formula(std::string_view text, std::string& scratch);
std::string_view unguard_formula(std::string_view text);

}  // namespace lade::analysis
