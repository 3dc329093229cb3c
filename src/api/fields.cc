#include "api/fields.h"

#include <fmt/format.h>

#include <charconv>

#include "definition/utf8.h"

namespace lade::api {
namespace {

namespace json = boost::json;

std::optional<std::int64_t> number_of(std::string_view text) {
  std::int64_t number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

Result<Fields> Fields::of_body(std::string_view text) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) return Fields({}, "field");
  boost::system::error_code error;
  json::parse_options limits;
  limits.max_depth = 16;
  json::value value = json::parse(text, error, {}, limits);
  if (error)
    return fail("request_invalid", fmt::format("the body is no JSON: {}", error.message()), "send a JSON object",
                ErrorKind::usage);
  if (!value.is_object())
    return fail("request_invalid", "the body is JSON, but no object", "send a JSON object", ErrorKind::usage);
  return Fields(std::move(value.get_object()), "field");
}

Result<Fields> Fields::of_query(std::string_view query) {
  const auto parameters = http::parameters_of(query);
  if (!parameters)
    return fail("request_invalid", "the query of the address has a wrong percent escape", "", ErrorKind::usage);
  json::object values;
  for (const auto& [name, value] : *parameters)
    if (!values.emplace(name, value).second)
      return fail("request_invalid", fmt::format("the parameter '{}' is given twice", name), "", ErrorKind::usage);
  return Fields(std::move(values), "parameter");
}

const json::value* Fields::take(std::string_view name) {
  known_.emplace(name);
  const json::value* value = values_.if_contains(name);
  return value == nullptr || value->is_null() ? nullptr : value;
}

void Fields::refuse(std::string_view name, std::string_view expected) {
  if (fault_) return;
  std::string given = json::serialize(values_.at(name));
  if (given.size() > 100) given = given.substr(0, 100) + "…";
  fault_ = Error{"request_invalid", fmt::format("the {} '{}' cannot be {}", what_, name, given),
                 fmt::format("{} is expected", expected), ErrorKind::usage};
}

std::optional<std::string> Fields::text(std::string_view name) {
  const json::value* value = take(name);
  if (value == nullptr) return std::nullopt;
  if (value->is_string() && !definition::find_invalid_utf8(value->get_string()))
    return std::string(value->get_string());
  refuse(name, "text in UTF-8");
  return std::nullopt;
}

std::optional<std::int64_t> Fields::integer(std::string_view name, std::int64_t least, std::int64_t most) {
  const json::value* value = take(name);
  if (value == nullptr) return std::nullopt;
  std::optional<std::int64_t> number;
  if (value->is_int64()) number = value->get_int64();
  if (value->is_string()) number = number_of(value->get_string());
  if (number && *number >= least && *number <= most) return number;
  refuse(name, fmt::format("a whole number from {} to {}", least, most));
  return std::nullopt;
}

std::optional<bool> Fields::flag(std::string_view name) {
  const json::value* value = take(name);
  if (value == nullptr) return std::nullopt;
  if (value->is_bool()) return value->get_bool();
  if (value->is_string() && (value->get_string() == "true" || value->get_string() == "false"))
    return value->get_string() == "true";
  refuse(name, "true or false");
  return std::nullopt;
}

std::optional<std::string> Fields::map(std::string_view name) {
  const json::value* value = take(name);
  if (value == nullptr) return std::nullopt;
  if (value->is_object()) return json::serialize(*value);
  if (value->is_string()) {
    json::error_code error;
    const json::value parsed = json::parse(value->get_string(), error);
    if (!error && parsed.is_object()) return json::serialize(parsed);
  }
  refuse(name, "an object in JSON");
  return std::nullopt;
}

std::optional<std::vector<std::string>> Fields::texts(std::string_view name) {
  const json::value* value = take(name);
  if (value == nullptr) return std::nullopt;
  std::vector<std::string> all;
  if (value->is_array())
    for (const json::value& one : value->get_array())
      if (one.is_string()) all.emplace_back(one.get_string());
  if (value->is_array() && all.size() == value->get_array().size()) return all;
  refuse(name, "a list of texts");
  return std::nullopt;
}

std::optional<std::vector<std::int64_t>> Fields::integers(std::string_view name) {
  constexpr std::size_t kMost = 10'000;
  const json::value* value = take(name);
  if (value == nullptr) return std::nullopt;
  std::vector<std::int64_t> all;
  if (value->is_array())
    for (const json::value& one : value->get_array())
      if (one.is_int64()) all.push_back(one.get_int64());
  if (value->is_array() && all.size() == value->get_array().size() && all.size() <= kMost) return all;
  refuse(name, fmt::format("a list of at most {} whole numbers", kMost));
  return std::nullopt;
}

std::string Fields::required_text(std::string_view name) {
  auto value = text(name);
  if ((!value || value->empty()) && !fault_)
    fault_ = Error{"request_invalid", fmt::format("the {} '{}' is missing", what_, name), "", ErrorKind::usage};
  return value.value_or("");
}

Result<void> Fields::finish() const {
  if (fault_) return fail(*fault_);
  for (const auto& [name, value] : values_) {
    if (known_.contains(name)) continue;
    const std::vector<std::string> names(known_.begin(), known_.end());
    return fail("option_unknown", fmt::format("there is no {} '{}'", what_, std::string_view(name)),
                names.empty() ? "none is expected" : fmt::format("known are: {}", fmt::join(names, ", ")),
                ErrorKind::usage);
  }
  return {};
}

}  // namespace lade::api
