#pragma once

#include <string_view>

namespace lade::analysis {

// Whether two JSON texts are the same document as jsonb compares them: whatever the order of names, the spaces and the
// spelling of numbers, which count with all their digits. False when one of them is no JSON.
bool same_json(std::string_view left, std::string_view right);

}  // namespace lade::analysis
