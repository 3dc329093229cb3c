#pragma once

#include <optional>
#include <string_view>

#include "definition/definition.h"
#include "definition/faults.h"
#include "definition/node.h"

namespace lade::definition {

// text, integer, decimal(14,4), boolean, date, timestamp, uuid, json. `code` is refused as unsupported.
std::optional<Type> read_type(const Node& node, std::string_view label, Faults& faults);

}  // namespace lade::definition
