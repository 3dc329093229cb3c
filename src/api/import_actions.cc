#include <fmt/format.h>

#include "api/imports.h"
#include "api/problem.h"
#include "api/views.h"
#include "jobs/control.h"
#include "jobs/undo.h"
#include "model/job_state.h"
#include "store/undo.h"

// What people do to imports.
namespace lade::api {
namespace {

namespace json = boost::json;
using accounts::Role;
using store::JobRecord;

// What could be done instead, in the words of the table of states.
json::array allowed_events(const model::JobStanding& standing) {
  json::array events;
  for (const model::JobTransition& line : model::job_transitions())
    if (line.from == standing) events.push_back(json::string(to_string(line.event)));
  return events;
}

// Says which job does it.
Result<http::Response> being_undone(Call& call, const Error& error, const JobRecord& job) {
  LADE_ASSIGN(const auto undo, store::undo_of(call.connection, job));
  return problem(error, undo ? json::object{{"job_id", undo->uuid}, {"job", undo->slug}} : json::object());
}

Result<http::Response> answer(Call& call, Result<JobRecord> acted) {
  if (acted) {
    http::Response response = json_response(acted->standing.outcome ? 200 : 202, stamped(to_json(*acted)));
    response.headers.set("ETag", revision_tag(*acted));
    response.headers.set("Location", "/api/v1/imports/" + acted->uuid);
    return response;
  }
  if (acted.error().code != "transition_refused" && acted.error().code != "being_undone")
    return fail(std::move(acted).error());
  LADE_ASSIGN(const JobRecord job, require_import(call, call.connection));
  if (acted.error().code == "being_undone") return being_undone(call, acted.error(), job);
  return problem(acted.error(), {{"status_now", job.status()}, {"allowed", allowed_events(job.standing)}});
}

// An action that takes nothing but the import.
template <auto act>
Result<http::Response> simple(Call& call) {
  LADE_TRY(call.query.finish());
  LADE_TRY(call.body.finish());
  LADE_TRY(require_import(call, call.connection));
  return answer(call, act(call.connection, order_of(call)));
}

Result<http::Response> approve(Call& call) {
  LADE_TRY(call.query.finish());
  LADE_ASSIGN(const auto seen, seen_revision(call));
  LADE_TRY(call.body.finish());
  LADE_TRY(require_import(call, call.connection));
  if (!seen)
    return fail("precondition_required", "an approval must say what was reviewed",
                "send If-Match with the ETag of the import as it was looked at, or its revision", ErrorKind::usage);
  const std::int64_t revision = *seen;
  jobs::JobOrder order = order_of(call);
  LADE_ASSIGN(order.four_eyes, needs_four_eyes(call, call.connection));
  call.audit["revision"] = revision;
  return answer(call, jobs::approve_job(call.connection, order, revision));
}

Result<http::Response> reject(Call& call) {
  LADE_TRY(call.query.finish());
  const auto reason = call.body.text("reason");
  LADE_TRY(call.body.finish());
  LADE_TRY(require_import(call, call.connection));
  if (reason) call.audit["reason"] = *reason;
  return answer(call, jobs::reject_job(call.connection, order_of(call), reason));
}

Result<http::Response> retry(Call& call) {
  LADE_TRY(call.query.finish());
  jobs::Retry wanted;
  wanted.limits = {call.body.text("max_errors").value_or(""), call.body.text("fail_when").value_or("")};
  wanted.overwrite = call.body.flag("overwrite").value_or(false);
  LADE_TRY(call.body.finish());
  LADE_TRY(require_import(call, call.connection));
  return answer(call, jobs::retry_job(call.connection, order_of(call), wanted));
}

Result<http::Response> clone(Call& call) {
  LADE_TRY(call.query.finish());
  const bool force = call.body.flag("force").value_or(false);
  const std::string review = call.body.text("review").value_or("");
  LADE_TRY(call.body.finish());
  LADE_TRY(require_import(call, call.connection));
  LADE_ASSIGN(const bool may_relax, may_relax_review(call, call.connection));
  auto job = jobs::clone_job(call.connection, order_of(call), force, review, may_relax);
  if (job) call.audit["clone"] = job->uuid;
  return answer(call, std::move(job));
}

Result<http::Response> undo(Call& call) {
  LADE_TRY(call.query.finish());
  LADE_TRY(call.body.finish());
  LADE_TRY(require_import(call, call.connection));
  auto undoing = jobs::undo_job(call.connection, order_of(call));
  if (undoing) call.audit["undo"] = undoing->uuid;
  return answer(call, std::move(undoing));
}

Result<http::Response> preview_undo(Call& call) {
  LADE_TRY(call.query.finish());
  LADE_ASSIGN(const JobRecord job, require_import(call, call.connection));
  LADE_ASSIGN(const jobs::UndoPreview preview, jobs::preview_undo(call.connection, job));
  return json_response(200, to_json(preview));
}

Result<http::Response> remove(Call& call) {
  LADE_TRY(call.query.finish());
  LADE_ASSIGN(const JobRecord job, require_import(call, call.connection));
  auto deleted = jobs::delete_job(call.connection, order_of(call));
  if (!deleted && (deleted.error().code == "transition_refused" || deleted.error().code == "being_undone"))
    return answer(call, fail(std::move(deleted).error()));
  if (!deleted) return fail(std::move(deleted).error());
  // Its files are named by nobody any more: tidying up removes them.
  call.audit["job"] = job.slug;
  return http::Response{.status = 204};
}

Route action(std::string_view path, std::string_view name, std::string_view summary, const Access& access,
             Result<http::Response> (*act)(Call&), std::string_view schema = {}) {
  return {.method = "POST",
          .path = path,
          .name = name,
          .summary = summary,
          .access = access,
          .answer = act,
          .body = Body::json,
          .body_schema = schema,
          .answers = {{200, "Import", "the import, which has ended"}, {202, "Import", "the import as it stands now"}}};
}

}  // namespace

Result<std::optional<std::int64_t>> seen_revision(Call& call) {
  const auto in_body = call.body.integer("revision", 0, INT64_MAX);
  const std::string_view tag = call.request.headers.get("If-Match");
  if (tag.empty()) return in_body;
  Fields digits({{"If-Match", std::string(bare_tag(tag))}}, "header");
  const auto revision = digits.integer("If-Match", 0, INT64_MAX);
  LADE_TRY(digits.finish());
  return revision;
}

std::vector<Route> import_action_routes() {
  const Access writes{Role::operator_, "imports:write"}, reviews{Role::reviewer, "imports:review"};
  return {
      action("/api/v1/imports/{import}/approve", "imports.approve",
             "Load an import that waits for review; If-Match or `revision` names what was looked at", reviews, approve,
             "Approval"),
      action("/api/v1/imports/{import}/reject", "imports.reject",
             "End an import that waits for review; the target stays as it is", reviews, reject, "Rejection"),
      action("/api/v1/imports/{import}/pause", "imports.pause", "Begin no further work; what is running goes on",
             writes, simple<jobs::pause_job>),
      action("/api/v1/imports/{import}/resume", "imports.resume", "Go on with a paused import", writes,
             simple<jobs::resume_job>),
      action("/api/v1/imports/{import}/cancel", "imports.cancel", "End an import; rows that are in stay in", writes,
             simple<jobs::cancel_job>),
      action("/api/v1/imports/{import}/retry", "imports.retry",
             "Do again what failed of a failed or cancelled import, and only that", writes, retry, "Retry"),
      action("/api/v1/imports/{import}/clone", "imports.clone",
             "Start a new import with the file, definition and options of this one", writes, clone, "Clone"),
      {.method = "GET",
       .path = "/api/v1/imports/{import}/undo",
       .name = "imports.preview_undo",
       .summary = "What undoing an import would do now: rows restored, removed, put back, and left",
       .access = {Role::viewer, "imports:read"},
       .answer = preview_undo,
       .answers = {{200, "UndoPreview", "counts, and the first of the rows that would stay as they are"}},
       .own_transactions = true},
      action("/api/v1/imports/{import}/undo", "imports.undo",
             "Take back what an import has loaded, by a job of its own; rows that were changed since stay as they are",
             writes, undo),
      {.method = "DELETE",
       .path = "/api/v1/imports/{import}",
       .name = "imports.delete",
       .summary = "Forget a finished import; rows that it loaded stay",
       .access = writes,
       .answer = remove,
       .answers = {{204, "", "forgotten"}}},
  };
}

}  // namespace lade::api
