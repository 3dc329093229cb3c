#include "handlers/lua.h"

#include <fmt/format.h>
#include <simdjson.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/file.h"
#include "handlers/lua_json.h"
#include "handlers/lua_state.h"
#include "handlers/message.h"

namespace lade::handlers {
namespace {

namespace dom = simdjson::dom;

constexpr std::size_t kFlushBytes = 64 * 1024;
constexpr std::size_t kReadBytes = 256 * 1024;

// What a call of the script is about; given to functions that run under Lua's protection.
struct Call {
  const char* function = nullptr;
  dom::element what;       // the row, or the message
  std::int64_t index = 0;  // of the row
  std::string out;         // the rest of the answer, from "ok" on
};

// Names in Lua's registry, where the script cannot reach.
constexpr const char* kJob = "lade.job_id";
constexpr const char* kOptions = "lade.options";
constexpr const char* kImportRow = "lade.import_row";
constexpr const char* kRowMetatable = "lade.row";

// row.name: the cell below that header.
int cell_by_name(lua_State* lua) {
  lua_pushvalue(lua, 2);
  lua_rawget(lua, lua_upvalueindex(1));
  if (lua_isinteger(lua, -1) == 0) return lua_pushnil(lua), 1;
  lua_rawgeti(lua, 1, lua_tointeger(lua, -1));
  return 1;
}

void push_row(lua_State* lua, const dom::array& cells) {
  lua_createtable(lua, static_cast<int>(cells.size()), 0);
  lua_Integer at = 0;
  for (const dom::element cell : cells) {
    ++at;
    std::string_view text;
    if (cell.get(text) != simdjson::SUCCESS) continue;
    lua_pushlstring(lua, text.data(), text.size());
    lua_rawseti(lua, -2, at);
  }
  lua_getfield(lua, LUA_REGISTRYINDEX, kRowMetatable);
  lua_setmetatable(lua, -2);
}

void append_failure(std::string& out, std::string_view error) {
  out = R"("ok":false,"error":)";
  append_json_text(out, one_line(error));
  out.push_back('}');
}

// What the script has returned, as the answer's text: {ok = …}, a result, or nil and a message. At -2 and -1.
void read_returned(lua_State* lua, Call& call) {
  const int first = lua_gettop(lua) - 1;
  const bool is_refusal = lua_toboolean(lua, first) == 0 && lua_isnil(lua, first + 1) == 0;
  if (is_refusal) {
    std::size_t size = 0;
    const char* const text = luaL_tolstring(lua, first + 1, &size);
    return append_failure(call.out, {text, size});
  }
  int result = first;
  if (lua_istable(lua, first)) {
    lua_pushliteral(lua, "ok");
    lua_rawget(lua, first);
    if (lua_isboolean(lua, -1)) {
      const bool ok = lua_toboolean(lua, -1) != 0;
      lua_pushstring(lua, ok ? "result" : "error");
      lua_rawget(lua, first);
      result = lua_gettop(lua);
      if (!ok) {
        std::size_t size = 0;
        const char* const text = luaL_tolstring(lua, result, &size);
        return append_failure(call.out, {text, size});
      }
    }
  }
  call.out = R"("ok":true,"result":)";
  std::string why;
  // true and nothing: it is done, there is nothing to tell.
  if (lua_isboolean(lua, result))
    call.out += "null";
  else if (!append_json(lua, result, call.out, why))
    return append_failure(call.out, why);
  call.out.push_back('}');
}

int call_row(lua_State* lua) {
  auto& call = *static_cast<Call*>(lua_touserdata(lua, 1));
  dom::array cells;
  if (call.what["row"].get(cells) != simdjson::SUCCESS) return luaL_error(lua, "the message has no row");
  lua_getfield(lua, LUA_REGISTRYINDEX, kImportRow);
  lua_pushinteger(lua, call.index);
  push_row(lua, cells);
  lua_getfield(lua, LUA_REGISTRYINDEX, kJob);
  lua_getfield(lua, LUA_REGISTRYINDEX, kOptions);
  lua_call(lua, 4, 2);
  read_returned(lua, call);
  return 0;
}

void push_field(lua_State* lua, const dom::element& message, const char* key) {
  dom::element value;
  if (message[key].get(value) == simdjson::SUCCESS)
    push_json(lua, value);
  else
    lua_pushnil(lua);
}

void keep(lua_State* lua, const dom::element& message, const char* key, const char* name) {
  push_field(lua, message, key);
  lua_setfield(lua, LUA_REGISTRYINDEX, name);
}

// The metatable of rows knows where the cells of each header are.
void keep_headers(lua_State* lua, const dom::element& message) {
  dom::array headers;
  lua_newtable(lua);
  lua_newtable(lua);
  lua_newtable(lua);
  if (message["headers"].get(headers) == simdjson::SUCCESS) {
    lua_Integer at = 0;
    for (const dom::element header : headers) {
      const std::string_view name = header;
      ++at;
      lua_pushlstring(lua, name.data(), name.size());
      lua_pushvalue(lua, -1);
      lua_rawseti(lua, -5, at);
      lua_pushinteger(lua, at);
      lua_rawset(lua, -3);
    }
  }
  lua_pushcclosure(lua, cell_by_name, 1);
  lua_setfield(lua, -2, "__index");
  lua_pushboolean(lua, 0);
  lua_setfield(lua, -2, "__metatable");
  lua_setfield(lua, LUA_REGISTRYINDEX, kRowMetatable);
  lua_setglobal(lua, "headers");
}

int call_start(lua_State* lua) {
  const auto& call = *static_cast<Call*>(lua_touserdata(lua, 1));
  keep(lua, call.what, "job_id", kJob);
  keep(lua, call.what, "options", kOptions);
  keep_headers(lua, call.what);
  return 0;
}

int call_pre_import(lua_State* lua) {
  auto& call = *static_cast<Call*>(lua_touserdata(lua, 1));
  if (lua_getglobal(lua, "pre_import") == LUA_TNIL) return 0;
  lua_getfield(lua, LUA_REGISTRYINDEX, kJob);
  lua_getfield(lua, LUA_REGISTRYINDEX, kOptions);
  lua_call(lua, 2, 2);
  read_returned(lua, call);
  return 0;
}

int call_on_complete(lua_State* lua) {
  auto& call = *static_cast<Call*>(lua_touserdata(lua, 1));
  if (lua_getglobal(lua, "on_complete") == LUA_TNIL) return 0;
  lua_getfield(lua, LUA_REGISTRYINDEX, kJob);
  push_field(lua, call.what, "counts");
  lua_getfield(lua, LUA_REGISTRYINDEX, kOptions);
  push_field(lua, call.what, "status");
  lua_call(lua, 4, 2);
  read_returned(lua, call);
  return 0;
}

int keep_import_row(lua_State* lua) {
  if (lua_getglobal(lua, "import_row") != LUA_TFUNCTION) return luaL_error(lua, "there is no function import_row");
  lua_setfield(lua, LUA_REGISTRYINDEX, kImportRow);
  return 0;
}

// The talk: lines in, lines out.
class Conversation {
 public:
  Conversation(LuaState& lua, const LuaOptions& options) : lua_(lua), options_(options) {}

