#include <fmt/format.h>

#include <functional>

#include "api/batch_answers.h"
#include "api/paging.h"
#include "api/problem.h"
#include "base/sha256.h"
#include "jobs/batch_export.h"
#include "storage/storage.h"

// What can be seen of a batch: stages, tasks, history, metrics, evidence, and files for people.
namespace lade::api {
namespace {

using accounts::Role;

Result<http::Response> task(Call& call) {
  LADE_TRY(call.query.finish());
  LADE_ASSIGN(const store::BatchRecord batch, require_visible_batch(call));
  LADE_ASSIGN(const jobs::RowTask found, jobs::find_row_task(call.connection, batch, call.at("task")));
  return json_response(200, to_json(found, batch));
}

// A file that `write` makes, as a download of this name. It has no name on the disk and is gone when it is sent.
Result<http::Response> made(Call& call, const std::string& name, const std::string& type,
                            const std::function<Result<void>(ByteSink&)>& write) {
  std::error_code error;
  const std::filesystem::path folder = call.service.here().scratch();
  std::filesystem::create_directories(folder, error);
  LADE_ASSIGN(File temporary, File::temporary(folder));
  FileSink sink(std::move(temporary));
  LADE_TRY(write(sink));
  LADE_ASSIGN(File file, sink.finish());
  LADE_ASSIGN(const std::uint64_t bytes, file.size());
  return download(std::move(file), bytes, name, type);
}

}  // namespace

Result<jobs::RowTaskFilter> read_task_filter(Call& call) {
  jobs::RowTaskFilter filter;
  filter.status = call.query.text("status").value_or("");
  filter.source = call.query.text("source").value_or("");
  filter.error = call.query.text("error").value_or("");
  filter.key = call.query.text("key").value_or("");
  filter.cursor = call.query.text("cursor").value_or("");
  filter.limit = call.query.integer("limit", 1, 1000).value_or(filter.limit);
  return filter;
}

std::vector<Parameter> task_filter_parameters() {
  return with_paging(
      {{"status", "string", "pending, running, succeeded, failed, retryable, blocked, cancelled, ready_for_review"},
       {"source", "string", "a host, or a part of the URL"},
       {"error", "string", "the code of the error"},
       {"key", "string", "what the manifest calls it"}});
}

Result<http::Response> batch_errors(Call& call) {
  LADE_TRY(call.query.finish());
  LADE_ASSIGN(const store::BatchRecord batch, require_visible_batch(call));
  return made(call, batch.name + "-errors.csv", "",
              [&](ByteSink& to) { return jobs::write_batch_errors(call.connection, batch, to); });
}

Result<http::Response> batch_export(Call& call) {
  const std::string format = call.query.text("format").value_or("json");
  LADE_TRY(call.query.finish());
  if (format != "json" && format != "csv")
    return fail("request_invalid", fmt::format("there is no format '{}'", format), "json or csv", ErrorKind::usage);
  LADE_ASSIGN(const store::BatchRecord batch, require_visible_batch(call));
  return made(call, fmt::format("{}-tasks.{}", batch.name, format), format == "json" ? "application/json" : "",
              [&](ByteSink& to) { return jobs::write_batch_export(call.connection, batch, format, to); });
}

Result<http::Response> batch_evidence(Call& call) {
  LADE_TRY(call.query.finish());
  LADE_ASSIGN(const store::BatchRecord batch, require_visible_batch(call));
  const std::string& id = call.at("task");
  LADE_ASSIGN(const store::PageRecord page, jobs::find_task_page(call.connection, batch, id));
  if (page.evidence.file.empty())
    return fail("evidence_not_found", fmt::format("nothing was kept of the page of task {}", id),
                "it was not fetched, or its answer had no body", ErrorKind::invalid);
  const auto offset = static_cast<std::uint64_t>(page.evidence.offset);
  const storage::Storage& storage = call.service.storage();
  LADE_ASSIGN(const storage::StoredFile whole, storage.measure(page.evidence.file));
  LADE_ASSIGN(const File file, storage.read(page.evidence.file, whole.bytes));
  http::Response response;
  std::string body(static_cast<std::size_t>(page.evidence.bytes), '\0');
  LADE_ASSIGN(const std::size_t got, file.read_at(offset, body));
  body.resize(got);
  if (sha256_of(body) != page.checksum)
    return fail("stored_file_damaged", fmt::format("the page of task {} is not what was fetched", id),
                "restore the storage from a backup, or fetch the page again");
  // Strangers wrote it: it is a file to keep, never a page of this server.
  response.headers.set("Content-Type", "application/octet-stream");
  response.headers.set("Content-Disposition", disposition(fmt::format("{}-{}.bin", batch.name, id)));
  response.headers.set("X-Content-Type-Options", "nosniff");
  response.headers.set("Content-Security-Policy", "default-src 'none'; sandbox");
  response.headers.set("Cache-Control", "private, no-store");
  if (!page.checksum.empty()) response.headers.set("ETag", "\"" + page.checksum + "\"");
  response.body = std::move(body);
  return response;
}

std::vector<Route> batch_part_routes() {
  const Access reads{Role::viewer, "imports:read"};
  const auto part = [&](std::string_view path, std::string_view name, std::string_view summary,
                        Result<http::Response> (*answer)(Call&), std::vector<Parameter> query,
                        std::vector<Answer> answers) {
    return Route{.method = "GET",
                 .path = path,
                 .name = name,
                 .summary = summary,
                 .access = reads,
                 .answer = answer,
                 .query = std::move(query),
                 .answers = std::move(answers)};
  };
  return {
      part("/api/v1/batches/{batch}/tasks", "batches.tasks",
           "Its row tasks: a page to fetch each; of imports that fetch nothing, the tasks that they are made of",
           in<list_tasks, kOwnWords>, task_filter_parameters(),
           {{200, "RowTaskPage", "a page of tasks, by import and row"}}),
      part("/api/v1/batches/{batch}/tasks/{task}", "batches.task", "One row task, with its error", task, {},
           {{200, "RowTask", "the task"}}),
      part("/api/v1/batches/{batch}/stages", "batches.stages",
           "The stages of its imports: manifest_ingest, scrape, enrich, entity_resolution, review_prep, load",
           in<list_stages, kOwnWords>, with_paging({}),
           {{200, "BatchStagePage", "stages by import; a page has so many imports"}}),
      part("/api/v1/batches/{batch}/events", "batches.events", "Its history, which nobody can change",
           in<list_events, kOwnWords>, with_paging({}), {{200, "BatchEventPage", "events in their order"}}),
      part("/api/v1/batches/{batch}/metrics", "batches.metrics",
           "How well it goes: success rate, durations by stage, retry rate, most frequent reasons of failures",
           in<show_metrics, kOwnWords>, {}, {{200, "BatchMetrics", "as it stands now"}}),
      part("/api/v1/batches/{batch}/evidence/{task}", "batches.evidence", "The page as it was fetched, as a download",
           batch_evidence, {}, {{200, "application/octet-stream", "the bytes as they came"}}),
      part("/api/v1/batches/{batch}/errors.csv", "batches.errors", "What failed or is blocked, and why, as CSV",
           batch_errors, {}, {{200, kCsvType, "a line for each error"}, {206, kCsvType, "a range of it"}}),
      part("/api/v1/batches/{batch}/export", "batches.export", "All its row tasks as a file, to check their quality",
           batch_export, {{"format", "string", "json (default) or csv"}},
           {{200, kCsvType, "a line for each task"},
            {200, "application/json", "a list of tasks"},
            {206, kCsvType, "a range of it"}}),
  };
}

}  // namespace lade::api
