#include <fmt/format.h>

#include "api/paging.h"
#include "api/problem.h"
#include "api/route.h"
#include "api/views.h"
#include "jobs/retry_letters.h"
#include "queue/dead_letters.h"
#include "queue/groups.h"
#include "queue/task_list.h"

// The queue, for those who operate it: tasks, dead letters, nodes.
namespace lade::api {
namespace {

namespace json = boost::json;
using accounts::Role;

// Tasks have no owner of their own.
Result<void> check_sight(const Call& call) {
  if (call.who().sight == accounts::Sight::company) return {};
  return fail("not_allowed", "the queue is for those who see the whole company", "ask for the import's own tasks",
              ErrorKind::usage);
}

Result<http::Response> tasks(Call& call) {
  LADE_TRY(check_sight(call));
  queue::TaskFilter filter{.company = call.who().company};
  filter.status = call.query.text("status").value_or("");
  filter.kind = call.query.text("kind").value_or("");
  LADE_ASSIGN(const Page page, read_page(call.query));
  LADE_TRY(call.query.finish());
  filter.before = page.before;
  filter.limit = page.limit + 1;
  LADE_ASSIGN(const auto found, queue::list_tasks(call.connection, filter));
  return page_response(found, page, [](const queue::TaskRow& task) { return task.id; });
}

// The number in the path, if the company has such a task.
Result<std::int64_t> require_task(Call& call) {
  LADE_TRY(check_sight(call));
  const std::string& reference = call.at("task");
  Fields path({{"task", reference}}, "part of the address");
  const auto id = path.integer("task", 1, INT64_MAX);
  if (!id) return fail(not_found("task", reference));
  LADE_ASSIGN(const auto found, queue::list_tasks(call.connection, {.task = *id, .company = call.who().company}));
  if (found.empty()) return fail(not_found("task", reference));
  return *id;
}

Result<http::Response> task(Call& call) {
  LADE_TRY(call.query.finish());
  LADE_ASSIGN(const std::int64_t id, require_task(call));
  LADE_ASSIGN(const auto found, queue::list_tasks(call.connection, {.task = id}));
  return json_response(200, to_json(found.front()));
}

Result<http::Response> dead_letters(Call& call) {
  LADE_TRY(check_sight(call));
  const std::int64_t limit = call.query.integer("limit", 1, 1000).value_or(100);
  LADE_TRY(call.query.finish());
  LADE_ASSIGN(const auto letters, queue::dead_letters(call.connection, "", limit, call.who().company));
  json::array items;
  for (const queue::DeadLetter& letter : letters) items.push_back(to_json(letter));
  return whole_list(std::move(items));
}

Result<http::Response> retry_letter(Call& call) {
  LADE_TRY(call.query.finish());
  LADE_TRY(call.body.finish());
  LADE_ASSIGN(const std::int64_t id, require_task(call));
  LADE_ASSIGN(const auto done, jobs::retry_letters(call.connection, {&id, 1}, {call.who().user, call.who().user_id}));
  if (!done.refused.empty()) return fail(done.refused.front().error);
  return json_response(202, json::object{{"task_id", id}, {"status", "pending"}});
}

Result<http::Response> delete_letter(Call& call) {
  LADE_TRY(call.query.finish());
  LADE_ASSIGN(const std::int64_t id, require_task(call));
  LADE_TRY(queue::delete_dead_letter(call.connection, id));
  return http::Response{.status = 204};
}

Result<http::Response> queues(Call& call) {
  LADE_TRY(call.query.finish());
  LADE_ASSIGN(const auto rules, queue::list_rules(call.connection));
  json::array items;
  for (const queue::QueueRule& rule : rules) items.push_back(to_json(rule));
  return whole_list(std::move(items));
}

Result<http::Response> set_limit(Call& call) {
  LADE_TRY(call.query.finish());
  const auto most = call.body.integer("concurrency", 0, queue::kMostAtOnce);
  LADE_TRY(call.body.finish());
  const auto limit = most == 0 ? std::nullopt : most;
  LADE_TRY(queue::limit(call.connection, queue::Scope::queue, call.at("queue"), limit));
  return json_response(200, json::object{{"queue", call.at("queue")}, {"concurrency", limit.value_or(0)}});
}

template <bool paused>
Result<http::Response> set_paused(Call& call) {
  LADE_TRY(call.query.finish());
  LADE_TRY(call.body.finish());
  LADE_TRY(queue::pause(call.connection, queue::Scope::queue, call.at("queue"), paused));
  return json_response(200, json::object{{"queue", call.at("queue")}, {"paused", paused}});
}

}  // namespace

std::vector<Route> queue_routes() {
  const Access reads{Role::operator_, "queue:read"}, writes{Role::operator_, "queue:write"};
  const Access everybodys{Role::admin, "queue:write", true};
  return {
      {.method = "GET",
       .path = "/api/v1/tasks",
       .name = "tasks.list",
       .summary = "Tasks of all imports, newest first",
       .access = reads,
       .answer = tasks,
       .query = with_paging({{"status", "string", "pending, retryable, running, succeeded, failed, cancelled"},
                             {"kind", "string", "plan, analyse, settle, judge, process, orphans, finalise, deliver"}}),
       .answers = {{200, "TaskPage", "a page of tasks"}}},
      {.method = "GET",
       .path = "/api/v1/tasks/{task}",
       .name = "tasks.show",
       .summary = "A task",
       .access = reads,
       .answer = task,
       .answers = {{200, "Task", "the task"}}},
      {.method = "GET",
       .path = "/api/v1/queue/dead-letter",
       .name = "dead_letters.list",
       .summary = "Tasks that were given up, and why, newest first",
       .access = reads,
       .answer = dead_letters,
       .query = {{"limit", "integer", "at most so many (1 to 1000, default 100)"}},
       .answers = {{200, "DeadLetterPage", "dead letters"}}},
      {.method = "POST",
       .path = "/api/v1/queue/dead-letter/{task}/retry",
       .name = "dead_letters.retry",
       .summary = "Try a task again that was given up, with all its attempts",
       .access = writes,
       .answer = retry_letter,
       .body = Body::json,
       .answers = {{202, "TaskStatus", "it is in the queue again"}}},
      {.method = "DELETE",
       .path = "/api/v1/queue/dead-letter/{task}",
       .name = "dead_letters.delete",
       .summary = "Forget a dead letter",
       .access = writes,
       .answer = delete_letter,
       .answers = {{204, "", "forgotten"}}},
      {.method = "GET",
       .path = "/api/v1/queues",
       .name = "queues.list",
       .summary = "Queues and kinds of tasks that are paused or limited",
       .access = reads,
       .answer = queues,
       .answers = {{200, "QueueRulePage", "by name; queues that nothing was said of are not listed"}}},
      {.method = "POST",
       .path = "/api/v1/queues/{queue}/limit",
       .name = "queues.limit",
       .summary =
           "Let at most `concurrency` tasks of a queue run at once, on all nodes together; 0 or none: any number",
       .access = everybodys,
       .answer = set_limit,
       .body = Body::json,
       .answers = {{200, "QueueLimit", "the queue"}}},
      {.method = "POST",
       .path = "/api/v1/queues/{queue}/pause",
       .name = "queues.pause",
       .summary = "Claim no further task of a queue, for all companies",
       .access = everybodys,
       .answer = set_paused<true>,
       .body = Body::json,
       .answers = {{200, "QueueState", "the queue"}}},
      {.method = "POST",
       .path = "/api/v1/queues/{queue}/resume",
       .name = "queues.resume",
       .summary = "Go on with a paused queue",
       .access = everybodys,
       .answer = set_paused<false>,
       .body = Body::json,
       .answers = {{200, "QueueState", "the queue"}}},
  };
}

}  // namespace lade::api
