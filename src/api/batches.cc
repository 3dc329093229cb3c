#include "jobs/batches.h"
#include "api/paging.h"
#include "api/problem.h"
#include "api/route.h"
#include "api/views.h"

// Imports that belong together.
namespace lade::api {
namespace {

namespace json = boost::json;
using accounts::Role;

// Who does not see the whole company sees the batches that they began.
bool sees_all(const accounts::Principal& who) {
  return who.sight == accounts::Sight::company;
}

Result<store::BatchRecord> require_visible(const Call& call) {
  const std::string& name = call.at("batch");
  LADE_ASSIGN(store::BatchRecord batch, jobs::require_batch(call.connection, name, call.who().company));
  if (!sees_all(call.who()) && batch.created_by != call.who().user) return fail(jobs::batch_not_found(name));
  return batch;
}

Result<http::Response> list(Call& call) {
  store::BatchFilter filter{.company = call.who().company};
  if (!sees_all(call.who())) filter.created_by = call.who().user;
  filter.status = call.query.text("status").value_or("");
  LADE_ASSIGN(const Page page, read_page(call.query));
  LADE_TRY(call.query.finish());
  filter.before = page.before;
  filter.limit = page.limit + 1;
  LADE_ASSIGN(const store::BatchPage found, store::list_batches(call.connection, filter));
  return page_response(found.batches, page, [](const store::BatchRecord& batch) { return batch.id; });
}

Result<http::Response> show(Call& call) {
  LADE_TRY(call.query.finish());
  LADE_ASSIGN(const store::BatchRecord batch, require_visible(call));
  return json_response(200, to_json(batch));
}

template <auto act>
Result<http::Response> acted(Call& call) {
  LADE_TRY(call.query.finish());
  LADE_TRY(call.body.finish());
  LADE_TRY(require_visible(call));
  LADE_ASSIGN(const jobs::BatchOutcome outcome,
              act(call.connection, {call.at("batch"), call.who().user, call.who().company}));
  json::object object = to_json(outcome.batch);
  json::object refused;
  for (const auto& [code, count] : outcome.refused) refused[code] = count;
  object["done"] = outcome.done;
  object["refused"] = std::move(refused);
  return json_response(200, object);
}

Route action(std::string_view path, std::string_view name, std::string_view summary,
             Result<http::Response> (*act)(Call&)) {
  return {.method = "POST",
          .path = path,
          .name = name,
          .summary = summary,
          .access = {Role::operator_, "imports:write"},
          .answer = act,
          .body = Body::json,
          .answers = {{200, "Batch", "the batch, and on how many of its imports it was done"}},
          .own_transactions = true};
}

}  // namespace

std::vector<Route> batch_routes() {
  const Access reads{Role::viewer, "imports:read"};
  return {
      {.method = "GET",
       .path = "/api/v1/batches",
       .name = "batches.list",
       .summary = "Batches, newest first",
       .access = reads,
       .answer = list,
       .query = with_paging({{"status", "string", "pending, running, paused, succeeded, failed, cancelled"}}),
       .answers = {{200, "BatchPage", "a page of batches"}}},
      {.method = "GET",
       .path = "/api/v1/batches/{batch}",
       .name = "batches.show",
       .summary = "How a batch stands",
       .access = reads,
       .answer = show,
       .answers = {{200, "Batch", "the batch"}}},
      action("/api/v1/batches/{batch}/pause", "batches.pause", "Begin no further work on its imports",
             acted<jobs::pause_batch>),
      action("/api/v1/batches/{batch}/resume", "batches.resume", "Go on with its imports", acted<jobs::resume_batch>),
      action("/api/v1/batches/{batch}/cancel", "batches.cancel", "End all its imports; rows that are in stay in",
             acted<jobs::cancel_batch>),
      action("/api/v1/batches/{batch}/retry", "batches.retry", "Do again what failed of its imports, and only that",
             acted<jobs::retry_batch>),
  };
}

}  // namespace lade::api
