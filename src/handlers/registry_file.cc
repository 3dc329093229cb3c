#include <fmt/format.h>

#include <algorithm>

#include "base/file.h"
#include "definition/values.h"
#include "handlers/registry.h"

namespace lade::handlers {
namespace {

using definition::Faults;
using definition::Node;
namespace filesystem = std::filesystem;

constexpr std::size_t kMostBytes = 1024 * 1024;
constexpr std::uint64_t kMegabyte = 1024 * 1024;
// What the program that runs Lua needs itself.
constexpr std::uint64_t kProgramBytes = 256 * kMegabyte;
// A script that takes too long is heard of by its own answer, if it can give one.
constexpr std::chrono::seconds kPatience(2);
constexpr std::string_view kFileKeys[] = {"handlers"};
constexpr std::string_view kHandlerKeys[] = {"command", "lua", "environment", "options", "concurrency", "limits"};

// One number of `limits`.
struct LimitKey {
  std::string_view name;
  std::int64_t least, most;
  void (*set)(Limits&, std::int64_t);
};
constexpr LimitKey kLimitKeys[] = {
    {"batch_rows", 1, 100'000, [](Limits& l, std::int64_t n) { l.batch_rows = static_cast<std::size_t>(n); }},
    {"batch_seconds", 1, 3600, [](Limits& l, std::int64_t n) { l.batch_seconds = std::chrono::seconds(n); }},
    {"row_seconds", 1, 3600, [](Limits& l, std::int64_t n) { l.row_seconds = std::chrono::seconds(n); }},
    {"start_seconds", 1, 3600, [](Limits& l, std::int64_t n) { l.start_seconds = std::chrono::seconds(n); }},
    {"line_kb", 1, 65'536, [](Limits& l, std::int64_t n) { l.line_bytes = static_cast<std::size_t>(n) * 1024; }},
    {"batch_mb", 1, 1024, [](Limits& l, std::int64_t n) { l.batch_bytes = static_cast<std::size_t>(n) * kMegabyte; }},
    {"memory_mb", 16, 1'048'576,
     [](Limits& l, std::int64_t n) { l.memory_bytes = static_cast<std::uint64_t>(n) * kMegabyte; }},
    {"cpu_seconds", 1, 1'000'000, [](Limits& l, std::int64_t n) { l.cpu_seconds = static_cast<std::uint64_t>(n); }},
    {"file_mb", 0, 1'048'576,
     [](Limits& l, std::int64_t n) { l.file_bytes = static_cast<std::uint64_t>(n) * kMegabyte; }},
    {"open_files", 16, 65'536, [](Limits& l, std::int64_t n) { l.open_files = static_cast<std::uint64_t>(n); }},
    {"processes", 0, 1'000'000, [](Limits& l, std::int64_t n) { l.processes = static_cast<std::uint64_t>(n); }},
};

class Reader {
 public:
  Reader(filesystem::path folder, filesystem::path program, Faults& faults)
      : folder_(std::move(folder)), program_(std::move(program)), faults_(faults) {}

  void read(const Node& root) {
    if (!check_map(root, "the file of handlers", kFileKeys, {}, faults_)) return;
    const Node* const named = root.find("handlers");
    if (named == nullptr || named->is_null()) return;
    if (!named->is_map()) return report_kind(*named, "handlers", "a map of handlers by name", faults_);
    for (std::size_t i = 0; i < named->size(); ++i) read_handler(named->key(i), named->value(i));
  }

  // Files of the folder `handlers` that the file itself does not name.
  void add_folder() {
    std::error_code none;
    for (const auto& entry : filesystem::directory_iterator(folder_ / "handlers", none)) {
      if (entry.path().extension() != ".lua") continue;
      Handler handler;
      handler.name = entry.path().stem().string();
      if (std::ranges::find(handlers, handler.name, &Handler::name) != handlers.end()) continue;
      run_lua(handler, entry.path());
      handlers.push_back(std::move(handler));
    }
  }

  std::vector<Handler> handlers;

 private:
  void read_handler(const Node& key, const Node& node) {
    const std::string label = "handlers." + key.text;
    Handler handler;
    handler.name = read_slug(key, "handlers", faults_).value_or("");
    if (!check_map(node, label, kHandlerKeys, {}, faults_)) return;
    if (const Node* options = node.find("options")) handler.options = read_texts(*options, label + ".options", faults_);
    if (const Node* concurrency = node.find("concurrency"))
      handler.concurrency =
          static_cast<std::size_t>(read_integer(*concurrency, label + ".concurrency", 1, 256, faults_).value_or(1));
    if (const Node* limits = node.find("limits")) read_limits(*limits, label + ".limits", handler.limits);
    if (const Node* environment = node.find("environment"))
      read_environment(*environment, label + ".environment", handler);
    read_program(key, node, label, handler);
    handlers.push_back(std::move(handler));
  }

  void read_program(const Node& key, const Node& node, const std::string& label, Handler& handler) {
    const Node* const command = node.find("command");
    const Node* const lua = node.find("lua");
    if ((command == nullptr) == (lua == nullptr))
      return report_missing(key.place, label, "command", "give either `command`, a list, or `lua`, a file", faults_);
    if (lua != nullptr) {
      if (const auto file = read_text(*lua, label + ".lua", faults_)) run_lua(handler, folder_ / *file);
      return;
    }
    if (!command->is_list() || command->size() == 0)
      return report_kind(*command, label + ".command", "a list: the program and its arguments", faults_);
    for (const Node& word : command->items)
      handler.command.push_back(read_text(word, label + ".command", faults_).value_or(""));
    handler.folder = folder_.string();
    if (handler.command.front().find('/') == std::string::npos)
      return faults_.error(command->items.front().place, "definition_bad_value",
                           fmt::format("{}.command: '{}' is no path; programs are not looked for, write /usr/bin/{}",
                                       label, handler.command.front(), handler.command.front()));
    handler.command.front() = (folder_ / handler.command.front()).string();
  }

  void read_environment(const Node& node, const std::string& label, Handler& handler) {
    if (!node.is_map()) return report_kind(node, label, "a map of names and texts", faults_);
    for (std::size_t i = 0; i < node.size(); ++i) {
      const std::string& name = node.key(i).text;
      if (name.empty() || name.find('=') != std::string::npos)
        faults_.error(node.key(i).place, "definition_bad_value", fmt::format("{}: '{}' is no name", label, name));
      if (const auto text = read_text(node.value(i), label + "." + name, faults_))
        handler.environment.emplace_back(name, *text);
    }
  }

  void read_limits(const Node& node, const std::string& label, Limits& limits) {
    std::vector<std::string_view> names;
    for (const LimitKey& key : kLimitKeys) names.push_back(key.name);
    if (!check_map(node, label, names, {}, faults_)) return;
    for (const LimitKey& key : kLimitKeys) {
      const Node* const value = node.find(key.name);
      if (value == nullptr) continue;
      const auto number = read_integer(*value, fmt::format("{}.{}", label, key.name), key.least, key.most, faults_);
      if (number) key.set(limits, *number);
    }
  }

  void run_lua(Handler& handler, const filesystem::path& file) const {
    handler.is_lua = true;
    handler.folder = folder_.string();
    handler.command = {program_.string(),
                       "run-handler",
                       file.string(),
                       "--memory-mb",
                       std::to_string(handler.limits.memory_bytes / kMegabyte),
                       "--row-seconds",
                       std::to_string(handler.limits.row_seconds.count())};
    handler.limits.memory_bytes += kProgramBytes;
    handler.limits.row_seconds += kPatience;
  }

  const filesystem::path folder_, program_;
  Faults& faults_;
};

Result<std::string> text_of(const filesystem::path& path) {
  LADE_ASSIGN(File file, File::open(path));
  std::string text(kMostBytes + 1, '\0');
  LADE_ASSIGN(const std::size_t count, file.read_at(0, text));
  text.resize(count);
  return text;
}

}  // namespace

Result<std::shared_ptr<const Registry>> read_registry(const filesystem::path& file, const filesystem::path& program) {
  LADE_ASSIGN(const std::string text, text_of(file));
  Faults faults;
  Reader reader(filesystem::absolute(file).parent_path(), program, faults);
  const auto root = definition::read_yaml(text, faults);
  if (root && !root->is_null()) reader.read(*root);
  const std::vector<definition::Fault> found = std::move(faults).take();
  if (!found.empty())
    return fail("handlers_file_invalid", definition::describe(found, file.string()), "docs/handlers.md has its keys",
                ErrorKind::invalid);
  reader.add_folder();
  return std::make_shared<const Registry>(std::move(reader.handlers));
}

}  // namespace lade::handlers
