#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "api/file_links.h"
#include "api/imports.h"
#include "api/paging.h"
#include "api/problem.h"
#include "api/views.h"
#include "base/id.h"
#include "jobs/fetch_results.h"
#include "queue/task_list.h"
#include "store/events.h"
#include "store/files.h"
#include "store/job_progress.h"

// What can be seen of an import beside its rows: issues, tasks, events, results.
namespace lade::api {
namespace {

namespace json = boost::json;
using accounts::Role;
using store::JobRecord;

Result<http::Response> progress(Call& call) {
  LADE_TRY(call.query.finish());
  LADE_ASSIGN(const JobRecord job, require_import(call, call.connection));
  LADE_ASSIGN(const std::string found, store::job_progress(call.connection, job.id));
  return json_response(200, parsed_or_null(found).as_object());
}

Result<http::Response> tasks(Call& call) {
  queue::TaskFilter filter;
  filter.status = call.query.text("status").value_or("");
  filter.kind = call.query.text("kind").value_or("");
  LADE_ASSIGN(const Page page, read_page(call.query));
  LADE_TRY(call.query.finish());
  LADE_ASSIGN(const JobRecord job, require_import(call, call.connection));
  filter.group = job.uuid;
  filter.before = page.before;
  filter.limit = page.limit + 1;
  LADE_ASSIGN(const auto found, queue::list_tasks(call.connection, filter));
  return page_response(found, page, [](const queue::TaskRow& task) { return task.id; });
}

// Where a client that was cut off goes on.
Result<std::int64_t> last_event(Call& call) {
  const std::string header(call.request.headers.get("Last-Event-ID"));
  const auto in_query = call.query.integer("after", 0, INT64_MAX);
  Fields sent(header.empty() ? json::object() : json::object{{"Last-Event-ID", header}}, "header");
  const auto in_header = sent.integer("Last-Event-ID", 0, INT64_MAX);
  LADE_TRY(sent.finish());
  return in_header.value_or(in_query.value_or(0));
}

// As a stream for those who ask for one, otherwise as a list.
Result<http::Response> events(Call& call) {
  LADE_ASSIGN(const std::int64_t after, last_event(call));
  LADE_TRY(call.query.finish());
  LADE_ASSIGN(const JobRecord job, require_import(call, call.connection));
  if (call.request.headers.get("Accept").find("text/event-stream") != std::string_view::npos)
    return http::Response{.status = 200, .body = call.service.events().watch(job, after)};
  constexpr std::int64_t kMost = 1000;
  LADE_ASSIGN(const auto history, store::events_of(call.connection, job.id, after, kMost + 1));
  return page_response(history, {after, kMost}, [](const store::Event& event) { return event.number; });
}

using jobs::ResultFiles;
constexpr std::pair<std::string_view, std::string ResultFiles::*> kResults[] = {
    {"failed", &ResultFiles::failed},
    {"succeeded", &ResultFiles::succeeded},
    {"unprocessed", &ResultFiles::unprocessed}};

// A folder that is gone with the object; a file that was opened meanwhile can still be read.
struct Scratch {
  explicit Scratch(const std::filesystem::path& folder) : path(folder / "scratch" / new_uuid()) {}
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  std::filesystem::path path;
};

Result<http::Response> make_result(Call& call, const JobRecord& job, std::string ResultFiles::*which,
                                   const std::string& name) {
  const Scratch scratch(call.service.here().scratch());
  LADE_ASSIGN(const ResultFiles files,
              jobs::make_results(call.connection, call.service.storage(), job, call.service.here(), scratch.path));
  if ((files.*which).empty())
    return fail("result_not_found", fmt::format("job {} has no {} rows", job.slug, name), "", ErrorKind::invalid);
  LADE_ASSIGN(File file, File::open(files.*which));
  LADE_ASSIGN(const std::uint64_t bytes, file.size());
  return download(std::move(file), bytes, std::filesystem::path(files.*which).filename().string());
}

Result<http::Response> results(Call& call) {
  const bool kept_only = call.query.flag("kept").value_or(false);
  LADE_TRY(call.query.finish());
  LADE_ASSIGN(const JobRecord job, require_import(call, call.connection));
  const std::string& name = call.at("which");
  const auto* found = std::ranges::find(kResults, name, [](const auto& entry) { return entry.first; });
  if (found == std::end(kResults)) return fail(not_found("result", name));
  LADE_ASSIGN(const auto files, store::results_of(call.connection, job.id));
  for (const store::FileRecord& file : files)
    if (file.purpose == name) return file_response(call.service.storage(), file);
  if (kept_only) return fail(not_found("result", name));
  return make_result(call, job, found->second, name);
}

Result<http::Response> result_link(Call& call) {
  LADE_TRY(call.query.finish());
  LADE_ASSIGN(const JobRecord job, require_import(call, call.connection));
  LADE_ASSIGN(const auto files, store::results_of(call.connection, job.id));
  for (const store::FileRecord& file : files)
    if (file.purpose == call.at("which")) return link_response(call.service, file);
  return fail(not_found("result", call.at("which")));
}

}  // namespace

std::vector<Route> watching_routes() {
  const Access reads{Role::viewer, "imports:read"};
  std::vector<Route> routes = row_routes();
  std::ranges::move(chart_routes(), std::back_inserter(routes));
  std::ranges::move(grid_routes(), std::back_inserter(routes));
  std::ranges::move(diff_routes(), std::back_inserter(routes));
  std::ranges::move(fix_routes(), std::back_inserter(routes));
  std::ranges::move(lineage_routes(), std::back_inserter(routes));
  std::ranges::move(import_action_routes(), std::back_inserter(routes));
  routes.insert(
      routes.begin(),
      {
          {.method = "GET",
           .path = "/api/v1/imports/{import}/progress",
           .name = "imports.progress",
           .summary = "How far an import has come: rows of both phases, their pace, and counts by row state",
           .access = reads,
           .answer = progress,
           .answers = {{200, "Progress", "what get_import_job_progress() gives"}}},
          {.method = "GET",
           .path = "/api/v1/imports/{import}/tasks",
           .name = "imports.tasks",
           .summary = "The import's tasks, newest first",
           .access = reads,
           .answer = tasks,
           .query = with_paging({{"status", "string", "pending, retryable, running, succeeded, failed, cancelled"},
                                 {"kind", "string", "plan, analyse, settle, judge, process, orphans, finalise"}}),
           .answers = {{200, "TaskPage", "a page of tasks"}}},
          {.method = "GET",
           .path = "/api/v1/imports/{import}/events",
           .name = "imports.events",
           .summary = "The import's history; with Accept: text/event-stream also what follows, live, with its progress",
           .access = reads,
           .answer = events,
           .query = {{"after", "integer", "only events with larger numbers (streams: Last-Event-ID)"}},
           .answers = {{200, "EventPage", "events in their order"}}},
          {.method = "GET",
           .path = "/api/v1/imports/{import}/results/{which}",
           .name = "imports.results",
           .summary = "The rows that failed, succeeded or were not processed, as a file like the source",
           .access = reads,
           .answer = results,
           .query = {{"kept", "boolean", "only a file that was kept with the import, none made anew"}},
           .answers = {{200, kCsvType, "the rows, with _row, _code and _message, in the format of the source"},
                       {200, kWorkbookType, ""},
                       {206, kCsvType, "a range of it"},
                       {206, kWorkbookType, ""}}},
          {.method = "GET",
           .path = "/api/v1/imports/{import}/results/{which}/link",
           .name = "imports.result_link",
           .summary = "An address by which a kept result file is read from the bucket, until it expires",
           .access = reads,
           .answer = result_link,
           .answers = {{200, "FileLink", "the address; it is a secret as long as it is valid"}},
           .answers_secret = true},
      });
  return routes;
}

}  // namespace lade::api
