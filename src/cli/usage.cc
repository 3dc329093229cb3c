#include "cli/usage.h"

#include <fmt/format.h>

#include "base/nearest.h"

namespace lade::cli {
namespace {

std::string suggestion(std::string_view word, const std::vector<std::string>& accepted) {
  const std::string_view near = nearest(word, accepted);
  return near.empty() ? "" : fmt::format("; did you mean '{}'?", near);
}

const CLI::App& innermost_command(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? app : innermost_command(*chosen.front());
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands(nullptr)) names.push_back(command->get_name());
  return names;
}

std::vector<std::string> flag_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

bool is_about_servers(std::string_view word) {
  const std::string_view flag = word.substr(0, word.find('='));
  return flag == "--server" || flag == "--token" || flag == "--token-file" || flag == "--ca-file";
}

// Empty when every word found its place.
std::string describe_unknown_word(const CLI::App& command, const std::vector<std::string>& words) {
  if (words.empty()) return {};
  const std::string& word = words.front();
  if (is_about_servers(word) && command.get_parent() != nullptr)
    return fmt::format("'{}' works on a database itself; no server does it, so it takes no {}", command.get_name(),
                       word.substr(0, word.find('=')));
  if (word.starts_with('-')) return fmt::format("unknown flag '{}'{}", word, suggestion(word, flag_names(command)));
  const std::vector<std::string> commands = command_names(command);
  if (commands.empty()) return fmt::format("unexpected '{}'", word);
  const std::string near = suggestion(word, commands);
  return fmt::format("unknown command '{}'{}", word,
                     near.empty() ? fmt::format("; there are {}", fmt::join(commands, ", ")) : near);
}

}  // namespace

std::string describe_usage_fault(const CLI::App* app, const CLI::Error& error) {
  const CLI::App& command = innermost_command(*app);
  std::string fault = describe_unknown_word(command, app->remaining(true));
  const std::vector<std::string> commands = command_names(command);
  if (fault.empty() && command.get_subcommands().empty() && !commands.empty() &&
      command.get_require_subcommand_min() > 0)
    fault = fmt::format("a command is missing; there are {}", fmt::join(commands, ", "));
  if (fault.empty()) fault = error.what();
  const std::string path = &command == app ? "" : command.get_display_name() + " ";
  return fmt::format("lade: {}\nRun lade {}--help for more information.\n", fault, path);
}

CLI::Validator one_of(Choices choices) {
  return {[choices = std::move(choices)](std::string& word) -> std::string {
            std::vector<std::string> names;
            for (const auto& [name, number] : choices) {
              names.push_back(name);
              if (CLI::detail::to_lower(word) != name) continue;
              word = std::to_string(number);
              return {};
            }
            return fmt::format("'{}' is not accepted; expected {}{}", word, fmt::join(names, ", "),
                               suggestion(word, names));
          },
          ""};
}

}  // namespace lade::cli
