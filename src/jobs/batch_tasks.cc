#include "jobs/batch_tasks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <charconv>
#include <cmath>
#include <span>

#include "base/moment.h"
#include "base/redact.h"
#include "queue/task_list.h"
#include "store/batch_stats.h"
#include "store/job_list.h"
#include "store/record_quality.h"

namespace lade::jobs {
namespace {

namespace json = boost::json;
using model::JobState;
using store::JobRecord;

constexpr std::string_view kReady = "ready_for_review";
constexpr std::array<std::string_view, 8> kStatuses = {"pending",   "running", "succeeded", "failed",
                                                       "retryable", "blocked", "cancelled", kReady};

bool waits(const JobRecord& job) {
  return job.standing.state == JobState::waiting_for_review;
}

// Takes the secrets out of each text in it.
void redact(json::value& value) {
  if (value.is_string()) value = redacted(value.get_string());
  if (value.is_array())
    for (json::value& member : value.get_array()) redact(member);
  if (value.is_object())
    for (auto& [name, member] : value.get_object()) redact(member);
}

// Text that is a JSON object; empty: it is none.
json::object parsed_object(const std::string& text) {
  boost::system::error_code broken;
  json::value value = json::parse(text, broken);
  return broken || !value.is_object() ? json::object() : std::move(value.get_object());
}

std::string redacted_error(const std::string& text) {
  json::value error = parsed_object(text);
  if (error.get_object().empty()) return {};
  redact(error);
  return json::serialize(error);
}

// Members of a page's evidence that are shown, by the names that they have here and there.
constexpr std::pair<std::string_view, std::string_view> kFetched[] = {
    {"url", "final_url"}, {"hops", "hops"},       {"fetched_at", "fetched_at"},
    {"status", "status"}, {"headers", "headers"}, {"not_modified", "not_modified"}};

// Where the server stands in its network (`address`) is left out: of hosts that the operator allows it tells how a
// network is laid out that is nobody else's business, and nothing about the page.
std::string fetched_of(const store::Evidence& evidence) {
  const json::object metadata = parsed_object(evidence.metadata);
  if (metadata.empty()) return {};
  json::object fetched{{"bytes", evidence.bytes}};
  for (const auto& [name, kept_as] : kFetched)
    if (const json::value* const member = metadata.if_contains(kept_as)) fetched[name] = *member;
  json::value shown = std::move(fetched);
  redact(shown);
  return json::serialize(shown);
}

std::string time_text(std::int64_t microseconds) {
  return to_text(moment_of(microseconds));
}

RowTask task_of(const JobRecord& job, const store::PageRecord& page) {
  RowTask task;
  task.id = fmt::format("{}-{}", job.id, page.row_id);
  task.job_id = job.uuid;
  task.job = job.slug;
  task.type = "page";
  task.row = page.row_id;
  task.key = redacted(page.key);
  task.status = waits(job) && page.status == store::page_status::kSucceeded ? std::string(kReady) : page.status;
  task.attempt = page.attempt;
  if (!page.error.empty()) task.error = redacted_error(page.error);
  task.http_status = page.http_status;
  task.duration_ms = page.duration_ms;
  task.source_url = redacted(page.url);
  task.checksum = page.checksum;
  task.evidence_path = page.evidence.file;
  task.source_format = page.source_format;
  task.page_range = page.page_range;
  task.idempotency_key = page.idempotency_key;
  task.fields = page.fields;
  task.fetched = fetched_of(page.evidence);
  task.started_at = time_text(page.started_at);
  task.completed_at = time_text(page.completed_at);
  return task;
}

double rounded(double part) {
  return std::round(part * 100) / 100;
}

// Tells how good the records of the job's pages are, once all of its rows were analysed: before, nobody knows their
// names and issues.
Result<void> judge(db::Connection& connection, const JobRecord& job, std::span<RowTask> pages) {
  if (!job.rows_total || job.rows_analysed < *job.rows_total) return {};
  std::vector<store::RecordPlace> places;
  for (const RowTask& page : pages) places.push_back({job.id, page.row});
  LADE_ASSIGN(const auto qualities, store::record_qualities(connection, places));
  for (std::size_t i = 0; i < pages.size(); ++i) pages[i].quality = qualities[i];
  return {};
}

// The part of its job that a task of the queue is about.
std::string part_of(const queue::TaskRow& task) {
  boost::system::error_code broken;
  const json::value payload = json::parse(task.payload, broken);
  if (broken || !payload.is_object() || !payload.get_object().contains("part")) return task.kind;
  return fmt::format("{}/{}", task.kind, json::serialize(payload.at("part")));
}

RowTask task_of(const JobRecord& job, const queue::TaskRow& row) {
  RowTask task;
  task.id = fmt::format("{}-{}", job.id, row.id);
  task.job_id = job.uuid;
  task.job = job.slug;
  task.type = row.kind;
  task.key = part_of(row);
  task.status = row.status;
  task.attempt = row.attempts + (row.started_at != 0 && row.status != "failed" ? 1 : 0);
  if (!row.error_code.empty())
    task.error = json::serialize(json::object{{"code", row.error_code}, {"message", redacted(row.error)}});
  task.duration_ms = row.duration / 1000;
  task.started_at = time_text(row.started_at);
  task.completed_at = time_text(row.finished_at);
  return task;
}

Error not_found(std::string_view id) {
  return {"row_task_not_found", fmt::format("the batch has no task '{}'", id), "give its id as the list of tasks does",
          ErrorKind::invalid};
}

Result<void> check(const RowTaskFilter& filter) {
  if (!filter.status.empty() && std::ranges::find(kStatuses, filter.status) == kStatuses.end())
    return fail("status_unknown", fmt::format("no task has the status '{}'", filter.status),
                fmt::format("{}", fmt::join(kStatuses, ", ")), ErrorKind::usage);
  if (!filter.cursor.empty() && place_of(filter.cursor).job == 0)
    return fail("cursor_invalid", fmt::format("no page of the list begins at '{}'", filter.cursor),
                "give `next` of the page before", ErrorKind::usage);
  return {};
}

// Collects tasks of one job after the other until the page has one more than it shows.
class Lister {
 public:
  Lister(db::Connection& connection, const RowTaskFilter& filter) : connection_(connection), filter_(filter) {}

