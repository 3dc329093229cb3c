#include "jobs/grid.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/imports.h"
#include "api/problem.h"
#include "api/server.h"
#include "api/views.h"
#include "jobs/diff_summary.h"
#include "jobs/replace.h"
#include "jobs/row_search.h"

// The rows of an import with all their cells, at any place: what the dashboard's grid shows, and the correction of many
// rows at once.
namespace lade::api {
namespace {

namespace json = boost::json;
using accounts::Role;
using store::JobRecord;

jobs::ReviewPlace place_of(const Asked& asked) {
  return {asked.service.storage(), asked.service.here()};
}

// From which row on, and how many.
struct GridPlace {
  std::int64_t from = 0;
  std::optional<std::int64_t> row;  // instead of it: this row, or the first behind it
  std::int64_t limit = 0;
};

Result<jobs::RowWish> read_wish(Fields& fields, std::string_view usual) {
  LADE_ASSIGN(jobs::RowWish wish, jobs::row_wish(fields.text("state").value_or(std::string(usual))));
  wish.code = fields.text("issue").value_or("");
  wish.column = fields.text("column").value_or("");
  wish.text = fields.text("q").value_or("");
  if (wish.text.size() > jobs::kMostSearchBytes)
    return fail("request_invalid", fmt::format("q has {} bytes", wish.text.size()),
                fmt::format("search for at most {} bytes", jobs::kMostSearchBytes), ErrorKind::usage);
  return wish;
}

// The first of the file's columns that feeds a data column; null: none does.
json::value source_of(const std::vector<jobs::GridColumn>& columns, std::string_view data) {
  const std::string_view first = data.substr(0, data.find(','));
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (std::ranges::find(columns[i].data, first) != columns[i].data.end()) return static_cast<std::int64_t>(i);
  return nullptr;
}

json::array columns_json(const std::vector<jobs::GridColumn>& columns) {
  json::array list;
  for (const jobs::GridColumn& column : columns)
    list.push_back(json::object{{"source", column.source},
                                {"data", json::array(column.data.begin(), column.data.end())},
                                {"sensitive", column.sensitive},
                                {"key", column.key}});
  return list;
}

json::array issues_json(const jobs::GridRow& row, const std::vector<jobs::GridColumn>& columns) {
  json::array list;
  for (const model::Issue& issue : row.issues)
    list.push_back(json::object{{"severity", issue.severity == model::Severity::error ? "error" : "warning"},
                                {"code", issue.code},
                                {"column", text_or_null(issue.column)},
                                {"source", source_of(columns, issue.column)},
                                {"value", issue.value},
                                {"message", issue.message},
                                {"hint", text_or_null(issue.hint)}});
  return list;
}

// What will be done with the row in all tables, as one: new, when nothing of it is there.
json::value change_json(const jobs::GridRow& row) {
  if (row.changes.empty()) return nullptr;
  bool update = false;
  json::object cells;
  for (const std::string& record : row.changes) {
    const json::value parsed = parsed_or_null(record);
    if (!parsed.is_object()) continue;
    update = update || parsed.at("kind") != "insert";
    for (const auto& [name, cell] : parsed.at("cells").as_object())
      if (!cells.contains(name)) cells[name] = cell;
  }
  return json::object{{"kind", update ? "update" : "insert"}, {"cells", std::move(cells)}};
}

json::object to_json(const jobs::GridRow& row, const std::vector<jobs::GridColumn>& columns) {
  json::array values, edited;
  for (const std::string& cell : row.cells) values.push_back(json::string(cell));
  for (const std::size_t column : row.edited) edited.push_back(column);
  return {{"row", row.row},
          {"line", row.line},
          {"index", row.index},
          {"state", jobs::to_string(row.state)},
          {"values", std::move(values)},
          {"edited", std::move(edited)},
          {"issues", issues_json(row, columns)},
          {"change", change_json(row)}};
}

// A page of the rows with a text, as far as the search has come; how far that is.
struct SearchedPage {
  jobs::GridPage page;
  json::value search;
};

Result<SearchedPage> search_page(Call& call, const jobs::Grid& grid, const JobRecord& job, const jobs::RowWish& wish,
                                 const GridPlace& place) {
  constexpr std::chrono::milliseconds kTime{300};
  const auto search = call.service.grids().search(grid, job, wish);
  LADE_ASSIGN(const jobs::RowSearch::Found found,
              search->page(call.connection, place.from, place.row, place.limit, kTime));
  SearchedPage searched{.page = {.matching = found.matching, .from = found.from},
                        .search = json::object{{"looked_at", found.looked_at}, {"complete", found.complete}}};
  LADE_ASSIGN(searched.page.rows, grid.rows(call.connection, found.rows));
  std::int64_t index = found.from;
  for (jobs::GridRow& row : searched.page.rows) row.index = index++;
  return searched;
}

Result<http::Response> grid(Call& call) {
  constexpr std::int64_t kMost = 1000, kUsual = 200;
  LADE_ASSIGN(const jobs::RowWish wish, read_wish(call.query, "all"));
  GridPlace place;
  place.from = call.query.integer("from", 0, INT64_MAX).value_or(0);
  place.row = call.query.integer("row", 1, INT64_MAX);
  place.limit = call.query.integer("limit", 1, kMost).value_or(kUsual);
  LADE_TRY(call.query.finish());
  LADE_ASSIGN(const JobRecord job, require_import(call, call.connection));
  LADE_ASSIGN(const auto shown, call.service.grids().of(call.connection, place_of(call), job));
  SearchedPage searched;
  if (!wish.text.empty()) {
    LADE_ASSIGN(searched, search_page(call, *shown, job, wish, place));
  } else {
    if (place.row) place.from = shown->index().place(wish, *place.row);
    LADE_ASSIGN(searched.page, shown->page(call.connection, wish, place.from, place.limit));
  }
  const jobs::GridPage& page = searched.page;
  const std::vector<jobs::GridColumn>& columns = shown->file()->columns();
  json::array items;
  for (const jobs::GridRow& one : page.rows) items.push_back(to_json(one, columns));
  http::Response response = json_response(200, stamped({{"revision", job.review_revision},
                                                        {"rows_total", shown->index().rows()},
                                                        {"matching", page.matching},
                                                        {"from", page.from},
                                                        {"limit", place.limit},
                                                        {"search", std::move(searched.search)},
                                                        {"columns", columns_json(columns)},
                                                        {"items", std::move(items)}}));
  response.headers.set("ETag", revision_tag(job));
  return response;
}

Result<http::Response> row_map(Call& call) {
  constexpr std::int64_t kMost = 2000, kUsual = 600;
  const std::int64_t wanted = call.query.integer("slots", 1, kMost).value_or(kUsual);
  LADE_TRY(call.query.finish());
  LADE_ASSIGN(const JobRecord job, require_import(call, call.connection));
  LADE_ASSIGN(const auto shown, call.service.grids().of(call.connection, place_of(call), job));
  const jobs::RowIndex& index = shown->index();
  const std::int64_t per_slot = std::max<std::int64_t>(1, (index.rows() + wanted - 1) / wanted);
  const auto slots = static_cast<std::size_t>((index.rows() + per_slot - 1) / per_slot);
  using Counts = std::vector<std::int64_t>;
  Counts failed(slots), warning(slots), inserted(slots), updated(slots), skipped(slots), edited(slots);
  for (std::int64_t row = 1; row <= index.rows(); ++row) {
    const auto slot = static_cast<std::size_t>((row - 1) / per_slot);
    switch (index.state(row)) {
      case jobs::RowFate::failed: ++failed[slot]; break;
      case jobs::RowFate::inserted: ++inserted[slot]; break;
      case jobs::RowFate::updated: ++updated[slot]; break;
      case jobs::RowFate::skipped: ++skipped[slot]; break;
      default: break;
    }
    if (index.has_warning(row)) ++warning[slot];
    if (index.is_edited(row)) ++edited[slot];
  }
  const auto list = [](const Counts& counts) { return json::array(counts.begin(), counts.end()); };
  return json_response(200, stamped({{"revision", job.review_revision},
                                     {"rows_total", index.rows()},
                                     {"slots", slots},
                                     {"rows_per_slot", per_slot},
                                     {"failed", list(failed)},
                                     {"warning", list(warning)},
                                     {"inserted", list(inserted)},
                                     {"updated", list(updated)},
                                     {"skipped", list(skipped)},
                                     {"edited", list(edited)}}));
}

struct ReplaceWish {
  jobs::Replacement replacement;
  bool dry_run = false;
};

Result<ReplaceWish> read_replacement(const Asked& asked, const std::string& text) {
  LADE_ASSIGN(Fields query, Fields::of_query(asked.request.query));
  LADE_TRY(query.finish());
  LADE_ASSIGN(Fields body, Fields::of_body(text));
  ReplaceWish wish;
  jobs::Replacement& wanted = wish.replacement;
  wanted.column = body.required_text("column");
  const bool has_from = body.has("from"), has_to = body.has("to");
  wanted.from = body.text("from").value_or("");
  wanted.to = body.text("to").value_or("");
  wanted.part = body.flag("part").value_or(false);
  wish.dry_run = body.flag("dry_run").value_or(false);
  const std::string filter = body.map("filter").value_or("{}");
  wanted.revision = body.integer("revision", 0, INT64_MAX);
  LADE_TRY(body.finish());
  if (!has_from || !has_to)
    return fail("request_invalid", "from and to must both be given", "an empty text stands for a blank cell",
                ErrorKind::usage);
  Fields narrowed(json::parse(filter).as_object(), "field of filter");
  LADE_ASSIGN(wanted.rows, read_wish(narrowed, "all"));
  LADE_TRY(narrowed.finish());
  return wish;
}

json::object to_json(const jobs::Replaced& replaced, bool dry_run) {
  json::array examples;
  for (const jobs::Replaced::Example& example : replaced.examples)
    examples.push_back(json::object{{"row", example.row}, {"old", example.before}, {"new", example.now}});
  return {{"cells", replaced.rows},
          {"rows", replaced.rows},
          {"dry_run", dry_run},
          {"revision", replaced.revision},
          {"examples", std::move(examples)}};
}

Result<http::Response> replace(const Asked& asked, const std::string& text) {
  ReplaceWish wish;
  {
    LADE_ASSIGN(const db::Pool::Lease session, asked.service.reading());
    LADE_ASSIGN(const JobRecord job, require_import(asked, *session));
    LADE_ASSIGN(wish, read_replacement(asked, text));
    if (wish.dry_run) {
      LADE_ASSIGN(const jobs::Replaced counted,
                  jobs::count_replaced(*session, place_of(asked), asked.service.grids(), job, wish.replacement));
      return json_response(200, to_json(counted, true));
    }
  }
  AuditNote note{asked.at("import"), {}};
  return change(asked, text, note, [&](db::Connection& connection) -> Result<http::Response> {
    LADE_ASSIGN(const JobRecord job, require_import(asked, connection));
    LADE_ASSIGN(const jobs::Replaced replaced, jobs::replace_cells(connection, place_of(asked), asked.service.grids(),
                                                                   order_of(asked), wish.replacement));
    note.object_id = job.uuid;
    note.data = {{"column", wish.replacement.column}, {"rows", replaced.rows}, {"revision", replaced.revision}};
    return json_response(200, to_json(replaced, false));
  });
}

Result<http::Reception> receive_replacement(Asked asked) {
  return http::Reception(http::WholeBody{asked.route.most_bytes, [asked](const std::string& text) {
                                           return answer_or_problem(asked.request, replace(asked, text));
                                         }});
}

json::value largest_json(const std::optional<jobs::ColumnChange::Largest>& largest) {
  if (!largest) return nullptr;
  return json::object{{"row", largest->row},
                      {"line", largest->line},
                      {"old", largest->before},
                      {"new", largest->now},
                      {"percent", largest->percent}};
}

json::object to_json(const jobs::ColumnChange& column) {
  const auto number = [&](auto value) { return column.numbers ? json::value(value) : json::value(nullptr); };
  return {{"table", column.table},
          {"column", column.column},
          {"changes", column.changes},
          {"rises", number(column.rises)},
          {"falls", number(column.falls)},
          {"median_percent", column.numbers && column.median_percent ? json::value(*column.median_percent) : nullptr},
          {"largest", column.numbers ? largest_json(column.largest) : json::value(nullptr)}};
}

Result<http::Response> diff_summary(Call& call) {
  LADE_TRY(call.query.finish());
  LADE_ASSIGN(const JobRecord job, require_import(call, call.connection));
  LADE_ASSIGN(const jobs::DiffSummary summary, jobs::summarise_diff(call.connection, job));
  json::array columns;
  for (const jobs::ColumnChange& column : summary.columns) columns.push_back(to_json(column));
  json::object counts;
  for (const load::ChangeKind kind : load::kChangeKinds)
    counts[load::to_string(kind)] = summary.counts[static_cast<std::size_t>(kind)];
  http::Response response = json_response(200, json::object{{"revision", job.review_revision},
                                                            {"counts", std::move(counts)},
                                                            {"columns", std::move(columns)},
                                                            {"looked_at", summary.looked_at},
                                                            {"complete", summary.complete}});
  response.headers.set("ETag", revision_tag(job));
  return response;
}

}  // namespace

std::vector<Route> grid_routes() {
  const Access reads{Role::viewer, "imports:read"}, writes{Role::operator_, "imports:write"};
  return {
      {.method = "GET",
       .path = "/api/v1/imports/{import}/grid",
       .name = "imports.grid",
       .summary = "Rows with all their cells, issues and changes, from any place of the list on",
       .access = reads,
       .answer = grid,
       .query = {{"state", "string",
                  "all (default), failed, warning, inserted, updated, unchanged, skipped, unprocessed, edited; of an "
                  "import that waits for review what will become of them"},
                 {"issue", "string", "only rows with an issue of this code"},
                 {"column", "string", "only rows with an issue in this data column"},
                 {"q", "string",
                  "only rows with this text in a cell, whatever its case; the file is read by and by: ask again until "
                  "`search` is complete"},
                 {"from", "integer", "place in the list of these rows, from 0 on"},
                 {"row", "integer", "instead of it: begin with this row, or the first one behind it"},
                 {"limit", "integer", "at most so many (1 to 1000, default 200)"}},
       .answers = {{200, "Grid", "the rows"}}},
      {.method = "GET",
       .path = "/api/v1/imports/{import}/rows/map",
       .name = "imports.row_map",
       .summary = "Where in the file rows of which kind stand: counts in equal parts of it",
       .access = reads,
       .answer = row_map,
       .query = {{"slots", "integer", "at most so many parts (1 to 2000, default 600)"}},
       .answers = {{200, "RowMap", "counts by part"}}},
      {.method = "POST",
       .path = "/api/v1/imports/{import}/rows/replace",
       .name = "imports.replace",
       .summary = "Replace the text of a column's cells in many rows while the import waits for review; `dry_run` only "
                  "counts",
       .access = writes,
       .receive = receive_replacement,
       .body = Body::json,
       .body_schema = "Replacement",
       .answers = {{200, "Replaced", "how many, and the first of them"}}},
      {.method = "GET",
       .path = "/api/v1/imports/{import}/diff/summary",
       .name = "imports.diff_summary",
       .summary = "What an import will change, by columns: how many values rise and fall, and by how much",
       .access = reads,
       .answer = diff_summary,
       .answers = {{200, "DiffSummary", "by column"}}},
  };
}

}  // namespace lade::api