  Result<void> run() {
    for (;;) {
      LADE_ASSIGN(const bool more, read());
      if (!more) return {};
      while (const char* const stop = next_line()) {
        const char* const line = buffer_.data() + begin_;
        answer({line, static_cast<std::size_t>(stop - line)});
        begin_ += static_cast<std::size_t>(stop - line) + 1;
        LADE_TRY(flush());
      }
    }
  }

 private:
  const char* next_line() const {
    return static_cast<const char*>(std::memchr(buffer_.data() + begin_, '\n', end_ - begin_));
  }

  Result<bool> read() {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
    buffer_.resize(std::max(buffer_.size(), end_ + kReadBytes + simdjson::SIMDJSON_PADDING));
    for (;;) {
      const ssize_t count = ::read(options_.input, buffer_.data() + end_, kReadBytes);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return fail(system_error(errno, "read", "the messages"));
      end_ += static_cast<std::size_t>(count);
      return count > 0;
    }
  }

  Result<void> flush() {
    std::string_view rest = out_;
    while (!rest.empty()) {
      const ssize_t count = ::write(options_.output, rest.data(), rest.size());
      if (count > 0) rest.remove_prefix(static_cast<std::size_t>(count));
      if (count < 0 && errno != EINTR) return fail(system_error(errno, "write", "the answers"));
    }
    out_.clear();
    return {};
  }

  void answer(std::string_view line) {
    dom::element message;
    std::string_view kind;
    if (parser_.parse(line.data(), line.size(), false).get(message) != simdjson::SUCCESS ||
        message["message"].get(kind) != simdjson::SUCCESS)
      return answer_plainly(R"({"ok":false,"error":"the message is no JSON with a key `message`"})");
    if (kind == "rows") return answer_rows(message);
    Call call;
    call.what = message;
    call.out = R"("ok":true})";
    if (kind == "start")
      run(call_start, call);
    else if (kind == "pre_import")
      run(call_pre_import, call);
    else if (kind == "on_complete")
      run(call_on_complete, call);
    else
      append_failure(call.out, "there is no such message");
    out_ += "{" + call.out + "\n";
  }

  void answer_plainly(std::string_view text) { out_.append(text).push_back('\n'); }

  void answer_rows(const dom::element& message) {
    dom::array rows;
    if (message["rows"].get(rows) != simdjson::SUCCESS) return;
    Call call;
    for (const dom::element row : rows) {
      call.what = row;
      if (row["row_index"].get(call.index) != simdjson::SUCCESS) continue;
      run(call_row, call);
      fmt::format_to(std::back_inserter(out_), R"({{"row_index":{},{})", call.index, call.out);
      out_.push_back('\n');
      // What stands already is kept when a later row ends this process.
      if (out_.size() >= kFlushBytes) (void)flush();
    }
  }

  void run(LuaState::Body body, Call& call) {
    std::string error;
    if (!lua_.call(body, &call, error)) append_failure(call.out, error);
  }

  LuaState& lua_;
  const LuaOptions& options_;
  dom::parser parser_;
  std::string buffer_, out_;
  std::size_t begin_ = 0, end_ = 0;
};

}  // namespace

void confine_process() {
  const rlimit none{0, 0};
  for (const auto resource : {RLIMIT_NPROC, RLIMIT_FSIZE, RLIMIT_CORE}) (void)setrlimit(resource, &none);
  (void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

Result<void> run_lua_handler(const std::filesystem::path& file, const LuaOptions& options) {
  LuaState lua(options);
  LADE_TRY(lua.run(file));
  std::string error;
  if (!lua.call(keep_import_row, nullptr, error))
    return fail("lua_invalid", fmt::format("{}: {}", file.string(), error),
                "write function import_row(index, row, job_id, options)", ErrorKind::invalid);
  return Conversation(lua, options).run();
}

}  // namespace lade::handlers
