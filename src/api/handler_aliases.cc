#include <fmt/format.h>

#include "api/definitions.h"
#include "api/imports.h"
#include "api/paging.h"
#include "api/problem.h"
#include "api/server.h"
#include "api/uploads.h"
#include "api/views.h"
#include "definition/parse.h"
#include "jobs/accept.h"
#include "jobs/control.h"
#include "jobs/expand.h"
#include "jobs/open_source.h"
#include "jobs/show_progress.h"
#include "store/files.h"

// The addresses of a system whose imports are row handlers of resources: a resource is a definition, its name the
// definition's slug. What is done is what the API does.
namespace lade::api {
namespace {

namespace json = boost::json;
using accounts::Role;
using model::JobOutcome;
using model::JobState;
using store::JobRecord;

std::string_view word_for(const JobRecord& job) {
  if (job.standing.outcome == JobOutcome::succeeded) return "succeeded";
  if (job.standing.outcome == JobOutcome::cancelled || job.standing.outcome == JobOutcome::rejected) return "cancelled";
  if (job.standing.outcome) return "failed";
  const bool waits =
      job.standing.state == JobState::upload_completed || job.standing.state == JobState::waiting_for_upload;
  return waits ? "queued" : "running";
}

// Where each kept result file is to be had: in the bucket, until the address expires, or from lade.
Result<json::array> result_files(Call& call, const JobRecord& job) {
  LADE_ASSIGN(const auto files, store::results_of(call.connection, job.id));
  const std::chrono::seconds expires = call.service.options().link_expires;
  json::array list;
  for (const store::FileRecord& file : files) {
    const auto link = call.service.storage().link_to(
        file.stored_as(), {.expires = expires, .disposition = disposition(file.name), .type = type_of(file.name)});
    const std::string own = fmt::format("/api/v1/imports/{}/results/{}", job.uuid, file.purpose);
    list.push_back(json::object{{"which", file.purpose},
                                {"file_id", file.uuid},
                                {"name", file.name},
                                {"bytes", file.bytes},
                                {"url", link.value_or(own)},
                                {"expires_at", link ? json::value(to_text(now() + expires)) : json::value(nullptr)}});
  }
  return list;
}

json::value file_id_of(const json::array& files, std::string_view which) {
  for (const json::value& file : files)
    if (file.at("which") == json::value(which)) return file.at("file_id");
  return nullptr;
}

// Without the place of a file that somebody has imported on the machine itself.
json::value options_shown(const JobRecord& job) {
  json::value options = parsed_or_null(job.options);
  if (options.is_object()) options.get_object().erase("local");
  return options;
}

// The row of the database, with the counts of the mirror where those are fresher.
Result<json::object> job_view(Call& call, const JobRecord& job) {
  mirror::JobProgress progress = jobs::progress_of(job);
  if (mirror::Reader* mirror = call.service.mirror(); mirror != nullptr && !progress.finished)
    progress = mirror::fresher(progress, mirror->read(job.uuid), now());
  LADE_ASSIGN(json::array files, result_files(call, job));
  return json::object{{"id", job.uuid},
                      {"celery_task_id", job.uuid},
                      {"resource", job.definition},
                      {"file_id", text_or_null(job.file_uuid)},
                      {"created_by", text_or_null(job.created_by)},
                      {"status", word_for(job)},
                      {"cancel_requested", job.cancel_requested},
                      {"total_rows", progress.total ? json::value(*progress.total) : json::value(nullptr)},
                      {"processed_rows", progress.processed()},
                      {"success_count", progress.succeeded},
                      {"failure_count", progress.failed},
                      {"percentage", progress.percentage()},
                      {"result_success_file", file_id_of(files, "succeeded")},
                      {"result_failed_file", file_id_of(files, "failed")},
                      {"result_files", std::move(files)},
                      {"error_message", text_or_null(job.error)},
                      {"options", options_shown(job)},
                      {"created_at", text_or_null(job.created_at)},
                      {"started_at", text_or_null(job.started_at)},
                      {"finished_at", text_or_null(job.finished_at)}};
}

// What a request says about its import. An option that is left out is as the definition has it, or else the settings.
struct Options {
  std::optional<std::int64_t> batch_size, header_rows;
  std::string handler, handler_options;
  std::optional<bool> allow_update;
  std::string output_format, result_file_prefix;
  bool store_results = true;
};

Result<Options> read_options(Fields fields) {
  Options options;
  options.batch_size = fields.integer("batch_size", 1, 100'000);
  options.header_rows = fields.integer("header_rows", 0, 100);
  options.handler = fields.text("handler_path").value_or("");
  options.handler_options = fields.map("handler_options").value_or("");
  options.allow_update = fields.flag("allow_update");
  options.output_format = fields.text("output_format").value_or("");
  options.result_file_prefix = fields.text("result_file_prefix").value_or("");
  options.store_results = fields.flag("create_result_file_records").value_or(true);
  (void)fields.flag("count_total_first");  // rows are always counted first
  LADE_TRY(fields.finish());
  return options;
}

// What is wrong with a handler is wrong with the request.
Error as_request(Error error) {
  if (error.code.starts_with("handler_")) error.kind = ErrorKind::usage;
  return error;
}

// Some handlers take the wish that rows which exist are changed.
void hand_allow_update(const definition::Definition& definition, bool allow, jobs::ImportOptions& options) {
  const definition::HandlerTarget* const target = definition.handler();
  const auto* const handler = target == nullptr || !options.handlers ? nullptr : options.handlers->find(target->name);
  if (handler == nullptr || !handler->takes("allow_update")) return;
  json::object given =
      options.handler_options.empty() ? json::object() : json::parse(options.handler_options).as_object();
  given.emplace("allow_update", allow);  // unless it was named among the handler's own
  options.handler_options = json::serialize(given);
}

// The one place where a request becomes an import. The handler must be one that is known here by its name, and take its
// options, whether the request or the definition names it.
Result<void> apply(const Options& wanted, const store::StoredDefinition& stored, db::Connection& connection,
                   jobs::ImportOptions& options) {
  definition::Definition definition = definition::parse_definition(stored.snapshot).definition;
  if (wanted.header_rows) options.source = json::serialize(json::object{{"header_row", *wanted.header_rows}});
  options.output_format = wanted.output_format;
  options.result_file_prefix = wanted.result_file_prefix;
  if (!wanted.store_results) options.store_results = false;
  if (auto valid = options.validate_results(); !valid)
    return fail("request_invalid", std::move(valid.error().message), std::move(valid.error().hint), ErrorKind::usage);
  options.handler = wanted.handler;
  options.handler_options = wanted.handler_options;
  if (wanted.batch_size && definition.handler() != nullptr) options.handler_batch = *wanted.batch_size;
  if (wanted.batch_size) options.batch_rows = static_cast<std::size_t>(*wanted.batch_size);
  auto asked = jobs::for_request(definition, options);
  if (!asked) return fail(as_request(std::move(asked).error()));
  if (wanted.allow_update) {
    hand_allow_update(*asked, *wanted.allow_update, options);
    LADE_ASSIGN(asked, jobs::for_request(std::move(definition), options));
  }
  auto expanded = jobs::expanded(*asked, connection, options);
  if (!expanded) return fail(as_request(std::move(expanded).error()));
  return {};
}

// What is not there, or not theirs, or was sent by a link and not confirmed.
Result<store::FileRecord> require_uploaded(Call& call, const std::string& id) {
  LADE_ASSIGN(auto file, store::find_file(call.connection, id, call.who().company));
  if (!file || !sees_file(call.who(), *file))
    return fail("file_unknown", fmt::format("there is no file '{}'", id),
                "upload it first; one that was sent by a link must be confirmed", ErrorKind::usage);
  return std::move(*file);
}

Result<http::Response> create(Call& call) {
  LADE_TRY(call.query.finish());
  Wishes wishes;
  wishes.definition = call.at("slug");
  LADE_ASSIGN(const store::StoredDefinition definition,
              jobs::require_definition(call.connection, wishes.definition, call.who().company));
  const std::string file_id = call.body.required_text("file_id");
  const std::string given = call.body.map("options").value_or("{}");
  LADE_TRY(call.body.finish());
  wishes.options = options_of(call);
  LADE_ASSIGN(const Options options, read_options(Fields(json::parse(given).as_object(), "option")));
  LADE_ASSIGN(const store::FileRecord file, require_uploaded(call, file_id));
  LADE_TRY(apply(options, definition, call.connection, wishes.options));
  AuditNote note;
  LADE_ASSIGN(http::Response response, import_file(call, call.connection, wishes, file, note));
  call.object_id = note.object_id;
  call.audit = note.data;
  if (response.status != 202) return response;
  LADE_ASSIGN(const auto job, store::find_job(call.connection, note.object_id, call.who().company));
  response = json_response(202, json::object{{"import_job_id", job->uuid},
                                             {"celery_task_id", job->uuid},
                                             {"status", word_for(*job)},
                                             {"created_at", job->created_at}});
  response.headers.set("Location", "/api/v1/import/status/?task_id=" + job->uuid);
  response.headers.set("Retry-After", "1");
  return response;
}

Result<http::Response> show(Call& call) {
  const std::string id = call.query.required_text("task_id");
  LADE_TRY(call.query.finish());
  call.path["import"] = id;
  LADE_ASSIGN(const JobRecord job, require_import(call, call.connection));
  LADE_ASSIGN(json::object view, job_view(call, job));
  http::Response response = json_response(200, std::move(view));
  if (!job.standing.outcome) response.headers.set("Retry-After", "1");
  return response;
}

Result<http::Response> cancel(Call& call) {
  LADE_TRY(call.query.finish());
  LADE_TRY(call.body.finish());
  LADE_ASSIGN(const JobRecord before, require_import(call, call.connection));
  auto job = jobs::cancel_job(call.connection, order_of(call));
  if (!job && job.error().code == "transition_refused")
    return fail("cancel_refused", fmt::format("the import has ended: {}", word_for(before)),
                "only queued and running imports are cancelled", ErrorKind::usage);
  if (!job) return fail(std::move(job).error());
  LADE_ASSIGN(json::object view, job_view(call, *job));
  return json_response(job->standing.outcome ? 200 : 202, std::move(view));
}

}  // namespace

std::vector<Route> handler_alias_routes() {
  const Access reads{Role::viewer, "imports:read"}, writes{Role::operator_, "imports:write"};
  return {
      {.method = "POST",
       .path = "/api/v1/{slug}/import/",
       .name = "resources.import",
       .summary = "Import an uploaded file into a resource, which is a definition by its slug",
       .access = writes,
       .answer = create,
       .body = Body::json,
       .body_schema = "ResourceImport",
       .answers = {{202, "ResourceAccepted", "accepted; Location is where to poll"}}},
      {.method = "GET",
       .path = "/api/v1/import/status/",
       .name = "resources.status",
       .summary = "How such an import stands: what is stored, with fresher counts of the progress mirror",
       .access = reads,
       .answer = show,
       .query = {{"task_id", "string", "import_job_id or celery_task_id, which are the same"}},
       .answers = {{200, "ResourceJob",
                    "the import; addresses of files in a bucket are secrets as long as they are valid"}},
       .answers_secret = true},
      {.method = "POST",
       .path = "/api/v1/imports/{import}/cancel/",
       .name = "resources.cancel",
       .summary = "Stop a queued or running import",
       .access = writes,
       .answer = cancel,
       .body = Body::json,
       .answers = {{200, "ResourceJob", "it is cancelled"}, {202, "ResourceJob", "it will be, at the next batch"}},
       .answers_secret = true},
      {.method = "GET",
       .path = "/api/v1/{slug}/import_template/",
       .name = "resources.template",
       .summary = "An empty file for people to fill in",
       .access = {Role::viewer, "definitions:read"},
       .answer = definition_template,
       .query = {{"format", "string", "xlsx (default) or csv"}},
       .answers = {{200, kWorkbookType, "the file"}, {200, kCsvType, ""}}},
  };
}

}  // namespace lade::api
