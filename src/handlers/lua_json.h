#pragma once

#include <lua.hpp>
#include <string>

namespace simdjson::dom {
class element;
}

// Values between Lua and JSON.
namespace lade::handlers {

// Pushes the value; null becomes nil. Raises Lua's error when memory ends.
void push_json(lua_State* lua, const simdjson::dom::element& value);

// Appends the value at `index`. A table whose keys are 1 … n is a list, every other one a map by text. False, with the
// reason in `why`, for functions, numbers that are none, text that is not UTF-8, depth beyond 32. Raises no error.
bool append_json(lua_State* lua, int index, std::string& out, std::string& why);

}  // namespace lade::handlers
