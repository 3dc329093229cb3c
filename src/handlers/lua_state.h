#pragma once

#include <chrono>
#include <filesystem>
#include <lua.hpp>
#include <memory>
#include <string>

#include "base/result.h"
#include "handlers/lua.h"

namespace lade::handlers {

// An interpreter in which a file can do nothing but compute, with so much memory and until a deadline. Errors of Lua
// are C++ exceptions (the library is built as C++), so destructors run.
class LuaState {
 public:
  explicit LuaState(const LuaOptions& options);
  LuaState(const LuaState&) = delete;
  LuaState& operator=(const LuaState&) = delete;

  lua_State* get() const { return state_.get(); }
  // Runs the file's text. Fails with lua_invalid.
  Result<void> run(const std::filesystem::path& file);
  // Calls body(lua) with a fresh deadline; false when Lua raised an error, whose text is then in `error`.
  using Body = int (*)(lua_State* lua);
  bool call(Body body, void* context, std::string& error);

 private:
  struct Close {
    void operator()(lua_State* lua) const { lua_close(lua); }
  };
  static void* allocate(void* self, void* block, std::size_t old_size, std::size_t new_size);
  static void look_at_clock(lua_State* lua, lua_Debug*);
  void open_libraries();

  const LuaOptions options_;
  std::size_t used_bytes_ = 0;
  std::chrono::steady_clock::time_point deadline_;
  std::unique_ptr<lua_State, Close> state_;
};

}  // namespace lade::handlers
