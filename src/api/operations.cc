#include <fmt/format.h>

#include <algorithm>

#include "api/imports.h"
#include "api/overview.h"
#include "api/problem.h"
#include "api/views.h"
#include "base/moment.h"
#include "db/values.h"
#include "jobs/retry_letters.h"
#include "queue/dead_letters.h"
#include "queue/figures.h"
#include "queue/groups.h"
#include "queue/rescue.h"

// For those who keep the workers running: how it stands, what needs them, why something waits.
namespace lade::api {

namespace json = boost::json;
using accounts::Role;

namespace {

// Whose tasks somebody sees: all of them who is above companies.
std::int64_t company_of(const Call& call) {
  return call.who().instance_admin ? 0 : call.who().company;
}

Result<void> check_sight(const Call& call) {
  if (call.who().sight == accounts::Sight::company) return {};
  return fail("not_allowed", "the queue is for those who see the whole company", "ask for the import's own tasks",
              ErrorKind::usage);
}

template <class Number>
json::value number_or_null(const std::optional<Number>& number) {
  return number ? json::value(*number) : json::value(nullptr);
}

json::object queue_json(const queue::QueueFigures& figures, const std::vector<queue::QueueRule>& rules) {
  json::object object{{"queue", figures.queue}, {"ready", figures.ready},     {"held", figures.held},
                      {"later", figures.later}, {"running", figures.running}, {"oldest_ready_seconds", nullptr},
                      {"paused", false},        {"concurrency", nullptr}};
  if (figures.oldest_ready) object["oldest_ready_seconds"] = static_cast<double>(*figures.oldest_ready) / 1e6;
  for (const queue::QueueRule& rule : rules)
    if (rule.scope == "queue" && rule.name == figures.queue) {
      object["paused"] = rule.paused;
      object["concurrency"] = number_or_null(rule.concurrency);
    }
  return object;
}

// Queues that have tasks, and those that something was said of.
Result<json::array> queues_json(db::Connection& connection, std::vector<queue::QueueFigures> figures) {
  LADE_ASSIGN(const auto rules, queue::list_rules(connection));
  for (const queue::QueueRule& rule : rules)
    if (rule.scope == "queue" && std::ranges::find(figures, rule.name, &queue::QueueFigures::queue) == figures.end())
      figures.push_back({.queue = rule.name});
  std::ranges::sort(figures, {}, &queue::QueueFigures::queue);
  json::array list;
  for (const queue::QueueFigures& one : figures) list.push_back(queue_json(one, rules));
  return list;
}

json::object node_json(const NodeFigures& figures, const std::vector<queue::TaskAtWork>& tasks) {
  json::object object = to_json(figures.node);
  object["beat_age_seconds"] = number_or_null(figures.beat_age_seconds);
  json::array running;
  for (const queue::TaskAtWork& task : tasks)
    if (task.node == figures.node.boot)
      running.push_back(json::object{{"task_id", task.id},
                                     {"kind", task.kind},
                                     {"group", text_or_null(task.group)},
                                     {"elapsed_ms", task.elapsed / 1000}});
  object["tasks"] = std::move(running);
  return object;
}

Result<json::array> nodes_json(Call& call) {
  constexpr std::int64_t kMost = 1000;
  LADE_ASSIGN(const auto nodes, call.service.overview().nodes(call.connection));
  LADE_ASSIGN(auto tasks, queue::running_tasks(call.connection, kMost));
  const std::int64_t company = company_of(call);
  std::erase_if(tasks, [&](const queue::TaskAtWork& task) { return company != 0 && task.company != company; });
  json::array list;
  for (const NodeFigures& node : nodes) list.push_back(node_json(node, tasks));
  return list;
}

// What a person should do something about, worst first.
class Attention {
 public:
  void add(std::string_view code, std::string_view severity, std::string sentence, json::object parameters,
           std::string_view link) {
    list_.push_back(json::object{{"code", code},
                                 {"severity", severity},
                                 {"sentence", std::move(sentence)},
                                 {"parameters", std::move(parameters)},
                                 {"since", nullptr},
                                 {"link", link}});
  }
  json::array take() {
    constexpr std::size_t kMost = 5;
    std::ranges::stable_partition(list_, [](const json::value& one) { return one.at("severity") == "error"; });
    if (list_.size() > kMost) list_.resize(kMost);
    return json::array(list_.begin(), list_.end());
  }

