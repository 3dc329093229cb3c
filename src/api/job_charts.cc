#include <algorithm>

#include "api/imports.h"
#include "api/problem.h"
#include "api/views.h"
#include "db/values.h"
#include "jobs/grid.h"
#include "jobs/issue_counts.h"
#include "jobs/job_parts.h"
#include "store/row_versions.h"

// What an import looks like as a whole: its issues over the file, its parts, its pace.
namespace lade::api {
namespace {

namespace json = boost::json;
using accounts::Role;
using store::JobRecord;

constexpr std::size_t kSpread = 40;

json::array spread_of(const jobs::IssueGroup& group, std::int64_t rows) {
  std::vector<std::int64_t> slots(kSpread);
  for (const std::uint32_t row : group.rows)
    if (rows > 0)
      ++slots[std::min(kSpread - 1, static_cast<std::size_t>(row - 1) * kSpread / static_cast<std::size_t>(rows))];
  return json::array(slots.begin(), slots.end());
}

// The first of a group, in full.
Result<json::value> example_of(db::Connection& connection, const JobRecord& job, const jobs::IssueGroup& group) {
  if (group.rows.empty()) return nullptr;
  const std::int64_t row = group.rows.front();
  LADE_ASSIGN(const auto issues, store::issues_of_row(connection, job.id, row));
  LADE_ASSIGN(const std::int64_t line, store::line_of_issue(connection, job.id, row));
  for (const model::Issue& issue : issues)
    if (issue.code == group.code && issue.column == group.column)
      return json::object{{"row", row},
                          {"line", line == 0 ? json::value(nullptr) : json::value(line)},
                          {"value", issue.value},
                          {"message", issue.message},
                          {"hint", text_or_null(issue.hint)}};
  return nullptr;
}

// Of what is stored row by row: warnings are, up to some thousand; counts go beyond that.
const jobs::IssueGroup* group_of(const std::vector<jobs::IssueGroup>& groups, std::string_view code,
                                 std::string_view column) {
  const jobs::IssueGroup* found = nullptr;
  for (const jobs::IssueGroup& group : groups)
    if (group.code == code && group.column == column && (found == nullptr || group.error)) found = &group;
  return found;
}

Result<http::Response> issues(Call& call) {
  LADE_TRY(call.query.finish());
  LADE_ASSIGN(const JobRecord job, require_import(call, call.connection));
  LADE_ASSIGN(const std::string counts, jobs::issue_counts(call.connection, job));
  std::shared_ptr<const jobs::RowIndex> index;
  if (job.rows_total) {
    LADE_ASSIGN(index, call.service.grids().index_of(call.connection, job));
  }
  const std::int64_t rows = index ? index->rows() : 0;
  const json::value counted = parsed_or_null(counts);
  json::array items = counted.is_array() ? counted.get_array() : json::array();
  for (json::value& item : items) {
    json::object& object = item.as_object();
    const jobs::IssueGroup* const group =
        index ? group_of(index->groups(), object.at("code").as_string(), object.at("column").as_string()) : nullptr;
    object["severity"] = group == nullptr ? json::value(nullptr) : json::value(group->error ? "error" : "warning");
    object["spread"] = group == nullptr ? json::array() : spread_of(*group, rows);
    object["example"] = nullptr;
    if (group != nullptr) {
      LADE_ASSIGN(object["example"], example_of(call.connection, job, *group));
    }
  }
  return json_response(200, stamped({{"items", std::move(items)},
                                     {"next", nullptr},
                                     {"revision", job.review_revision},
                                     {"rows_total", job.rows_total ? json::value(*job.rows_total) : nullptr}}));
}

json::array parts_json(const std::vector<jobs::JobPart>& parts, std::size_t group_size) {
  const auto number = [](std::int64_t value) { return value == 0 ? json::value(nullptr) : json::value(value); };
  json::array list;
  for (const jobs::JobPart& part : jobs::grouped(parts, group_size))
    list.push_back(json::object{{"number", part.number},
                                {"first_row", number(part.first_row)},
                                {"rows", part.rows},
                                {"failed", part.failed},
                                {"status", part.status},
                                {"attempts", part.attempts},
                                {"duration_ms", number(part.duration / 1000)},
                                {"task_id", number(part.task)}});
  return list;
}

Result<http::Response> task_map(Call& call) {
  constexpr std::size_t kMost = 2000;
  LADE_TRY(call.query.finish());
  LADE_ASSIGN(const JobRecord job, require_import(call, call.connection));
  LADE_ASSIGN(const jobs::JobParts parts, jobs::job_parts(call.connection, job));
  const std::size_t most = std::max(parts.chunks.size(), parts.buckets.size());
  const std::size_t group_size = std::max<std::size_t>(1, (most + kMost - 1) / kMost);
  return json_response(200, stamped({{"chunks", parts_json(parts.chunks, group_size)},
                                     {"buckets", parts_json(parts.buckets, group_size)},
                                     {"group_size", group_size}}));
}

Result<http::Response> metrics(Call& call) {
  LADE_TRY(call.query.finish());
  LADE_ASSIGN(const JobRecord job, require_import(call, call.connection));
  LADE_ASSIGN(const jobs::JobSeries series, jobs::job_series(call.connection, job));
  json::array points, phases;
  for (const jobs::ProgressPoint& point : series.points)
    points.push_back(json::array{point.second, point.analysed, point.loaded, point.failed});
  for (const jobs::JobPhase& phase : series.phases)
    phases.push_back(json::object{
        {"phase", phase.phase}, {"started_at", phase.started_at}, {"finished_at", text_or_null(phase.finished_at)}});
  return json_response(200, stamped({{"step_seconds", series.step},
                                     {"from", text_or_null(series.from)},
                                     {"points", std::move(points)},
                                     {"phases", std::move(phases)}}));
}

}  // namespace

std::vector<Route> chart_routes() {
  const Access reads{Role::viewer, "imports:read"};
  return {
      {.method = "GET",
       .path = "/api/v1/imports/{import}/issues",
       .name = "imports.issues",
       .summary = "How often which issue was found in which column, where in the file, and the first of each",
       .access = reads,
       .answer = issues,
       .answers = {{200, "IssuePage", "counts by code and column"}}},
      {.method = "GET",
       .path = "/api/v1/imports/{import}/tasks/map",
       .name = "imports.task_map",
       .summary = "The chunks and buckets of an import, and how far each is",
       .access = reads,
       .answer = task_map,
       .answers = {{200, "TaskMap", "in the order of the file, and of keys"}}},
      {.method = "GET",
       .path = "/api/v1/imports/{import}/metrics",
       .name = "imports.metrics",
       .summary = "How an import went on over time: rows analysed, loaded and failed, and its phases",
       .access = reads,
       .answer = metrics,
       .answers = {{200, "ImportSeries", "at most 600 points"}}},
  };
}

}  // namespace lade::api
