#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <iterator>

#include "queue/sql.h"
#include "store/batch_events.h"
#include "store/pages.h"
#include "store/sql.h"

// How attempts at pages ended, written down.
namespace lade::store {
namespace {

namespace json = boost::json;
using db::Value;
using queue::Sql;

// What is written down of a result, under the names of the columns; `delay` becomes available_at.
struct ResultColumn {
  std::string_view name;
  bool is_number;
};
constexpr ResultColumn kResultColumns[] = {
    {"row_id", true},         {"attempt", true},         {"status", false},        {"error_code", false},
    {"error_reason", false},  {"error", false},          {"delay", true},          {"http_status", true},
    {"duration_ms", true},    {"enrich_ms", true},       {"content_type", false},  {"checksum", false},
    {"evidence_path", false}, {"evidence_offset", true}, {"evidence_bytes", true}, {"evidence", false},
    {"source_format", false}, {"fields", false}};

// In the order of kResultColumns.
std::vector<Value> values_of(const PageResult& result) {
  return {result.row_id,
          result.attempt,
          std::string(result.status),
          result.error.code,
          result.error.reason,
          result.error.code.empty() ? Value() : Value(to_json(result.error)),
          std::int64_t{result.delay.count()},
          result.http_status,
          result.duration_ms,
          result.enrich_ms,
          result.content_type,
          result.checksum,
          text_or_null(result.evidence.file),
          result.evidence.offset,
          result.evidence.bytes,
          text_or_null(result.evidence.metadata),
          result.source_format,
          text_or_null(result.fields)};
}

json::value json_of(const Value& value) {
  if (const auto* const number = std::get_if<std::int64_t>(&value)) return *number;
  if (const auto* const text = std::get_if<std::string>(&value)) return json::value(*text);
  return nullptr;
}

// `results` are the rows of v, by the names of kResultColumns; $1 is the time, $2 the job.
Sql record_statement(std::string_view results) {
  std::string sets;
  for (const ResultColumn& column : kResultColumns)
    if (column.name != "row_id" && column.name != "attempt" && column.name != "delay")
      sets += fmt::format("{0} = v.{0}, ", column.name);
  return Sql(
      fmt::format("UPDATE lade_page SET {}available_at = CASE v.delay WHEN 0 THEN 0 ELSE @now + v.delay END, "
                  "completed_at = @now FROM ({}) AS v WHERE lade_page.job_id = $2 AND lade_page.row_id = v.row_id "
                  "AND lade_page.attempt = v.attempt AND lade_page.status = 'running'",
                  sets, results));
}

// One after another: taking rows out of one large JSON costs SQLite half of the time that a page takes in all.
Result<std::int64_t> record_each(db::Connection& connection, std::int64_t job, std::span<const PageResult> results) {
  static const Sql sql = [] {
    std::string row;
    for (std::size_t at = 0; at < std::size(kResultColumns); ++at)
      row += fmt::format("{}${} AS {}", at == 0 ? "SELECT " : ", ", at + 3, kResultColumns[at].name);
    return record_statement(row);
  }();
  std::int64_t written = 0;
  for (const PageResult& result : results) {
    std::vector<Value> values = {Value(), job};
    std::ranges::move(values_of(result), std::back_inserter(values));
    LADE_ASSIGN(const std::int64_t changed, connection.execute(sql.of(connection), values));
    written += changed;
  }
  return written;
}

Result<std::int64_t> record_set(db::Connection& connection, std::int64_t job, std::span<const PageResult> results) {
  static const Sql sql = [] {
    std::string rows;
    for (const ResultColumn& column : kResultColumns)
      rows += fmt::format("{}CAST(e.value ->> '{}' AS {}) AS {}", rows.empty() ? "SELECT " : ", ", column.name,
                          column.is_number ? "bigint" : "text", column.name);
    return record_statement(rows + " FROM jsonb_array_elements(CAST($3 AS jsonb)) AS e(value)");
  }();
  json::array list;
  for (const PageResult& result : results) {
    json::object& object = list.emplace_back(json::object()).as_object();
    const std::vector<Value> values = values_of(result);
    for (std::size_t at = 0; at < values.size(); ++at) object[kResultColumns[at].name] = json_of(values[at]);
  }
  const Value values[] = {Value(), job, json::serialize(list)};
  return connection.execute(sql.of(connection), values);
}

// In the history of the job's batch, if it has one.
Result<void> tell_retries(db::Connection& connection, std::int64_t job, std::span<const PageResult> results) {
  for (const PageResult& result : results) {
    if (result.status != page_status::kRetryable) continue;
    const json::object data{{"attempt", result.attempt},
                            {"code", result.error.code},
                            {"reason", result.error.reason},
                            {"delay_ms", result.delay.count() / 1000}};
    LADE_TRY(
        tell_batch_of_page(connection, {job, result.row_id, batch_event::kTaskRetryScheduled, json::serialize(data)}));
  }
  return {};
}

}  // namespace

Result<std::int64_t> record_results(db::Connection& connection, std::int64_t job, std::span<const PageResult> results) {
  if (results.empty()) return 0;
  const bool one_by_one = connection.backend() == db::Backend::sqlite;
  LADE_ASSIGN(const std::int64_t written,
              one_by_one ? record_each(connection, job, results) : record_set(connection, job, results));
  LADE_TRY(tell_retries(connection, job, results));
  return written;
}

}  // namespace lade::store
