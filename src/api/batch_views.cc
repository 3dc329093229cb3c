#include "api/batches.h"
#include "api/views.h"

// Batches and their parts as JSON.
namespace lade::api {
namespace {

namespace json = boost::json;

json::value number_or_null(std::int64_t number) {
  return number == 0 ? json::value(nullptr) : json::value(number);
}

json::object counts_json(const jobs::StageCounts& counts) {
  return {{"total", counts.total()},       {"pending", counts.pending}, {"running", counts.running},
          {"succeeded", counts.succeeded}, {"failed", counts.failed},   {"blocked", counts.blocked},
          {"cancelled", counts.cancelled}};
}

// As error_json() of a page has it; every member is there.
json::value error_json(const std::string& text) {
  const json::value parsed = parsed_or_null(text);
  if (!parsed.is_object()) return nullptr;
  const json::object& error = parsed.get_object();
  json::object object;
  for (const char* name : {"code", "message", "http_status", "url", "reason", "stack"}) {
    const json::value* const member = error.if_contains(name);
    object[name] = member == nullptr ? json::value(nullptr) : *member;
  }
  return object;
}

}  // namespace

json::object to_json(const jobs::RowTask& task, const store::BatchRecord& batch) {
  const std::string evidence = "/api/v1/batches/" + batch.uuid + "/evidence/" + task.id;
  return {{"task_id", task.id},
          {"batch_id", batch.uuid},
          {"job_id", task.job_id},
          {"job", task.job},
          {"type", task.type},
          {"row", number_or_null(task.row)},
          {"key", task.key},
          {"status", task.status},
          {"attempt", task.attempt},
          {"error", error_json(task.error)},
          {"http_status", number_or_null(task.http_status)},
          {"duration_ms", task.duration_ms},
          {"source_url", text_or_null(task.source_url)},
          {"checksum", text_or_null(task.checksum)},
          {"evidence", task.evidence_path.empty() ? json::value(nullptr) : json::value(evidence)},
          {"source_format", text_or_null(task.source_format)},
          {"page_range", text_or_null(task.page_range)},
          {"idempotency_key", text_or_null(task.idempotency_key)},
          {"fields", parsed_or_null(task.fields)},
          {"fetched", parsed_or_null(task.fetched)},
          {"quality", task.quality ? json::value(jobs::to_json(*task.quality)) : json::value(nullptr)},
          {"started_at", text_or_null(task.started_at)},
          {"completed_at", text_or_null(task.completed_at)}};
}

json::object to_json(const store::BatchEvent& event) {
  return {{"id", event.id},
          {"ref_type", event.ref_type},
          {"ref_id", event.ref_id},
          {"event_type", event.type},
          {"actor", text_or_null(event.actor)},
          {"data", parsed_or_null(event.data)},
          {"created_at", event.created_at}};
}

json::object to_json(const jobs::BatchStage& stage, const store::BatchRecord& batch) {
  return {{"id", stage.id},
          {"batch_id", batch.uuid},
          {"job_id", stage.job_id},
          {"job_type", stage.type},
          {"status", stage.status},
          {"retry_count", stage.retry_count},
          {"payload", {{"job", stage.job}, {"file", stage.file}, {"definition", stage.definition}}},
          {"result", counts_json(stage.counts)},
          {"started_at", text_or_null(stage.started_at)},
          {"completed_at", text_or_null(stage.completed_at)}};
}

json::object to_json(const jobs::BatchMetrics& metrics, const store::BatchRecord& batch) {
  json::array stages, reasons;
  for (const jobs::StageMetrics& stage : metrics.stages) {
    const bool timed = stage.durations.count > 0;
    stages.push_back(json::object{{"job_type", stage.type},
                                  {"tasks", stage.tasks},
                                  {"failed", stage.failed},
                                  {"retried", stage.retried},
                                  {"success_rate", stage.success_rate()},
                                  {"retry_rate", stage.retry_rate()},
                                  {"median_ms", timed ? json::value(stage.durations.median_ms) : nullptr},
                                  {"p95_ms", timed ? json::value(stage.durations.p95_ms) : nullptr}});
  }
  for (const jobs::FailureReason& reason : metrics.reasons)
    reasons.push_back(json::object{{"code", reason.code},
                                   {"reason", text_or_null(reason.reason)},
                                   {"count", reason.count},
                                   {"share", reason.share}});
  return {{"batch_id", batch.uuid},
          {"status", batch.status()},
          {"tasks", to_json(batch).at("tasks")},
          {"success_rate", metrics.success_rate},
          {"retry_rate", metrics.retry_rate},
          {"failures", metrics.failures},
          {"stages", std::move(stages)},
          {"top_failure_reasons", std::move(reasons)}};
}

json::object to_json(const jobs::BatchOutcome& outcome) {
  json::object object = to_json(outcome.batch);
  json::object refused;
  for (const auto& [code, count] : outcome.refused) refused[code] = count;
  object["done"] = outcome.done;
  object["tasks_done"] = outcome.tasks;
  object["refused"] = std::move(refused);
  object["deleted"] = outcome.deleted;
  return object;
}

}  // namespace lade::api
