#pragma once

#include "analysis/program.h"
#include "load/slice.h"

namespace lade::load {

// Whether what is stored in the entry's table for a row of the file can only be changed on account of its own entity,
// or by somebody else. Not so where entities share rows, and where identifiers are asked for only when they are taken.
bool is_watched(const analysis::Program& program, std::size_t entry);

inline std::uint32_t row_id(const Slice& slice, std::size_t row) {
  return slice.rows[row].place.row_id;
}

}  // namespace lade::load
