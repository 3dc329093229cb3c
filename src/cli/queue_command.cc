#include <fmt/format.h>
#include <unistd.h>
#include <boost/json.hpp>

#include <memory>

#include "api/views.h"
#include "base/moment.h"
#include "cli/site.h"
#include "queue/groups.h"

namespace lade::cli {
namespace {

namespace json = boost::json;

struct QueueCommand {
  queue::TaskFilter filter;
  std::int64_t letters = 100;
  std::int64_t task = 0;
  std::string name;
  std::int64_t most = 0;
  bool kind = false;
};
using Words = std::shared_ptr<QueueCommand>;  // shared by the command's options and its action

void print_tasks(const std::vector<queue::TaskRow>& tasks) {
  if (tasks.empty()) return;
  fmt::print("{}\n", bold(fmt::format("{:>8}  {:<9}  {:<10}  {:>5}  {:<14}  {:>10}  {:<36}  {}", "task", "status",
                                      "kind", "tries", "created", "took", "group", "payload"),
                          STDOUT_FILENO));
  for (const queue::TaskRow& task : tasks) {
    const std::chrono::milliseconds took(task.duration / 1000);
    fmt::print("{:>8}  {:<9}  {:<10}  {:>5}  {:<14}  {:>10}  {:<36}  {}\n", task.id, task.status, task.kind,
               task.attempts, age_of(moment_of(task.created_at)), task.duration > 0 ? for_people(took) : "", task.group,
               task.payload);
    if (!task.error_code.empty()) fmt::print("{:>8}  {}: {}\n", "", task.error_code, task.error);
  }
}

void print_nodes(const std::vector<queue::ListedNode>& nodes) {
  if (nodes.empty()) return;
  fmt::print("{}\n", bold(fmt::format("{:<36}  {:<24}  {:>7}  {:>8}  {}", "node", "name", "running", "beat", "started"),
                          STDOUT_FILENO));
  for (const queue::ListedNode& node : nodes)
    fmt::print("{:<36}  {:<24}  {:>7}  {:>8}  {}\n", node.boot, node.name, node.running, grouped(node.beat),
               age_of(moment_of(node.started_at)));
}

void print_rules(const std::vector<queue::QueueRule>& rules) {
  for (const queue::QueueRule& rule : rules) {
    if (rule.paused) fmt::print("paused: {} {}\n", rule.scope, rule.name);
    if (rule.concurrency) fmt::print("at most {} at once: {} {}\n", *rule.concurrency, rule.scope, rule.name);
  }
}

void print_letters(const std::vector<queue::DeadLetter>& letters) {
  for (const queue::DeadLetter& letter : letters) {
    fmt::print("{} {} ({} tries, {} crashes, {})\n", bold(fmt::format("task {}", letter.task), STDOUT_FILENO),
               letter.kind, letter.attempts, letter.crashes, age_of(moment_of(letter.died_at)));
    fmt::print("  {}: {}\n  group {}  payload {}\n", letter.reason, letter.message,
               letter.group.empty() ? "–" : letter.group, letter.payload);
  }
}

// A list as an object, as lines, or by `print`.
template <class Item>
void show(const std::vector<Item>& items, const char* name, Output output, void (*print)(const std::vector<Item>&)) {
  if (output == Output::text) {
    print(items);
    if (items.empty()) fmt::print("none\n");
    return;
  }
  json::array objects;
  for (const Item& item : items) objects.push_back(api::to_json(item));
  if (output == Output::json) fmt::print("{}\n", json::serialize(json::object{{name, std::move(objects)}}));
  if (output == Output::ndjson)
    for (const json::value& object : objects) fmt::print("{}\n", json::serialize(object));
}

int ended(const Result<void>& done, const CommonOptions& common) {
  return done ? int{kOk} : report(done.error(), common.output);
}

Result<void> list_tasks(const queue::TaskFilter& filter, const CommonOptions& common) {
  LADE_ASSIGN(const auto site, open_site(common));
  LADE_ASSIGN(const auto tasks, site->list_tasks(filter));
  LADE_ASSIGN(const auto rules, site->list_rules());
  show(tasks, "tasks", common.output, print_tasks);
  if (common.output == Output::text) print_rules(rules);
  return {};
}

Result<void> list_nodes(const CommonOptions& common) {
  LADE_ASSIGN(const auto site, open_site(common));
  LADE_ASSIGN(const auto nodes, site->list_nodes());
  show(nodes, "nodes", common.output, print_nodes);
  return {};
}

Result<void> list_letters(std::int64_t limit, const CommonOptions& common) {
  LADE_ASSIGN(const auto site, open_site(common));
  LADE_ASSIGN(const auto letters, site->dead_letters(limit));
  show(letters, "dead_letters", common.output, print_letters);
  return {};
}

// What was done, in one line.
void say(const CommonOptions& common, const json::object& object, const std::string& text) {
  if (common.output != Output::text) {
    fmt::print("{}\n", json::serialize(object));
  } else if (!common.quiet) {
    fmt::print("{}\n", text);
  }
}

Result<void> act_on_letter(std::int64_t task, bool retry, const CommonOptions& common) {
  LADE_ASSIGN(const auto site, open_site(common));
  LADE_TRY(retry ? site->retry_letter(task) : site->delete_letter(task));
  say(common, {{"task_id", task}, {"status", retry ? "pending" : "deleted"}},
      fmt::format("task {}: {}", task, retry ? "pending again" : "dead letter deleted"));
  return {};
}

// A queue or a kind, as the command line names it.
struct Named {
  queue::Scope scope;
  const char* word;
  explicit Named(const QueueCommand& command)
      : scope(command.kind ? queue::Scope::kind : queue::Scope::queue), word(command.kind ? "kind" : "queue") {}
};

Result<std::unique_ptr<db::Connection>> open_queue(const CommonOptions& common) {
  LADE_ASSIGN(auto connection, open_current_store(common, db::Access::write));
  if (connection != nullptr) return connection;
  return fail("schema_outdated", "the database has none of lade's tables", "run lade migrate", ErrorKind::invalid);
}

Result<void> set_paused(const QueueCommand& command, bool paused, const CommonOptions& common) {
  const Named what(command);
  LADE_ASSIGN(const auto connection, open_queue(common));
  LADE_TRY(queue::pause(*connection, what.scope, command.name, paused));
  say(common, {{what.word, command.name}, {"paused", paused}},
      fmt::format("{} {}: {}", what.word, command.name, paused ? "paused" : "resumed"));
  return {};
}

Result<void> set_limit(const QueueCommand& command, const CommonOptions& common) {
  const Named what(command);
  LADE_ASSIGN(const auto connection, open_queue(common));
  const auto limit = command.most == 0 ? std::nullopt : std::optional(command.most);
  LADE_TRY(queue::limit(*connection, what.scope, command.name, limit));
  say(common, {{what.word, command.name}, {"concurrency", command.most}},
      fmt::format("{} {}: {}", what.word, command.name,
                  limit ? fmt::format("at most {} at once", *limit) : "any number at once"));
  return {};
}

void add_list_options(CLI::App& command, const Words& words, CommonOptions& common) {
  command.add_option("--status", words->filter.status,
                     "only tasks that are pending, retryable (they failed and wait for their next attempt), running, "
                     "succeeded, failed or cancelled");
  command.add_option("--kind", words->filter.kind, "only tasks of this kind, such as plan, analyse or process");
  command.add_option("--limit", words->filter.limit, "at most so many")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  command.add_option("--before", words->filter.before, "only tasks older than the one with this id");
  add_database_options(command, common);
  add_server_options(command, common);
}

void add_lists(CLI::App& sub, const Words& words, CommonOptions& common, Action& action) {
  const auto set = [words, &common, &action] {
    action = [words, &common] { return ended(list_tasks(words->filter, common), common); };
  };
  CLI::App* command = sub.add_subcommand("list", "Tasks, newest first (also without the word list)");
  add_list_options(*command, words, common);
  command->callback(set);
  add_list_options(sub, words, common);
  sub.callback([&sub, set] {
    if (sub.get_subcommands().empty()) set();
  });
  command = sub.add_subcommand("nodes", "Processes that work on tasks");
  add_database_options(*command, common);
  add_server_options(*command, common);
  command->callback([&common, &action] { action = [&common] { return ended(list_nodes(common), common); }; });
  command = sub.add_subcommand("dead-letters", "Tasks that were given up, and why");
  command->add_option("--limit", words->letters, "at most so many")->capture_default_str()->check(CLI::PositiveNumber);
  add_database_options(*command, common);
  add_server_options(*command, common);
  command->callback([words, &common, &action] {
    action = [words, &common] { return ended(list_letters(words->letters, common), common); };
  });
}

void add_letter_command(CLI::App& sub, const char* name, const char* description, bool retry, const Words& words,
                        CommonOptions& common, Action& action) {
  CLI::App* command = sub.add_subcommand(name, description);
  command->add_option("TASK", words->task, "id of the task")->required();
  add_database_options(*command, common);
  add_server_options(*command, common);
  command->callback([words, retry, &common, &action] {
    action = [words, retry, &common] { return ended(act_on_letter(words->task, retry, common), common); };
  });
}

CLI::App* add_named(CLI::App& sub, const char* name, const char* description, const Words& words,
                    CommonOptions& common) {
  CLI::App* command = sub.add_subcommand(name, description);
  command
      ->add_option("NAME", words->name,
                   "name of the queue ('default', or what definitions say with 'queue'), or of a kind")
      ->required();
  command->add_flag("--kind", words->kind, "NAME is a kind of tasks");
  add_database_options(*command, common);
  return command;
}

void add_limit_command(CLI::App& sub, const Words& words, CommonOptions& common, Action& action) {
  CLI::App* command = add_named(
      sub, "limit", "Let at most so many tasks of a queue or kind run at once, on all nodes together", words, common);
  command->add_option("COUNT", words->most, "at most so many; 0: any number")
      ->required()
      ->check(CLI::Range(std::int64_t{0}, queue::kMostAtOnce));
  command->callback(
      [words, &common, &action] { action = [words, &common] { return ended(set_limit(*words, common), common); }; });
}

void add_pause_command(CLI::App& sub, const char* name, const char* description, bool paused, const Words& words,
                       CommonOptions& common, Action& action) {
  CLI::App* command = add_named(sub, name, description, words, common);
  command->callback([words, paused, &common, &action] {
    action = [words, paused, &common] { return ended(set_paused(*words, paused, common), common); };
  });
}

}  // namespace

void add_queue_commands(CLI::App& app, CommonOptions& common, Action& action) {
  auto words = std::make_shared<QueueCommand>();
  CLI::App* sub = app.add_subcommand("queue", "Tasks, nodes and dead letters");
  sub->require_subcommand(0, 1);
  sub->footer(
      "Examples:\n"
      "  lade queue --status running\n"
      "  lade queue dead-letters\n"
      "  lade queue pause process --kind");
  add_lists(*sub, words, common, action);
  add_letter_command(*sub, "retry", "Try a dead letter again, with all its attempts", true, words, common, action);
  add_letter_command(*sub, "delete", "Forget a dead letter; its task stays failed", false, words, common, action);
  add_pause_command(*sub, "pause", "Claim no further tasks of a queue or kind", true, words, common, action);
  add_limit_command(*sub, words, common, action);
  add_pause_command(*sub, "resume", "Go on with a paused queue or kind", false, words, common, action);
}

}  // namespace lade::cli
