#pragma once

#include <string>
#include <string_view>

#include "analysis/program.h"

namespace lade::load {

// The key of a table in the form that sorts, from the fields of its key columns in their order; empty when a field is
// NULL or no value of its type.
std::string sort_key_of(const analysis::EntryProgram& entry, std::string_view key);

}  // namespace lade::load
