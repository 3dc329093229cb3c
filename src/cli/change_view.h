#pragma once

#include <boost/json.hpp>

namespace lade::cli {

// A record of a diff (load/diff.h) for people: what becomes of which row, and each cell old → new.
void print_change(const boost::json::object& record);

}  // namespace lade::cli
