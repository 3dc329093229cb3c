#include "api/imports.h"
#include "api/problem.h"
#include "api/route.h"
#include "api/views.h"
#include "jobs/definition_snapshot.h"

// What definitions consist of, with the names of Statbus' import system: steps, columns, mappings.
namespace lade::api {
namespace {

namespace json = boost::json;
using accounts::Role;

// One list of the definition's snapshot.
Result<http::Response> part(Call& call, std::string_view list) {
  const auto version = call.query.integer("version", 1, INT32_MAX);
  LADE_TRY(call.query.finish());
  const std::string& slug = call.at("slug");
  LADE_ASSIGN(const auto stored, store::find_definition(call.connection, slug, version, call.who().company));
  if (!stored) return fail(not_found("definition", slug));
  json::object snapshot = json::parse(jobs::definition_snapshot(*stored)).as_object();
  return whole_list(std::move(snapshot[json::string_view(list.data(), list.size())].as_array()));
}

Result<http::Response> steps(Call& call) {
  return part(call, "import_step_list");
}
Result<http::Response> data_columns(Call& call) {
  return part(call, "import_data_column_list");
}
Result<http::Response> source_columns(Call& call) {
  return part(call, "import_source_column_list");
}
Result<http::Response> mappings(Call& call) {
  return part(call, "import_mapping_list");
}

Result<http::Response> snapshot(Call& call) {
  LADE_TRY(call.query.finish());
  LADE_ASSIGN(const store::JobRecord job, require_import(call, call.connection));
  LADE_ASSIGN(const std::string text, jobs::definition_snapshot(call.connection, job));
  return json_response(200, json::parse(text).as_object());
}

}  // namespace

std::vector<Route> definition_part_routes() {
  const Access reads{Role::viewer, "definitions:read"};
  const std::vector<Parameter> version = {{"version", "integer", "of the definition (default: the newest)"}};
  return {
      {.method = "GET",
       .path = "/api/v1/definitions/{slug}/steps",
       .name = "definitions.steps",
       .summary = "The steps of a definition in the order in which they run",
       .access = reads,
       .answer = steps,
       .query = version,
       .answers = {{200, "StepPage", "steps"}}},
      {.method = "GET",
       .path = "/api/v1/definitions/{slug}/data-columns",
       .name = "definitions.data_columns",
       .summary = "What becomes of a row of the file, column by column",
       .access = reads,
       .answer = data_columns,
       .query = version,
       .answers = {{200, "DataColumnPage", "data columns"}}},
      {.method = "GET",
       .path = "/api/v1/definitions/{slug}/source-columns",
       .name = "definitions.source_columns",
       .summary = "The columns that are looked for in the file",
       .access = reads,
       .answer = source_columns,
       .query = version,
       .answers = {{200, "SourceColumnPage", "source columns"}}},
      {.method = "GET",
       .path = "/api/v1/definitions/{slug}/mappings",
       .name = "definitions.mappings",
       .summary = "Where the value of each data column comes from: a source column, a fixed value or an expression",
       .access = reads,
       .answer = mappings,
       .query = version,
       .answers = {{200, "MappingPage", "mappings"}}},
      {.method = "GET",
       .path = "/api/v1/imports/{import}/definition-snapshot",
       .name = "imports.definition_snapshot",
       .summary = "The definition that an import runs by, whatever has become of it since",
       .access = {Role::viewer, "imports:read"},
       .answer = snapshot,
       .answers = {{200, "DefinitionSnapshot", "the definition in its parts"}}},
  };
}

}  // namespace lade::api
