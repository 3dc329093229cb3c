#include "jobs/versions.h"
#include "api/fields.h"
#include "api/paging.h"
#include "api/route.h"
#include "api/views.h"

// Versions of data sets that imports have built.
namespace lade::api {
namespace {

using accounts::Role;

Result<http::Response> list(Call& call) {
  const std::string table = call.query.text("table").value_or("");
  LADE_TRY(call.query.finish());
  LADE_ASSIGN(const auto versions, jobs::list_versions(call.connection, call.who().company, table));
  boost::json::array items;
  for (const store::SetVersion& version : versions) items.push_back(to_json(version));
  return json_response(200, boost::json::object{{"items", std::move(items)}});
}

Result<http::Response> activate(Call& call) {
  LADE_TRY(call.query.finish());
  LADE_TRY(call.body.finish());
  Fields path({{"version", call.at("version")}}, "path");
  const auto id = path.integer("version", 1, INT32_MAX);
  if (!path.finish() || !id) return fail(jobs::version_not_found(call.at("version")));
  LADE_ASSIGN(const store::SetVersion version, jobs::activate_version(call.connection, call.who().company, *id));
  return json_response(200, to_json(version));
}

}  // namespace

std::vector<Route> version_routes() {
  return {
      {.method = "GET",
       .path = "/api/v1/versions",
       .name = "versions.list",
       .summary = "Versions of data sets that imports have built, newest first",
       .access = {Role::viewer, "imports:read"},
       .answer = list,
       .query = {{"table", "string", "only of this target table"}},
       .answers = {{200, "SetVersionList", "the versions"}}},
      {.method = "POST",
       .path = "/api/v1/versions/{version}/activate",
       .name = "versions.activate",
       .summary = "Let readers see this version of its set again",
       .access = {Role::reviewer, "imports:review"},
       .answer = activate,
       .body = Body::json,
       .answers = {{200, "SetVersion", "the version, which is active now"}}},
  };
}

}  // namespace lade::api
