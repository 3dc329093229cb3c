#pragma once

#include <string>
#include <string_view>

#include "analysis/program.h"

namespace lade::analysis {

// Why a cell that looks like a number or a date was not taken for one, and what to declare so that it is: for the hint
// of an issue, after "; ". Empty when nothing is known. Only called for cells that are refused.
std::string explain_number(const ColumnProgram& column, std::string_view text);
std::string explain_date(const ColumnProgram& column, std::string_view text);

}  // namespace lade::analysis
