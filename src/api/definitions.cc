#include "api/definitions.h"

#include "api/paging.h"
#include "api/problem.h"
#include "api/route.h"
#include "api/uploads.h"
#include "api/views.h"
#include "definition/parse.h"
#include "definition/patch.h"
#include "jobs/accept.h"
#include "jobs/definitions.h"
#include "jobs/expand.h"
#include "jobs/template.h"

// Definitions: what imports mean, by version.
namespace lade::api {
namespace {

namespace json = boost::json;
using accounts::Role;

constexpr std::uint64_t kLongestDefinition = 4 * 1024 * 1024;

Result<http::Response> list(Call& call) {
  LADE_TRY(call.query.finish());
  LADE_ASSIGN(const auto definitions, store::list_definitions(call.connection, call.who().company));
  json::array items;
  for (const store::StoredDefinition& one : definitions) items.push_back(to_json(one));
  return whole_list(std::move(items));
}

json::object whole(const store::StoredDefinition& stored) {
  json::object object = to_json(stored);
  object["text"] = stored.source_text;
  object["settings"] = parsed_or_null(stored.snapshot);
  return object;
}

Result<store::StoredDefinition> require(const Call& call, std::optional<std::int64_t> version = {}) {
  const std::string& slug = call.at("slug");
  LADE_ASSIGN(auto stored, store::find_definition(call.connection, slug, version, call.who().company));
  if (!stored) return fail(not_found("definition", slug));
  return std::move(*stored);
}

Result<http::Response> show(Call& call) {
  const auto version = call.query.integer("version", 1, INT32_MAX);
  LADE_TRY(call.query.finish());
  LADE_ASSIGN(const store::StoredDefinition stored, require(call, version));
  http::Response response = json_response(200, whole(stored));
  response.headers.set("ETag", "\"" + std::to_string(stored.version) + "\"");
  return response;
}

Result<http::Response> versions(Call& call) {
  LADE_TRY(call.query.finish());
  LADE_ASSIGN(const auto all, store::list_versions(call.connection, call.at("slug"), call.who().company));
  if (all.empty()) return fail(not_found("definition", call.at("slug")));
  json::array items;
  for (const store::StoredDefinition& one : all) items.push_back(to_json(one));
  return whole_list(std::move(items));
}

// Nobody overwrites a version that they have not seen.
Result<void> check_version(const Call& call) {
  const std::string_view wanted = call.request.headers.get("If-Match");
  if (wanted.empty() || wanted == "*") return {};
  LADE_ASSIGN(const auto newest, store::find_definition(call.connection, call.at("slug"), {}, call.who().company));
  if (newest && bare_tag(wanted) == std::to_string(newest->version)) return {};
  return fail("revision_changed", "somebody has stored another version of the definition meanwhile",
              "read the newest version and change that", ErrorKind::invalid);
}

// As the next version of the slug that the address names. A draft may have faults.
Result<http::Response> store_text(Call& call, const std::string& text, bool draft) {
  const std::string& slug = call.at("slug");
  const definition::Parsed parsed = jobs::read_definition(text);
  if (!parsed.valid() && (!draft || parsed.definition.slug.empty())) return faulty(parsed.faults, slug);
  if (parsed.definition.slug != slug)
    return fail("request_invalid",
                "the definition calls itself '" + parsed.definition.slug + "', the address '" + slug + "'",
                "store it under its own slug", ErrorKind::usage);
  LADE_TRY(check_version(call));
  LADE_ASSIGN(const auto before, store::find_definition(call.connection, slug, {}, call.who().company));
  const std::int64_t company = call.who().company;
  LADE_ASSIGN(const auto stored, parsed.valid()
                                     ? jobs::save_definition(call.connection, parsed.definition, text, company)
                                     : jobs::save_draft(call.connection, parsed, text, company));
  call.audit["version"] = stored.version;
  call.audit["valid"] = stored.valid;
  LADE_ASSIGN(const store::StoredDefinition now, require(call));
  http::Response response = json_response(before && before->version == stored.version ? 200 : 201, whole(now));
  response.headers.set("ETag", "\"" + std::to_string(stored.version) + "\"");
  response.headers.set("Location", "/api/v1/definitions/" + slug);
  return response;
}

Result<http::Response> save(Call& call) {
  const bool draft = call.query.flag("draft").value_or(false);
  LADE_TRY(call.query.finish());
  return store_text(call, call.text, draft);
}

Result<http::Response> patch(Call& call) {
  const bool draft = call.query.flag("draft").value_or(false);
  LADE_TRY(call.query.finish());
  LADE_ASSIGN(const store::StoredDefinition stored, require(call));
  LADE_ASSIGN(const std::string text, definition::patched_text(stored.source_text, call.text));
  return store_text(call, text, draft);
}

Result<http::Response> validate(Call& call) {
  LADE_TRY(call.query.finish());
  const definition::Parsed parsed = jobs::read_definition(call.text);
  return json_response(200, json::object{{"valid", parsed.valid()},
                                         {"slug", text_or_null(parsed.definition.slug)},
                                         {"faults", faults_json(parsed.faults)}});
}

Result<http::Response> schema(Call& call) {
  LADE_TRY(call.query.finish());
  http::Response response;
  response.headers.set("Content-Type", "application/schema+json");
  response.body = std::string(definition::json_schema());
  return response;
}

}  // namespace

http::Response faulty(const std::vector<definition::Fault>& faults, const std::string& name) {
  return problem({"definition_invalid", definition::describe(faults, name), "nothing was stored", ErrorKind::invalid},
                 {{"faults", faults_json(faults)}});
}

Result<http::Response> definition_template(Call& call) {
  const std::string format = call.query.text("format").value_or("xlsx");
  LADE_TRY(call.query.finish());
  LADE_ASSIGN(const store::StoredDefinition stored, require(call));
  const definition::Parsed parsed = definition::parse_definition(stored.source_text);
  if (!parsed.valid()) return faulty(parsed.faults, stored.slug);
  const std::filesystem::path& folder = call.service.here().data;
  LADE_ASSIGN(File file, File::temporary(folder));
  FileSink sink(std::move(file));
  LADE_ASSIGN(const definition::Definition definition, jobs::expanded(parsed.definition, call.connection));
  LADE_TRY(jobs::write_template(definition, format, folder, sink));
  LADE_ASSIGN(file, sink.finish());
  LADE_ASSIGN(const std::uint64_t bytes, file.size());
  return download(std::move(file), bytes, stored.slug + "." + format);
}

std::vector<Route> definition_routes() {
  const Access reads{Role::viewer, "definitions:read"}, writes{Role::admin, "definitions:write"};
  const std::vector<Answer> page = {{200, "DefinitionPage", "definitions"}};
  const std::vector<Answer> saved = {{201, "Definition", "a new version"},
                                     {200, "Definition", "the newest version says the same"}};
  const Parameter draft{"draft", "boolean", "store it also with faults, as invalid: no import can use it"};
  return {
      {.method = "GET",
       .path = "/api/v1/definitions",
       .name = "definitions.list",
       .summary = "The newest version of each definition",
       .access = reads,
       .answer = list,
       .answers = page},
      {.method = "GET",
       .path = "/api/v1/definitions/{slug}",
       .name = "definitions.show",
       .summary = "A definition as it was written, and all its settings",
       .access = reads,
       .answer = show,
       .query = {{"version", "integer", "an older version (default: the newest)"}},
       .answers = {{200, "Definition", "the definition"}}},
      {.method = "GET",
       .path = "/api/v1/definitions/{slug}/versions",
       .name = "definitions.versions",
       .summary = "All versions of a definition, newest first",
       .access = reads,
       .answer = versions,
       .answers = page},
      {.method = "GET",
       .path = "/api/v1/definitions/{slug}/template",
       .name = "definitions.template",
       .summary = "A file to fill in: the columns that the definition reads, and a sample row",
       .access = reads,
       .answer = definition_template,
       .query = {{"format", "string", "xlsx (default: with comments and drop-down lists) or csv"}},
       .answers = {{200, kWorkbookType, "the file"}, {200, kCsvType, ""}}},
      {.method = "PUT",
       .path = "/api/v1/definitions/{slug}",
       .name = "definitions.save",
       .summary = "Store a definition (YAML or JSON) as the next version of its slug; If-Match guards against others",
       .access = writes,
       .answer = save,
       .body = Body::text,
       .body_schema = "application/yaml",
       .query = {draft},
       .answers = saved,
       .most_bytes = kLongestDefinition},
      {.method = "PATCH",
       .path = "/api/v1/definitions/{slug}",
       .name = "definitions.patch",
       .summary =
           "Change a definition by a JSON merge patch (RFC 7386) over its settings; the result is the next version",
       .access = writes,
       .answer = patch,
       .body = Body::text,
       .body_schema = "application/merge-patch+json",
       .query = {draft},
       .answers = saved,
       .most_bytes = kLongestDefinition},
      {.method = "POST",
       .path = "/api/v1/definitions/validate",
       .name = "definitions.validate",
       .summary = "Name every fault of a definition; nothing is stored",
       .access = reads,
       .answer = validate,
       .body = Body::text,
       .body_schema = "application/yaml",
       .answers = {{200, "Validation", "its faults"}},
       .own_transactions = true,
       .most_bytes = kLongestDefinition},
      match_route(),
      {.method = "GET",
       .path = "/api/v1/definitions-schema",
       .name = "definitions.schema",
       .summary = "The JSON Schema of definitions",
       .access = reads,
       .answer = schema,
       .answers = {{200, "application/schema+json", "the schema"}}},
  };
}

}  // namespace lade::api
