#include "jobs/lineage.h"

#include "api/imports.h"
#include "api/paging.h"
#include "api/problem.h"
#include "api/views.h"

// Where stored rows come from, and what an import has written.
namespace lade::api {
namespace {

namespace json = boost::json;
using accounts::Role;

Result<http::Response> of_row(Call& call) {
  jobs::LineageDemand demand{.table = call.query.required_text("table"), .key = {}, .company = call.who().company};
  // What the columns of a key are called, only the address says.
  const auto parameters = http::parameters_of(call.request.query);
  for (const auto& [name, value] : *parameters)
    if (name.starts_with("key.") && call.query.text(name)) demand.key.emplace_back(name.substr(4), value);
  LADE_TRY(call.query.finish());
  LADE_ASSIGN(const auto rows, jobs::lineage_of_row(call.connection, demand));
  json::array items;
  for (const jobs::WrittenRow& row : rows)
    if (accounts::sees(call.who(), row.job.created_by_id, row.job.project)) items.push_back(to_json(row));
  return whole_list(std::move(items));
}

Result<http::Response> of_import(Call& call) {
  LADE_ASSIGN(const Page page, read_page(call.query));
  LADE_TRY(call.query.finish());
  LADE_ASSIGN(const store::JobRecord job, require_import(call, call.connection));
  LADE_ASSIGN(const auto found, jobs::lineage_of_job(call.connection, job, page.before, page.limit));
  return json_response(200, to_json(found));
}

}  // namespace

std::vector<Route> lineage_routes() {
  const Access reads{Role::viewer, "imports:read"};
  return {
      {.method = "GET",
       .path = "/api/v1/lineage",
       .name = "lineage.row",
       .summary = "Imports that have written a stored row, newest first; its key as `key.<column>`",
       .access = reads,
       .answer = of_row,
       .query = {{"table", "string", "the target table"},
                 {"key.<column>", "string", "the value of a key column; all of them, or the first ones"}},
       .answers = {{200, "Lineage", "what was done to the row"}}},
      {.method = "GET",
       .path = "/api/v1/imports/{import}/lineage",
       .name = "imports.lineage",
       .summary = "Stored rows that an import has written, with the rows of its file",
       .access = reads,
       .answer = of_import,
       .query = with_paging({}),
       .answers = {{200, "Lineage", "a page of written rows"}}},
  };
}

}  // namespace lade::api
