#include "handlers/registry.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/nearest.h"

namespace lade::handlers {

bool Handler::takes(std::string_view option) const {
  return std::ranges::find(options, option) != options.end();
}

Registry::Registry(std::vector<Handler> handlers) : spawner_(std::make_unique<Spawner>()) {
  for (Handler& handler : handlers) {
    const std::string name = handler.name;
    auto turns = std::make_unique<std::counting_semaphore<>>(static_cast<std::ptrdiff_t>(handler.concurrency));
    handlers_.insert_or_assign(name, Entry{std::move(handler), std::move(turns)});
  }
}

const Handler* Registry::find(std::string_view name) const {
  const auto found = handlers_.find(name);
  return found == handlers_.end() ? nullptr : &found->second.handler;
}

Result<const Handler*> Registry::get(std::string_view name) const {
  if (const Handler* const handler = find(name)) return handler;
  const std::vector<std::string> all = names();
  const std::string_view near = nearest(std::string(name), all);
  std::string hint = all.empty() ? "none is configured here; the setting HANDLERS_FILE names the file of handlers"
                                 : fmt::format("known here are {}", fmt::join(all, ", "));
  if (!near.empty()) hint.insert(0, fmt::format("did you mean '{}'? ", near));
  return fail("handler_unknown", fmt::format("there is no handler '{}'", name), std::move(hint), ErrorKind::invalid);
}

Result<const Handler*> Registry::get(std::string_view name, const std::vector<std::string>& options) const {
  LADE_ASSIGN(const Handler* const handler, get(name));
  for (const std::string& option : options) {
    if (handler->takes(option)) continue;
    return fail(
        "handler_option_unknown", fmt::format("the handler '{}' takes no option '{}'", name, option),
        handler->options.empty() ? "it takes none" : fmt::format("it takes {}", fmt::join(handler->options, ", ")),
        ErrorKind::invalid);
  }
  return handler;
}

std::vector<std::string> Registry::names() const {
  std::vector<std::string> names;
  for (const auto& [name, entry] : handlers_) names.push_back(name);
  return names;
}

void Registry::count_row(const Handler& handler, bool failed) const {
  Entry::Counts& counts = *handlers_.find(handler.name)->second.counts;
  ++counts.rows;
  if (failed) ++counts.failed;
}

std::vector<Registry::Tally> Registry::take_tallies() const {
  std::vector<Tally> tallies;
  for (const auto& [name, entry] : handlers_)
    if (const std::int64_t rows = entry.counts->rows.exchange(0); rows > 0)
      tallies.push_back({name, rows, entry.counts->failed.exchange(0)});
  return tallies;
}

Slot Registry::slot(const Handler& handler, const std::stop_token& stop) const {
  return Slot(*handlers_.find(handler.name)->second.turns, stop);
}

}  // namespace lade::handlers
