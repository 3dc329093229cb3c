#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>

#include "api/imports.h"
#include "api/paging.h"
#include "api/problem.h"
#include "api/views.h"
#include "jobs/control.h"
#include "queue/settings.h"
#include "queue/task_list.h"
#include "store/row_list.h"
#include "store/set_versions.h"

// Addresses and words of the systems that lade takes over from, for the clients that they have: Nexus (import jobs with
// chunks) and the queue in the database. One table; what is done is what the API does.
namespace lade::api {
namespace {

namespace json = boost::json;
using accounts::Role;
using model::JobOutcome;
using model::JobState;
using model::Outcome;
using store::JobRecord;

// Nexus: QUEUED, RUNNING, SUCCEEDED, FAILED.
std::string_view nexus_status(const JobRecord& job) {
  if (job.standing.outcome) return job.standing.outcome == JobOutcome::succeeded ? "SUCCEEDED" : "FAILED";
  return job.standing.state == JobState::upload_completed ? "QUEUED" : "RUNNING";
}

std::string message_of(const JobRecord& job) {
  if (!job.error.empty()) return job.error;
  if (job.standing.outcome == JobOutcome::rejected) return "rejected by " + job.reviewed_by;
  if (job.standing.outcome == JobOutcome::cancelled) return "cancelled";
  if (job.standing.state == JobState::waiting_for_review) return "waiting for review";
  if (job.standing.state == JobState::waiting_for_upload) return "waiting for its file";
  return std::string(to_string(job.standing.state));
}

json::object counts_of(const JobRecord& job) {
  return {{"totalRows", job.rows.read},
          {"inserted", job.rows[Outcome::inserted]},
          {"updated", job.rows[Outcome::updated]},
          {"deleted", job.rows[Outcome::deleted]},
          {"unchanged", job.rows[Outcome::unchanged]},
          {"removed", job.rows.removed},
          {"failed", job.rows[Outcome::failed]},
          {"skipped", job.rows[Outcome::skipped]}};
}

json::object nexus_job(const JobRecord& job) {
  const std::int64_t chunks = job.chunks + job.buckets;
  return {
      {"id", job.uuid},
      {"jobId", job.uuid},
      {"companyId", job.company},
      {"projectId", job.project == 0 ? json::value(nullptr) : json::value(job.project)},
      {"createdByUserId", job.created_by_id == 0 ? json::value(nullptr) : json::value(job.created_by_id)},
      {"type", job.definition},
      {"status", nexus_status(job)},
      {"progress", job.progress()},
      {"message", message_of(job)},
      {"csvPath", fmt::format("/api/v1/files/{}/content", job.file_uuid)},
      {"totalChunks", chunks == 0 ? json::value(nullptr) : json::value(chunks)},
      {"completedChunks", chunks == 0 ? json::value(nullptr) : json::value(job.chunks_done + job.buckets_processed)},
      {"metaJson", {{"strategy", job.definition}, {"chunkCount", job.chunks}, {"bucketCount", job.buckets}}},
      {"resultJson", job.standing.outcome ? json::value(counts_of(job)) : json::value(nullptr)},
      {"errorJson",
       job.error.empty() ? json::value(nullptr) : json::value{{"code", job.error_code}, {"message", job.error}}},
      {"createdAt", text_or_null(job.created_at)},
      {"startedAt", text_or_null(job.started_at)},
      {"finishedAt", text_or_null(job.finished_at)}};
}

Result<http::Reception> nexus_create(Asked asked) {
  return receive_import(std::move(asked), {.only_forms = true, .only_csv = true}, [](const JobRecord& job) {
    http::Response response = json_response(202, json::object{{"jobId", job.uuid}});
    response.headers.set("Location", "/import-jobs/" + job.uuid);
    return response;
  });
}

Result<http::Response> nexus_show(Call& call) {
  LADE_TRY(call.query.finish());
  LADE_ASSIGN(const JobRecord job, require_import(call, call.connection));
  json::object object = nexus_job(job);
  // Which set the file replaces, e.g. the id of the price list, and as which version.
  LADE_ASSIGN(const auto version, store::set_version_of(call.connection, job.id));
  if (version) {
    json::object& meta = object["metaJson"].as_object();
    meta["scope"] = parsed_or_null(version->scope);
    meta["version"] = version->version;
  }
  return json_response(200, std::move(object));
}

// The messages that Nexus' workers pass to each other: the job itself, then one for each part of it.
Result<http::Response> nexus_messages(Call& call) {
  LADE_TRY(call.query.finish());
  LADE_ASSIGN(const JobRecord job, require_import(call, call.connection));
  LADE_ASSIGN(const auto tasks, queue::list_tasks(call.connection, {.group = job.uuid, .limit = 10'000}));
  json::array items;
  for (auto task = tasks.rbegin(); task != tasks.rend(); ++task) {
    const bool chunk = task->kind == "analyse" || task->kind == "process";
    json::object message{{"kind", chunk ? "chunk" : "parent"}, {"importJobId", job.uuid}};
    if (chunk) {
      const json::value payload = parsed_or_null(task->payload);
      message["chunkIndex"] = payload.is_object() && payload.get_object().contains("part") ? payload.at("part") : 0;
      message["chunkCount"] = task->kind == "analyse" ? job.chunks : job.buckets;
      message["strategy"] = fmt::format("{}:{}", job.definition, task->kind);
      message["payload"] = {{"csvPath", fmt::format("/api/v1/files/{}/content", job.file_uuid)}};
    }
    items.push_back(std::move(message));
  }
  return whole_list(std::move(items));
}

// The queue in the database: queued, processing, succeeded, failed.
std::string_view queue_status(const JobRecord& job) {
  if (job.standing.outcome) return job.standing.outcome == JobOutcome::succeeded ? "succeeded" : "failed";
  return job.status() == "queued" ? "queued" : "processing";
}

Result<json::array> row_errors(db::Connection& connection, const JobRecord& job) {
  json::array errors;
  if (!job.standing.outcome || job.rows[Outcome::failed] == 0) return errors;
  LADE_TRY(store::list_rows(connection, job, {.limit = 100}, [&](const store::ListedRow& row) {
    errors.push_back(json::object{{"row", row.line == 0 ? row.row_id + 1 : row.line}, {"reason", row.issue.message}});
  }));
  return errors;
}

Result<json::object> queue_job(db::Connection& connection, const JobRecord& job, bool with_errors) {
  LADE_ASSIGN(const auto tasks, queue::list_tasks(connection, {.status = "running", .group = job.uuid, .limit = 1}));
  const bool runs = !tasks.empty();
  json::object object{{"id", job.uuid},
                      {"type", job.definition},
                      {"status", queue_status(job)},
                      {"priority", runs ? tasks.front().priority : queue::kDefaultPriority},
                      {"attempts", job.retries},
                      {"maxAttempts", queue::Settings().retry.max_attempts},
                      {"availableAt", text_or_null(job.created_at)},
                      {"lockedAt", runs ? to_json(tasks.front()).at("started_at") : json::value(nullptr)},
                      {"lockOwner", runs ? json::value(tasks.front().node) : json::value(nullptr)},
                      {"createdAt", text_or_null(job.created_at)},
                      {"finishedAt", text_or_null(job.finished_at)}};
  if (job.standing.outcome) {
    json::object result = counts_of(job);
    if (with_errors) {
      LADE_ASSIGN(result["errors"], row_errors(connection, job));
    }
    object["result"] = std::move(result);
  }
  if (queue_status(job) == "failed")
    object["error"] = {{"code", text_or_null(job.error_code)}, {"detail", message_of(job)}};
  return object;
}

Result<http::Response> queue_show(Call& call) {
  LADE_TRY(call.query.finish());
  const std::string& id = call.at("import");
  LADE_ASSIGN(const auto job, store::find_job(call.connection, id, call.who().company));
  if (job && accounts::sees(call.who(), job->created_by_id, job->project)) {
    LADE_ASSIGN(json::object object, queue_job(call.connection, *job, true));
    return json_response(200, object);
  }
  return fail(not_found("queue_entry", id));
}

// Which of lade's own words each of theirs stands for.
Result<std::vector<std::string>> own_statuses(const std::string& status) {
  if (status.empty()) return std::vector<std::string>{""};
  if (status == "queued") return std::vector<std::string>{"queued"};
  if (status == "processing") return std::vector<std::string>{"running", "paused", "waiting_for_review"};
  if (status == "succeeded") return std::vector<std::string>{"succeeded"};
  if (status == "failed") return std::vector<std::string>{"failed", "cancelled", "rejected", "undone"};
  return fail("status_unknown", fmt::format("no entry has the status '{}'", status),
              "queued, processing, succeeded or failed", ErrorKind::usage);
}

Result<http::Response> queue_list(Call& call) {
  LADE_ASSIGN(const auto statuses, own_statuses(call.query.text("status").value_or("")));
  LADE_ASSIGN(const Page page, read_page(call.query));
  LADE_TRY(call.query.finish());
  std::vector<JobRecord> jobs;
  for (const std::string& status : statuses) {
    store::JobFilter filter = visible_imports(call.who());
    filter.status = status;
    filter.before = page.before;
    filter.limit = page.limit + 1;
    LADE_ASSIGN(store::JobPage found, store::list_jobs(call.connection, filter));
    std::ranges::move(found.jobs, std::back_inserter(jobs));
  }
  std::ranges::sort(jobs, std::greater<>(), &JobRecord::id);
  json::array items;
  json::value next = nullptr;
  for (const JobRecord& job : jobs) {
    if (static_cast<std::int64_t>(items.size()) == page.limit) break;
    LADE_ASSIGN(json::object object, queue_job(call.connection, job, false));
    items.push_back(std::move(object));
    if (static_cast<std::int64_t>(items.size()) == page.limit && jobs.size() > items.size())
      next = std::to_string(job.id);
  }
  return json_response(200, json::object{{"items", std::move(items)}, {"next", std::move(next)}});
}

}  // namespace

std::vector<Route> alias_routes() {
  const Access reads{Role::viewer, "imports:read"}, writes{Role::operator_, "imports:write"};
  return {
      {.method = "POST",
       .path = "/import-jobs",
       .name = "nexus.create",
       .summary = "Nexus: upload a CSV file and get the id of its job",
       .access = writes,
       .receive = nexus_create,
       .body = Body::upload,
       .query = {{"definition", "string", "slug (in Nexus: the job's type)"}},
       .answers = {{202, "NexusAccepted", "accepted"}}},
      {.method = "GET",
       .path = "/import-jobs/{import}",
       .name = "nexus.show",
       .summary = "Nexus: a job, for clients that poll",
       .access = reads,
       .answer = nexus_show,
       .answers = {{200, "NexusJob", "the job"}}},
      {.method = "GET",
       .path = "/import-jobs/{import}/messages",
       .name = "nexus.messages",
       .summary = "Nexus: the parent and chunk messages that the job's tasks stand for",
       .access = reads,
       .answer = nexus_messages,
       .answers = {{200, "NexusMessages", "messages in their order"}}},
      {.method = "GET",
       .path = "/api/v1/queue",
       .name = "queue.list",
       .summary = "Imports in the words of a queue: queued, processing, succeeded, failed",
       .access = reads,
       .answer = queue_list,
       .query = with_paging({{"status", "string", "queued, processing, succeeded, failed"}}),
       .answers = {{200, "QueuePage", "a page of entries, newest first"}}},
      {.method = "GET",
       .path = "/api/v1/queue/{import}",
       .name = "queue.show",
       .summary = "An import in the words of a queue, with its result",
       .access = reads,
       .answer = queue_show,
       .answers = {{200, "QueueEntry", "the entry"}}},
  };
}

}  // namespace lade::api
