#include "jobs/batch_export.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <iterator>
#include <string>
#include <vector>

#include "analysis/formula_guard.h"
#include "base/redact.h"
#include "csv/writer.h"
#include "jobs/batch_tasks.h"
#include "store/batch_stats.h"

namespace lade::jobs {
namespace {

namespace json = boost::json;

constexpr std::int64_t kAtOnce = 1000;

// Lines of CSV, guarded.
class Lines {
 public:
  explicit Lines(ByteSink& to) : to_(to) {}
  Result<void> write(const std::vector<std::string>& cells) {
    line_.clear();
    std::vector<std::string> scratches(cells.size());
    std::vector<std::string_view> fields;
    for (std::size_t i = 0; i < cells.size(); ++i) fields.push_back(analysis::guard_formula(cells[i], scratches[i]));
    csv::append_record(line_, fields, {});
    return to_.write(line_);
  }

 private:
  ByteSink& to_;
  std::string line_;
};

std::string number(std::int64_t value) {
  return value == 0 ? std::string() : std::to_string(value);
}

// A member of an object's JSON as text.
std::string member_of(const std::string& object, std::string_view name) {
  boost::system::error_code broken;
  const json::value value = json::parse(object, broken);
  if (broken || !value.is_object()) return {};
  const json::value* const member = value.get_object().if_contains(name);
  if (member == nullptr || member->is_null()) return {};
  return member->is_string() ? std::string(member->get_string()) : json::serialize(*member);
}

// Hands over all row tasks of the batch that the filter finds.
template <class Take>
Result<void> each_task(db::Connection& connection, const store::BatchRecord& batch, RowTaskFilter filter, Take take) {
  filter.limit = kAtOnce;
  for (;;) {
    LADE_ASSIGN(const RowTaskPage page, list_row_tasks(connection, batch, filter));
    for (const RowTask& task : page.tasks) LADE_TRY(take(task));
    if (page.next.empty()) return {};
    filter.cursor = page.next;
  }
}

std::vector<std::string> error_cells(const RowTask& task) {
  return {task.job,
          number(task.row),
          "",
          task.key,
          task.source_url,
          task.status,
          member_of(task.error, "code"),
          "",
          "",
          member_of(task.error, "message"),
          number(task.http_status),
          number(task.attempt)};
}

Result<void> write_row_errors(db::Connection& connection, const store::BatchRecord& batch, Lines& lines) {
  store::RowErrorPlace after;
  for (;;) {
    LADE_ASSIGN(const auto page, store::row_errors(connection, batch.id, after));
    for (const store::RowError& error : page.errors)
      LADE_TRY(lines.write({error.job, number(error.place.row), number(error.line), "", "", "failed", error.code,
                            error.column, redacted(error.value), redacted(error.message), "", ""}));
    if (!page.more || page.errors.empty()) return {};
    after = page.errors.back().place;
  }
}

json::value parsed(const std::string& text) {
  boost::system::error_code broken;
  json::value value = json::parse(text, broken);
  return broken ? json::value(nullptr) : value;
}

json::value text_or_null(const std::string& text) {
  return text.empty() ? json::value(nullptr) : json::value(text);
}

json::object export_object(const RowTask& task) {
  return {{"task_id", task.id},
          {"job", task.job},
          {"row", task.row == 0 ? json::value(nullptr) : json::value(task.row)},
          {"key", task.key},
          {"source_url", text_or_null(task.source_url)},
          {"status", task.status},
          {"attempt", task.attempt},
          {"http_status", task.http_status == 0 ? json::value(nullptr) : json::value(task.http_status)},
          {"error", parsed(task.error)},
          {"fields", parsed(task.fields)},
          {"fetched", parsed(task.fetched)},
          {"quality", task.quality ? json::value(to_json(*task.quality)) : json::value(nullptr)},
          {"source_format", text_or_null(task.source_format)},
          {"checksum", text_or_null(task.checksum)},
          {"evidence_path", text_or_null(task.evidence_path)},
          {"duration_ms", task.duration_ms},
          {"started_at", text_or_null(task.started_at)},
          {"completed_at", text_or_null(task.completed_at)}};
}

std::vector<std::string> quality_cells(const std::optional<model::Quality>& quality) {
  if (!quality) return std::vector<std::string>(6);
  std::vector<std::string> cells{fmt::format("{:.2f}", quality->score()), std::string(quality->tier())};
  for (const double part : {quality->completeness, quality->resolution, quality->source, quality->validation})
    cells.push_back(fmt::format("{:.2f}", part));
  return cells;
}

Result<void> export_csv(db::Connection& connection, const store::BatchRecord& batch, ByteSink& to) {
  Lines lines(to);
  LADE_TRY(lines.write({"task_id",    "job",           "row",           "key",          "source_url",   "status",
                        "attempt",    "http_status",   "code",          "message",      "fields",       "source_format",
                        "checksum",   "evidence_path", "duration_ms",   "started_at",   "completed_at", "final_url",
                        "fetched_at", "bytes",         "quality_score", "quality_tier", "completeness", "resolution",
                        "source",     "validation"}));
  return each_task(connection, batch, {}, [&](const RowTask& task) {
    std::vector<std::string> cells{task.id,
                                   task.job,
                                   number(task.row),
                                   task.key,
                                   task.source_url,
                                   task.status,
                                   number(task.attempt),
                                   number(task.http_status),
                                   member_of(task.error, "code"),
                                   member_of(task.error, "message"),
                                   task.fields,
                                   task.source_format,
                                   task.checksum,
                                   task.evidence_path,
                                   number(task.duration_ms),
                                   task.started_at,
                                   task.completed_at};
    for (const char* name : {"url", "fetched_at", "bytes"}) cells.push_back(member_of(task.fetched, name));
    std::ranges::move(quality_cells(task.quality), std::back_inserter(cells));
    return lines.write(cells);
  });
}

Result<void> export_json(db::Connection& connection, const store::BatchRecord& batch, ByteSink& to) {
  bool first = true;
  LADE_TRY(to.write("["));
  LADE_TRY(each_task(connection, batch, {}, [&](const RowTask& task) {
    const std::string text = (first ? "\n" : ",\n") + json::serialize(export_object(task));
    first = false;
    return to.write(text);
  }));
  return to.write("\n]\n");
}

}  // namespace

Result<void> write_batch_errors(db::Connection& connection, const store::BatchRecord& batch, ByteSink& to) {
  Lines lines(to);
  LADE_TRY(lines.write({"job", "row", "line", "key", "source_url", "status", "code", "column", "value", "message",
                        "http_status", "attempt"}));
  for (const char* status : {"failed", "blocked"})
    LADE_TRY(each_task(connection, batch, {.status = status},
                       [&](const RowTask& task) { return lines.write(error_cells(task)); }));
  return write_row_errors(connection, batch, lines);
}

Result<void> write_batch_export(db::Connection& connection, const store::BatchRecord& batch, std::string_view format,
                                ByteSink& to) {
  if (format == "csv") return export_csv(connection, batch, to);
  if (format == "json") return export_json(connection, batch, to);
  return fail("request_invalid", fmt::format("there is no format '{}'", format), "csv or json", ErrorKind::usage);
}

}  // namespace lade::jobs
