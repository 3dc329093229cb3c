#include <fmt/format.h>

#include "accounts/companies.h"
#include "api/drafts.h"
#include "api/dropped_files.h"
#include "api/imports.h"
#include "api/manifest.h"
#include "api/paging.h"
#include "api/problem.h"
#include "api/uploads.h"
#include "api/views.h"
#include "base/moment.h"
#include "jobs/accept.h"
#include "jobs/batches.h"
#include "jobs/control.h"
#include "jobs/job.h"
#include "jobs/stored_job.h"
#include "source/input.h"

// Imports: how they begin, how they stand, what people do to them.
namespace lade::api {
namespace {

namespace json = boost::json;
using accounts::Role;
using store::JobRecord;

http::Response accepted(const JobRecord& job) {
  http::Response response = json_response(202, stamped(to_json(job)));
  response.headers.set("Location", "/api/v1/imports/" + job.uuid);
  response.headers.set("Retry-After", "1");
  return response;
}

// Says which job does the same already.
Result<http::Response> refused(db::Connection& connection, Error error, const store::StoredDefinition& definition,
                               const store::FileRecord& file, const jobs::ImportOptions& options) {
  if (error.code != "job_exists") return fail(std::move(error));
  LADE_ASSIGN(const auto twin, jobs::twin_of(connection, definition, file, options));
  return problem(error, twin ? json::object{{"job_id", twin->uuid}, {"job", twin->slug}} : json::object());
}

Result<store::StoredDefinition> choose_definition(const Asked& asked, db::Connection& connection, const Wishes& wishes,
                                                  const store::FileRecord& file) {
  if (!wishes.definition.empty())
    return jobs::require_definition(connection, wishes.definition, asked.who().company, wishes.version);
  return jobs::match_definition(connection, asked.service.storage(), file, wishes.options);
}

// What was prepared holds, where the request itself does not say otherwise. Somebody looks at it before it is loaded,
// unless the request says that nobody need.
void follow(const store::Draft& draft, Wishes& wishes) {
  const auto fill = [](std::string& wish, const std::string& prepared) {
    if (wish.empty() && prepared != "{}") wish = prepared;
  };
  fill(wishes.definition, draft.definition);
  fill(wishes.options.source, draft.read);
  fill(wishes.options.mapping, draft.mapping);
  fill(wishes.options.values, draft.values);
  fill(wishes.options.review, "always");
  wishes.options.corrections_of = draft.corrections_of;
}

// What its preview is to take over and has not yet.
Result<json::value> takes_over(db::Connection& connection, const JobRecord& job) {
  if (job.standing.outcome || job.review_revision > 0) return nullptr;
  return corrections_json(connection, job.company, jobs::options_of(job).corrections_of);
}

// The draft ends with the import that is made of it.
Result<http::Response> import_draft(const Asked& asked, db::Connection& connection, Wishes wishes,
                                    const std::string& id, AuditNote& note) {
  LADE_ASSIGN(const store::Draft draft, require_draft(asked, connection, id));
  LADE_ASSIGN(const auto file, store::find_file(connection, draft.file_id));
  if (!file)
    return fail("request_invalid", "the draft has no file", "choose a file for it, or give file_id", ErrorKind::usage);
  follow(draft, wishes);
  LADE_ASSIGN(http::Response response, import_file(asked, connection, wishes, *file, note));
  if (response.status < 400) LADE_TRY(store::remove_draft(connection, draft.id));
  return response;
}

// By JSON: a file that was uploaded before, or none yet.
Result<http::Response> create_by_json(const Asked& asked, db::Connection& connection, const std::string& text,
                                      std::optional<DroppedFile>& dropped, AuditNote& note) {
  LADE_ASSIGN(Fields fields, Fields::of_body(text));
  const auto file_id = fields.text("file_id");
  const bool by_name = fields.text("filename").has_value();
  const auto draft_id = fields.text("draft_id");
  LADE_ASSIGN(Wishes wishes, read_wishes(asked, fields));
  LADE_TRY(fields.finish());
  if (file_id && by_name)
    return fail("request_invalid", "both file_id and filename are given", "an import has one file", ErrorKind::usage);
  if (draft_id && (file_id || by_name))
    return fail("request_invalid", "a draft has its file already", "leave out file_id and filename", ErrorKind::usage);
  if (draft_id) return import_draft(asked, connection, wishes, *draft_id, note);
  if (dropped) return import_dropped(asked, connection, wishes, *dropped, note);
  if (file_id) {
    LADE_ASSIGN(const store::FileRecord file, file_of(asked, connection, *file_id));
    return import_file(asked, connection, wishes, file, note);
  }
  if (wishes.definition.empty())
    return fail("request_invalid", "neither file_id, filename nor definition is given",
                "an import of an uploaded file needs file_id, one whose file comes later needs definition",
                ErrorKind::usage);
  LADE_ASSIGN(const store::StoredDefinition definition,
              jobs::require_definition(connection, wishes.definition, asked.who().company, wishes.version));
  LADE_ASSIGN(wishes.options.may_relax_review, may_relax_review(asked, connection));
  LADE_ASSIGN(const JobRecord job, jobs::create_import(connection, {definition, wishes.options, wishes.limits}));
  note.object_id = job.uuid;
  return accepted(job);
}

// What stands in the address, without what belongs to the upload itself.
Result<json::object> said_in_query(const Asked& asked) {
  const auto parameters = http::parameters_of(asked.request.query);
  LADE_ASSIGN(Fields query, Fields::of_query(asked.request.query));
  (void)query.text("name");
  LADE_TRY(read_wishes(asked, query));
  LADE_TRY(query.finish());
  json::object values;
  for (const auto& [name, value] : *parameters)
    if (name != "name") values[name] = value;
  return values;
}

Result<http::Reception> create(Asked asked) {
  if (asked.request.headers.get("Content-Type").starts_with("application/json"))
    return http::Reception(http::WholeBody{
        asked.route.most_bytes, [asked](const std::string& text) {
          return with_dropped_file(
              asked, text, {}, [&](db::Connection& connection, std::optional<DroppedFile>& dropped, AuditNote& note) {
                return create_by_json(asked, connection, text, dropped, note);
              });
        }});
  return receive_import(std::move(asked), {}, [](const JobRecord& job) { return accepted(job); });
}

Result<http::Reception> put_file(Asked asked) {
  {
    // Refused before the file is read, when it can be known.
    LADE_ASSIGN(const db::Pool::Lease session, asked.service.reading());
    LADE_ASSIGN(const JobRecord job, require_import(asked, *session));
    LADE_TRY(model::next(job.standing, model::JobEvent::file_stored));
  }
  return receive_upload(
      asked, {}, [asked](db::Connection& connection, Received& received, AuditNote& note) -> Result<http::Response> {
        LADE_TRY(Fields(received.form, "field").finish());
        LADE_ASSIGN(received.file.id, store::create_file(connection, received.file));
        note.object_id = asked.at("import");
        LADE_ASSIGN(const JobRecord job, jobs::give_file(connection, order_of(asked), received.file));
        return accepted(job);
      });
}

// A day or a moment, in the form in which the store compares them; a day that ends a stretch is part of it.
Result<std::string> moment_in(Fields& query, std::string_view name, bool end) {
  constexpr std::size_t kDay = 10;
  const std::string text = query.text(name).value_or("");
  if (text.empty()) return text;
  const auto moment = moment_of(text.size() == kDay ? text + "T00:00:00.000Z" : text);
  if (!moment)
    return fail("request_invalid", fmt::format("{}: '{}' is no day and no moment", name, text),
                "2024-12-31, or 2024-12-31T23:59:59.999Z", ErrorKind::usage);
  return to_text(end && text.size() == kDay ? *moment + std::chrono::days(1) : *moment);
}

Result<http::Response> counts(Call& call) {
  store::JobFilter filter = visible_imports(call.who());
  filter.definition = call.query.text("definition").value_or("");
  filter.owner = call.query.text("owner").value_or("");
  LADE_TRY(call.query.finish());
  LADE_ASSIGN(const auto found, store::count_jobs(call.connection, filter));
  json::object object;
  std::int64_t total = 0;
  for (const store::StatusCount& count : found) {
    object[count.status] = count.jobs;
    total += count.jobs;
  }
  object["total"] = total;
  return json_response(200, stamped(std::move(object)));
}

Result<http::Response> list(Call& call) {
  store::JobFilter filter = visible_imports(call.who());
  filter.status = call.query.text("status").value_or("");
  filter.definition = call.query.text("definition").value_or("");
  filter.file = call.query.text("file").value_or("");
  filter.owner = call.query.text("owner").value_or("");
  filter.words = call.query.text("q").value_or("");
  LADE_ASSIGN(filter.from, moment_in(call.query, "from", false));
  LADE_ASSIGN(filter.to, moment_in(call.query, "to", true));
  filter.oldest_first = call.query.text("sort").value_or("-created_at") == "created_at";
  const std::string batch = call.query.text("batch").value_or("");
  LADE_ASSIGN(const Page page, read_page(call.query));
  LADE_TRY(call.query.finish());
  if (!batch.empty()) {
    LADE_ASSIGN(const store::BatchRecord found, jobs::require_batch(call.connection, batch, call.who().company));
    filter.batch_id = found.id;
  }
  filter.before = page.before;
  filter.limit = page.limit + 1;
  LADE_ASSIGN(const store::JobPage jobs, store::list_jobs(call.connection, filter));
  return page_response(jobs.jobs, page, [](const JobRecord& job) { return job.id; });
}

Result<http::Response> show(Call& call) {
  LADE_TRY(call.query.finish());
  LADE_ASSIGN(const JobRecord job, require_import(call, call.connection));
  LADE_ASSIGN(const queue::TaskCounts tasks, queue::count_tasks(call.connection, job.uuid));
  json::object object = to_json(job);
  object["tasks"] = to_json(tasks);
  object["issues"] = parsed_or_null(job.issues);
  LADE_ASSIGN(const auto counts, jobs::rows_to_come(call.connection, job));
  object["comparison"] = comparison_json(counts);
  LADE_ASSIGN(object["takes_over"], takes_over(call.connection, job));
  if (job.standing.outcome == model::JobOutcome::rejected || job.standing.state == model::JobState::rejected) {
    LADE_ASSIGN(const std::string reason, jobs::rejection_reason(call.connection, job));
    object["rejected_because"] = text_or_null(reason);
  }
  http::Response response = json_response(200, stamped(std::move(object)));
  // What a reviewer has seen: an approval must name it.
  response.headers.set("ETag", revision_tag(job));
  if (!job.standing.outcome) response.headers.set("Retry-After", "1");
  return response;
}

}  // namespace

Result<Wishes> read_wishes(const Asked& asked, Fields& fields) {
  Wishes wishes;
  wishes.definition = fields.text("definition").value_or("");
  wishes.version = fields.integer("version", 1, INT32_MAX);
  jobs::ImportOptions& options = wishes.options = options_of(asked);
  options.batch = fields.text("batch").value_or("");
  options.source = fields.map("source").value_or("");
  options.force = fields.flag("force").value_or(false);
  options.time_context_ident = fields.text("time_context_ident").value_or("");
  options.default_valid_from = fields.text("default_valid_from").value_or("");
  options.default_valid_to = fields.text("default_valid_to").value_or("");
  options.mapping = fields.map("mapping").value_or("");
  options.values = fields.map("values").value_or("");
  options.review = fields.text("review").value_or("");
  wishes.limits = {fields.text("max_errors").value_or(""), fields.text("fail_when").value_or("")};
  if (const auto results = fields.text("results")) {
    if (*results == "none")
      options.results = jobs::Results::none;
    else if (*results == "failed")
      options.results = jobs::Results::failed;
    else if (*results != "all")
      return fail("request_invalid", fmt::format("there are no results '{}'", *results), "all, failed or none",
                  ErrorKind::usage);
  }
  options.output_format = fields.text("output_format").value_or("");
  options.result_file_prefix = fields.text("result_file_prefix").value_or("");
  if (!fields.flag("create_result_file_records").value_or(true)) options.store_results = false;
  if (auto valid = options.validate_results(); !valid)
    return fail("request_invalid", std::move(valid.error().message), std::move(valid.error().hint), ErrorKind::usage);
  return wishes;
}

Result<store::FileRecord> file_of(const Asked& asked, db::Connection& connection, const std::string& id) {
  LADE_ASSIGN(auto file, store::find_file(connection, id, asked.who().company));
  if (!file || !sees_file(asked.who(), *file)) return fail(not_found("file", id));
  return std::move(*file);
}

void obey(const ManifestEntry& entry, Wishes& wishes) {
  wishes.definition = entry.definition;
  if (wishes.options.source.empty() && !entry.sheet.empty())
    wishes.options.source = json::serialize(json::object{{"sheet", entry.sheet}});
}

Result<http::Response> import_file(const Asked& asked, db::Connection& connection, Wishes wishes,
                                   const store::FileRecord& file, AuditNote& note) {
  if (wishes.definition.empty()) {
    LADE_ASSIGN(const Manifest manifest, Manifest::read(asked.service.options().manifest));
    if (const ManifestEntry* entry = manifest.find(file.name)) obey(*entry, wishes);
  }
  LADE_ASSIGN(const store::StoredDefinition definition, choose_definition(asked, connection, wishes, file));
  LADE_ASSIGN(wishes.options.may_relax_review, may_relax_review(asked, connection));
  auto job = jobs::create_import(connection, {definition, wishes.options, wishes.limits, &file});
  if (!job) return refused(connection, std::move(job).error(), definition, file, wishes.options);
  note.object_id = job->uuid;
  note.data["definition"] = definition.slug;
  return accepted(*job);
}

jobs::ImportOptions options_of(const Asked& asked) {
  jobs::ImportOptions options = asked.service.here();
  options.user = asked.who().user;
  options.user_id = asked.who().user_id;
  options.company = asked.who().company;
  options.project = asked.who().project;
  options.results = jobs::Results::all;
  return options;
}

std::string revision_tag(const JobRecord& job) {
  return fmt::format("\"{}\"", job.review_revision);
}

jobs::JobOrder order_of(const Asked& asked) {
  return {.job = asked.at("import"),
          .actor = asked.who().user,
          .company = asked.who().company,
          .actor_id = asked.who().user_id};
}

Result<bool> needs_four_eyes(const Asked& asked, db::Connection& connection) {
  LADE_ASSIGN(const auto company, accounts::require_company(connection, std::to_string(asked.who().company)));
  return company.approver_must_differ;
}

Result<bool> may_relax_review(const Asked& asked, db::Connection& connection) {
  if (!accounts::may(asked.who(), accounts::Role::reviewer, "imports:review")) return false;
  LADE_ASSIGN(const bool four_eyes, needs_four_eyes(asked, connection));
  return !four_eyes;
}

store::JobFilter visible_imports(const accounts::Principal& who) {
  store::JobFilter filter{.company = who.company};
  if (who.sight != accounts::Sight::company) filter.seen_by = who.user_id;
  if (who.sight == accounts::Sight::project) filter.project = who.project;
  return filter;
}

Result<JobRecord> require_import(const Asked& asked, db::Connection& connection) {
  const std::string& id = asked.at("import");
  LADE_ASSIGN(auto job, store::find_job(connection, id, asked.who().company));
  if (!job || !accounts::sees(asked.who(), job->created_by_id, job->project)) return fail(jobs::job_not_found(id));
  return std::move(*job);
}

Result<http::Reception> receive_wishes(Asked asked, const UploadRules& rules, WithWishes then) {
  LADE_ASSIGN(const json::object in_query, said_in_query(asked));
  return receive_upload(asked, rules,
                        [asked, in_query, then](db::Connection& connection, Received& received,
                                                AuditNote& note) -> Result<http::Response> {
                          json::object said = in_query;  // the form says it more closely
                          for (const auto& [name, value] : received.form) said[name] = value;
                          Fields fields(said, "field");
                          LADE_ASSIGN(Wishes wishes, read_wishes(asked, fields));
                          LADE_TRY(fields.finish());
                          LADE_ASSIGN(received.file.id, store::create_file(connection, received.file));
                          return then(connection, std::move(wishes), received.file, note);
                        });
}

Result<http::Reception> receive_import(Asked asked, const UploadRules& rules,
                                       std::function<http::Response(const JobRecord&)> answer) {
  return receive_wishes(asked, rules,
                        [asked, answer](db::Connection& connection, Wishes wishes, const store::FileRecord& file,
                                        AuditNote& note) -> Result<http::Response> {
                          LADE_ASSIGN(http::Response response,
                                      import_file(asked, connection, std::move(wishes), file, note));
                          if (response.status >= 400) return response;
                          LADE_ASSIGN(const auto job, store::find_job(connection, note.object_id, asked.who().company));
                          return answer(*job);
                        });
}

std::vector<Route> import_routes() {
  const Access reads{Role::viewer, "imports:read"}, writes{Role::operator_, "imports:write"};
  return {
      {.method = "POST",
       .path = "/api/v1/imports",
       .name = "imports.create",
       .summary = "Import a file: a form with the field `file`, the file as the body itself, or JSON that names an "
                  "uploaded file or a definition whose file comes later",
       .access = writes,
       .receive = create,
       .body = Body::upload,
       .body_schema = "NewImport",
       .query = {{"name", "string", "the file's name, when it is sent as the body itself"},
                 {"definition", "string", "slug; without it the one that fits the file's header"},
                 {"version", "integer", "of the definition (default: the newest)"},
                 {"batch", "string", "the batch that it joins"},
                 {"results", "string", "result files: all (default), failed, none"},
                 {"output_format", "string", "of result files: csv or xlsx (default: that of the file)"},
                 {"result_file_prefix", "string", "of their names: letters, digits, - _ ."},
                 {"create_result_file_records", "boolean",
                  "false: none are stored; they are made when somebody asks for them (default: true)"},
                 {"source", "string",
                  "how this file is read, over what the definition says: its `source` keys as JSON"},
                 {"mapping", "string", "which of the file's columns is which data column, as JSON: null for none"},
                 {"values", "string", "what single values of data columns mean, as JSON"},
                 {"review", "string", "never, on_issues or always, over what the definition says"},
                 {"force", "boolean", "also while a job that does the same is live"},
                 {"time_context_ident", "string",
                  "for which time the rows hold, by the table time_context; for definitions that leave it to the job"},
                 {"default_valid_from", "string", "or their first day, 2024-01-01"},
                 {"default_valid_to", "string", "and their last day, 2024-12-31 or infinity"},
                 {"max_errors", "string", "failed rows that are allowed: 5 or 5%"},
                 {"fail_when", "string", "never, any_failed, all_failed"}},
       .answers = {{202, "Import", "accepted; Location is where to watch it"}}},
      {.method = "PUT",
       .path = "/api/v1/imports/{import}/file",
       .name = "imports.put_file",
       .summary = "The file of an import that waits for it",
       .access = writes,
       .receive = put_file,
       .body = Body::upload,
       .query = {{"name", "string", "the file's name, when it is sent as the body itself"}},
       .answers = {{202, "Import", "accepted"}}},
      {.method = "GET",
       .path = "/api/v1/imports",
       .name = "imports.list",
       .summary = "Imports, newest first",
       .access = reads,
       .answer = list,
       .query =
           with_paging({{"status", "string",
                         "queued, running, paused, waiting_for_review, succeeded, failed, rejected, cancelled, undone; "
                         "several with commas between"},
                        {"definition", "string", "slug"},
                        {"batch", "string", "name, UUID or id"},
                        {"file", "string", "part of the file's name"},
                        {"owner", "string", "e-mail address of who made them"},
                        {"from", "string", "made on this day or later: 2024-12-31, or a moment"},
                        {"to", "string", "made on this day or earlier, or before a moment"},
                        {"q", "string", "part of the file's name, the slug or the definition's name"},
                        {"sort", "string", "-created_at (default) or created_at"}}),
       .answers = {{200, "ImportPage", "a page of imports"}}},
      {.method = "GET",
       .path = "/api/v1/imports/counts",
       .name = "imports.counts",
       .summary = "How many imports have which status",
       .access = reads,
       .answer = counts,
       .query = {{"definition", "string", "slug"}, {"owner", "string", "e-mail address of who made them"}},
       .answers = {{200, "ImportCounts", "by status"}}},
      {.method = "GET",
       .path = "/api/v1/imports/{import}",
       .name = "imports.show",
       .summary = "How an import stands; its ETag names the revision that a reviewer sees",
       .access = reads,
       .answer = show,
       .answers = {{200, "Import", "the import"}}},
  };
}

}  // namespace lade::api
