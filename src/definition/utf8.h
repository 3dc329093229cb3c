#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace lade::definition {

// The offset of the first byte that is not part of a valid UTF-8 character, or is NUL; nothing when all are.
std::optional<std::size_t> find_invalid_utf8(std::string_view text);

}  // namespace lade::definition
