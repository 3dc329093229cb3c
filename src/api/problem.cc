#include "api/problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/error_kind.h"

namespace lade::api {
namespace {

// Codes whose status does not follow from their kind.
constexpr std::pair<std::string_view, int> kStatuses[] = {
    {"request_invalid", 400},
    {"length_required", 411},
    {"header_too_large", 431},
    {"body_too_large", 413},
    {"upload_too_large", 413},
    {"request_timeout", 408},
    {"too_many_connections", 503},
    {"internal_error", 500},
    {"not_authenticated", 401},
    {"login_failed", 401},
    {"login_locked", 429},
    {"link_invalid", 403},
    {"not_allowed", 403},
    {"origin_refused", 403},
    {"method_not_allowed", 405},
    {"media_type_unsupported", 415},
    {"transition_refused", 409},
    {"target_locked", 409},
    {"task_exists", 409},
    {"user_exists", 409},
    {"company_exists", 409},
    {"project_exists", 409},
    {"file_in_use", 409},
    {"results_not_ready", 409},
    {"revision_changed", 412},
    {"item_withdrawn", 409},
    {"precondition_required", 428},
    {"idempotency_key_reused", 422},
    {"file_gone", 410},
    {"journal_gone", 410},
    {"version_not_found", 404},
    {"version_not_whole", 409},
    {"staging_gone", 410},
    {"outcomes_not_kept", 410},
    {"multipart_invalid", 400},
    {"disk_full", 507},
    {"no_links", 409},
    {"upload_missing", 409},
    {"upload_differs", 409},
    {"storage_refused", 500},
    {"storage_bucket_missing", 500},
};

std::string_view title_of(int status) {
  switch (status) {
    case 400: return "Bad request";
    case 401: return "Not signed in";
    case 403: return "Not allowed";
    case 404: return "Not found";
    case 405: return "Method not allowed";
    case 408: return "Too slow";
    case 409: return "Conflict";
    case 410: return "Gone";
    case 412: return "Changed meanwhile";
    case 413: return "Too large";
    case 415: return "Unsupported media type";
    case 422: return "Not acceptable as it is";
    case 428: return "Precondition required";
    case 429: return "Too many attempts";
    case 431: return "Head too large";
    case 503: return "Not available at the moment";
    default: return status < 500 ? "Refused" : "Internal error";
  }
}

}  // namespace

int status_of(const Error& error) {
  const auto* known = std::ranges::find(kStatuses, error.code, &std::pair<std::string_view, int>::first);
  if (known != std::end(kStatuses)) return known->second;
  if (error.code.ends_with("_not_found")) return 404;
  switch (error.kind) {
    case ErrorKind::usage: return 400;
    case ErrorKind::invalid: return 422;
    case ErrorKind::duplicate: return 409;
    case ErrorKind::cannot_connect: return 503;
    case ErrorKind::cancelled: return 503;
    case ErrorKind::failed: return 500;
  }
  return 500;
}

http::Response problem(const Error& error, const boost::json::object& more) {
  const int status = status_of(error);
  const bool ours = status >= 500;
  boost::json::object body{{"type", "urn:lade:error:" + error.code},
                           {"title", title_of(status)},
                           {"status", status},
                           {"code", error.code},
                           {"kind", to_string(ours ? ErrorKind::failed : error.kind)},
                           {"detail", ours ? "lade could not do this; its log has the reason" : error.message}};
  if (!ours && !error.hint.empty()) body["hint"] = error.hint;
  for (const auto& [name, value] : more) body[name] = value;
  http::Response response = json_response(status, body);
  response.headers.set("Content-Type", "application/problem+json");
  if (status == 401) response.headers.set("WWW-Authenticate", "Bearer realm=\"lade\"");
  if (status == 503 || status == 429) response.headers.set("Retry-After", "5");
  return response;
}

http::Response json_response(int status, const boost::json::value& value) {
  http::Response response{.status = status};
  response.headers.set("Content-Type", "application/json");
  response.headers.set("Cache-Control", "no-store");
  response.body = boost::json::serialize(value);
  return response;
}

http::Response whole_list(boost::json::array items) {
  return json_response(200, boost::json::object{{"items", std::move(items)}, {"next", nullptr}});
}

std::string_view bare_tag(std::string_view tag) {
  if (tag.starts_with("W/")) tag.remove_prefix(2);
  if (tag.size() < 2 || tag.front() != '"' || tag.back() != '"') return {};
  return tag.substr(1, tag.size() - 2);
}

Error not_found(std::string_view noun, std::string_view reference) {
  return {fmt::format("{}_not_found", noun), fmt::format("there is no {} '{}'", noun, reference), "",
          ErrorKind::invalid};
}

}  // namespace lade::api