 private:
  std::vector<json::value> list_;
};

std::string counted(std::int64_t number, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", number, number == 1 ? one : many);
}

void look_at_nodes(const json::array& nodes, const Figures& figures, Attention& attention) {
  constexpr double kSilent = 12;
  if (nodes.empty())
    attention.add("no_nodes", "error",
                  fmt::format("No process works on tasks; {} wait.", counted(figures.ready, "task", "tasks")),
                  {{"ready", figures.ready}}, "/ops/nodes");
  for (const json::value& node : nodes)
    if (const json::value& age = node.at("beat_age_seconds"); age.is_double() && age.get_double() > kSilent)
      attention.add("node_silent", "error",
                    fmt::format("{} was last heard of {:.0f} s ago; its tasks will be given to others.",
                                std::string_view(node.at("name").as_string()), age.get_double()),
                    {{"node", node.at("name")}, {"seconds", age}}, "/ops/nodes");
}

void look_at_queues(const json::array& queues, const Figures& figures, Attention& attention) {
  constexpr double kLong = 300;
  if (figures.dead_letters > 0)
    attention.add(
        "dead_letters", "error",
        fmt::format("{} given up; they wait for you.", counted(figures.dead_letters, "task was", "tasks were")),
        {{"count", figures.dead_letters}}, "/ops/dead-letters");
  for (const json::value& queue : queues)
    if (queue.at("paused").as_bool())
      attention.add("queue_paused", "warning",
                    fmt::format("Queue {} is paused; {} wait.", std::string_view(queue.at("queue").as_string()),
                                counted(queue.at("held").to_number<std::int64_t>(), "task", "tasks")),
                    {{"queue", queue.at("queue")}, {"held", queue.at("held")}}, "/ops/queues");
  if (figures.oldest_ready_seconds && *figures.oldest_ready_seconds > kLong)
    attention.add("oldest_waits", "warning",
                  fmt::format("The oldest task has been ready for {:.0f} min.", *figures.oldest_ready_seconds / 60),
                  {{"seconds", *figures.oldest_ready_seconds}}, "/ops/tasks");
  if (figures.imports_waiting_for_review > 0)
    attention.add(
        "review_waits", "warning",
        fmt::format("{} for review.", counted(figures.imports_waiting_for_review, "import waits", "imports wait")),
        {{"count", figures.imports_waiting_for_review}}, "/imports?status=waiting_for_review");
}

Result<json::object> database_json(db::Connection& connection) {
  if (connection.backend() == db::Backend::sqlite) {
    LADE_ASSIGN(const auto size,
                connection.query("SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()"));
    return json::object{{"backend", "sqlite"}, {"connections", nullptr}, {"bytes", db::integer_of(size[0][0])}};
  }
  LADE_ASSIGN(const auto rows, connection.query("SELECT (SELECT count(*) FROM pg_stat_activity WHERE datname = "
                                                "current_database()), pg_database_size(current_database())"));
  return json::object{
      {"backend", "postgresql"}, {"connections", db::integer_of(rows[0][0])}, {"bytes", db::integer_of(rows[0][1])}};
}

Result<http::Response> overview(Call& call) {
  LADE_TRY(call.query.finish());
  LADE_TRY(check_sight(call));
  LADE_ASSIGN(Figures figures, call.service.overview().figures(call.connection, company_of(call)));
  LADE_ASSIGN(json::array queues, queues_json(call.connection, figures.queues));
  LADE_ASSIGN(json::array nodes, nodes_json(call));
  LADE_ASSIGN(json::object database, database_json(call.connection));
  Attention attention;
  look_at_nodes(nodes, figures, attention);
  look_at_queues(queues, figures, attention);
  return json_response(200, stamped({{"attention", attention.take()},
                                     {"figures", to_json(figures)},
                                     {"queues", std::move(queues)},
                                     {"nodes", std::move(nodes)},
                                     {"database", std::move(database)}}));
}

// One point a step, of the last sample in it; null where there was none.
Result<http::Response> series(Call& call) {
  constexpr std::int64_t kHour = 3600, kDay = 24 * kHour, kMostPoints = 2000;
  const std::int64_t window = call.query.integer("window", 60, kDay).value_or(kHour);
  const std::int64_t step = call.query.integer("step", 1, kDay).value_or(std::max<std::int64_t>(10, window / 120));
  LADE_TRY(call.query.finish());
  LADE_TRY(check_sight(call));
  if (window / step > kMostPoints)
    return fail("request_invalid", fmt::format("there would be more than {} points", kMostPoints),
                "a larger step, or a smaller window", ErrorKind::usage);
  const auto now = std::chrono::ceil<std::chrono::seconds>(std::chrono::system_clock::now());  // its samples too
  const auto from = now - std::chrono::seconds(window);
  std::vector<std::optional<Figures>> slots(static_cast<std::size_t>((window + step - 1) / step));
  for (Overview::Sample& sample : call.service.overview().samples(company_of(call), std::chrono::seconds(window))) {
    const std::int64_t second = std::chrono::floor<std::chrono::seconds>(sample.at - from).count();
    const auto slot = static_cast<std::size_t>(std::max<std::int64_t>(0, second / step));
    if (slot < slots.size()) slots[slot] = std::move(sample.figures);
  }
  json::array times;
  for (std::size_t i = 0; i < slots.size(); ++i) times.push_back(static_cast<std::int64_t>(i) * step);
  const auto line = [&](auto&& value) {
    json::array values;
    for (const auto& slot : slots) values.push_back(slot ? value(*slot) : json::value(nullptr));
    return values;
  };
  json::object object{{"step", step}, {"from", to_text(Moment(from))}, {"times", std::move(times)}};
  object["running"] = line([](const Figures& one) { return json::value(one.running); });
  object["ready"] = line([](const Figures& one) { return json::value(one.ready); });
  object["oldest_ready_seconds"] = line([](const Figures& one) { return number_or_null(one.oldest_ready_seconds); });
  object["pickup_p99_ms"] = line([](const Figures& one) { return number_or_null(one.pickup_p99_ms); });
  object["dead_letters"] = line([](const Figures& one) { return json::value(one.dead_letters); });
  object["failed_attempts"] = line([](const Figures& one) { return json::value(one.failed_attempts); });
  object["rows_per_second"] = line([](const Figures& one) { return json::value(one.rows_per_second); });
  json::object outcomes;
  for (std::size_t i = 0; i < kRowOutcomes.size(); ++i)
    outcomes[kRowOutcomes[i]] = line([i](const Figures& one) { return json::value(one.outcomes_per_second[i]); });
  object["outcomes_per_second"] = std::move(outcomes);
  return json_response(200, stamped(std::move(object)));
}

Result<http::Response> queue_list(Call& call) {
  LADE_TRY(call.query.finish());
  LADE_TRY(check_sight(call));
  LADE_ASSIGN(Figures figures, call.service.overview().figures(call.connection, company_of(call)));
  LADE_ASSIGN(json::array queues, queues_json(call.connection, std::move(figures.queues)));
  return whole_list(std::move(queues));
}

Result<http::Response> change_queue(Call& call) {
  LADE_TRY(call.query.finish());
  const std::string& name = call.at("queue");
  const bool limits = call.body.has("concurrency");
  const auto most = call.body.integer("concurrency", 0, queue::kMostAtOnce);
  const auto paused = call.body.flag("paused");
  LADE_TRY(call.body.finish());
  if (limits)
    LADE_TRY(queue::limit(call.connection, queue::Scope::queue, name, most.value_or(0) == 0 ? std::nullopt : most));
  if (paused) LADE_TRY(queue::pause(call.connection, queue::Scope::queue, name, *paused));
  if (limits) call.audit["concurrency"] = number_or_null(most);
  if (paused) call.audit["paused"] = *paused;
  LADE_ASSIGN(const Figures figures, call.service.overview().figures(call.connection, 0));
  LADE_ASSIGN(const auto rules, queue::list_rules(call.connection));
  const auto found = std::ranges::find(figures.queues, name, &queue::QueueFigures::queue);
  return json_response(200,
                       queue_json(found == figures.queues.end() ? queue::QueueFigures{.queue = name} : *found, rules));
}

Result<http::Response> list_nodes(Call& call) {
  LADE_TRY(call.query.finish());
  LADE_ASSIGN(json::array nodes, nodes_json(call));
  return whole_list(std::move(nodes));
}

Result<http::Response> drain_node(Call& call) {
  LADE_TRY(call.query.finish());
  const bool drain = call.body.flag("drain").value_or(true);
  LADE_TRY(call.body.finish());
  const std::string& boot = call.at("node");
  LADE_ASSIGN(const bool found, queue::drain_node(call.connection, boot, drain));
  if (!found) return fail(not_found("node", boot));
  call.audit["drain"] = drain;
  LADE_ASSIGN(const auto nodes, call.service.overview().nodes(call.connection));
  for (const NodeFigures& node : nodes)
    if (node.node.boot == boot) return json_response(200, node_json(node, {}));
  return fail(not_found("node", boot));
}

json::object to_json(const queue::DeadLetterGroup& group) {
  constexpr std::size_t kTasks = 5;
  json::array tasks;
  for (std::size_t i = 0; i < std::min(kTasks, group.tasks.size()); ++i) tasks.push_back(group.tasks[i]);
  return {{"group", group.key},
          {"reason", group.reason},
          {"kind", group.kind},
          {"queue", group.queue},
          {"message", group.message},
          {"count", group.count},
          {"first_at", text_or_null(to_text(moment_of(group.first_at)))},
          {"last_at", text_or_null(to_text(moment_of(group.last_at)))},
          {"spark", json::array(group.spark.begin(), group.spark.end())},
          {"tasks", std::move(tasks)}};
}

Result<http::Response> letter_groups(Call& call) {
  LADE_TRY(call.query.finish());
  LADE_TRY(check_sight(call));
  LADE_ASSIGN(const auto groups, queue::group_dead_letters(call.connection, call.who().company));
  json::array items;
  for (const queue::DeadLetterGroup& group : groups) items.push_back(to_json(group));
  return whole_list(std::move(items));
}

// The tasks that are meant, of the company's own.
Result<std::vector<std::int64_t>> wanted_letters(Call& call) {
  constexpr std::int64_t kMost = 10'000;
  const auto group = call.body.text("group");
  const auto ids = call.body.integers("ids");
  LADE_TRY(call.body.finish());
  if (group.has_value() == ids.has_value())
    return fail("request_invalid", "either group or ids must be given", "a group of GET /queue/dead-letter/groups",
                ErrorKind::usage);
  if (group) {
    LADE_ASSIGN(const auto groups, queue::group_dead_letters(call.connection, call.who().company));
    const auto found = std::ranges::find(groups, *group, &queue::DeadLetterGroup::key);
    if (found == groups.end()) return fail(not_found("dead_letter", *group));
    return found->tasks;
  }
  LADE_ASSIGN(const auto letters, queue::dead_letters(call.connection, "", kMost, call.who().company));
  for (const std::int64_t id : *ids)
    if (std::ranges::find(letters, id, &queue::DeadLetter::task) == letters.end())
      return fail(not_found("dead_letter", std::to_string(id)));
  return *ids;
}

Result<http::Response> retry_letters(Call& call) {
  LADE_TRY(call.query.finish());
  LADE_TRY(check_sight(call));
  LADE_ASSIGN(const auto tasks, wanted_letters(call));
  LADE_ASSIGN(const jobs::RetriedLetters done,
              jobs::retry_letters(call.connection, tasks, {call.who().user, call.who().user_id}));
  json::array refused;
  for (const auto& [task, error] : done.refused)
    refused.push_back(json::object{{"task_id", task}, {"code", error.code}, {"message", error.message}});
  call.audit["retried"] = done.retried;
  return json_response(202, json::object{{"retried", done.retried}, {"refused", std::move(refused)}});
}

}  // namespace

json::object to_json(const Figures& figures) {
  json::object outcomes;
  for (std::size_t i = 0; i < kRowOutcomes.size(); ++i) outcomes[kRowOutcomes[i]] = figures.outcomes_per_second[i];
  return {{"running", figures.running},
          {"slots", figures.slots},
          {"ready", figures.ready},
          {"held", figures.held},
          {"later", figures.later},
          {"oldest_ready_seconds", number_or_null(figures.oldest_ready_seconds)},
          {"pickup_p50_ms", number_or_null(figures.pickup_p50_ms)},
          {"pickup_p99_ms", number_or_null(figures.pickup_p99_ms)},
          {"dead_letters", figures.dead_letters},
          {"imports_running", figures.imports_running},
          {"imports_queued", figures.imports_queued},
          {"imports_waiting_for_review", figures.imports_waiting_for_review},
          {"failed_attempts", figures.failed_attempts},
          {"rows_per_second", figures.rows_per_second},
          {"outcomes_per_second", std::move(outcomes)}};
}

std::vector<Route> operation_routes() {
  const Access reads{Role::operator_, "queue:read"}, writes{Role::operator_, "queue:write"};
  const Access everybodys{Role::admin, "queue:write", true};
  return {
      {.method = "GET",
       .path = "/api/v1/overview",
       .name = "overview.show",
       .summary = "How queues, nodes and imports stand, and what needs somebody",
       .access = reads,
       .answer = overview,
       .answers = {{200, "Overview", "as it is now"}}},
      {.method = "GET",
       .path = "/api/v1/overview/series",
       .name = "overview.series",
       .summary = "How it went, as this server has seen it since its start",
       .access = reads,
       .answer = series,
       .query = {{"window", "integer", "seconds until now (60 to 86400, default 3600)"},
                 {"step", "integer", "seconds between points (default: a 120th of the window)"}},
       .answers = {{200, "OverviewSeries", "one list for each figure"}}},
      {.method = "GET",
       .path = "/api/v1/queues/figures",
       .name = "queues.figures",
       .summary = "Queues that have tasks or rules: what waits, is held and runs",
       .access = reads,
       .answer = queue_list,
       .answers = {{200, "QueueFiguresPage", "by name"}}},
      {.method = "PATCH",
       .path = "/api/v1/queues/{queue}",
       .name = "queues.change",
       .summary = "Pause or resume a queue, or change how many of its tasks run at once, for all companies",
       .access = everybodys,
       .answer = change_queue,
       .body = Body::json,
       .body_schema = "QueueChange",
       .answers = {{200, "QueueFigures", "the queue"}}},
      {.method = "GET",
       .path = "/api/v1/nodes",
       .name = "nodes.list",
       .summary = "Processes that work on tasks",
       .access = reads,
       .answer = list_nodes,
       .answers = {{200, "NodePage", "nodes, oldest first"}}},
      {.method = "POST",
       .path = "/api/v1/nodes/{node}/drain",
       .name = "nodes.drain",
       .summary = "Let a node take no further tasks, or take some again; what it has begun goes on",
       .access = everybodys,
       .answer = drain_node,
       .body = Body::json,
       .body_schema = "Drain",
       .answers = {{200, "Node", "the node"}}},
      {.method = "GET",
       .path = "/api/v1/queue/dead-letter/groups",
       .name = "dead_letters.groups",
       .summary = "Tasks that were given up, by their cause",
       .access = reads,
       .answer = letter_groups,
       .answers = {{200, "DeadLetterGroupPage", "the largest group first"}}},
      {.method = "POST",
       .path = "/api/v1/queue/dead-letter/retry",
       .name = "dead_letters.retry_many",
       .summary = "Try all tasks of a group again, or those with these ids",
       .access = writes,
       .answer = retry_letters,
       .body = Body::json,
       .body_schema = "RetryLetters",
       .answers = {{202, "RetriedLetters", "how many, and which could not be"}}},
  };
}

}  // namespace lade::api
