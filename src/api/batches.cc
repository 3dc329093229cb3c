#include "api/batches.h"

#include <fmt/format.h>

#include <chrono>

#include "api/batch_answers.h"
#include "api/paging.h"
#include "api/problem.h"
#include "base/moment.h"

// Imports that belong together: how they stand, and what people do to all of them.
namespace lade::api {
namespace {

namespace json = boost::json;
using accounts::Role;

// Who does not see the whole company sees the batches that they began.
bool sees_all(const accounts::Principal& who) {
  return who.sight == accounts::Sight::company;
}

// A day or a moment; `end`: the day's last moment is meant.
Result<std::string> time_of(const std::optional<std::string>& text, std::string_view name, bool end) {
  if (!text) return std::string();
  if (moment_of(*text)) return *text;
  const auto day = moment_of(*text + "T00:00:00.000Z");
  if (day) return to_text(*day + (end ? std::chrono::days(1) : std::chrono::days(0)));
  return fail("request_invalid", fmt::format("the parameter '{}' is no time: '{}'", name, *text),
              "2024-12-31, or 2024-12-31T23:59:59.999Z", ErrorKind::usage);
}

Result<http::Response> show(Call& call) {
  LADE_TRY(call.query.finish());
  LADE_ASSIGN(const store::BatchRecord batch, require_visible_batch(call));
  return json_response(200, to_json(batch));
}

Result<http::Response> remove(Call& call) {
  LADE_TRY(call.query.finish());
  LADE_TRY(require_visible_batch(call));
  // Files of deleted imports are named by nobody any more: tidying up removes them.
  return tell(call, jobs::delete_batch(call.connection, batch_order(call)), kOwnWords);
}

Route action(std::string_view path, std::string_view name, std::string_view summary,
             Result<http::Response> (*act)(Call&), Access access = {Role::operator_, "imports:write"},
             std::string_view schema = {}) {
  return {.method = "POST",
          .path = path,
          .name = name,
          .summary = summary,
          .access = access,
          .answer = act,
          .body = Body::json,
          .body_schema = schema,
          .answers = {{200, "BatchOutcome", "the batch, and on how many of its imports and tasks it was done"}},
          .own_transactions = true};
}

}  // namespace

Result<store::BatchRecord> require_visible_batch(const Call& call) {
  const std::string& name = call.at("batch");
  LADE_ASSIGN(store::BatchRecord batch, jobs::require_batch(call.connection, name, call.who().company));
  if (!sees_all(call.who()) && batch.created_by != call.who().user) return fail(jobs::batch_not_found(name));
  return batch;
}

jobs::BatchOrder batch_order(const Call& call) {
  return {call.at("batch"), call.who().user, call.who().company, call.who().user_id};
}

Result<store::BatchFilter> read_batch_filter(Call& call) {
  store::BatchFilter filter{.company = call.who().company};
  filter.status = call.query.text("status").value_or("");
  filter.created_by = call.query.text("owner").value_or("");
  LADE_ASSIGN(filter.since, time_of(call.query.text("since"), "since", false));
  LADE_ASSIGN(filter.until, time_of(call.query.text("until"), "until", true));
  if (sees_all(call.who())) return filter;
  if (!filter.created_by.empty() && filter.created_by != call.who().user)
    return fail("not_allowed", "others' batches are for those who see the whole company", "", ErrorKind::usage);
  filter.created_by = call.who().user;
  return filter;
}

std::vector<Parameter> batch_filter_parameters() {
  return {{"status", "string", "pending, running, paused, succeeded, failed, cancelled"},
          {"owner", "string", "only those that this user has made"},
          {"since", "string", "made on this day or later, or from this moment on (2024-12-31T23:59:59.999Z)"},
          {"until", "string", "made on this day or earlier, or before this moment"}};
}

std::vector<Route> batch_routes() {
  const Access reads{Role::viewer, "imports:read"}, reviews{Role::reviewer, "imports:review"};
  std::vector<Route> routes = batch_create_routes();
  const std::vector<Route> own = {
      {.method = "GET",
       .path = "/api/v1/batches",
       .name = "batches.list",
       .summary = "Batches, newest first",
       .access = reads,
       .answer = in<list_batches, kOwnWords>,
       .query = with_paging(batch_filter_parameters()),
       .answers = {{200, "BatchPage", "a page of batches"}}},
      {.method = "GET",
       .path = "/api/v1/batches/{batch}",
       .name = "batches.show",
       .summary = "How a batch stands",
       .access = reads,
       .answer = show,
       .answers = {{200, "Batch", "the batch"}}},
      action("/api/v1/batches/{batch}/pause", "batches.pause", "Begin no further work on its imports",
             in<act_on<jobs::pause_batch>, kOwnWords>),
      action("/api/v1/batches/{batch}/resume", "batches.resume", "Go on with its imports",
             in<act_on<jobs::resume_batch>, kOwnWords>),
      action("/api/v1/batches/{batch}/cancel", "batches.cancel", "End all its imports; rows that are in stay in",
             in<act_on<jobs::cancel_batch>, kOwnWords>),
      action("/api/v1/batches/{batch}/retry", "batches.retry",
             "Do again what failed of its imports, and only that; or those of its tasks that are named",
             in<retry_tasks, kOwnWords>, {Role::operator_, "imports:write"}, "BatchRetry"),
      action("/api/v1/batches/{batch}/requeue-stuck", "batches.requeue_stuck",
             "Try again what has been running for too long", in<requeue_stuck, kOwnWords>,
             {Role::operator_, "imports:write"}, "BatchRequeue"),
      action("/api/v1/batches/{batch}/approve-all", "batches.approve_all", "Load its imports that wait for review",
             in<approve_all, kOwnWords>, reviews),
      action("/api/v1/batches/{batch}/reject-all", "batches.reject_all", "End its imports that wait for review",
             in<act_on<jobs::reject_batch>, kOwnWords>, reviews),
      action("/api/v1/batches/{batch}/finalize", "batches.finalize",
             "All its imports have ended, and nothing of it is to change any more",
             in<act_on<jobs::finalize_batch>, kOwnWords>),
      {.method = "DELETE",
       .path = "/api/v1/batches/{batch}",
       .name = "batches.delete",
       .summary = "Forget its finished imports, and the batch when none is left; rows that they loaded stay",
       .access = {Role::operator_, "imports:write"},
       .answer = remove,
       .answers = {{200, "BatchOutcome", "how many imports are forgotten, and how many could not be"}},
       .own_transactions = true},
  };
  routes.insert(routes.end(), own.begin(), own.end());
  const std::vector<Route> parts = batch_part_routes();
  routes.insert(routes.end(), parts.begin(), parts.end());
  return routes;
}

}  // namespace lade::api
