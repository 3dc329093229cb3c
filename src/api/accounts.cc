#include <fmt/format.h>

#include "accounts/links.h"
#include "accounts/login.h"
#include "accounts/sessions.h"
#include "accounts/tokens.h"
#include "accounts/users.h"
#include "api/authenticate.h"
#include "api/problem.h"
#include "api/route.h"
#include "api/views.h"

// Signing in and out, and the tokens of whoever is signed in.
namespace lade::api {
namespace {

namespace json = boost::json;
using accounts::Principal;
using accounts::Role;

json::object to_json(const Principal& who) {
  return {{"user", who.user},
          {"name", text_or_null(who.name)},
          {"company", who.company_slug},
          {"company_name", who.company_name},
          {"role", accounts::to_string(who.role)},
          {"sight", accounts::to_string(who.sight)},
          {"instance_admin", who.instance_admin},
          {"scopes", json::array(who.scopes.begin(), who.scopes.end())},
          {"via", who.via}};
}

json::object to_json(const accounts::Token& token) {
  return {{"token_id", token.uuid},
          {"name", token.name},
          {"user", token.user},
          {"scopes", json::array(token.scopes.begin(), token.scopes.end())},
          {"created_at", text_or_null(token.created_at)},
          {"expires_at", text_or_null(token.expires_at)},
          {"last_used_at", text_or_null(token.last_used_at)},
          {"revoked_at", text_or_null(token.revoked_at)}};
}

bool is_admin(const Principal& who) {
  return who.role == Role::admin || who.instance_admin;
}

Result<http::Response> signed_in(Call& call, const accounts::User& user) {
  LADE_ASSIGN(const std::string token, accounts::begin_session(call.connection, user));
  LADE_ASSIGN(const auto principal, accounts::find_session(call.connection, token));
  http::Response response = json_response(200, to_json(*principal));
  response.headers.set("Set-Cookie", session_cookie(token));
  return response;
}

Result<http::Response> log_in(Call& call) {
  const std::string email = call.body.required_text("email"), password = call.body.required_text("password");
  LADE_TRY(call.query.finish());
  LADE_TRY(call.body.finish());
  LADE_ASSIGN(const accounts::User user, accounts::log_in(call.connection, call.service.passwords(), email, password));
  return signed_in(call, user);
}

// A one-time link: choose a password and be signed in.
Result<http::Response> use_link(Call& call) {
  const std::string link = call.body.required_text("link"), password = call.body.required_text("password");
  LADE_TRY(call.query.finish());
  LADE_TRY(call.body.finish());
  LADE_ASSIGN(const accounts::UsedLink used, accounts::use_link(call.connection, link));
  LADE_TRY(accounts::set_password(call.connection, call.service.passwords(), used.user, password));
  return signed_in(call, used.user);
}

Result<http::Response> log_out(Call& call) {
  LADE_TRY(call.query.finish());
  LADE_TRY(call.body.finish());
  LADE_TRY(accounts::end_session(call.connection, session_token(call.request)));
  http::Response response{.status = 204};
  response.headers.set("Set-Cookie", session_cookie(""));
  return response;
}

Result<http::Response> me(Call& call) {
  LADE_TRY(call.query.finish());
  return json_response(200, to_json(call.who()));
}

Result<http::Response> change_password(Call& call) {
  const std::string old_one = call.body.required_text("old_password"), new_one = call.body.required_text("password");
  LADE_TRY(call.query.finish());
  LADE_TRY(call.body.finish());
  LADE_ASSIGN(const accounts::User user,
              accounts::log_in(call.connection, call.service.passwords(), call.who().user, old_one));
  LADE_TRY(accounts::set_password(call.connection, call.service.passwords(), user, new_one));
  return signed_in(call, user);
}

Result<http::Response> list_tokens(Call& call) {
  LADE_TRY(call.query.finish());
  const bool all = is_admin(call.who());
  LADE_ASSIGN(const auto tokens,
              accounts::list_tokens(call.connection, call.who().company, all ? 0 : call.who().user_id));
  json::array items;
  for (const accounts::Token& token : tokens) items.push_back(to_json(token));
  return whole_list(std::move(items));
}

Result<http::Response> create_token(Call& call) {
  accounts::NewToken wanted{.name = call.body.required_text("name")};
  wanted.scopes = call.body.texts("scopes").value_or(std::vector<std::string>());
  if (const auto days = call.body.integer("days", 1, accounts::kLongestTokenLife.count()))
    wanted.valid_for = std::chrono::days(*days);
  LADE_TRY(call.query.finish());
  LADE_TRY(call.body.finish());
  // A token cannot make one that may more.
  for (const std::string& scope : wanted.scopes)
    if (!call.who().scopes.empty() && !accounts::may(call.who(), Role::viewer, scope))
      return fail("not_allowed", fmt::format("this token does not have the scope {} itself", scope), "",
                  ErrorKind::usage);
  LADE_ASSIGN(const accounts::User user,
              accounts::require_user(call.connection, call.who().company, std::to_string(call.who().user_id)));
  LADE_ASSIGN(const accounts::CreatedToken created, accounts::create_token(call.connection, user, wanted));
  call.object_id = created.token.uuid;
  json::object object = to_json(created.token);
  object["token"] = created.text;
  return json_response(201, object);
}

Result<http::Response> revoke_token(Call& call) {
  LADE_TRY(call.query.finish());
  const std::string& id = call.at("token");
  LADE_ASSIGN(const accounts::Token token, accounts::require_token(call.connection, call.who().company, id));
  if (!is_admin(call.who()) && token.user_id != call.who().user_id) return fail(not_found("token", id));
  LADE_TRY(accounts::revoke_token(call.connection, call.who().company, id));
  return http::Response{.status = 204};
}

}  // namespace

std::vector<Route> account_routes() {
  const Access open{}, anybody{Role::viewer, accounts::kEveryScope};
  return {
      {.method = "POST",
       .path = "/api/v1/auth/login",
       .name = "sessions.begin",
       .summary = "Sign in with e-mail address and password; a cookie carries the session",
       .access = open,
       .answer = log_in,
       .body = Body::json,
       .body_schema = "Login",
       .answers = {{200, "Me", "signed in"}},
       .own_transactions = true},
      {.method = "POST",
       .path = "/api/v1/auth/link",
       .name = "sessions.use_link",
       .summary = "Choose a password by a one-time link, and be signed in",
       .access = open,
       .answer = use_link,
       .body = Body::json,
       .body_schema = "UseLink",
       .answers = {{200, "Me", "signed in"}}},
      {.method = "POST",
       .path = "/api/v1/auth/logout",
       .name = "sessions.end",
       .summary = "End the session",
       .access = {Role::viewer, ""},
       .answer = log_out,
       .body = Body::json,
       .answers = {{204, "", "signed out"}}},
      {.method = "GET",
       .path = "/api/v1/auth/me",
       .name = "sessions.me",
       .summary = "Who is signed in",
       .access = {Role::viewer, ""},
       .answer = me,
       .answers = {{200, "Me", "who it is"}}},
      {.method = "POST",
       .path = "/api/v1/auth/password",
       .name = "sessions.change_password",
       .summary = "Choose another password; all other sessions end",
       .access = anybody,
       .answer = change_password,
       .body = Body::json,
       .body_schema = "ChangePassword",
       .answers = {{200, "Me", "changed; a new session"}},
       .own_transactions = true},
      {.method = "GET",
       .path = "/api/v1/tokens",
       .name = "tokens.list",
       .summary = "API tokens: one's own, for admins those of the company",
       .access = anybody,
       .answer = list_tokens,
       .answers = {{200, "TokenPage", "tokens, newest first"}}},
      {.method = "POST",
       .path = "/api/v1/tokens",
       .name = "tokens.create",
       .summary = "A new API token; its text is shown this once",
       .access = anybody,
       .answer = create_token,
       .body = Body::json,
       .body_schema = "NewToken",
       .answers = {{201, "CreatedToken", "the token"}},
       .answers_secret = true},
      {.method = "DELETE",
       .path = "/api/v1/tokens/{token}",
       .name = "tokens.revoke",
       .summary = "Revoke an API token",
       .access = anybody,
       .answer = revoke_token,
       .answers = {{204, "", "it is good for nothing any more"}}},
  };
}

}  // namespace lade::api
