#include "cli/local_batches.h"

#include <fmt/format.h>

#include <charconv>

#include "api/batches.h"
#include "api/views.h"

namespace lade::cli {
namespace {

namespace json = boost::json;

// The number that a cursor of stages and events is.
Result<std::int64_t> place_of(const std::string& cursor) {
  if (cursor.empty()) return 0;
  std::int64_t place = 0;
  const char* const end = cursor.data() + cursor.size();
  const auto parsed = std::from_chars(cursor.data(), end, place);
  if (parsed.ec == std::errc() && parsed.ptr == end && place > 0) return place;
  return fail("option_invalid", fmt::format("--cursor {}: no page begins there", cursor), {}, ErrorKind::usage);
}

template <class Item>
json::object page_of(const std::vector<Item>& items, std::int64_t limit, std::int64_t Item::*place) {
  json::array list;
  for (const Item& item : items)
    if (std::ssize(list) < limit) list.push_back(api::to_json(item));
  const bool more = std::ssize(items) > limit;
  json::value next = nullptr;
  if (more) next = std::to_string(items[static_cast<std::size_t>(limit) - 1].*place);
  return {{"items", std::move(list)}, {"next", std::move(next)}};
}

Result<json::object> tasks_of(db::Connection& connection, const store::BatchRecord& batch, const BatchView& view) {
  LADE_ASSIGN(const jobs::RowTaskPage page, jobs::list_row_tasks(connection, batch, view.filter));
  json::array items;
  for (const jobs::RowTask& task : page.tasks) items.push_back(api::to_json(task, batch));
  return json::object{{"items", std::move(items)}, {"next", api::text_or_null(page.next)}};
}

Result<json::object> stages_of(db::Connection& connection, const store::BatchRecord& batch, const BatchView& view) {
  LADE_ASSIGN(const std::int64_t after, place_of(view.filter.cursor));
  LADE_ASSIGN(const jobs::BatchStagePage page, jobs::batch_stages(connection, batch, after, view.filter.limit));
  json::array items;
  for (const jobs::BatchStage& stage : page.stages) items.push_back(api::to_json(stage, batch));
  return json::object{{"items", std::move(items)},
                      {"next", api::text_or_null(page.next == 0 ? "" : std::to_string(page.next))}};
}

}  // namespace

Result<jobs::BatchOutcome> act_on_batch(db::Connection& connection, const BatchDemand& demand,
                                        const std::string& actor) {
  const jobs::BatchOrder order{demand.batch, actor};
  switch (demand.act) {
    case BatchAct::pause: return jobs::pause_batch(connection, order);
    case BatchAct::resume: return jobs::resume_batch(connection, order);
    case BatchAct::cancel: return jobs::cancel_batch(connection, order);
    case BatchAct::retry: return jobs::retry_batch(connection, order, demand.retry);
    case BatchAct::requeue_stuck: return jobs::requeue_stuck(connection, order, demand.threshold);
    case BatchAct::approve_all: return jobs::approve_batch(connection, order);
    case BatchAct::reject_all: return jobs::reject_batch(connection, order);
    case BatchAct::finalize: return jobs::finalize_batch(connection, order);
    case BatchAct::remove: return jobs::delete_batch(connection, order);
  }
  return fail(jobs::batch_not_found(demand.batch));
}

Result<json::object> part_of_batch(db::Connection& connection, const store::BatchRecord& batch, const BatchView& view) {
  if (view.part == "tasks") return tasks_of(connection, batch, view);
  if (view.part == "task") {
    LADE_ASSIGN(const jobs::RowTask task, jobs::find_row_task(connection, batch, view.task));
    return api::to_json(task, batch);
  }
  if (view.part == "stages") return stages_of(connection, batch, view);
  if (view.part == "events") {
    LADE_ASSIGN(const std::int64_t after, place_of(view.filter.cursor));
    LADE_ASSIGN(const auto events, store::batch_events(connection, batch.uuid, after, view.filter.limit + 1));
    return page_of(events, view.filter.limit, &store::BatchEvent::id);
  }
  LADE_ASSIGN(const jobs::BatchMetrics metrics, jobs::batch_metrics(connection, batch));
  return api::to_json(metrics, batch);
}

}  // namespace lade::cli
