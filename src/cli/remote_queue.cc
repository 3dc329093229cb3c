#include <fmt/format.h>

#include <boost/json.hpp>

#include "cli/remote_site.h"
#include "remote/pages.h"

// Batches, the queue and definitions of a server.
namespace lade::cli {
namespace {

namespace json = boost::json;
using remote::escaped;
using remote::Names;

std::string batch_path(const std::string& batch) {
  return "/api/v1/batches/" + escaped(batch);
}

std::string definition_path(const std::string& slug) {
  return "/api/v1/definitions/" + escaped(slug);
}

std::string letter_path(std::int64_t task) {
  return fmt::format("/api/v1/queue/dead-letter/{}", task);
}

std::string_view word_of(BatchAct act) {
  switch (act) {
    case BatchAct::pause: return "pause";
    case BatchAct::resume: return "resume";
    case BatchAct::cancel: return "cancel";
    case BatchAct::retry: return "retry";
    case BatchAct::requeue_stuck: return "requeue-stuck";
    case BatchAct::approve_all: return "approve-all";
    case BatchAct::reject_all: return "reject-all";
    case BatchAct::finalize: return "finalize";
    case BatchAct::remove: return "";
  }
  return "";
}

json::object body_of(const BatchDemand& demand) {
  json::object body;
  const jobs::BatchRetry& retry = demand.retry;
  if (demand.act == BatchAct::requeue_stuck) body["older_than_seconds"] = demand.threshold.count();
  for (const auto& [name, text] : {std::pair<const char*, const std::string&>{"status", retry.status},
                                   {"source", retry.source},
                                   {"error", retry.error},
                                   {"key", retry.key}})
    if (!text.empty()) body[name] = text;
  if (!retry.ids.empty()) body["ids"] = json::array(retry.ids.begin(), retry.ids.end());
  return body;
}

// Dead letters are known by their task: there it is the task that the server does not find.
Error as_letter_error(Error error, std::int64_t task) {
  return error.code == "task_not_found" ? queue::no_such_letter(task) : std::move(error);
}

}  // namespace

Result<store::BatchPage> RemoteSite::list_batches(const store::BatchFilter& filter) {
  LADE_ASSIGN(
      auto page,
      remote::list<store::BatchRecord>(
          client_, "/api/v1/batches",
          {{"status", filter.status}, {"owner", filter.created_by}, {"since", filter.since}, {"until", filter.until}},
          filter.before, filter.limit));
  return store::BatchPage{std::move(page.records), page.next};
}

Result<store::BatchRecord> RemoteSite::find_batch(const std::string& batch) {
  LADE_ASSIGN(const json::value answer, client_.ask({.path = batch_path(batch)}));
  return remote::read<store::BatchRecord>(answer);
}

Result<jobs::BatchOutcome> RemoteSite::act(const BatchDemand& demand) {
  const std::string path = batch_path(demand.batch);
  if (demand.act == BatchAct::remove) {
    LADE_ASSIGN(const json::value answer, client_.ask({.method = "DELETE", .path = path}));
    return remote::read<jobs::BatchOutcome>(answer);
  }
  LADE_ASSIGN(const json::value answer, client_.ask({.method = "POST",
                                                     .path = fmt::format("{}/{}", path, word_of(demand.act)),
                                                     .body = json::serialize(body_of(demand))}));
  return remote::read<jobs::BatchOutcome>(answer);
}

Result<json::object> RemoteSite::batch_part(const BatchView& view) {
  const jobs::RowTaskFilter& filter = view.filter;
  const std::string part = view.part == "task" ? "tasks/" + escaped(view.task) : view.part;
  Names query;
  if (view.part == "tasks")
    query = {{"status", filter.status}, {"source", filter.source}, {"error", filter.error}, {"key", filter.key}};
  if (view.part != "metrics" && view.part != "task") {
    query.emplace_back("cursor", filter.cursor);
    query.emplace_back("limit", std::to_string(filter.limit));
  }
  LADE_ASSIGN(const json::value answer,
              client_.ask({.path = fmt::format("{}/{}", batch_path(view.batch), part), .query = query}));
  return answer.as_object();
}

Result<void> RemoteSite::batch_file(const std::string& batch, const std::string& format, ByteSink& to) {
  const Names query{{"format", format}};
  LADE_TRY(client_.send(
      {.path = batch_path(batch) + (format.empty() ? "/errors.csv" : "/export"), .query = query, .sink = &to}));
  return {};
}

Result<std::vector<queue::TaskRow>> RemoteSite::list_tasks(const queue::TaskFilter& filter) {
  const Names query{{"status", filter.status}, {"kind", filter.kind}};
  LADE_ASSIGN(auto page, remote::list<queue::TaskRow>(client_, "/api/v1/tasks", query, filter.before, filter.limit));
  return std::move(page.records);
}

Result<std::vector<queue::QueueRule>> RemoteSite::list_rules() {
  return remote::whole_list<queue::QueueRule>(client_, "/api/v1/queues");
}

Result<std::vector<queue::ListedNode>> RemoteSite::list_nodes() {
  return remote::whole_list<queue::ListedNode>(client_, "/api/v1/nodes");
}

Result<std::vector<queue::DeadLetter>> RemoteSite::dead_letters(std::int64_t limit) {
  LADE_ASSIGN(auto page, remote::list<queue::DeadLetter>(client_, "/api/v1/queue/dead-letter", {}, 0, limit));
  return std::move(page.records);
}

Result<void> RemoteSite::retry_letter(std::int64_t task) {
  auto answer = client_.send({.method = "POST", .path = letter_path(task) + "/retry", .body = "{}"});
  if (!answer) return fail(as_letter_error(std::move(answer).error(), task));
  return {};
}

Result<void> RemoteSite::delete_letter(std::int64_t task) {
  auto answer = client_.send({.method = "DELETE", .path = letter_path(task)});
  if (!answer) return fail(as_letter_error(std::move(answer).error(), task));
  return {};
}

Result<std::vector<store::StoredDefinition>> RemoteSite::list_definitions() {
  return remote::whole_list<store::StoredDefinition>(client_, "/api/v1/definitions");
}

Result<std::optional<std::string>> RemoteSite::find_definition(const std::string& slug) {
  auto answer = client_.ask({.path = definition_path(slug)});
  if (!answer && answer.error().code == "definition_not_found") return std::nullopt;
  if (!answer) return fail(std::move(answer).error());
  LADE_ASSIGN(store::StoredDefinition stored, remote::read<store::StoredDefinition>(*answer));
  return std::move(stored.source_text);
}

// Looks first: who may read definitions but not store them can use those that are there.
Result<store::StoredDefinition> RemoteSite::save_definition(const definition::Definition& definition,
                                                            const std::string& text) {
  if (const auto answer = client_.ask({.path = definition_path(definition.slug)})) {
    LADE_ASSIGN(store::StoredDefinition stored, remote::read<store::StoredDefinition>(*answer));
    if (stored.source_text == text && stored.valid) return stored;
  } else if (answer.error().kind == ErrorKind::cannot_connect) {
    return fail(answer.error());
  }
  auto answer = client_.ask(
      {.method = "PUT", .path = definition_path(definition.slug), .body = text, .content_type = "application/yaml"});
  if (answer) return remote::read<store::StoredDefinition>(*answer);
  Error error = std::move(answer).error();
  if (error.code == "not_allowed")
    error.hint = fmt::format(
        "the server has no definition '{0}' that says the same; an admin can store it: "
        "lade definitions add FILE, and then -d {0} is enough",
        definition.slug);
  return fail(std::move(error));
}

Result<store::StoredDefinition> RemoteSite::save_draft(const definition::Parsed& parsed, const std::string& text) {
  LADE_ASSIGN(const json::value answer, client_.ask({.method = "PUT",
                                                     .path = definition_path(parsed.definition.slug),
                                                     .query = {{"draft", "true"}},
                                                     .body = text,
                                                     .content_type = "application/yaml"}));
  return remote::read<store::StoredDefinition>(answer);
}

Result<store::StoredDefinition> RemoteSite::edit_definition(const DefinitionEdit& edit) {
  LADE_ASSIGN(const json::value answer, client_.ask({.method = "PATCH",
                                                     .path = definition_path(edit.slug),
                                                     .query = {{"draft", edit.draft ? "true" : ""}},
                                                     .body = edit.patch,
                                                     .content_type = "application/merge-patch+json"}));
  return remote::read<store::StoredDefinition>(answer);
}

Result<json::array> RemoteSite::definition_part(const std::string& slug, const std::string& part) {
  LADE_ASSIGN(const json::value answer, client_.ask({.path = definition_path(slug) + "/" + part}));
  LADE_ASSIGN(const json::array* const items, remote::items_of(answer));
  return *items;
}

Result<std::string> RemoteSite::job_definition(const std::string& job) {
  LADE_ASSIGN(const json::value answer,
              client_.ask({.path = fmt::format("/api/v1/imports/{}/definition-snapshot", escaped(job))}));
  return json::serialize(answer);
}

}  // namespace lade::cli
