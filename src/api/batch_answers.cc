#include "api/batch_answers.h"

#include "api/imports.h"
#include "api/paging.h"
#include "api/problem.h"
#include "api/views.h"

namespace lade::api {
namespace {

namespace json = boost::json;

json::value place_or_null(std::int64_t place) {
  return text_or_null(place == 0 ? "" : std::to_string(place));
}

// What a retry names.
jobs::BatchRetry read_retry(Call& call) {
  return {call.body.text("status").value_or(""), call.body.text("source").value_or(""),
          call.body.text("error").value_or(""), call.body.text("key").value_or(""),
          call.body.texts("ids").value_or(std::vector<std::string>())};
}

// From when on a task is stuck.
std::chrono::seconds read_threshold(Call& call) {
  constexpr std::int64_t kHalfAnHour = 1800, kMost = 30 * 24 * 3600;
  return std::chrono::seconds(call.body.integer("older_than_seconds", 0, kMost).value_or(kHalfAnHour));
}

}  // namespace

Result<http::Response> list_batches(Call& call, const BatchWords& words) {
  LADE_ASSIGN(store::BatchFilter filter, read_batch_filter(call));
  LADE_ASSIGN(const Page page, read_page(call.query));
  LADE_TRY(call.query.finish());
  filter.before = page.before;
  filter.limit = page.limit;
  LADE_ASSIGN(const store::BatchPage found, store::list_batches(call.connection, filter));
  json::array items;
  for (const store::BatchRecord& batch : found.batches) items.push_back(words.batch(batch));
  return json_response(200, json::object{{"items", std::move(items)}, {"next", place_or_null(found.next)}});
}

json::object page_of_tasks(const jobs::RowTaskPage& page, const store::BatchRecord& batch, const BatchWords& words) {
  json::array items;
  for (const jobs::RowTask& task : page.tasks) items.push_back(words.task(task, batch));
  return {{"items", std::move(items)}, {"next", text_or_null(page.next)}};
}

Result<http::Response> list_tasks(Call& call, const BatchWords& words) {
  LADE_ASSIGN(const jobs::RowTaskFilter filter, read_task_filter(call));
  LADE_TRY(call.query.finish());
  LADE_ASSIGN(const store::BatchRecord batch, require_visible_batch(call));
  LADE_ASSIGN(const jobs::RowTaskPage page, jobs::list_row_tasks(call.connection, batch, filter));
  return json_response(200, page_of_tasks(page, batch, words));
}

Result<http::Response> list_stages(Call& call, const BatchWords& words) {
  LADE_ASSIGN(const Page page, read_page(call.query));
  LADE_TRY(call.query.finish());
  LADE_ASSIGN(const store::BatchRecord batch, require_visible_batch(call));
  LADE_ASSIGN(const jobs::BatchStagePage found, jobs::batch_stages(call.connection, batch, page.before, page.limit));
  json::array items;
  for (const jobs::BatchStage& stage : found.stages)
    if (words.has_load || stage.type != jobs::stage::kLoad) items.push_back(to_json(stage, batch));
  return json_response(200, json::object{{"items", std::move(items)}, {"next", place_or_null(found.next)}});
}

Result<http::Response> list_events(Call& call, const BatchWords&) {
  LADE_ASSIGN(const Page page, read_page(call.query));
  LADE_TRY(call.query.finish());
  LADE_ASSIGN(const store::BatchRecord batch, require_visible_batch(call));
  LADE_ASSIGN(const auto history, store::batch_events(call.connection, batch.uuid, page.before, page.limit + 1));
  return page_response(history, page, [](const store::BatchEvent& event) { return event.id; });
}

Result<http::Response> show_metrics(Call& call, const BatchWords&) {
  LADE_TRY(call.query.finish());
  LADE_ASSIGN(const store::BatchRecord batch, require_visible_batch(call));
  LADE_ASSIGN(const jobs::BatchMetrics found, jobs::batch_metrics(call.connection, batch));
  return json_response(200, to_json(found, batch));
}

Result<http::Response> tell(Call& call, const Result<jobs::BatchOutcome>& outcome, const BatchWords& words) {
  if (outcome) {
    call.object_id = outcome->batch.uuid;
    call.audit = {{"batch", outcome->batch.name}, {"jobs", outcome->done}, {"tasks", outcome->tasks}};
    return json_response(200, words.outcome(*outcome));
  }
  if (outcome.error().code != "transition_refused") return fail(outcome.error());
  LADE_ASSIGN(const store::BatchRecord batch, require_visible_batch(call));
  return problem(outcome.error(), {{"status_now", batch.status()}});
}

Result<http::Response> retry_tasks(Call& call, const BatchWords& words) {
  LADE_TRY(call.query.finish());
  const jobs::BatchRetry wanted = read_retry(call);
  LADE_TRY(call.body.finish());
  LADE_TRY(require_visible_batch(call));
  return tell(call, jobs::retry_batch(call.connection, batch_order(call), wanted), words);
}

Result<http::Response> requeue_stuck(Call& call, const BatchWords& words) {
  LADE_TRY(call.query.finish());
  const std::chrono::seconds threshold = read_threshold(call);
  LADE_TRY(call.body.finish());
  LADE_TRY(require_visible_batch(call));
  return tell(call, jobs::requeue_stuck(call.connection, batch_order(call), threshold), words);
}

Result<http::Response> approve_all(Call& call, const BatchWords& words) {
  LADE_TRY(call.query.finish());
  LADE_TRY(call.body.finish());
  LADE_TRY(require_visible_batch(call));
  jobs::BatchOrder order = batch_order(call);
  LADE_ASSIGN(order.four_eyes, needs_four_eyes(call, call.connection));
  return tell(call, jobs::approve_batch(call.connection, order), words);
}

}  // namespace lade::api
