#include <fmt/format.h>

#include "api/openapi.h"
#include "api/problem.h"
#include "api/route.h"
#include "db/migrations.h"
#include "queue/task_list.h"
#include "store/schema.h"

// What stands beside the API: health, readiness, metrics, and the API's own description.
namespace lade::api {
namespace {

namespace json = boost::json;
using accounts::Role;

// The process answers, and that is all it says.
Result<http::Response> health(Call& call) {
  LADE_TRY(call.query.finish());
  return json_response(200, json::object{{"status", "ok"}});
}

json::object check_of(const Result<void>& result) {
  if (result) return {{"ok", true}};
  return {{"ok", false}, {"code", result.error().code}};
}

Result<void> check_schema(db::Connection& connection) {
  LADE_ASSIGN(const db::SchemaState state, db::schema_state(connection, store::migrations()));
  if (state.is_current()) return {};
  return fail("schema_outdated", "lade's tables are not those of this program", "run lade migrate");
}

Result<void> check_workers(db::Connection& connection) {
  LADE_ASSIGN(const auto nodes, queue::list_nodes(connection));
  if (!nodes.empty()) return {};
  return fail("no_workers", "nobody works on jobs");
}

// Whether it can do its work: database, storage, tables, and somebody who works on jobs.
Result<http::Response> ready(Call& call) {
  LADE_TRY(call.query.finish());
  const Result<void> results[] = {Result<void>(), check_schema(call.connection), call.service.storage().check(),
                                  check_workers(call.connection)};
  constexpr std::string_view kNames[] = {"database", "migrations", "storage", "workers"};
  json::object checks;
  bool all = true;
  for (std::size_t i = 0; i < std::size(results); ++i) {
    checks[kNames[i]] = check_of(results[i]);
    all = all && results[i];
  }
  return json_response(all ? 200 : 503, json::object{{"ready", all}, {"checks", std::move(checks)}});
}

bool is_loopback(std::string_view address) {
  return address.starts_with("127.") || address == "::1" || address.starts_with("::ffff:127.");
}

// For this machine's own Prometheus, or with a token.
Result<http::Response> metrics(Call& call) {
  LADE_TRY(call.query.finish());
  if (!call.principal && !is_loopback(call.request.peer))
    return fail("not_authenticated", "metrics are for this machine, or for a token", "", ErrorKind::usage);
  http::Response response;
  response.headers.set("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
  LADE_ASSIGN(response.body,
              call.service.metrics().text(call.connection, call.service.node(), call.service.events().watchers()));
  return response;
}

Result<http::Response> openapi(Call& call) {
  LADE_TRY(call.query.finish());
  static const std::string text = json::serialize(openapi_document());
  http::Response response;
  response.headers.set("Content-Type", "application/json");
  response.body = text;
  return response;
}

}  // namespace

std::vector<Route> root_routes() {
  const Access open{};
  return {
      {.method = "GET",
       .path = "/health",
       .name = "root.health",
       .summary = "The process is alive",
       .access = open,
       .answer = health,
       .answers = {{200, "Health", "it is"}}},
      {.method = "GET",
       .path = "/ready",
       .name = "root.ready",
       .summary = "Database, storage, tables and workers are there",
       .access = open,
       .answer = ready,
       .answers = {{200, "Readiness", "all are"}, {503, "Readiness", "some are not"}}},
      {.method = "GET",
       .path = "/metrics",
       .name = "root.metrics",
       .summary = "Metrics in Prometheus' text format; from other machines with a token",
       .access = open,
       .answer = metrics,
       .answers = {{200, "text/plain", "metrics"}}},
      {.method = "GET",
       .path = "/openapi.json",
       .name = "root.openapi",
       .summary = "This description",
       .access = open,
       .answer = openapi,
       .answers = {{200, "application/json", "an OpenAPI 3.1 document"}}},
  };
}

}  // namespace lade::api
