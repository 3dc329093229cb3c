#include "api/server.h"

#include <fmt/format.h>

#include <algorithm>

#include "accounts/audit.h"
#include "api/authenticate.h"
#include "api/idempotency.h"
#include "api/problem.h"
#include "base/log.h"
#include "db/durably.h"
#include "definition/utf8.h"

namespace lade::api {
namespace {

// "imports.cancel" is about an import.
std::string object_kind(std::string_view route_name) {
  std::string kind(route_name.substr(0, route_name.find('.')));
  if (kind.ends_with('s')) kind.pop_back();
  return kind;
}

Result<void> write_audit(db::Connection& connection, const Asked& asked, const AuditNote& note) {
  if (!asked.principal || !asked.route.audited) return {};
  accounts::AuditAction action{.company = asked.who().company,
                               .actor = asked.who().user,
                               .action = std::string(asked.route.name),
                               .object_kind = object_kind(asked.route.name),
                               .object_id = note.object_id,
                               .data = boost::json::serialize(note.data),
                               .address = asked.request.peer};
  if (action.object_id.empty() && !asked.path.empty()) action.object_id = asked.path.begin()->second;
  LADE_TRY(accounts::append_audit(connection, action));
  return {};
}

Result<http::Response> in_one_transaction(db::Connection& connection, const Asked& asked, std::string_view fingerprint,
                                          AuditNote& note, const Work& work) {
  std::optional<Idempotency> once;
  if (asked.principal && !asked.route.answers_secret) {
    LADE_ASSIGN(once, Idempotency::of(asked.request, asked.who(), fingerprint));
  }
  LADE_ASSIGN(db::Transaction transaction, db::Transaction::begin(connection));
  if (once) {
    LADE_ASSIGN(auto before, once->take(connection));
    if (before) return std::move(*before);
  }
  LADE_ASSIGN(http::Response response, work(connection));
  if (response.status >= 400) return response;
  LADE_TRY(write_audit(connection, asked, note));
  if (once) LADE_TRY(once->keep(connection, response));
  LADE_TRY(transaction.commit());
  return response;
}

// Routes that see to their transactions themselves are entered in the log when they are done.
Result<http::Response> change_by_itself(Call& call) {
  LADE_ASSIGN(http::Response response, call.route.answer(call));
  if (response.status < 400) LADE_TRY(write_audit(call.connection, call, {call.object_id, call.audit}));
  return response;
}

Result<http::Response> perform(const Asked& asked, const std::string& text) {
  LADE_ASSIGN(Fields query, Fields::of_query(asked.request.query));
  Fields body({}, "field");
  if (asked.route.body == Body::json) {
    LADE_ASSIGN(body, Fields::of_body(text));
  }
  const auto call_on = [&](db::Connection& connection) {
    return Call{asked, connection, std::move(query), std::move(body), text};
  };
  if (!asked.route.changes()) {
    LADE_ASSIGN(const db::Pool::Lease session, asked.service.reading());
    Call call = call_on(*session);
    return asked.route.answer(call);
  }
  if (asked.route.own_transactions) {
    LADE_ASSIGN(const db::Pool::Lease session, asked.service.writing());
    Call call = call_on(*session);
    auto response = change_by_itself(call);
    asked.service.stir();
    return response;
  }
  AuditNote note;
  return change(asked, text, note, [&](db::Connection& connection) -> Result<http::Response> {
    Call call = call_on(connection);
    auto response = asked.route.answer(call);
    note = {call.object_id, call.audit};
    return response;
  });
}

}  // namespace

http::Response answer_or_problem(const http::Request& request, Result<http::Response> response) {
  if (response) return std::move(*response);
  const Error& error = response.error();
  if (status_of(error) >= 500)
    log(LogLevel::error, "request_failed",
        {{"request_id", request.id}, {"route", request.route}, {"code", error.code}, {"message", error.message}});
  return problem(error);
}

namespace {

Error no_route(const http::Request& request) {
  return {"route_not_found", fmt::format("there is nothing at {}", request.path), "/openapi.json has all addresses",
          ErrorKind::usage};
}

std::string join(const std::vector<std::string_view>& methods) {
  return fmt::format("{}", fmt::join(methods, ", "));
}

http::Response method_refused(const http::Request& request, const Match& match) {
  const Error error{"method_not_allowed", fmt::format("{} does not take {}", request.path, request.method),
                    "it takes " + join(match.allowed), ErrorKind::usage};
  http::Response response = problem(error);
  response.headers.set("Allow", join(match.allowed));
  return response;
}

Result<void> check_media_type(const http::Request& request, const Route& route) {
  const std::string_view type = request.headers.get("Content-Type");
  if (route.body != Body::json || type.empty() || type.starts_with("application/json")) return {};
  return fail("media_type_unsupported", fmt::format("{} takes application/json, not {}", route.name, type), "",
              ErrorKind::usage);
}

}  // namespace

Result<http::Response> change(const Asked& asked, std::string_view fingerprint, AuditNote& note, const Work& work) {
  LADE_ASSIGN(const db::Pool::Lease session, asked.service.writing());
  const db::Durably durably(*session);
  auto response = in_one_transaction(*session, asked, fingerprint, note, work);
  if (response && response->status < 400) asked.service.stir();
  return response;
}

http::Reception Server::receive(http::Request& request) {
  auto reception = receive_or_fail(request);
  if (reception) return std::move(*reception);
  return answer_or_problem(request, fail(std::move(reception).error()));
}

Result<http::Reception> Server::receive_or_fail(http::Request& request) {
  const auto segments = http::segments_of(request.path);
  const bool readable = segments && std::ranges::none_of(*segments, [](const std::string& segment) {
                          return definition::find_invalid_utf8(segment).has_value();
                        });
  const Match match = readable ? find_route(request.method, *segments) : Match();
  if (match.route == nullptr && match.allowed.empty()) {
    auto page = dashboard_.answer(request);
    if (!page) return fail(no_route(request));
    request.route = "dashboard";
    return http::Reception(std::move(*page));
  }
  if (match.route == nullptr) return http::Reception(method_refused(request, match));
  const Route& route = *match.route;
  request.route = route.path;
  Asked asked{service_, request, route, match.path};
  {
    LADE_ASSIGN(const db::Pool::Lease session, service_.reading());
    auto found = authenticate(*session, request);
    // What is open to everybody is open to those whose session is over, too: so they sign in again.
    if (!found && route.access.role) return fail(std::move(found).error());
    if (found) asked.principal = std::move(*found);
  }
  if (asked.principal && asked.principal->use_unrecorded) service_.note_use(*asked.principal);
  LADE_TRY(check_access(route, asked.principal));
  LADE_TRY(check_media_type(request, route));
  if (route.receive) return route.receive(std::move(asked));
  if (route.body == Body::none) return http::Reception(answer_or_problem(request, perform(asked, {})));
  return http::Reception(http::WholeBody{
      route.most_bytes, [asked](std::string text) { return answer_or_problem(asked.request, perform(asked, text)); }});
}

http::Response Server::refuse(const http::Request* request, const Error& error) {
  if (request == nullptr) return problem(error);
  return answer_or_problem(*request, fail(error));
}

void Server::done(const http::Request& request, int status, double seconds, std::uint64_t bytes_in,
                  std::uint64_t bytes_out) {
  const std::string route = request.route.empty() ? "none" : request.route;
  service_.metrics().count_request(request.method, route, status, seconds, bytes_in, bytes_out);
  log(LogLevel::info, "request",
      {{"request_id", request.id},
       {"method", request.method},
       {"route", route},
       {"status", std::to_string(status)},
       {"milliseconds", fmt::format("{:.1f}", seconds * 1000)},
       {"bytes_in", std::to_string(bytes_in)},
       {"bytes_out", std::to_string(bytes_out)},
       {"peer", request.peer}});
}

}  // namespace lade::api
