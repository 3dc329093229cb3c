#pragma once

#include <string>
#include <string_view>

namespace lade {

// One line of at most 500 characters, without control characters: what somebody else says, as an error can have it.
// More ends with "…"; in text that is no UTF-8 all that is not ASCII becomes "?".
std::string one_line(std::string_view text);

}  // namespace lade
