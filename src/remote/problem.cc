#include "remote/problem.h"

#include <fmt/format.h>

#include <boost/json.hpp>

#include "base/error_kind.h"

namespace lade::remote {
namespace {

namespace json = boost::json;

std::string text_in(const json::object& object, std::string_view name) {
  const json::value* value = object.if_contains(name);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

// Something that passes soon: who waits for the server waits on.
bool is_away(int status) {
  return status == 502 || status == 503 || status == 504;
}

ErrorKind kind_by_status(int status) {
  if (is_away(status)) return ErrorKind::cannot_connect;
  return status >= 500 ? ErrorKind::failed : ErrorKind::usage;
}

Error foreign(int status) {
  return {"server_answer_invalid", fmt::format("the server answered {}, but not as lade does", status),
          "is there another program at this address?", kind_by_status(status)};
}

}  // namespace

Error error_of(int status, std::string_view body) {
  boost::system::error_code wrong;
  const json::value value = json::parse(body, wrong);
  if (wrong || !value.is_object()) return foreign(status);
  const json::object& object = value.get_object();
  Error error{text_in(object, "code"), text_in(object, "detail"), text_in(object, "hint"), kind_by_status(status)};
  if (error.code.empty()) return foreign(status);
  if (const auto kind = error_kind_of(text_in(object, "kind")); kind && !is_away(status)) error.kind = *kind;
  if (error.code == "not_authenticated")
    error.hint = "give a token with --token-file or LADE_TOKEN; lade tokens create makes one";
  return error;
}

}  // namespace lade::remote
