#include <fmt/format.h>
#include <unistd.h>
#include <boost/json.hpp>

#include <functional>
#include <memory>

#include "api/views.h"
#include "base/moment.h"
#include "cli/commands.h"
#include "queue/dead_letters.h"
#include "queue/groups.h"
#include "queue/task_list.h"

namespace lade::cli {
namespace {

namespace json = boost::json;

struct QueueCommand {
  queue::TaskFilter filter;
  std::int64_t letters = 100;
  std::int64_t task = 0;
  std::string name;
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

// Runs `work` with a session; a database without lade's tables has an empty queue.
int with_queue(const CommonOptions& common, db::Access access,
               const std::function<Result<void>(db::Connection*)>& work) {
  const auto connection = open_current_store(common, access);
  if (!connection) return report(connection.error(), common.output);
  const auto done = work(connection->get());
  return done ? int{kOk} : report(done.error(), common.output);
}

int list_tasks(const queue::TaskFilter& filter, const CommonOptions& common) {
  return with_queue(common, db::Access::read, [&](db::Connection* connection) -> Result<void> {
    std::vector<queue::TaskRow> tasks;
    std::vector<queue::PausedQueue> paused;
    if (connection != nullptr) {
      LADE_ASSIGN(tasks, queue::list_tasks(*connection, filter));
      LADE_ASSIGN(paused, queue::list_paused(*connection));
    }
    show(tasks, "tasks", common.output, print_tasks);
    if (common.output == Output::text)
      for (const queue::PausedQueue& stopped : paused) fmt::print("paused: {} {}\n", stopped.scope, stopped.name);
    return {};
  });
}

int list_nodes(const CommonOptions& common) {
  return with_queue(common, db::Access::read, [&](db::Connection* connection) -> Result<void> {
    std::vector<queue::ListedNode> nodes;
    if (connection != nullptr) {
      LADE_ASSIGN(nodes, queue::list_nodes(*connection));
    }
    show(nodes, "nodes", common.output, print_nodes);
    return {};
  });
}

int list_letters(std::int64_t limit, const CommonOptions& common) {
  return with_queue(common, db::Access::read, [&](db::Connection* connection) -> Result<void> {
    std::vector<queue::DeadLetter> letters;
    if (connection != nullptr) {
      LADE_ASSIGN(letters, queue::dead_letters(*connection, "", limit));
    }
    show(letters, "dead_letters", common.output, print_letters);
    return {};
  });
}

// What was done, in one line.
void say(const CommonOptions& common, const json::object& object, const std::string& text) {
  if (common.output != Output::text) {
    fmt::print("{}\n", json::serialize(object));
  } else if (!common.quiet) {
    fmt::print("{}\n", text);
  }
}

int act_on_letter(std::int64_t task, bool retry, const CommonOptions& common) {
  return with_queue(common, db::Access::write, [&](db::Connection* connection) -> Result<void> {
    if (connection == nullptr) return fail(queue::no_such_letter(task));
    LADE_TRY(retry ? queue::retry_dead_letter(*connection, task) : queue::delete_dead_letter(*connection, task));
    say(common, {{"task_id", task}, {"status", retry ? "pending" : "deleted"}},
        fmt::format("task {}: {}", task, retry ? "pending again" : "dead letter deleted"));
    return {};
  });
}

int set_paused(const QueueCommand& command, bool paused, const CommonOptions& common) {
  return with_queue(common, db::Access::write, [&](db::Connection* connection) -> Result<void> {
    if (connection == nullptr)
      return fail("schema_outdated", "the database has none of lade's tables", "run lade migrate", ErrorKind::invalid);
    const queue::Scope scope = command.kind ? queue::Scope::kind : queue::Scope::queue;
    LADE_TRY(queue::pause(*connection, scope, command.name, paused));
    const char* what = command.kind ? "kind" : "queue";
    say(common, {{what, command.name}, {"paused", paused}},
        fmt::format("{} {}: {}", what, command.name, paused ? "paused" : "resumed"));
    return {};
  });
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
}

void add_lists(CLI::App& sub, const Words& words, CommonOptions& common, Action& action) {
  const auto set = [words, &common, &action] {
    action = [words, &common] { return list_tasks(words->filter, common); };
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
  command->callback([&common, &action] { action = [&common] { return list_nodes(common); }; });
  command = sub.add_subcommand("dead-letters", "Tasks that were given up, and why");
  command->add_option("--limit", words->letters, "at most so many")->capture_default_str()->check(CLI::PositiveNumber);
  add_database_options(*command, common);
  command->callback(
      [words, &common, &action] { action = [words, &common] { return list_letters(words->letters, common); }; });
}

void add_letter_command(CLI::App& sub, const char* name, const char* description, bool retry, const Words& words,
                        CommonOptions& common, Action& action) {
  CLI::App* command = sub.add_subcommand(name, description);
  command->add_option("TASK", words->task, "id of the task")->required();
  add_database_options(*command, common);
  command->callback([words, retry, &common, &action] {
    action = [words, retry, &common] { return act_on_letter(words->task, retry, common); };
  });
}

void add_pause_command(CLI::App& sub, const char* name, const char* description, bool paused, const Words& words,
                       CommonOptions& common, Action& action) {
  CLI::App* command = sub.add_subcommand(name, description);
  command->add_option("NAME", words->name, "name of the queue (lade's jobs are in 'default'), or of a kind")
      ->required();
  command->add_flag("--kind", words->kind, "NAME is a kind of tasks");
  add_database_options(*command, common);
  command->callback([words, paused, &common, &action] {
    action = [words, paused, &common] { return set_paused(*words, paused, common); };
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
  add_pause_command(*sub, "resume", "Go on with a paused queue or kind", false, words, common, action);
}

}  // namespace lade::cli
