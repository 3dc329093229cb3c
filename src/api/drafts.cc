#include "api/drafts.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/imports.h"
#include "api/problem.h"
#include "api/uploads.h"
#include "api/views.h"
#include "jobs/stored_job.h"
#include "jobs/take_over.h"
#include "store/files.h"

// Imports that somebody prepares: each person has their own.
namespace lade::api {
namespace {

namespace json = boost::json;
using accounts::Role;
using store::Draft;

constexpr std::uint64_t kMostBytes = 256 * 1024;
constexpr std::string_view kSteps[] = {"file", "read", "match", "preview"};

Error invalid(std::string message, std::string hint = {}) {
  return {"request_invalid", std::move(message), std::move(hint), ErrorKind::usage};
}

Result<json::object> to_json(const Call& call, const Draft& draft) {
  LADE_ASSIGN(const auto file, store::find_file(call.connection, draft.file_id));
  LADE_ASSIGN(json::value corrections, corrections_json(call.connection, draft.company, draft.corrections_of));
  return json::object{{"draft_id", draft.uuid},
                      {"version", draft.version},
                      {"name", draft.name},
                      {"file_id", file ? json::value(file->uuid) : json::value(nullptr)},
                      {"file", file ? json::value(api::to_json(*file)) : json::value(nullptr)},
                      {"definition", text_or_null(draft.definition)},
                      {"step", draft.step},
                      {"read", parsed_or_null(draft.read)},
                      {"mapping", parsed_or_null(draft.mapping)},
                      {"values", parsed_or_null(draft.values)},
                      {"corrections", std::move(corrections)},
                      {"created_by", draft.created_by},
                      {"created_at", draft.created_at},
                      {"updated_at", draft.updated_at}};
}

Result<http::Response> draft_response(const Call& call, const Draft& draft, int status) {
  LADE_ASSIGN(json::object object, to_json(call, draft));
  http::Response response = json_response(status, std::move(object));
  response.headers.set("ETag", fmt::format("\"{}\"", draft.version));
  return response;
}

Result<void> check_step(const std::string& step) {
  if (std::ranges::find(kSteps, step) != std::end(kSteps)) return {};
  return fail(invalid(fmt::format("there is no step '{}'", step), "file, read, match or preview"));
}

// What the body says, over an empty draft of who asks.
Result<Draft> read_draft(Call& call) {
  Draft draft{.company = call.who().company, .owner = call.who().user_id, .created_by = call.who().user};
  draft.name = call.body.text("name").value_or("");
  draft.definition = call.body.text("definition").value_or("");
  draft.step = call.body.text("step").value_or("file");
  draft.read = call.body.map("read").value_or("{}");
  draft.mapping = call.body.map("mapping").value_or("{}");
  draft.values = call.body.map("values").value_or("{}");
  const auto file_id = call.body.text("file_id");
  LADE_TRY(call.query.finish());
  LADE_TRY(call.body.finish());
  LADE_TRY(check_step(draft.step));
  if (draft.name.size() > 1024) return fail(invalid("the name is longer than 1024 bytes"));
  if (file_id) {
    LADE_ASSIGN(const auto file, store::find_file(call.connection, *file_id, call.who().company));
    if (!file || !sees_file(call.who(), *file)) return fail(not_found("file", *file_id));
    draft.file_id = file->id;
    if (draft.name.empty()) draft.name = file->name;
  }
  return draft;
}

// What an import was made with, to be prepared anew. Corrections of one that still waits for review come along, and
// those that it has not taken over itself yet.
Result<Draft> read_import(Call& call) {
  const std::string id = call.body.required_text("import");
  Draft draft{.company = call.who().company, .owner = call.who().user_id, .created_by = call.who().user};
  draft.step = call.body.text("step").value_or("match");
  LADE_TRY(call.query.finish());
  LADE_TRY(call.body.finish());
  LADE_TRY(check_step(draft.step));
  LADE_ASSIGN(const auto job, store::find_job(call.connection, id, call.who().company));
  if (!job || !accounts::sees(call.who(), job->created_by_id, job->project)) return fail(jobs::job_not_found(id));
  LADE_TRY(jobs::check_is_import(*job));
  const jobs::ImportOptions options = jobs::options_of(*job);
  const auto object_or_none = [](const std::string& text) { return text.empty() ? std::string("{}") : text; };
  draft.name = job->file_name;
  draft.file_id = job->file_id;
  draft.definition = job->definition;
  draft.read = object_or_none(jobs::source_of(*job));
  draft.mapping = object_or_none(options.mapping);
  draft.values = object_or_none(options.values);
  const bool corrected = job->review_revision > 0;
  if (!job->standing.outcome && !corrected) draft.corrections_of = options.corrections_of;
  if (job->standing.state == model::JobState::waiting_for_review && corrected) draft.corrections_of = job->uuid;
  return draft;
}

Result<http::Response> create(Call& call) {
  LADE_ASSIGN(const Draft wanted, call.body.has("import") ? read_import(call) : read_draft(call));
  LADE_ASSIGN(const Draft draft, store::create_draft(call.connection, wanted));
  call.object_id = draft.uuid;
  LADE_ASSIGN(http::Response response, draft_response(call, draft, 201));
  response.headers.set("Location", "/api/v1/drafts/" + draft.uuid);
  return response;
}

Result<http::Response> list(Call& call) {
  LADE_TRY(call.query.finish());
  LADE_ASSIGN(const auto drafts, store::list_drafts(call.connection, call.who().company, call.who().user_id));
  json::array items;
  for (const Draft& draft : drafts) {
    LADE_ASSIGN(json::object object, to_json(call, draft));
    items.push_back(std::move(object));
  }
  return whole_list(std::move(items));
}

Result<http::Response> show(Call& call) {
  LADE_TRY(call.query.finish());
  LADE_ASSIGN(const Draft draft, require_draft(call, call.connection, call.at("draft")));
  return draft_response(call, draft, 200);
}

Result<http::Response> save(Call& call) {
  LADE_ASSIGN(Draft draft, read_draft(call));
  LADE_ASSIGN(const Draft stored, require_draft(call, call.connection, call.at("draft")));
  const std::string_view seen = call.request.headers.get("If-Match");
  if (seen.empty())
    return fail("precondition_required", "a change must say which version of the draft it was made on",
                "send If-Match with the draft's ETag", ErrorKind::usage);
  draft.id = stored.id;
  draft.uuid = stored.uuid;
  draft.version = stored.version;
  std::optional<Draft> saved;
  if (bare_tag(seen) == std::to_string(stored.version)) {
    LADE_ASSIGN(saved, store::save_draft(call.connection, draft));
  }
  if (!saved)
    return fail("revision_changed", "the draft was changed meanwhile, in another window or on another device",
                "read it again", ErrorKind::invalid);
  return draft_response(call, *saved, 200);
}

Result<http::Response> remove(Call& call) {
  LADE_TRY(call.query.finish());
  LADE_ASSIGN(const Draft draft, require_draft(call, call.connection, call.at("draft")));
  LADE_TRY(store::remove_draft(call.connection, draft.id));
  return http::Response{.status = 204};
}

}  // namespace

Result<json::value> corrections_json(db::Connection& connection, std::int64_t company, const std::string& job) {
  if (job.empty()) return nullptr;
  LADE_ASSIGN(const auto found, store::find_job(connection, job, company));
  if (!found) return nullptr;
  LADE_ASSIGN(const std::int64_t rows, jobs::corrected_rows(connection, *found));
  if (rows == 0) return nullptr;
  return json::object{{"import", job}, {"rows", rows}};
}

Result<Draft> require_draft(const Asked& asked, db::Connection& connection, std::string_view id) {
  LADE_ASSIGN(auto draft, store::find_draft(connection, asked.who().company, asked.who().user_id, id));
  if (!draft) return fail(not_found("draft", id));
  return std::move(*draft);
}

std::vector<Route> draft_routes() {
  const Access access{Role::operator_, "imports:write"};
  return {
      {.method = "POST",
       .path = "/api/v1/drafts",
       .name = "drafts.create",
       .summary = "Begin to prepare an import, or again the one that `import` names; the place is kept here",
       .access = access,
       .answer = create,
       .body = Body::json,
       .body_schema = "NewDraft",
       .answers = {{201, "Draft", "the draft"}},
       .audited = false,
       .most_bytes = kMostBytes},
      {.method = "GET",
       .path = "/api/v1/drafts",
       .name = "drafts.list",
       .summary = "One's own drafts, the one changed last first",
       .access = access,
       .answer = list,
       .answers = {{200, "DraftPage", "drafts"}}},
      {.method = "GET",
       .path = "/api/v1/drafts/{draft}",
       .name = "drafts.show",
       .summary = "A draft; its ETag names its version",
       .access = access,
       .answer = show,
       .answers = {{200, "Draft", "the draft"}}},
      {.method = "PUT",
       .path = "/api/v1/drafts/{draft}",
       .name = "drafts.save",
       .summary = "Replace all that a draft says; If-Match names the version that it was made on",
       .access = access,
       .answer = save,
       .body = Body::json,
       .body_schema = "NewDraft",
       .answers = {{200, "Draft", "the draft"}},
       .audited = false,
       .most_bytes = kMostBytes},
      {.method = "DELETE",
       .path = "/api/v1/drafts/{draft}",
       .name = "drafts.delete",
       .summary = "Discard a draft; its file stays",
       .access = access,
       .answer = remove,
       .answers = {{204, "", "discarded"}},
       .audited = false},
  };
}

}  // namespace lade::api
