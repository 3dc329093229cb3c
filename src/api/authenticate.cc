#include "api/authenticate.h"

#include <fmt/format.h>

#include "accounts/sessions.h"
#include "accounts/tokens.h"

namespace lade::api {
namespace {

constexpr std::string_view kBearer = "Bearer ";

bool is_safe(std::string_view method) {
  return method == "GET" || method == "HEAD" || method == "OPTIONS";
}

// Browsers say where a request comes from: only pages of this server may make a user's browser change something.
bool is_same_site(const http::Request& request) {
  const std::string_view site = request.headers.get("Sec-Fetch-Site");
  if (!site.empty() && site != "same-origin" && site != "none") return false;
  const std::string_view origin = request.headers.get("Origin");
  if (origin.empty()) return !site.empty();
  const auto host = origin.find("://");
  return host != std::string_view::npos && origin.substr(host + 3) == request.headers.get("Host");
}

Error not_authenticated(std::string_view why) {
  return {"not_authenticated", std::string(why), "send Authorization: Bearer with an API token, or sign in",
          ErrorKind::usage};
}

Result<std::optional<accounts::Principal>> by_token(db::Connection& connection, std::string_view authorization) {
  if (!authorization.starts_with(kBearer)) return fail(not_authenticated("only bearer tokens are accepted"));
  LADE_ASSIGN(auto principal, accounts::find_token(connection, authorization.substr(kBearer.size())));
  if (!principal) return fail(not_authenticated("the token is unknown, was revoked or has expired"));
  return principal;
}

}  // namespace

std::string session_token(const http::Request& request) {
  for (const auto& [name, value] : request.headers.all()) {
    if (name.size() != 6 || strncasecmp(name.c_str(), "cookie", 6) != 0) continue;
    std::string_view rest = value;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find(';'), rest.size());
      std::string_view one = rest.substr(0, end);
      one.remove_prefix(std::min(one.find_first_not_of(' '), one.size()));
      if (one.starts_with(kSessionCookie) && one.substr(kSessionCookie.size()).starts_with('='))
        return std::string(one.substr(kSessionCookie.size() + 1));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  return {};
}

std::string session_cookie(std::string_view token) {
  return fmt::format("{}={}; Path=/; Secure; HttpOnly; SameSite=Lax{}", kSessionCookie, token,
                     token.empty() ? "; Max-Age=0" : "");
}

Result<std::optional<accounts::Principal>> authenticate(db::Connection& connection, const http::Request& request) {
  if (const std::string_view authorization = request.headers.get("Authorization"); !authorization.empty())
    return by_token(connection, authorization);
  const std::string token = session_token(request);
  if (token.empty()) return std::nullopt;
  if (!is_safe(request.method) && !is_same_site(request))
    return fail("origin_refused", "the request was made by a page of another site", "", ErrorKind::usage);
  LADE_ASSIGN(auto principal, accounts::find_session(connection, token));
  if (!principal) return fail(not_authenticated("the session is over"));
  return principal;
}

Result<void> check_access(const Route& route, const std::optional<accounts::Principal>& principal) {
  if (!route.access.role) return {};
  if (!principal) return fail(not_authenticated("this needs somebody who is signed in"));
  if (!route.access.scope.empty() && !accounts::may(*principal, *route.access.role, route.access.scope))
    return fail("not_allowed", fmt::format("{} is not for {}", route.name, accounts::to_string(principal->role)),
                fmt::format("it takes the role {}{}", accounts::to_string(*route.access.role),
                            principal->via == "token" ? fmt::format(" and the scope {}", route.access.scope) : ""),
                ErrorKind::usage);
  if (route.access.instance && !principal->instance_admin)
    return fail("not_allowed", fmt::format("{} is for those who administer the whole instance", route.name), "",
                ErrorKind::usage);
  return {};
}

}  // namespace lade::api