  std::int64_t missing() const { return filter_.limit + 1 - std::ssize(tasks_); }

  Result<void> add_job(const JobRecord& job, bool fetches, std::int64_t after) {
    return fetches ? add_pages(job, after) : add_tasks(job, after);
  }

  RowTaskPage take() {
    RowTaskPage page{std::move(tasks_), {}};
    if (std::ssize(page.tasks) > filter_.limit) {
      page.tasks.pop_back();
      page.next = page.tasks.back().id;
    }
    return page;
  }

 private:
  Result<void> add_pages(const JobRecord& job, std::int64_t after) {
    store::PageFilter wanted{.source = filter_.source,
                             .error_code = filter_.error,
                             .key = filter_.key,
                             .by_record = true,
                             .after = after,
                             .limit = missing()};
    const bool ready = filter_.status == kReady;
    if (ready != waits(job) && (ready || filter_.status == store::page_status::kSucceeded)) return {};
    if (!filter_.status.empty())
      wanted.statuses = {ready ? std::string(store::page_status::kSucceeded) : filter_.status};
    LADE_ASSIGN(const auto pages, store::list_pages(connection_, job.id, wanted));
    const std::size_t first = tasks_.size();
    for (const store::PageRecord& page : pages) tasks_.push_back(task_of(job, page));
    return judge(connection_, job, std::span(tasks_).subspan(first));
  }

  Result<void> add_tasks(const JobRecord& job, std::int64_t before) {
    if (!filter_.source.empty() || filter_.status == "blocked" || filter_.status == kReady) return {};
    queue::TaskFilter wanted{.status = filter_.status, .group = job.uuid, .before = before, .limit = missing()};
    // What the queue cannot choose by itself is chosen here; so there may be several rounds.
    while (missing() > 0) {
      LADE_ASSIGN(const auto rows, queue::list_tasks(connection_, wanted));
      for (const queue::TaskRow& row : rows) {
        wanted.before = row.id;
        if (!filter_.error.empty() && row.error_code != filter_.error) continue;
        RowTask task = task_of(job, row);
        if (filter_.key.empty() || task.key == filter_.key) tasks_.push_back(std::move(task));
      }
      if (std::ssize(rows) < wanted.limit) break;
      wanted.limit = std::max<std::int64_t>(missing(), 100);
    }
    return {};
  }

