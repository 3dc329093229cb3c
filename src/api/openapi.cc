#include "api/openapi.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/route.h"

namespace lade::api {
namespace {

namespace json = boost::json;

json::object reference(std::string_view schema) {
  return {{"$ref", fmt::format("#/components/schemas/{}", schema)}};
}

json::object content(std::string_view schema) {
  if (schema.find('/') != std::string_view::npos) return {{schema, json::object{{"schema", json::object()}}}};
  return {{"application/json", json::object{{"schema", reference(schema)}}}};
}

json::array parameters_of(const Route& route) {
  json::array list;
  std::string_view rest = route.path;
  for (std::size_t at = rest.find('{'); at != std::string_view::npos; at = rest.find('{')) {
    rest.remove_prefix(at + 1);
    list.push_back(json::object{{"name", rest.substr(0, rest.find('}'))},
                                {"in", "path"},
                                {"required", true},
                                {"schema", json::object{{"type", "string"}}}});
  }
  for (const Parameter& parameter : route.query)
    list.push_back(json::object{{"name", parameter.name},
                                {"in", "query"},
                                {"required", false},
                                {"description", parameter.description},
                                {"schema", json::object{{"type", parameter.type}}}});
  return list;
}

json::object form_schema(const Route& route) {
  json::object properties{{"file", {{"type", "string"}, {"format", "binary"}}}};
  for (const Parameter& parameter : route.query)
    if (parameter.name != "name")
      properties[parameter.name] = {{"type", parameter.type}, {"description", parameter.description}};
  return {{"type", "object"}, {"required", json::array{"file"}}, {"properties", std::move(properties)}};
}

json::object body_of(const Route& route) {
  json::object types;
  if (route.body == Body::upload) {
    types["multipart/form-data"] = {{"schema", form_schema(route)}};
    types["application/octet-stream"] = {{"schema", {{"type", "string"}, {"format", "binary"}}}};
  }
  if (!route.body_schema.empty())
    for (const auto& [type, schema] : content(route.body_schema)) types[type] = schema;
  return {{"required", route.body == Body::upload || route.body == Body::text}, {"content", std::move(types)}};
}

json::object responses_of(const Route& route) {
  json::object responses;
  for (const Answer& answer : route.answers) {
    json::value& slot = responses[std::to_string(answer.status)];
    if (slot.is_null()) slot = {{"description", answer.description}};
    if (answer.schema.empty()) continue;
    // One status may be answered in several media types.
    json::value& kinds = slot.as_object()["content"];
    if (kinds.is_null()) kinds.emplace_object();
    for (auto& [kind, schema] : content(answer.schema)) kinds.as_object()[kind] = std::move(schema);
  }
  responses["default"] = {{"$ref", "#/components/responses/Problem"}};
  return responses;
}

json::object operation_of(const Route& route) {
  json::object operation{{"operationId", route.name},
                         {"summary", route.summary},
                         {"tags", json::array{json::string(route.name.substr(0, route.name.find('.')))}},
                         {"parameters", parameters_of(route)},
                         {"responses", responses_of(route)}};
  if (route.body == Body::upload || !route.body_schema.empty()) operation["requestBody"] = body_of(route);
  if (!route.access.role) {
    operation["security"] = json::array();
  } else {
    operation["x-role"] = accounts::to_string(*route.access.role);
    operation["x-scope"] = route.access.scope;
    if (route.access.instance) operation["x-instance"] = true;
  }
  return operation;
}

std::string lower(std::string_view method) {
  std::string text(method);
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

json::object components() {
  const json::object problem{{"description", "what went wrong"},
                             {"content", {{"application/problem+json", {{"schema", reference("Problem")}}}}}};
  return {{"schemas", json::parse(api_schemas())},
          {"responses", {{"Problem", problem}}},
          {"securitySchemes",
           {{"token", {{"type", "http"}, {"scheme", "bearer"}}},
            {"session", {{"type", "apiKey"}, {"in", "cookie"}, {"name", "__Host-lade"}}}}}};
}

}  // namespace

json::object openapi_document() {
  json::object paths;
  for (const Route& route : routes()) {
    json::value& path = paths[route.path];
    if (path.is_null()) path.emplace_object();
    path.get_object()[lower(route.method)] = operation_of(route);
  }
  return {{"openapi", "3.1.0"},
          {"info",
           {{"title", "lade"},
            {"version", "1"},
            {"description",
             "Imports of other people's files. Errors are problem+json with a stable type, urn:lade:error:CODE. Lists "
             "come in pages: pass `next` as `cursor`."},
            {"license", {{"name", "Apache-2.0"}, {"identifier", "Apache-2.0"}}}}},
          {"security", json::array{json::object{{"token", json::array()}}, json::object{{"session", json::array()}}}},
          {"paths", std::move(paths)},
          {"components", components()}};
}

}  // namespace lade::api
