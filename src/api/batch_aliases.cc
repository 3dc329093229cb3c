#include <fmt/format.h>

#include "api/batch_answers.h"
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

// The codes that its clients know: whatever else is wrong with what was fetched is an invalid payload.
json::value grantha_error(json::value error) {
  if (!error.is_object()) return error;
  json::value& code = error.get_object()["code"];
  if (code == "field_missing") code = "missing_payload";
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
          {"fetched", own.at("fetched")},
          {"quality_score", task.quality ? json::value(task.quality->score()) : json::value(nullptr)},
          {"quality_tier", task.quality ? json::value(task.quality->tier()) : json::value(nullptr)},
          {"started_at", own.at("started_at")},
          {"completed_at", own.at("completed_at")}};
}

json::object grantha_outcome(const jobs::BatchOutcome& outcome) {
  return grantha_batch(outcome.batch);
}

// Its five types of jobs; loading is lade's own.
constexpr BatchWords kWords{
    .batch = grantha_batch, .task = grantha_task, .outcome = grantha_outcome, .has_load = false};

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

// With its first tasks, as there.
Result<http::Response> show(Call& call) {
  LADE_TRY(call.query.finish());
  LADE_ASSIGN(const store::BatchRecord batch, require_visible_batch(call));
  LADE_ASSIGN(const jobs::RowTaskPage page, jobs::list_row_tasks(call.connection, batch, {.limit = 100}));
  json::object object = grantha_batch(batch);
  object["tasks"] = page_of_tasks(page, batch, kWords).at("items");
  return json_response(200, object);
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
      reading("/v1/admin/bulk-import/batches", "grantha.list", "Grantha: batches, newest first",
              in<list_batches, kWords>, with_paging(batch_filter_parameters()),
              {{200, "GranthaBatchPage", "a page of batches"}}),
      reading("/v1/admin/bulk-import/batches/{batch}", "grantha.show", "Grantha: a batch with its first tasks", show,
              {}, {{200, "GranthaBatchWithTasks", "the batch"}}),
      reading("/v1/admin/bulk-import/batches/{batch}/tasks", "grantha.tasks", "Grantha: its tasks",
              in<list_tasks, kWords>, task_filter_parameters(), {{200, "GranthaTaskPage", "a page of tasks"}}),
      reading("/v1/admin/bulk-import/batches/{batch}/jobs", "grantha.jobs", "Grantha: its jobs, which are stages here",
              in<list_stages, kWords>, with_paging({}), {{200, "BatchStagePage", "stages in their order"}}),
      reading("/v1/admin/bulk-import/batches/{batch}/events", "grantha.events", "Grantha: its history",
              in<list_events, kWords>, with_paging({}), {{200, "BatchEventPage", "events in their order"}}),
      reading("/v1/admin/bulk-import/batches/{batch}/metrics", "grantha.metrics", "Grantha: how well it goes",
              in<show_metrics, kWords>, {}, {{200, "BatchMetrics", "as it stands now"}}),
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
             in<act_on<jobs::pause_batch>, kWords>),
      acting("/v1/admin/bulk-import/batches/{batch}/resume", "grantha.resume", "Grantha: go on",
             in<act_on<jobs::resume_batch>, kWords>),
      acting("/v1/admin/bulk-import/batches/{batch}/cancel", "grantha.cancel", "Grantha: end it",
             in<act_on<jobs::cancel_batch>, kWords>),
      acting("/v1/admin/bulk-import/batches/{batch}/retry", "grantha.retry", "Grantha: try failed tasks again",
             in<retry_tasks, kWords>, "BatchRetry"),
      acting("/v1/admin/bulk-import/batches/{batch}/requeue-stuck", "grantha.requeue_stuck",
             "Grantha: try again what runs for too long", in<requeue_stuck, kWords>, "BatchRequeue"),
      acting("/v1/admin/bulk-import/batches/{batch}/approve-all", "grantha.approve_all",
             "Grantha: load what waits for review", in<approve_all, kWords>),
      acting("/v1/admin/bulk-import/batches/{batch}/reject-all", "grantha.reject_all",
             "Grantha: end what waits for review", in<act_on<jobs::reject_batch>, kWords>),
      acting("/v1/admin/bulk-import/batches/{batch}/finalize", "grantha.finalize", "Grantha: nothing changes any more",
             in<act_on<jobs::finalize_batch>, kWords>),
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
