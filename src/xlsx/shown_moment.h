#pragma once

#include <string>

#include "xlsx/number_format.h"

namespace lade::xlsx {

// A date or time as a section of a format shows it; number signs for what is none, as in a spreadsheet.
std::string shown_moment(const FormatSection& section, double serial, bool from_1904);

}  // namespace lade::xlsx
