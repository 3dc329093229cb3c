#pragma once

#include <boost/json/value.hpp>

#include "definition/node.h"

namespace lade::definition {

// What YAML's core schema makes of a tree: unquoted numbers, true and false are no texts.
boost::json::value json_of(const Node& node);

}  // namespace lade::definition
