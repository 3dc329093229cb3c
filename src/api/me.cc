#include "accounts/companies.h"
#include "api/authenticate.h"
#include "api/problem.h"
#include "api/route.h"
#include "api/uploads.h"
#include "api/views.h"

// Who asks, and what a screen may offer them.
namespace lade::api {
namespace {

namespace json = boost::json;
using accounts::Role;

json::array roles_up_to(Role role) {
  json::array roles;
  for (const Role one : {Role::viewer, Role::operator_, Role::reviewer, Role::admin})
    if (one <= role) roles.push_back(json::string(accounts::to_string(one)));
  return roles;
}

// The server decides all the same when they are called.
json::array allowed_operations(const std::optional<accounts::Principal>& who) {
  json::array names;
  for (const Route& route : routes())
    if (check_access(route, who)) names.push_back(json::string(route.name));
  return names;
}

Result<http::Response> me(Call& call) {
  LADE_TRY(call.query.finish());
  const accounts::Principal& who = call.who();
  LADE_ASSIGN(const auto company, accounts::require_company(call.connection, std::to_string(who.company)));
  LADE_ASSIGN(const std::uint64_t most_bytes, most_upload_bytes(call));
  json::array companies{json::object{{"slug", company.slug}, {"name", company.name}}};
  return json_response(
      200,
      json::object{
          {"user", who.user},
          {"name", text_or_null(who.name)},
          {"role", accounts::to_string(who.role)},
          {"roles", roles_up_to(who.role)},
          {"company",
           {{"slug", company.slug}, {"name", company.name}, {"approver_must_differ", company.approver_must_differ}}},
          {"companies", std::move(companies)},
          {"sight", accounts::to_string(who.sight)},
          {"instance_admin", who.instance_admin},
          {"scopes", json::array(who.scopes.begin(), who.scopes.end())},
          {"via", who.via},
          {"may", allowed_operations(call.principal)},
          {"max_upload_bytes", most_bytes},
          {"server_time", server_time()}});
}

}  // namespace

std::vector<Route> me_routes() {
  return {
      {.method = "GET",
       .path = "/api/v1/me",
       .name = "me.show",
       .summary = "Who asks, of which company, and which operations they may use",
       .access = {Role::viewer, ""},
       .answer = me,
       .answers = {{200, "Myself", "who it is"}}},
  };
}

}  // namespace lade::api
