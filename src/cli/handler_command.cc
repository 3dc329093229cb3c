#include <fmt/format.h>

#include <memory>

#include "cli/commands.h"
#include "handlers/lua.h"

namespace lade::cli {
namespace {

struct HandlerCommand {
  std::string file;
  std::size_t memory_mb = 512;
  int row_seconds = 10;
};

int run(const HandlerCommand& command) {
  handlers::confine_process();
  handlers::LuaOptions options;
  options.memory_bytes = command.memory_mb * 1024 * 1024;
  options.row_seconds = std::chrono::seconds(command.row_seconds);
  const auto ran = handlers::run_lua_handler(command.file, options);
  if (ran) return kOk;
  // One line: whoever has started it keeps the last one.
  fmt::print(stderr, "{}: {}\n", ran.error().code, ran.error().message);
  return exit_code(ran.error().kind);
}

}  // namespace

void add_handler_command(CLI::App& app, CommonOptions&, Action& action) {
  auto command = std::make_shared<HandlerCommand>();
  CLI::App* sub = app.add_subcommand("run-handler", "Run a row handler in Lua: messages in, answers out, a line each");
  sub->add_option("FILE", command->file, "the script; it has a function import_row")->required();
  sub->add_option("--memory-mb", command->memory_mb, "that its values may take")
      ->check(CLI::Range(1, 1'048'576))
      ->capture_default_str();
  sub->add_option("--row-seconds", command->row_seconds, "that one row may take")
      ->check(CLI::Range(1, 3600))
      ->capture_default_str();
  sub->footer(
      "lade starts it for definitions with a step of kind handler; docs/handlers.md has the messages.\n"
      "Example: lade run-handler employees.lua < messages.ndjson");
  sub->callback([command, &action] { action = [command] { return run(*command); }; });
}

}  // namespace lade::cli
