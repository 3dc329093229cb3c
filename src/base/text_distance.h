#pragma once

#include <cstddef>
#include <string_view>

namespace lade {

// Insertions, deletions and replacements that make one of the other, byte by byte; of text beyond 64 bytes only the
// first 64 are compared. Cost: the length of `text` (bit-parallel).
std::size_t levenshtein(std::string_view pattern, std::string_view text);

// 0 to 1: letters in common at about the same place, with a bonus for the same beginning.
double jaro_winkler(std::string_view one, std::string_view other);

}  // namespace lade
