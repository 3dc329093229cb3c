#include <fmt/format.h>

#include "api/imports.h"
#include "api/problem.h"
#include "api/views.h"
#include "jobs/diff.h"

// What an import that was compared with the target will change.
namespace lade::api {
namespace {

namespace json = boost::json;

json::object counts_json(const load::KindCounts& counts) {
  json::object object;
  for (const load::ChangeKind kind : load::kChangeKinds)
    object[load::to_string(kind)] = counts[static_cast<std::size_t>(kind)];
  return object;
}

Result<load::DiffFilter> read_filter(Call& call) {
  load::DiffFilter filter{call.query.text("kind").value_or(""), call.query.text("column").value_or("")};
  bool known = filter.kind.empty();
  for (const load::ChangeKind kind : load::kChangeKinds) known = known || filter.kind == load::to_string(kind);
  if (known) return filter;
  return fail("request_invalid", fmt::format("no change is of the kind '{}'", filter.kind), "insert, update or remove",
              ErrorKind::usage);
}

Result<http::Response> diff(Call& call) {
  constexpr std::int64_t kMost = 1000, kUsual = 50;
  LADE_ASSIGN(const load::DiffFilter filter, read_filter(call));
  const std::int64_t after = call.query.integer("after", 1, INT64_MAX).value_or(0);
  const std::int64_t limit = call.query.integer("limit", 1, kMost).value_or(kUsual);
  LADE_TRY(call.query.finish());
  LADE_ASSIGN(const store::JobRecord job, require_import(call, call.connection));
  LADE_ASSIGN(const jobs::DiffPage page, jobs::diff_page(call.connection, job, filter, after, limit));
  http::Response response = json_response(200, to_json(page, job, filter));
  response.headers.set("ETag", revision_tag(job));
  return response;
}

}  // namespace

json::object to_json(const jobs::DiffPage& page, const store::JobRecord& job, const load::DiffFilter& filter) {
  json::array items;
  for (const std::string& record : page.records) items.push_back(parsed_or_null(record));
  json::object columns;
  for (const auto& [column, counts] : page.counts.columns) columns[column] = counts_json(counts);
  return {{"items", std::move(items)},
          {"next", page.next == 0 ? json::value(nullptr) : json::value(std::to_string(page.next))},
          {"revision", job.review_revision},
          {"matching", filter.matches(page.counts)},
          {"counts", counts_json(page.counts.records)},
          {"columns", std::move(columns)}};
}

json::value comparison_json(const std::optional<model::RowCounts>& counts) {
  using model::Outcome;
  if (!counts) return nullptr;
  return json::object{{"insert", (*counts)[Outcome::inserted]},
                      {"update", (*counts)[Outcome::updated]},
                      {"delete", (*counts)[Outcome::deleted]},
                      {"unchanged", (*counts)[Outcome::unchanged]},
                      {"skip", (*counts)[Outcome::skipped]},
                      {"fail", (*counts)[Outcome::failed]},
                      {"remove", counts->removed}};
}

std::vector<Route> diff_routes() {
  return {{.method = "GET",
           .path = "/api/v1/imports/{import}/diff",
           .name = "imports.diff",
           .summary = "What an import will change, cell by cell: old and new; the ETag is the import's revision",
           .access = {accounts::Role::viewer, "imports:read"},
           .answer = diff,
           .query = {{"kind", "string", "only insert, update or remove"},
                     {"column", "string", "only records with a cell of this column of a target table"},
                     {"after", "string", "where the page begins: `next` of the page before"},
                     {"limit", "integer", "at most so many (1 to 1000, default 50)"}},
           .answers = {{200, "DiffPage", "a page of changes, and how many there are"}}}};
}

}  // namespace lade::api