  db::Connection& connection_;
  const RowTaskFilter& filter_;
  std::vector<RowTask> tasks_;
};

Result<JobRecord> job_of(db::Connection& connection, const store::BatchRecord& batch, const std::string& id) {
  const RowTaskPlace place = place_of(id);
  LADE_ASSIGN(auto job, store::job_with_id(connection, place.job));
  if (!job || job->batch_id != batch.id) return fail(not_found(id));
  return std::move(*job);
}

}  // namespace

json::object to_json(const model::Quality& quality) {
  return {{"score", quality.score()},
          {"tier", quality.tier()},
          {"completeness", rounded(quality.completeness)},
          {"resolution", rounded(quality.resolution)},
          {"source", rounded(quality.source)},
          {"validation", quality.validation}};
}

RowTaskPlace place_of(std::string_view id) {
  RowTaskPlace place;
  const std::size_t dash = id.find('-');
  if (dash == std::string_view::npos) return {};
  const auto number = [](std::string_view digits, std::int64_t& into) {
    const char* const end = digits.data() + digits.size();
    const auto parsed = std::from_chars(digits.data(), end, into);
    return parsed.ec == std::errc() && parsed.ptr == end && into > 0;
  };
  const bool whole = number(id.substr(0, dash), place.job) && number(id.substr(dash + 1), place.place);
  return whole ? place : RowTaskPlace();
}

Result<RowTaskPage> list_row_tasks(db::Connection& connection, const store::BatchRecord& batch,
                                   const RowTaskFilter& filter) {
  LADE_TRY(check(filter));
  constexpr std::int64_t kJobsAtOnce = 200;
  const RowTaskPlace from = place_of(filter.cursor);
  Lister lister(connection, filter);
  store::JobsWithTasks wanted{.batch = batch.id, .first = from.job, .status = filter.status, .limit = kJobsAtOnce};
  for (;;) {
    LADE_ASSIGN(const auto jobs, store::jobs_with_tasks(connection, wanted));
    for (const store::JobWithTasks& found : jobs) {
      LADE_ASSIGN(const auto job, store::job_with_id(connection, found.job));
      if (!job) continue;
      LADE_TRY(lister.add_job(*job, found.fetches, found.job == from.job ? from.place : 0));
      if (lister.missing() <= 0) return lister.take();
    }
    if (std::ssize(jobs) < kJobsAtOnce) return lister.take();
    wanted.first = jobs.back().job + 1;
  }
}

Result<RowTask> find_row_task(db::Connection& connection, const store::BatchRecord& batch, const std::string& id) {
  LADE_ASSIGN(const JobRecord job, job_of(connection, batch, id));
  const std::int64_t place = place_of(id).place;
  LADE_ASSIGN(const auto pages, store::list_pages(connection, job.id, {.by_record = true, .rows = {place}}));
  if (!pages.empty()) {
    RowTask task = task_of(job, pages.front());
    LADE_TRY(judge(connection, job, std::span(&task, 1)));
    return task;
  }
  LADE_ASSIGN(const auto tasks, queue::list_tasks(connection, {.group = job.uuid, .task = place, .limit = 1}));
  if (tasks.empty()) return fail(not_found(id));
  return task_of(job, tasks.front());
}

Result<store::PageRecord> find_task_page(db::Connection& connection, const store::BatchRecord& batch,
                                         const std::string& id) {
  LADE_ASSIGN(const JobRecord job, job_of(connection, batch, id));
  LADE_ASSIGN(auto page, store::find_page(connection, job.id, place_of(id).place));
  if (!page) return fail(not_found(id));
  return std::move(*page);
}

}  // namespace lade::jobs
