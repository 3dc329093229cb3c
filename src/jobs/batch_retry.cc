#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <optional>

#include "base/assert.h"
#include "db/in_transaction.h"
#include "jobs/batch_tasks.h"
#include "jobs/batches.h"
#include "jobs/control.h"
#include "jobs/pages.h"
#include "queue/rescue.h"
#include "store/batch_events.h"
#include "store/batch_stats.h"
#include "store/pages.h"

// What is tried again of a batch: jobs, some of their pages, or what has been running for too long.
namespace lade::jobs {
namespace {

namespace json = boost::json;
using store::BatchRecord;

constexpr std::string_view kRetryable[] = {"failed", "blocked", "cancelled"};

Result<void> check(const BatchRecord& batch, const BatchRetry& retry) {
  if (!batch.finalized_at.empty())
    return fail("transition_refused", fmt::format("the batch {} was finalized", batch.name),
                "nothing of it changes any more", ErrorKind::invalid);
  if (!retry.status.empty() && std::ranges::find(kRetryable, retry.status) == std::end(kRetryable))
    return fail("status_unknown", fmt::format("tasks that are '{}' are not tried again", retry.status),
                "failed, blocked or cancelled", ErrorKind::usage);
  for (const std::string& id : retry.ids)
    if (place_of(id).job == 0)
      return fail("row_task_not_found", fmt::format("the batch has no task '{}'", id),
                  "give its id as the list of tasks does", ErrorKind::invalid);
  return {};
}

// Which pages of the job are meant; nullopt: none, by their ids.
std::optional<store::PageFilter> filter_of(std::int64_t job, const BatchRetry& retry) {
  store::PageFilter filter{.source = retry.source, .error_code = retry.error, .key = retry.key, .limit = 0};
  if (!retry.status.empty()) filter.statuses = {retry.status};
  if (retry.status.empty() && retry.ids.empty()) filter.statuses = {std::string(store::page_status::kFailed)};
  for (const std::string& id : retry.ids)
    if (const RowTaskPlace place = place_of(id); place.job == job) filter.rows.push_back(place.place);
  if (!retry.ids.empty() && filter.rows.empty()) return std::nullopt;
  return filter;
}

bool is_refusal(const Error& error) {
  return error.kind == ErrorKind::invalid || error.kind == ErrorKind::duplicate;
}

// Gives how many pages of the job are tried again; 0 when none are meant.
Result<std::int64_t> retry_pages_of(db::Connection& connection, const JobOrder& order, std::int64_t job,
                                    const BatchRetry& retry) {
  const auto filter = filter_of(job, retry);
  if (!filter) return 0;
  LADE_ASSIGN(const store::PageCounts before, store::count_pages(connection, job));
  const auto done = retry_pages(connection, order, *filter);
  if (!done && done.error().code == "pages_not_found") return 0;
  if (!done) return fail(done.error());
  LADE_ASSIGN(const store::PageCounts after, store::count_pages(connection, job));
  return before.ended() - after.ended();
}

// What a retry of the batch does to one of its jobs: to its pages, otherwise to the job.
Result<void> retry_one(db::Connection& connection, const BatchOrder& order, const store::JobWithTasks& each,
                       const BatchRetry& retry, BatchOutcome& outcome) {
  const JobOrder one{std::to_string(each.job), order.actor, order.company};
  if (each.fetches) {
    const auto tasks = retry_pages_of(connection, one, each.job, retry);
    if (!tasks && !is_refusal(tasks.error())) return fail(tasks.error());
    if (!tasks) ++outcome.refused[tasks.error().code];
    if (tasks && *tasks > 0) ++outcome.done;
    outcome.tasks += tasks.value_or(0);
    if (!tasks || *tasks > 0 || !retry.is_plain()) return {};
  }
  const bool named = std::ranges::any_of(retry.ids, [&](const auto& id) { return place_of(id).job == each.job; });
  if (retry.is_subset() ? !named : retry.status == "blocked") return {};
  const auto done = retry_job(connection, one);
  if (!done && !is_refusal(done.error())) return fail(done.error());
  done ? ++outcome.done : ++outcome.refused[done.error().code];
  return {};
}

// Gives how many row tasks are tried again. The tasks of the queue that fetch pages are not counted: their pages are.
template <class Mark>
Result<std::int64_t> requeue_job(db::Connection& connection, const store::JobRecord& job,
                                 std::chrono::seconds threshold, const Mark& mark) {
  LADE_ASSIGN(const auto pages, store::release_stuck_pages(connection, threshold, job.id));
  LADE_ASSIGN(const auto tasks, queue::expire_running(connection, job.uuid, threshold));
  if (!pages.empty()) return std::ssize(pages);
  for (const std::int64_t task : tasks) LADE_TRY(mark(fmt::format("{}-{}", job.id, task)));
  return std::ssize(tasks);
}

}  // namespace

Result<BatchOutcome> retry_batch(db::Connection& connection, const BatchOrder& order, const BatchRetry& retry) {
  LADE_ASSERT(!connection.in_transaction());
  BatchOutcome outcome;
  LADE_ASSIGN(outcome.batch, require_batch(connection, order.batch, order.company));
  LADE_TRY(check(outcome.batch, retry));
  LADE_ASSIGN(const auto jobs, store::jobs_with_tasks(connection, {.batch = outcome.batch.id, .limit = INT32_MAX}));
  for (const store::JobWithTasks& each : jobs) LADE_TRY(retry_one(connection, order, each, retry, outcome));
  json::object data{{"jobs", outcome.done}, {"tasks", outcome.tasks}};
  if (!retry.status.empty()) data["status"] = retry.status;
  LADE_TRY(store::append_batch_event(connection, {.batch = outcome.batch.id,
                                                  .type = store::batch_event::kRetried,
                                                  .actor = order.actor,
                                                  .data = json::serialize(data)}));
  LADE_ASSIGN(outcome.batch, require_batch(connection, outcome.batch.uuid, order.company));
  return outcome;
}

Result<BatchOutcome> requeue_stuck(db::Connection& connection, const BatchOrder& order,
                                   std::chrono::seconds threshold) {
  BatchOutcome outcome;
  LADE_ASSIGN(outcome.batch, require_batch(connection, order.batch, order.company));
  const std::string data =
      json::serialize(json::object{{"reason", "stuck_timeout"}, {"older_than_seconds", threshold.count()}});
  const auto mark = [&](const std::string& task) {
    return store::append_batch_event(connection, {.batch = outcome.batch.id,
                                                  .type = store::batch_event::kTaskMarkedRetryable,
                                                  .actor = order.actor,
                                                  .data = data,
                                                  .ref_type = "task",
                                                  .ref_id = task});
  };
  LADE_ASSIGN(const auto jobs,
              store::jobs_with_tasks(connection, {.batch = outcome.batch.id, .status = "running", .limit = INT32_MAX}));
  for (const store::JobWithTasks& each : jobs) {
    LADE_ASSIGN(const auto job, store::job_with_id(connection, each.job));
    if (!job) continue;
    const auto requeued =
        db::in_transaction(connection, [&] { return requeue_job(connection, *job, threshold, mark); });
    if (!requeued) return fail(requeued.error());
    outcome.tasks += *requeued;
    if (*requeued > 0) ++outcome.done;
  }
  LADE_ASSIGN(outcome.batch, require_batch(connection, outcome.batch.uuid, order.company));
  return outcome;
}

}  // namespace lade::jobs
