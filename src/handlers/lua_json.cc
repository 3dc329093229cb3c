#include "handlers/lua_json.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <cmath>

#include "handlers/message.h"

namespace lade::handlers {
namespace {

namespace dom = simdjson::dom;

constexpr int kMostDepth = 32;

class JsonWriter {
 public:
  JsonWriter(lua_State* lua, std::string& out, std::string& why) : lua_(lua), out_(out), why_(why) {}

  bool write(int index, int depth) {
    switch (lua_type(lua_, index)) {
      case LUA_TNIL: out_ += "null"; return true;
      case LUA_TBOOLEAN: out_ += lua_toboolean(lua_, index) != 0 ? "true" : "false"; return true;
      case LUA_TNUMBER: return write_number(index);
      case LUA_TSTRING: return write_text(index);
      case LUA_TTABLE: return write_table(lua_absindex(lua_, index), depth);
      default: return refuse(fmt::format("a {} is no value of a result", lua_typename(lua_, lua_type(lua_, index))));
    }
  }

 private:
  bool refuse(std::string why) {
    why_ = std::move(why);
    return false;
  }

  bool write_number(int index) {
    if (lua_isinteger(lua_, index) != 0) {
      fmt::format_to(std::back_inserter(out_), "{}", lua_tointeger(lua_, index));
      return true;
    }
    const double number = lua_tonumber(lua_, index);
    if (!std::isfinite(number)) return refuse("a number of the result is infinite or none at all");
    fmt::format_to(std::back_inserter(out_), "{}", number);
    return true;
  }

  bool write_text(int index) {
    std::size_t size = 0;
    const char* const text = lua_tolstring(lua_, index, &size);
    if (!simdjson::validate_utf8(text, size)) return refuse("a text of the result is not UTF-8");
    append_json_text(out_, {text, size});
    return true;
  }

  bool write_table(int index, int depth) {
    if (depth >= kMostDepth || lua_checkstack(lua_, 4) == 0) return refuse("the result is nested too deeply");
    const auto size = static_cast<lua_Integer>(lua_rawlen(lua_, index));
    return size > 0 ? write_list(index, size, depth) : write_map(index, depth);
  }

  bool write_list(int index, lua_Integer size, int depth) {
    out_.push_back('[');
    for (lua_Integer i = 1; i <= size; ++i) {
      if (i > 1) out_.push_back(',');
      lua_rawgeti(lua_, index, i);
      const bool written = write(-1, depth + 1);
      lua_pop(lua_, 1);
      if (!written) return false;
    }
    out_.push_back(']');
    return true;
  }

  bool write_map(int index, int depth) {
    out_.push_back('{');
    bool first = true;
    lua_pushnil(lua_);
    while (lua_next(lua_, index) != 0) {
      if (!first) out_.push_back(',');
      first = false;
      bool written = lua_type(lua_, -2) == LUA_TSTRING || refuse("a key of the result is no text");
      written = written && write_text(-2);
      out_.push_back(':');
      written = written && write(-1, depth + 1);
      lua_pop(lua_, written ? 1 : 2);
      if (!written) return false;
    }
    out_.push_back('}');
    return true;
  }

  lua_State* lua_;
  std::string& out_;
  std::string& why_;
};

}  // namespace

void push_json(lua_State* lua, const dom::element& value) {
  luaL_checkstack(lua, 4, "options are nested too deeply");
  switch (value.type()) {
    case dom::element_type::NULL_VALUE: lua_pushnil(lua); break;
    case dom::element_type::BOOL: lua_pushboolean(lua, bool(value) ? 1 : 0); break;
    case dom::element_type::INT64: lua_pushinteger(lua, std::int64_t(value)); break;
    case dom::element_type::UINT64:
    case dom::element_type::DOUBLE: lua_pushnumber(lua, double(value)); break;
    case dom::element_type::STRING: {
      const std::string_view text = value;
      lua_pushlstring(lua, text.data(), text.size());
      break;
    }
    case dom::element_type::ARRAY: {
      lua_newtable(lua);
      lua_Integer i = 0;
      for (const dom::element item : dom::array(value)) {
        push_json(lua, item);
        lua_rawseti(lua, -2, ++i);
      }
      break;
    }
    case dom::element_type::OBJECT: {
      lua_newtable(lua);
      for (const auto [key, item] : dom::object(value)) {
        lua_pushlstring(lua, key.data(), key.size());
        push_json(lua, item);
        lua_rawset(lua, -3);
      }
      break;
    }
  }
}

bool append_json(lua_State* lua, int index, std::string& out, std::string& why) {
  return JsonWriter(lua, out, why).write(index, 0);
}

}  // namespace lade::handlers
