#pragma once

#include <optional>
#include <string_view>

#include "definition/definition.h"

namespace lade::definition {

// A value of a type with an order, as a number that orders the same way: integers themselves, decimals times 10^scale,
// dates as days, timestamps as microseconds (UTC when they name no zone).
__extension__ typedef __int128 Ordinal;

bool has_order(TypeKind kind);
// The bound's ordinal; nothing when the text is not a value of the type. Plain notation: 12, -12.5, 2024-12-31,
// 2024-12-31T23:59:59.5Z, 2024-12-31 23:59+02:00.
std::optional<Ordinal> parse_bound(const Type& type, std::string_view text);
// What parse_bound accepts, for messages.
std::string_view bound_example(TypeKind kind);

}  // namespace lade::definition
