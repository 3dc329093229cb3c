#pragma once

#include <vector>

#include "analysis/program.h"

namespace lade::analysis {

enum class CheckResult { holds, fails, unusable };  // unusable: a column it reads is bad already

// A check over one row. Two-valued: a comparison with a blank or between things that cannot be compared does not hold,
// so a check that allows blanks says `or x is blank`. Decimals are exact; an overflow or a division by zero does not
// hold.
CheckResult evaluate(const CheckProgram& check, const Program& program, const std::vector<TypedColumn>& columns,
                     std::size_t row);

}  // namespace lade::analysis
