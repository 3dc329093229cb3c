#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "accounts/principal.h"
#include "api/imports.h"
#include "api/paging.h"
#include "api/problem.h"
#include "api/views.h"
#include "jobs/analysed_rows.h"
#include "jobs/review.h"
#include "jobs/row_tables.h"
#include "jobs/take_over.h"
#include "store/row_list.h"

// The rows of an import: by what became of them, and one by one to be corrected.
namespace lade::api {
namespace {

namespace json = boost::json;
using accounts::Role;
using store::JobRecord;

Result<store::WantedRows> wanted_rows(const std::string& word) {
  const auto words = store::row_words();
  const auto found = std::ranges::find(words, word, [](const auto& entry) { return entry.first; });
  if (found != words.end()) return found->second;
  std::vector<std::string> names;
  for (const auto& entry : words) names.push_back(entry.first);
  return fail("request_invalid", fmt::format("no row has the state '{}'", word),
              fmt::format("{}", fmt::join(names, ", ")), ErrorKind::usage);
}

// Rows of one page; `next` is where the following one begins, 0 when there is none.
Result<json::array> collect_rows(Call& call, const JobRecord& job, store::RowFilter filter, std::int64_t& next) {
  LADE_ASSIGN(filter.is_analysed, jobs::analysed_rows(call.connection, job));
  const auto wanted = static_cast<std::size_t>(filter.limit);
  ++filter.limit;
  json::array items;
  std::set<std::int64_t> rows;
  LADE_TRY(store::list_rows(call.connection, job, filter, [&](const store::ListedRow& row) {
    if (!rows.contains(row.row_id) && rows.size() == wanted) next = *rows.rbegin();
    if (next != 0) return;
    rows.insert(row.row_id);
    items.push_back(to_json(row));
  }));
  return items;
}

Result<http::Response> rows(Call& call) {
  store::RowFilter filter;
  LADE_ASSIGN(filter.wanted, wanted_rows(call.query.text("state").value_or("failed")));
  filter.code = call.query.text("issue").value_or("");
  filter.column = call.query.text("column").value_or("");
  LADE_ASSIGN(const Page page, read_page(call.query));
  LADE_TRY(call.query.finish());
  filter.after = page.before;
  filter.limit = page.limit;
  LADE_ASSIGN(const JobRecord job, require_import(call, call.connection));
  std::int64_t next = 0;
  LADE_ASSIGN(json::array items, collect_rows(call, job, filter, next));
  return json_response(200,
                       json::object{{"items", std::move(items)},
                                    {"next", next == 0 ? json::value(nullptr) : json::value(std::to_string(next))}});
}

Result<std::int64_t> row_of(const Call& call) {
  Fields digits({{"row", call.at("row")}}, "place in the address");
  const auto row = digits.integer("row", 1, INT64_MAX);
  LADE_TRY(digits.finish());
  return *row;
}

http::Response row_response(const jobs::ReviewedRow& row) {
  http::Response response = json_response(200, to_json(row));
  response.headers.set("ETag", revision_tag(row.job));
  return response;
}

Result<http::Response> show_row(Call& call) {
  LADE_TRY(call.query.finish());
  LADE_ASSIGN(const std::int64_t number, row_of(call));
  LADE_ASSIGN(const JobRecord job, require_import(call, call.connection));
  const jobs::ReviewPlace place{call.service.storage(), call.service.here()};
  LADE_ASSIGN(const jobs::ReviewedRow row, jobs::show_row(call.connection, place, job, number));
  return row_response(row);
}

// {"Column": "text", …}; null is a blank cell.
Result<jobs::Cells> read_cells(Fields& body) {
  const auto text = body.map("values");
  jobs::Cells cells;
  if (!text) return cells;
  const json::value values = json::parse(*text);
  for (const auto& [column, value] : values.as_object()) {
    if (!value.is_string() && !value.is_null())
      return fail("request_invalid",
                  fmt::format("values: the cell of column '{}' is not text", std::string_view(column)),
                  "a string as it would stand in the file, or null for a blank cell", ErrorKind::usage);
    cells[column] = value.is_null() ? std::string() : std::string(value.as_string());
  }
  return cells;
}

Result<http::Response> correct_row(Call& call) {
  LADE_TRY(call.query.finish());
  jobs::Correction correction;
  LADE_ASSIGN(correction.row, row_of(call));
  LADE_ASSIGN(correction.cells, read_cells(call.body));
  LADE_ASSIGN(correction.revision, seen_revision(call));
  LADE_TRY(call.body.finish());
  LADE_ASSIGN(const JobRecord job, require_import(call, call.connection));
  if (correction.cells.empty())
    return fail("request_invalid", "field values is missing: nothing to correct", "an object: source column to text",
                ErrorKind::usage);
  const jobs::ReviewPlace place{call.service.storage(), call.service.here()};
  LADE_ASSIGN(const jobs::ReviewedRow row, jobs::correct_row(call.connection, place, order_of(call), correction));
  // Cells may be of sensitive columns: the log has their names only.
  json::array columns;
  for (const auto& [column, text] : correction.cells) columns.push_back(json::string(column));
  call.object_id = job.uuid;
  call.audit = {{"row", row.row}, {"version", row.version}, {"revision", row.job.review_revision}};
  call.audit["columns"] = std::move(columns);
  return row_response(row);
}

Result<http::Response> take_over(Call& call) {
  LADE_TRY(call.query.finish());
  LADE_ASSIGN(const JobRecord job, require_import(call, call.connection));
  const std::string from = call.body.required_text("from");
  LADE_TRY(call.body.finish());
  LADE_ASSIGN(const auto other, store::find_job(call.connection, from, call.who().company));
  if (!other || !accounts::sees(call.who(), other->created_by_id, other->project))
    return fail(jobs::job_not_found(from));
  const jobs::ReviewPlace place{call.service.storage(), call.service.here()};
  LADE_ASSIGN(const jobs::TakenOver taken, jobs::take_over_corrections(call.connection, place, order_of(call), *other));
  call.object_id = job.uuid;
  call.audit = {{"from", other->uuid}, {"rows", taken.rows}, {"revision", taken.revision}};
  return json_response(200, json::object{{"rows", taken.rows}, {"revision", taken.revision}});
}

Result<http::Response> make_tables(Call& call) {
  LADE_TRY(call.query.finish());
  const std::string schema = call.body.text("schema").value_or("");
  LADE_TRY(call.body.finish());
  LADE_ASSIGN(const JobRecord job, require_import(call, call.connection));
  const jobs::ReviewPlace place{call.service.storage(), call.service.here()};
  LADE_ASSIGN(const jobs::RowTables tables, jobs::make_row_tables(call.connection, place, job, schema));
  call.audit["tables"] = json::array{tables.upload, tables.data};
  return json_response(201, to_json(tables));
}

}  // namespace

std::vector<Route> row_routes() {
  const Access reads{Role::viewer, "imports:read"}, writes{Role::operator_, "imports:write"};
  return {
      {.method = "GET",
       .path = "/api/v1/imports/{import}/rows",
       .name = "imports.rows",
       .summary = "Rows by what became of them; failed ones once for each error",
       .access = reads,
       .answer = rows,
       .query = with_paging({{"state", "string",
                              "failed (default), inserted, updated, unchanged, skipped, unprocessed; or pending, "
                              "analysing, analysed, processing, processed, error"},
                             {"issue", "string", "only rows with this code, also that of a warning"},
                             {"column", "string", "only rows with an issue in this data column"}}),
       .answers = {{200, "RowPage", "a page of rows"}}},
      {.method = "GET",
       .path = "/api/v1/imports/{import}/rows/{row}",
       .name = "imports.row",
       .summary = "One row as it stands now: its cells and all its issues; the ETag is the import's revision",
       .access = reads,
       .answer = show_row,
       .answers = {{200, "ReviewedRow", "the row"}}},
      {.method = "PATCH",
       .path = "/api/v1/imports/{import}/rows/{row}",
       .name = "imports.correct_row",
       .summary = "Correct cells of a row while its import waits for review; it is analysed at once",
       .access = writes,
       .answer = correct_row,
       .body = Body::json,
       .body_schema = "RowCorrection",
       .answers = {{200, "ReviewedRow", "the row as it is now"}}},
      {.method = "POST",
       .path = "/api/v1/imports/{import}/rows/take-over",
       .name = "imports.take_over",
       .summary = "Correct its rows as another import of the same file was corrected, while it waits for review",
       .access = writes,
       .answer = take_over,
       .body = Body::json,
       .body_schema = "TakeOver",
       .answers = {{200, "TakenOver", "how many rows, and the revision that they make"}}},
      {.method = "POST",
       .path = "/api/v1/imports/{import}/tables",
       .name = "imports.make_tables",
       .summary = "Tables of the database that show the import's rows: <slug>_upload and <slug>_data, made anew",
       .access = writes,
       .answer = make_tables,
       .body = Body::json,
       .body_schema = "NewTables",
       .answers = {{201, "RowTables", "the tables' names, and how many rows they have"}}},
  };
}

}  // namespace lade::api
