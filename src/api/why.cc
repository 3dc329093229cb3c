#include <fmt/format.h>

#include <algorithm>

#include "api/imports.h"
#include "api/problem.h"
#include "api/views.h"
#include "base/moment.h"
#include "queue/figures.h"
#include "queue/task_list.h"

// Why something waits, in one sentence each reason.
namespace lade::api {
namespace {

namespace json = boost::json;
using accounts::Role;
using store::JobRecord;

json::object reason(std::string_view code, std::string sentence, json::object parameters = {}, std::string until = {},
                    std::string link = {}) {
  return {{"code", code},
          {"sentence", std::move(sentence)},
          {"parameters", std::move(parameters)},
          {"until", text_or_null(until)},
          {"link", text_or_null(link)}};
}

// Imports that a group of tasks belongs to, by their files' names, as far as who asks sees them.
Result<std::vector<std::string>> names_of(const Call& call, const std::vector<std::string>& groups) {
  constexpr std::size_t kMost = 5;
  std::vector<std::string> names;
  for (const std::string& group : groups) {
    if (names.size() == kMost) break;
    LADE_ASSIGN(const auto job, store::find_job(call.connection, group, call.who().company));
    names.push_back(job && accounts::sees(call.who(), job->created_by_id, job->project) ? job->file_name
                                                                                        : "another import");
  }
  return names;
}

Result<json::object> to_json(const Call& call, const queue::WaitReason& why) {
  const std::string until = to_text(moment_of(why.until));
  if (why.kind == "queue_paused")
    return reason("queue_paused", fmt::format("{} is paused.", why.subject), {{"queue", why.subject}}, "",
                  "/ops/queues");
  if (why.kind == "group_paused") return reason("import_paused", "The import is paused.", {{"import", why.subject}});
  if (why.kind == "deferred") return reason("deferred", fmt::format("It is not to begin before {}.", until), {}, until);
  if (why.kind == "retry_later")
    return reason("retry_later", fmt::format("It has failed {} times and is tried again at {}.", why.number, until),
                  {{"attempts", why.number}}, until);
  if (why.kind == "no_node")
    return reason("no_node", fmt::format("No live process takes tasks of the kind {} here.", why.subject),
                  {{"kind", why.subject}}, "", "/ops/nodes");
  if (why.kind == "reserved")
    return reason("reserved", fmt::format("It is reserved for {}.", why.subject), {{"node", why.subject}}, "",
                  "/ops/nodes");
  if (why.kind == "limit_reached") {
    LADE_ASSIGN(const auto names, names_of(call, why.by));
    return reason("limit_reached",
                  fmt::format("{} of {} places of {} are taken: {}.", why.number, why.number, why.subject,
                              fmt::join(names, ", ")),
                  {{"limit", why.number}, {"of", why.subject}, {"by", json::array(names.begin(), names.end())}}, "",
                  "/ops/queues");
  }
  return reason("behind_others",
                why.number == 0 ? "It is next; a process will take it as soon as one is free."
                                : fmt::format("{} tasks come before it.", why.number),
                {{"before", why.number}}, "", "/ops/tasks");
}

Result<json::array> reasons_of_task(const Call& call, std::int64_t id) {
  LADE_ASSIGN(const auto found, queue::why_waiting(call.connection, id));
  json::array list;
  for (const queue::WaitReason& one : found) {
    LADE_ASSIGN(json::object object, to_json(call, one));
    list.push_back(std::move(object));
  }
  return list;
}

// What a job itself waits for, beyond its tasks.
Result<json::array> reasons_of_job(const Call& call, const JobRecord& job) {
  json::array list;
  if (job.standing.outcome) {
    list.push_back(reason("ended", fmt::format("It has ended: {}.", job.status())));
    return list;
  }
  if (job.standing.state == model::JobState::waiting_for_upload)
    list.push_back(reason("waiting_for_upload", "It waits for its file."));
  if (job.standing.state == model::JobState::waiting_for_review)
    list.push_back(reason("waiting_for_review", "It waits for somebody who approves or rejects it.", {}, "",
                          fmt::format("/imports/{}/review", job.uuid)));
  if (job.paused && list.empty()) list.push_back(reason("import_paused", "The import is paused."));
  if (!job.waits_for.empty())
    list.push_back(reason("target_locked",
                          fmt::format("{} is writing to the same table (lock: target).", job.waits_for),
                          {{"import", job.waits_for}}, "", fmt::format("/imports/{}", job.waits_for)));
  if (!list.empty()) return list;
  LADE_ASSIGN(const auto counts, queue::count_tasks(call.connection, job.uuid));
  if (counts.running > 0) {
    list.push_back(reason("running",
                          fmt::format("It is being worked on: {} running, {} waiting.", counts.running, counts.pending),
                          {{"running", counts.running}, {"pending", counts.pending}}));
    return list;
  }
  LADE_ASSIGN(const auto pending,
              queue::list_tasks(call.connection, {.status = "pending", .group = job.uuid, .limit = 1}));
  LADE_ASSIGN(const auto retryable,
              queue::list_tasks(call.connection, {.status = "retryable", .group = job.uuid, .limit = 1}));
  for (const auto* tasks : {&pending, &retryable})
    if (!tasks->empty()) return reasons_of_task(call, tasks->front().id);
  list.push_back(reason("stage_open", "Its next step is being put into the queue."));
  return list;
}

Result<std::optional<queue::TaskRow>> find_task(const Call& call, const std::string& reference) {
  Fields path({{"task", reference}}, "part of the address");
  const auto id = path.integer("task", 1, INT64_MAX);
  if (!id || call.who().sight != accounts::Sight::company) return std::nullopt;
  LADE_ASSIGN(auto found, queue::list_tasks(call.connection, {.task = *id, .company = call.who().company}));
  if (found.empty()) return std::nullopt;
  return std::move(found.front());
}

Result<http::Response> why(Call& call) {
  LADE_TRY(call.query.finish());
  const std::string& id = call.at("import");
  LADE_ASSIGN(const auto task, find_task(call, id));
  json::array reasons;
  bool waiting = true;
  if (task) {
    waiting = task->status == "pending" || task->status == "retryable";
    if (waiting) {
      LADE_ASSIGN(reasons, reasons_of_task(call, task->id));
    } else if (task->status == "running") {
      reasons.push_back(reason("running", "It is being worked on.", {{"node", text_or_null(task->node)}}));
    } else {
      reasons.push_back(reason("ended", fmt::format("It has ended: {}.", task->status)));
    }
  } else {
    LADE_ASSIGN(const JobRecord job, require_import(call, call.connection));
    LADE_ASSIGN(reasons, reasons_of_job(call, job));
    const std::string_view code = reasons.front().at("code").as_string();
    waiting = code != "ended" && code != "running";
  }
  return json_response(200, stamped({{"id", id}, {"waiting", waiting}, {"reasons", std::move(reasons)}}));
}

}  // namespace

std::vector<Route> why_routes() {
  return {
      {.method = "GET",
       .path = "/api/v1/queue/{import}/why",
       .name = "queue.why",
       .summary = "Why a task (by its number) or an import (by UUID or slug) waits",
       .access = {Role::viewer, "imports:read"},
       .answer = why,
       .answers = {{200, "Why", "reasons, the most important one first"}}},
  };
}

}  // namespace lade::api
