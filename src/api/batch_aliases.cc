#include <fmt/format.h>

#include "api/batches.h"
#include "api/paging.h"
#include "api/problem.h"
#include "api/views.h"
#include "jobs/batch_export.h"

// The addresses and words of Sangeetha Grantha's bulk import, for the clients that it has. What is done is what the API
// does; only admins may, as there.
namespace lade::api {
namespace {

namespace json = boost::json;
using accounts::Role;

json::object grantha_batch(const store::BatchRecord& batch) {
  return {{"id", batch.uuid},
          {"name", batch.name},
          {"source_manifest", text_or_null(batch.source_manifest)},
          {"created_by", text_or_null(batch.created_by)},
          {"status", batch.status()},
          {"total_tasks", batch.tasks.total},
          {"processed_tasks", batch.tasks.processed()},
          {"succeeded_tasks", batch.tasks.succeeded},
          {"failed_tasks", batch.tasks.failed},
          {"blocked_tasks", batch.tasks.blocked},
          {"created_at", text_or_null(batch.created_at)},
          {"started_at", text_or_null(batch.started_at)},
          {"completed_at", text_or_null(batch.completed_at)}};
}

// The codes that its clients know: whatever is wrong with what was fetched is an invalid payload.
json::value grantha_error(json::value error) {
  if (!error.is_object()) return error;
  json::value& code = error.get_object()["code"];
  if (code.is_string() && jobs::stage_of_code(std::string(code.get_string())) == jobs::stage::kEnrich &&
      code.get_string() != "missing_payload" && code.get_string() != "import_missing")
    code = "invalid_payload";
  return error;
}

json::object grantha_task(const jobs::RowTask& task, const store::BatchRecord& batch) {
  const json::object own = to_json(task, batch);
  return {{"id", task.id},
          {"job_id", task.job_id + ":" +
                         std::string(task.type == "page" ? jobs::stage::kScrape : jobs::stage_of_kind(task.type))},
          {"krithi_key", task.key},
          {"status", task.status},
          {"attempt", task.attempt},
          {"error", grantha_error(own.at("error"))},
          {"duration_ms", task.duration_ms},
          {"source_url", own.at("source_url")},
          {"checksum", own.at("checksum")},
          {"evidence_path", own.at("evidence")},
          {"source_format", own.at("source_format")},
          {"page_range", own.at("page_range")},
          {"idempotency_key", own.at("idempotency_key")},
          {"started_at", own.at("started_at")},
          {"completed_at", own.at("completed_at")}};
}

http::Response accepted(const store::BatchRecord& batch) {
  http::Response response = json_response(202, grantha_batch(batch));
  response.headers.set("Location", "/v1/admin/bulk-import/batches/" + batch.uuid);
  return response;
}

Result<http::Reception> receive(Asked asked) {
  return receive_batch(std::move(asked), accepted, false);
}

Result<http::Reception> receive_manifest(Asked asked) {
  return receive_batch(std::move(asked), accepted, true);
}

Result<http::Response> list(Call& call) {
  LADE_ASSIGN(store::BatchFilter filter, read_batch_filter(call));
  LADE_ASSIGN(const Page page, read_page(call.query));
  LADE_TRY(call.query.finish());
  filter.before = page.before;
  filter.limit = page.limit;
  LADE_ASSIGN(const store::BatchPage found, store::list_batches(call.connection, filter));
  json::array items;
  for (const store::BatchRecord& batch : found.batches) items.push_back(grantha_batch(batch));
  return json_response(200, json::object{{"items", std::move(items)},
                                         {"next", text_or_null(found.next == 0 ? "" : std::to_string(found.next))}});
}

json::object page_of_tasks(const jobs::RowTaskPage& page, const store::BatchRecord& batch) {
  json::array items;
  for (const jobs::RowTask& task : page.tasks) items.push_back(grantha_task(task, batch));
  return {{"items", std::move(items)}, {"next", text_or_null(page.next)}};
}

// With its first tasks, as there.
Result<http::Response> show(Call& call) {
  LADE_TRY(call.query.finish());
  LADE_ASSIGN(const store::BatchRecord batch, require_visible_batch(call));
  LADE_ASSIGN(const jobs::RowTaskPage page, jobs::list_row_tasks(call.connection, batch, {.limit = 100}));
  json::object object = grantha_batch(batch);
  object["tasks"] = page_of_tasks(page, batch).at("items");
  return json_response(200, object);
}

Result<http::Response> tasks(Call& call) {
  LADE_ASSIGN(const jobs::RowTaskFilter filter, read_task_filter(call));
  LADE_TRY(call.query.finish());
  LADE_ASSIGN(const store::BatchRecord batch, require_visible_batch(call));
  LADE_ASSIGN(const jobs::RowTaskPage page, jobs::list_row_tasks(call.connection, batch, filter));
  return json_response(200, page_of_tasks(page, batch));
}

// Its five types of jobs; loading is lade's own.
Result<http::Response> stages(Call& call) {
  LADE_ASSIGN(const Page page, read_page(call.query));
  LADE_TRY(call.query.finish());
  LADE_ASSIGN(const store::BatchRecord batch, require_visible_batch(call));
  LADE_ASSIGN(const jobs::BatchStagePage found, jobs::batch_stages(call.connection, batch, page.before, page.limit));
  json::array items;
  for (const jobs::BatchStage& stage : found.stages)
    if (stage.type != jobs::stage::kLoad) items.push_back(to_json(stage, batch));
  return json_response(200, json::object{{"items", std::move(items)},
                                         {"next", text_or_null(found.next == 0 ? "" : std::to_string(found.next))}});
}

Result<http::Response> events(Call& call) {
  LADE_ASSIGN(const Page page, read_page(call.query));
  LADE_TRY(call.query.finish());
  LADE_ASSIGN(const store::BatchRecord batch, require_visible_batch(call));
  LADE_ASSIGN(const auto history, store::batch_events(call.connection, batch.uuid, page.before, page.limit + 1));
  return page_response(history, page, [](const store::BatchEvent& event) { return event.id; });
}

Result<http::Response> metrics(Call& call) {
  LADE_TRY(call.query.finish());
  LADE_ASSIGN(const store::BatchRecord batch, require_visible_batch(call));
  LADE_ASSIGN(const jobs::BatchMetrics found, jobs::batch_metrics(call.connection, batch));
  return json_response(200, to_json(found, batch));
}

Result<http::Response> answer(Call& call, const Result<jobs::BatchOutcome>& outcome) {
  if (outcome) {
    call.object_id = outcome->batch.uuid;
    call.audit = {{"batch", outcome->batch.name}, {"jobs", outcome->done}, {"tasks", outcome->tasks}};
    return json_response(200, grantha_batch(outcome->batch));
  }
  if (outcome.error().code != "transition_refused") return fail(outcome.error());
  LADE_ASSIGN(const store::BatchRecord batch, require_visible_batch(call));
  return problem(outcome.error(), {{"status_now", batch.status()}});
}

template <auto act>
Result<http::Response> acted(Call& call) {
  LADE_TRY(call.query.finish());
  LADE_TRY(call.body.finish());
  LADE_TRY(require_visible_batch(call));
  return answer(call, act(call.connection, batch_order(call)));
}

Result<http::Response> retry(Call& call) {
  LADE_TRY(call.query.finish());
  const jobs::BatchRetry wanted = read_retry(call);
  LADE_TRY(call.body.finish());
  LADE_TRY(require_visible_batch(call));
  return answer(call, jobs::retry_batch(call.connection, batch_order(call), wanted));
}

Result<http::Response> requeue(Call& call) {
  LADE_TRY(call.query.finish());
  const std::chrono::seconds threshold = read_threshold(call);
  LADE_TRY(call.body.finish());
  LADE_TRY(require_visible_batch(call));
  return answer(call, jobs::requeue_stuck(call.connection, batch_order(call), threshold));
}

Result<http::Response> approve(Call& call) {
  LADE_TRY(call.query.finish());
  LADE_TRY(call.body.finish());
  LADE_ASSIGN(const store::BatchRecord batch, require_visible_batch(call));
  LADE_TRY(check_may_approve(call, batch));
  return answer(call, jobs::approve_batch(call.connection, batch_order(call)));
}

Result<http::Response> remove(Call& call) {
  LADE_TRY(call.query.finish());
  LADE_TRY(require_visible_batch(call));
  LADE_ASSIGN(const jobs::BatchOutcome outcome, jobs::delete_batch(call.connection, batch_order(call)));
  call.object_id = outcome.batch.uuid;
  call.audit = {{"batch", outcome.batch.name}, {"jobs", outcome.done}};
  if (outcome.deleted) return http::Response{.status = 204};
  return problem({"transition_refused", fmt::format("imports of the batch {} are under way", outcome.batch.name),
                  "cancel it first", ErrorKind::invalid},
                 {{"status_now", outcome.batch.status()}});
}

const Access kAdmins{Role::admin, "imports:write"}, kReads{Role::admin, "imports:read"};

Route reading(std::string_view path, std::string_view name, std::string_view summary,
              Result<http::Response> (*act)(Call&), std::vector<Parameter> query, std::vector<Answer> answers) {
  return {.method = "GET",
          .path = path,
          .name = name,
          .summary = summary,
          .access = kReads,
          .answer = act,
          .query = std::move(query),
          .answers = std::move(answers)};
}

Route acting(std::string_view path, std::string_view name, std::string_view summary,
             Result<http::Response> (*act)(Call&), std::string_view schema = {}) {
  return {.method = "POST",
          .path = path,
          .name = name,
          .summary = summary,
          .access = kAdmins,
          .answer = act,
          .body = Body::json,
          .body_schema = schema,
          .answers = {{200, "GranthaBatch", "the batch as it stands now"}},
          .own_transactions = true};
}

Route receiving(std::string_view path, std::string_view name, std::string_view summary,
                Result<http::Reception> (*receive_body)(Asked)) {
  return {.method = "POST",
          .path = path,
          .name = name,
          .summary = summary,
          .access = kAdmins,
          .receive = receive_body,
          .body = Body::upload,
          .body_schema = "NewBatch",
          .query = {{"name", "string", "the file's name, when it is sent as the body itself"},
                    {"batch", "string", "the batch's name"},
                    {"definition", "string", "slug; without it the one that fits the manifest's header"},
                    {"force", "boolean", "also while an import that does the same is live"}},
          .answers = {{202, "GranthaBatch", "accepted; nothing of it is done yet"}}};
}

std::vector<Route> reading_routes() {
  return {
      reading("/v1/admin/bulk-import/batches", "grantha.list", "Grantha: batches, newest first", list,
              with_paging(batch_filter_parameters()), {{200, "GranthaBatchPage", "a page of batches"}}),
      reading("/v1/admin/bulk-import/batches/{batch}", "grantha.show", "Grantha: a batch with its first tasks", show,
              {}, {{200, "GranthaBatchWithTasks", "the batch"}}),
      reading("/v1/admin/bulk-import/batches/{batch}/tasks", "grantha.tasks", "Grantha: its tasks", tasks,
              task_filter_parameters(), {{200, "GranthaTaskPage", "a page of tasks"}}),
      reading("/v1/admin/bulk-import/batches/{batch}/jobs", "grantha.jobs", "Grantha: its jobs, which are stages here",
              stages, with_paging({}), {{200, "BatchStagePage", "stages in their order"}}),
      reading("/v1/admin/bulk-import/batches/{batch}/events", "grantha.events", "Grantha: its history", events,
              with_paging({}), {{200, "BatchEventPage", "events in their order"}}),
      reading("/v1/admin/bulk-import/batches/{batch}/metrics", "grantha.metrics", "Grantha: how well it goes", metrics,
              {}, {{200, "BatchMetrics", "as it stands now"}}),
      reading("/v1/admin/bulk-import/batches/{batch}/export", "grantha.export", "Grantha: its tasks for quality checks",
              batch_export, {{"format", "string", "json (default) or csv"}},
              {{200, kCsvType, "a line for each task"},
               {200, "application/json", "a list of tasks"},
               {206, kCsvType, "a range of it"}}),
      reading("/v1/admin/bulk-import/batches/{batch}/errors", "grantha.errors", "Grantha: what failed, as CSV",
              batch_errors, {}, {{200, kCsvType, "a line for each error"}, {206, kCsvType, "a range of it"}}),
      reading("/v1/admin/bulk-import/batches/{batch}/evidence/{task}", "grantha.evidence",
              "Grantha: the page as it was fetched", batch_evidence, {},
              {{200, "application/octet-stream", "the bytes as they came"}}),
  };
}

}  // namespace

std::vector<Route> batch_alias_routes() {
  std::vector<Route> routes = {
      receiving("/v1/admin/bulk-import/batches", "grantha.create", "Grantha: a batch of a manifest", receive),
      receiving("/v1/admin/bulk-import/upload", "grantha.upload",
                "Grantha: a batch of a manifest that is looked at first: its header, its first ten URLs, 10 MB",
                receive_manifest),
      acting("/v1/admin/bulk-import/batches/{batch}/pause", "grantha.pause", "Grantha: begin no further work",
             acted<jobs::pause_batch>),
      acting("/v1/admin/bulk-import/batches/{batch}/resume", "grantha.resume", "Grantha: go on",
             acted<jobs::resume_batch>),
      acting("/v1/admin/bulk-import/batches/{batch}/cancel", "grantha.cancel", "Grantha: end it",
             acted<jobs::cancel_batch>),
      acting("/v1/admin/bulk-import/batches/{batch}/retry", "grantha.retry", "Grantha: try failed tasks again", retry,
             "BatchRetry"),
      acting("/v1/admin/bulk-import/batches/{batch}/requeue-stuck", "grantha.requeue_stuck",
             "Grantha: try again what runs for too long", requeue, "BatchRequeue"),
      acting("/v1/admin/bulk-import/batches/{batch}/approve-all", "grantha.approve_all",
             "Grantha: load what waits for review", approve),
      acting("/v1/admin/bulk-import/batches/{batch}/reject-all", "grantha.reject_all",
             "Grantha: end what waits for review", acted<jobs::reject_batch>),
      acting("/v1/admin/bulk-import/batches/{batch}/finalize", "grantha.finalize", "Grantha: nothing changes any more",
             acted<jobs::finalize_batch>),
      {.method = "DELETE",
       .path = "/v1/admin/bulk-import/batches/{batch}",
       .name = "grantha.delete",
       .summary = "Grantha: forget a batch that has ended",
       .access = kAdmins,
       .answer = remove,
       .answers = {{204, "", "forgotten"}},
       .own_transactions = true},
  };
  const std::vector<Route> reads = reading_routes();
  routes.insert(routes.end(), reads.begin(), reads.end());
  return routes;
}

}  // namespace lade::api
