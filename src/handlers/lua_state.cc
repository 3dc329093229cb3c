#include "handlers/lua_state.h"

#include <fmt/format.h>

#include <cstdlib>

#include "base/file.h"

namespace lade::handlers {
namespace {

constexpr int kInstructionsBetweenLooks = 10'000;
constexpr std::size_t kMostSourceBytes = 1024 * 1024;

constexpr luaL_Reg kLibraries[] = {{LUA_GNAME, luaopen_base},       {LUA_STRLIBNAME, luaopen_string},
                                   {LUA_TABLIBNAME, luaopen_table}, {LUA_MATHLIBNAME, luaopen_math},
                                   {LUA_UTF8LIBNAME, luaopen_utf8}, {LUA_COLIBNAME, luaopen_coroutine}};
// Of the base library: what reads files, runs other code or speaks where only answers belong.
constexpr const char* kForbidden[] = {"dofile", "loadfile", "load", "collectgarbage", "warn", "print"};

// The answers have the standard output; a script that prints speaks to people.
int print(lua_State* lua) {
  std::string line;
  const int count = lua_gettop(lua);
  for (int i = 1; i <= count; ++i) {
    std::size_t size = 0;
    const char* const text = luaL_tolstring(lua, i, &size);
    line.append(i > 1 ? "\t" : "").append(text, size);
    lua_pop(lua, 1);
  }
  fmt::print(stderr, "{}\n", line);
  return 0;
}

}  // namespace

LuaState::LuaState(const LuaOptions& options)
    : options_(options), deadline_(std::chrono::steady_clock::time_point::max()), state_(lua_newstate(allocate, this)) {
  lua_State* const lua = get();
  *static_cast<LuaState**>(lua_getextraspace(lua)) = this;
  open_libraries();
  // Coroutines inherit it.
  lua_sethook(lua, look_at_clock, LUA_MASKCOUNT, kInstructionsBetweenLooks);
}

void* LuaState::allocate(void* self, void* block, std::size_t old_size, std::size_t new_size) {
  auto& state = *static_cast<LuaState*>(self);
  if (block == nullptr) old_size = 0;  // it is then the kind of the new value
  if (new_size == 0) {
    std::free(block);
    state.used_bytes_ -= old_size;
    return nullptr;
  }
  if (new_size > old_size && state.used_bytes_ - old_size + new_size > state.options_.memory_bytes) return nullptr;
  void* const moved = std::realloc(block, new_size);
  if (moved != nullptr) state.used_bytes_ += new_size - old_size;
  return moved;
}

void LuaState::look_at_clock(lua_State* lua, lua_Debug*) {
  const LuaState& state = **static_cast<LuaState**>(lua_getextraspace(lua));
  if (std::chrono::steady_clock::now() < state.deadline_) return;
  luaL_error(lua, "it takes longer than %d s", static_cast<int>(state.options_.row_seconds.count()));
}

void LuaState::open_libraries() {
  lua_State* const lua = get();
  for (const luaL_Reg& library : kLibraries) {
    luaL_requiref(lua, library.name, library.func, 1);
    lua_pop(lua, 1);
  }
  for (const char* const name : kForbidden) {
    lua_pushnil(lua);
    lua_setglobal(lua, name);
  }
  lua_pushcfunction(lua, print);
  lua_setglobal(lua, "print");
  lua_getglobal(lua, LUA_STRLIBNAME);
  lua_pushnil(lua);
  lua_setfield(lua, -2, "dump");
  lua_pop(lua, 1);
}

bool LuaState::call(Body body, void* context, std::string& error) {
  lua_State* const lua = get();
  deadline_ = std::chrono::steady_clock::now() + options_.row_seconds;
  const int top = lua_gettop(lua);
  lua_pushcfunction(lua, body);
  lua_pushlightuserdata(lua, context);
  const bool fine = lua_pcall(lua, 1, 0, 0) == LUA_OK;
  if (!fine) {
    std::size_t size = 0;
    const char* const text = lua_type(lua, -1) == LUA_TSTRING ? lua_tolstring(lua, -1, &size) : nullptr;
    error = text == nullptr ? fmt::format("an error that is a {}", lua_typename(lua, lua_type(lua, -1)))
                            : std::string(text, size);
  }
  lua_settop(lua, top);
  return fine;
}

Result<void> LuaState::run(const std::filesystem::path& path) {
  LADE_ASSIGN(File file, File::open(path));
  std::string text(kMostSourceBytes + 1, '\0');
  LADE_ASSIGN(const std::size_t count, file.read_at(0, text));
  const auto invalid = [](std::string what) {
    return fail("lua_invalid", std::move(what), "docs/handlers.md shows one that works", ErrorKind::invalid);
  };
  if (count > kMostSourceBytes) return invalid(fmt::format("{}: more than 1 MiB", path.string()));
  struct Chunk {
    std::string_view text;
    std::string name;
  } chunk{{text.data(), count}, "@" + path.filename().string()};
  std::string error;
  const Body load = [](lua_State* lua) {
    const auto& source = *static_cast<Chunk*>(lua_touserdata(lua, 1));
    // "t": text only; code that is compiled already could do anything.
    if (luaL_loadbufferx(lua, source.text.data(), source.text.size(), source.name.c_str(), "t") != LUA_OK)
      return lua_error(lua);
    lua_call(lua, 0, 0);
    return 0;
  };
  if (!call(load, &chunk, error)) return invalid(fmt::format("{}: {}", path.string(), error));
  return {};
}

}  // namespace lade::handlers
