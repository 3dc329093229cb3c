#pragma once

#include <string>

namespace lade {

// A new UUIDv7: sorts by time of creation, carries 74 random bits.
std::string new_uuid();

}  // namespace lade
