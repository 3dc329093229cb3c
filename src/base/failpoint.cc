#include "base/failpoint.h"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <thread>

namespace lade {
namespace {

struct Action {
  std::string what;
  std::string argument;
  std::int64_t passage = 0;  // 0: every one
  std::int64_t passed = 0;
};
using Actions = std::map<std::string, Action, std::less<>>;

Error invalid(std::string_view entry) {
  return Error{"failpoint_invalid", fmt::format("'{}' is no failpoint", entry),
               "write name=kill|stop|error[:code]|pause:milliseconds[@passage], separated by ';'", ErrorKind::invalid};
}

// Cuts `text` at the first `separator`; gives what stood behind it.
std::string_view cut(std::string_view& text, char separator) {
  const std::size_t at = text.find(separator);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = text.substr(at + 1);
  text = text.substr(0, at);
  return rest;
}

bool parse(std::string_view text, std::int64_t& number) {
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  return fault == std::errc{} && end == text.data() + text.size() && number > 0;
}

Result<Actions> parse_actions(std::string_view text) {
  Actions actions;
  while (!text.empty()) {
    std::string_view entry = text;
    text = cut(entry, ';');
    if (entry.empty()) continue;
    std::string_view name = entry;
    std::string_view what = cut(name, '=');
    const std::string_view passage = cut(what, '@');
    const std::string_view argument = cut(what, ':');
    Action action{std::string(what), std::string(argument)};
    std::int64_t milliseconds = 0;
    const bool known = what == "kill" || what == "stop" || what == "error" || what == "pause";
    if (name.empty() || !known || (what == "pause" && !parse(argument, milliseconds)) ||
        (!passage.empty() && !parse(passage, action.passage)))
      return fail(invalid(entry));
    actions.insert_or_assign(std::string(name), std::move(action));
  }
  return actions;
}

struct Armed {
  std::mutex mutex;
  Actions actions;  // guarded by mutex

  static Armed& instance() {
    static Armed armed;
    return armed;
  }

 private:
  Armed() {
    const char* text = std::getenv("LADE_FAILPOINTS");
    if (text == nullptr) return;
    if (Result<Actions> parsed = parse_actions(text)) {
      actions = std::move(*parsed);
    } else {
      fmt::print(stderr, "LADE_FAILPOINTS: {}; {}\n", parsed.error().message, parsed.error().hint);
      std::abort();
    }
  }
};

Result<void> perform(std::string_view name, const Action& action) {
  if (action.what == "kill") std::raise(SIGKILL);
  if (action.what == "stop") std::raise(SIGSTOP);
  if (action.what == "pause") {
    std::int64_t milliseconds = 0;
    parse(action.argument, milliseconds);
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
  }
  if (action.what == "error")
    return fail(action.argument.empty() ? "injected" : action.argument, fmt::format("injected at failpoint {}", name));
  return {};
}

}  // namespace

Result<void> pass_failpoint(std::string_view name) {
  Armed& armed = Armed::instance();
  Action action;
  {
    const std::lock_guard lock(armed.mutex);
    const auto found = armed.actions.find(name);
    if (found == armed.actions.end()) return {};
    ++found->second.passed;
    if (found->second.passage != 0 && found->second.passage != found->second.passed) return {};
    action = found->second;
  }
  return perform(name, action);
}

Result<void> arm_failpoints(std::string_view text) {
  LADE_ASSIGN(Actions actions, parse_actions(text));
  Armed& armed = Armed::instance();
  const std::lock_guard lock(armed.mutex);
  armed.actions = std::move(actions);
  return {};
}

}  // namespace lade
