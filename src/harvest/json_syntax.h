#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace lade::harvest {

// Where a text stops to be one JSON value as RFC 8259 has it, nested at most 500 deep; nothing when all of it is.
// Numbers may be of any size. Whether strings are UTF-8 is not looked at.
std::optional<std::size_t> json_fault(std::string_view text);

}  // namespace lade::harvest
