#include "definition/patch.h"

#include <fmt/format.h>

#include <boost/json.hpp>

#include "definition/faults.h"
#include "definition/node.h"
#include "definition/node_json.h"
#include "definition/parse.h"

namespace lade::definition {
namespace {

namespace json = boost::json;

constexpr std::string_view kHint = "a patch is a map of what is to be different, e.g. {\"review\": \"always\"}";

Error invalid(std::string message) {
  return {"patch_invalid", std::move(message), std::string(kHint), ErrorKind::usage};
}

// RFC 7386, section 2.
json::value merged(json::value target, const json::value& patch) {
  if (!patch.is_object()) return patch;
  json::object result = target.is_object() ? std::move(target.as_object()) : json::object();
  for (const auto& [key, value] : patch.as_object()) {
    if (value.is_null()) {
      result.erase(key);
      continue;
    }
    json::value& place = result[key];
    place = merged(std::move(place), value);
  }
  return result;
}

// A line for each setting, so that faults have a place that people find.
void write(const json::value& value, std::size_t depth, std::string& text) {
  const json::object* object = value.if_object();
  if (object == nullptr || object->empty() || depth > 2) {
    text += json::serialize(value);
    return;
  }
  const std::string indent(2 * depth + 2, ' ');
  std::string_view separator = "{\n";
  for (const auto& [key, member] : *object) {
    text += fmt::format("{}{}{}: ", separator, indent, json::serialize(json::value(key)));
    write(member, depth + 1, text);
    separator = ",\n";
  }
  text += fmt::format("\n{}}}", std::string(2 * depth, ' '));
}

Result<json::value> document_of(std::string_view text) {
  const Parsed parsed = parse_definition(text);
  if (parsed.valid()) return json::parse(to_json(parsed.definition));
  Faults faults;
  const auto root = read_yaml(text, faults);
  if (root && root->is_map()) return json_of(*root);
  return fail("definition_invalid", describe(parsed.faults, "definition"), "store it anew as a whole",
              ErrorKind::invalid);
}

Result<json::value> read_patch(std::string_view text) {
  boost::system::error_code error;
  json::value patch = json::parse(json::string_view(text.data(), text.size()), error);
  if (error) return fail(invalid("the patch is not JSON: " + error.message()));
  if (!patch.is_object()) return fail(invalid("the patch is not a JSON object"));
  return patch;
}

json::value value_of(std::string_view text) {
  boost::system::error_code error;
  json::value value = json::parse(json::string_view(text.data(), text.size()), error);
  return error ? json::value(json::string_view(text.data(), text.size())) : value;
}

Result<void> put(json::object& patch, const std::string& setting) {
  const std::size_t equals = setting.find('=');
  if (equals == 0 || equals == std::string::npos)
    return fail(invalid(fmt::format("'{}' is not accepted; expected PATH=VALUE", setting)));
  json::object* place = &patch;
  std::string_view path = std::string_view(setting).substr(0, equals);
  for (std::size_t dot = path.find('.'); dot != std::string_view::npos; dot = path.find('.')) {
    json::value& next = (*place)[json::string_view(path.data(), dot)];
    if (!next.is_object()) next.emplace_object();
    place = &next.as_object();
    path.remove_prefix(dot + 1);
  }
  if (path.empty()) return fail(invalid(fmt::format("'{}': the path ends with a dot", setting)));
  (*place)[json::string_view(path.data(), path.size())] = value_of(std::string_view(setting).substr(equals + 1));
  return {};
}

}  // namespace

Result<std::string> patched_text(std::string_view text, std::string_view patch) {
  LADE_ASSIGN(json::value document, document_of(text));
  LADE_ASSIGN(const json::value changes, read_patch(patch));
  std::string result;
  write(merged(std::move(document), changes), 0, result);
  return result + "\n";
}

Result<std::string> patch_of(const std::vector<std::string>& settings) {
  json::object patch;
  for (const std::string& setting : settings) LADE_TRY(put(patch, setting));
  return json::serialize(patch);
}

}  // namespace lade::definition
