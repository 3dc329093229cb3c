#include "store/pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <unordered_map>

#include "queue/sql.h"
#include "store/batch_events.h"
#include "store/sql.h"

namespace lade::store {
namespace {

namespace json = boost::json;
using db::Value;
using queue::Sql;

constexpr std::string_view kStatuses[] = {page_status::kPending,  page_status::kRunning,   page_status::kSucceeded,
                                          page_status::kFailed,   page_status::kRetryable, page_status::kBlocked,
                                          page_status::kCancelled};
constexpr std::string_view kNotEnded = "status IN ('pending', 'running', 'retryable')";
constexpr std::size_t kRowsAtOnce = 1000;
constexpr std::size_t kStatusesAtOnce = 7;

// A list of JSON objects as rows e.value, from parameter $2.
std::string_view each_of(const db::Connection& connection) {
  return connection.backend() == db::Backend::sqlite ? "json_each($2) AS e"
                                                     : "jsonb_array_elements(CAST($2 AS jsonb)) AS e(value)";
}

Result<void> insert_some(db::Connection& connection, std::int64_t job, std::span<const NewPage> pages) {
  json::array list;
  for (const NewPage& page : pages) {
    const bool failed = !page.error.code.empty();
    json::object object{{"r", page.row_id},
                        {"k", page.key},
                        {"u", page.url},
                        {"h", page.host},
                        {"s", failed ? page_status::kFailed : page_status::kPending},
                        {"c", page.error.code},
                        {"w", page.error.reason},
                        {"e", nullptr},
                        {"i", nullptr}};
    if (failed) object["e"] = to_json(page.error);
    if (!page.idempotency_key.empty()) object["i"] = page.idempotency_key;
    list.push_back(std::move(object));
  }
  const std::string text = fmt::format(
      "INSERT INTO lade_page (job_id, company_id, created_at, row_id, page_key, url, host, status, error_code, "
      "error_reason, error, idempotency_key, completed_at) "
      "SELECT CAST($3 AS bigint), (SELECT company_id FROM lade_job WHERE id = $3), @now, CAST(e.value ->> 'r' AS "
      "bigint), "
      "e.value ->> 'k', e.value ->> 'u', e.value ->> 'h', e.value ->> 's', e.value ->> 'c', e.value ->> 'w', "
      "e.value ->> 'e', e.value ->> 'i', CASE e.value ->> 's' WHEN 'failed' THEN @now ELSE 0 END FROM {}",
      each_of(connection));
  const Value values[] = {Value(), json::serialize(list), job};
  LADE_TRY(connection.execute(Sql(text).of(connection), values));
  return {};
}

// The first error of the page's record; NULL: it has none. What was analysed of a page that is fetched again holds no
// more.
std::string record_error(std::string_view column) {
  return fmt::format(R"sql(CASE WHEN status = 'succeeded' AND gathered = 1 THEN
  (SELECT i.{} FROM lade_issue AS i
   WHERE i.job_id = lade_page.job_id AND i.row_id = lade_page.row_id AND i.severity = 'error'
   ORDER BY i.column_name, i.code LIMIT 1) END)sql",
                     column);
}

// What a page's status and code of error are to whoever asks so.
std::string status_sql(bool by_record) {
  return by_record ? fmt::format("CASE WHEN ({}) IS NULL THEN status ELSE 'failed' END", record_error("code"))
                   : "status";
}
std::string code_sql(bool by_record) {
  return by_record ? fmt::format("coalesce(({}), error_code)", record_error("code")) : "error_code";
}

// The condition of a filter; its parameters are $1 to $7 … as filter_values() gives them.
std::string condition_of(const PageFilter& filter) {
  std::string condition = fmt::format(
      "job_id = $1 AND (CAST($2 AS text) IS NULL OR host = $2 OR url LIKE '%' || $3 || '%' ESCAPE '\\') "
      "AND (CAST($4 AS text) IS NULL OR {} = $4) AND (CAST($5 AS text) IS NULL OR page_key = $5) "
      "AND row_id > $6 AND (CAST($7 AS bigint) IS NULL OR row_id <= CAST($7 AS bigint))",
      code_sql(filter.by_record));
  if (filter.not_gathered) condition += " AND gathered = 0";
  std::size_t next = 8;
  const auto add_list = [&](std::string_view column, std::size_t members) {
    if (members == 0) return;
    condition += fmt::format(" AND {} IN (", column);
    for (std::size_t at = 0; at < members; ++at) condition += fmt::format("{}${}", at == 0 ? "" : ", ", next++);
    condition += ")";
  };
  add_list(status_sql(filter.by_record), filter.statuses.size());
  add_list("row_id", filter.rows.size());
  return condition;
}

std::string without_wildcards(std::string_view text) {
  std::string escaped;
  for (const char letter : text) {
    if (letter == '%' || letter == '_' || letter == '\\') escaped.push_back('\\');
    escaped.push_back(letter);
  }
  return escaped;
}

std::vector<Value> filter_values(std::int64_t job, const PageFilter& filter) {
  std::vector<Value> values = {job,
                               text_or_null(filter.source),
                               without_wildcards(filter.source),
                               text_or_null(filter.error_code),
                               text_or_null(filter.key),
                               std::max(filter.after, filter.first_row - 1),
                               id_or_null(filter.last_row)};
  for (const std::string& status : filter.statuses) values.emplace_back(status);
  for (const std::int64_t row : filter.rows) values.emplace_back(row);
  return values;
}

Result<void> check_statuses(const PageFilter& filter) {
  for (const std::string& status : filter.statuses)
    if (std::ranges::find(kStatuses, status) == std::end(kStatuses))
      return fail("page_status_unknown", fmt::format("no page is ever '{}'", status),
                  fmt::format("{}", fmt::join(kStatuses, ", ")), ErrorKind::invalid);
  if (filter.statuses.size() > kStatusesAtOnce)
    return fail("page_status_unknown", "more statuses are asked for than there are", "name each once",
                ErrorKind::invalid);
  return {};
}

constexpr std::string_view kColumns =
    "row_id, page_key, url, host, status, attempt, tries, available_at, error_code, error_reason, error, http_status, "
    "duration_ms, enrich_ms, started_at, completed_at, content_type, checksum, evidence_path, evidence_offset, "
    "evidence_bytes, evidence, source_format, page_range, idempotency_key, fields, task_id, gathered";

PageRecord record_of(std::int64_t job, const db::Row& row) {
  PageRecord page{.job = job};
  std::size_t at = 0;
  const auto integer = [&] { return integer_of(row[at++]); };
  const auto text = [&] { return text_of(row[at++]); };
  page.row_id = integer();
  page.key = text();
  page.url = text();
  page.host = text();
  page.status = text();
  page.attempt = integer();
  page.tries = integer();
  page.available_at = integer();
  page.error_code = text();
  page.error_reason = text();
  page.error = text();
  page.http_status = integer();
  page.duration_ms = integer();
  page.enrich_ms = integer();
  page.started_at = integer();
  page.completed_at = integer();
  page.content_type = text();
  page.checksum = text();
  page.evidence.file = text();
  page.evidence.offset = integer();
  page.evidence.bytes = integer();
  page.evidence.metadata = text();
  page.source_format = text();
  page.page_range = text();
  page.idempotency_key = text();
  page.fields = text();
  page.task_id = integer();
  page.is_gathered = integer() != 0;
  return page;
}

// As the page is to whoever asks for what became of its record, which has failed with `code`.
void fail_with_record(PageRecord& page, const std::string& code, const std::string& message) {
  if (code.empty()) return;
  page.status = page_status::kFailed;
  page.error_code = page.error_reason = code;
  page.error = to_json(
      PageError{.code = code, .message = message, .reason = code, .http_status = page.http_status, .url = page.url});
}

// The newest version of each of the URLs of pages $2 to $3 of job $1. Keys have an index and URLs none: each key is
// looked up once, however many pages it names, and SQLite must not join in another order. A blocked page has come, too.
std::string known_versions_sql() {
  return fmt::format(R"sql(
WITH wanted AS (
  SELECT company_id, page_key, url FROM lade_page
  WHERE job_id = $1 AND row_id >= $2 AND row_id <= $3 AND attempt = 0 AND {}),
version AS (
  SELECT page.job_id, page.row_id,
         row_number() OVER (PARTITION BY page.url ORDER BY page.completed_at DESC, page.job_id DESC) AS place
  FROM (SELECT DISTINCT company_id, page_key FROM wanted) AS asked CROSS JOIN lade_page AS page
  WHERE page.company_id = asked.company_id AND page.page_key = asked.page_key
    AND page.status IN ('succeeded', 'blocked') AND page.evidence_path IS NOT NULL
    AND page.url IN (SELECT url FROM wanted))
SELECT page.url, page.checksum, page.evidence_path, page.evidence_offset, page.evidence_bytes, page.evidence
FROM version JOIN lade_page AS page ON page.job_id = version.job_id AND page.row_id = version.row_id
WHERE version.place = 1)sql",
                     kNotEnded);
}

}  // namespace

std::span<const std::string_view> page_statuses() {
  return kStatuses;
}

std::string to_json(const PageError& error) {
  json::object object{{"code", error.code}, {"message", error.message}};
  if (!error.reason.empty()) object["reason"] = error.reason;
  if (error.http_status != 0) object["http_status"] = error.http_status;
  if (!error.url.empty()) object["url"] = error.url;
  if (!error.stack.empty()) object["stack"] = error.stack;
  return json::serialize(object);
}

Result<void> insert_pages(db::Connection& connection, std::int64_t job, std::span<const NewPage> pages) {
  for (std::size_t at = 0; at < pages.size(); at += kRowsAtOnce)
    LADE_TRY(insert_some(connection, job, pages.subspan(at, std::min(kRowsAtOnce, pages.size() - at))));
  return {};
}

Result<std::vector<PageRecord>> list_pages(db::Connection& connection, std::int64_t job, const PageFilter& filter) {
  LADE_TRY(check_statuses(filter));
  const std::string limit = filter.limit > 0 ? fmt::format(" LIMIT {}", filter.limit) : "";
  const std::string errors =
      filter.by_record ? fmt::format(", {}, {}", record_error("code"), record_error("message")) : "";
  LADE_ASSIGN(const auto rows, connection.query(fmt::format("SELECT {}{} FROM lade_page WHERE {} ORDER BY row_id{}",
                                                            kColumns, errors, condition_of(filter), limit),
                                                filter_values(job, filter)));
  std::vector<PageRecord> pages;
  pages.reserve(rows.size());
  for (const db::Row& row : rows) {
    pages.push_back(record_of(job, row));
    if (filter.by_record) fail_with_record(pages.back(), text_of(row[row.size() - 2]), text_of(row[row.size() - 1]));
  }
  return pages;
}

Result<std::optional<PageRecord>> find_page(db::Connection& connection, std::int64_t job, std::int64_t row) {
  const Value values[] = {job, row};
  LADE_ASSIGN(
      const auto rows,
      connection.query(fmt::format("SELECT {} FROM lade_page WHERE job_id = $1 AND row_id = $2", kColumns), values));
  if (rows.empty()) return std::nullopt;
  return record_of(job, rows.front());
}

Result<PageCounts> count_pages(db::Connection& connection, std::int64_t job) {
  const Value values[] = {job};
  LADE_ASSIGN(const auto rows,
              connection.query("SELECT status, count(*) FROM lade_page WHERE job_id = $1 GROUP BY status", values));
  PageCounts counts;
  const std::pair<std::string_view, std::int64_t*> places[] = {
      {page_status::kPending, &counts.pending},     {page_status::kRunning, &counts.running},
      {page_status::kSucceeded, &counts.succeeded}, {page_status::kFailed, &counts.failed},
      {page_status::kRetryable, &counts.retryable}, {page_status::kBlocked, &counts.blocked},
      {page_status::kCancelled, &counts.cancelled}};
  for (const db::Row& row : rows)
    for (const auto& [status, place] : places)
      if (text_of(row[0]) == status) *place = integer_of(row[1]);
  return counts;
}

Result<std::vector<OpenPage>> open_pages(db::Connection& connection, std::int64_t job, std::int64_t first,
                                         std::int64_t last) {
  static const Sql sql(
      fmt::format("SELECT row_id, url, host, status, attempt, @greatest(0, available_at - @now) FROM lade_page WHERE "
                  "job_id = $2 AND row_id >= $3 AND row_id <= $4 AND {} ORDER BY row_id",
                  kNotEnded));
  const Value values[] = {Value(), job, first, last};
  LADE_ASSIGN(const auto rows, connection.query(sql.of(connection), values));
  std::vector<OpenPage> pages;
  pages.reserve(rows.size());
  for (const db::Row& row : rows)
    pages.push_back({integer_of(row[0]), text_of(row[1]), text_of(row[2]), text_of(row[3]), integer_of(row[4]),
                     std::chrono::microseconds(integer_of(row[5]))});
  return pages;
}

Result<void> find_known_versions(db::Connection& connection, std::int64_t job, std::span<OpenPage> pages) {
  if (std::ranges::find(pages, 0, &OpenPage::attempt) == pages.end()) return {};
  static const std::string sql = known_versions_sql();
  const Value values[] = {job, pages.front().row_id, pages.back().row_id};
  LADE_ASSIGN(const auto rows, connection.query(sql, values));
  std::unordered_map<std::string, KnownVersion> versions;
  for (const db::Row& row : rows)
    versions[text_of(row[0])] = {text_of(row[1]),
                                 {text_of(row[2]), integer_of(row[3]), integer_of(row[4]), text_of(row[5])}};
  for (OpenPage& page : pages)
    if (const auto found = versions.find(page.url); found != versions.end()) page.known = std::move(found->second);
  return {};
}

Result<void> begin_attempts(db::Connection& connection, std::int64_t job, std::int64_t task,
                            std::span<const std::int64_t> rows) {
  if (rows.empty()) return {};
  static const Sql sql(
      "UPDATE lade_page SET status = 'running', attempt = attempt + 1, tries = tries + 1, started_at = @now, "
      "completed_at = 0, task_id = $4 WHERE job_id = $2 AND row_id IN @list[$3]");
  const Value values[] = {Value(), job, queue::list_of(connection, rows), task};
  LADE_TRY(connection.execute(sql.of(connection), values));
  return {};
}

Result<std::vector<std::int64_t>> reset_pages(db::Connection& connection, std::int64_t job, const PageFilter& wanted) {
  PageFilter filter = wanted;
  filter.by_record = true;
  LADE_TRY(check_statuses(filter));
  // Found first: a limit, and the order of rows, which everybody locks them in.
  const std::string limit = filter.limit > 0 ? fmt::format(" LIMIT {}", filter.limit) : "";
  LADE_ASSIGN(const auto found,
              connection.query(fmt::format("SELECT row_id FROM lade_page WHERE {} AND {} IN ('failed', 'blocked', "
                                           "'cancelled') AND idempotency_key IS NOT NULL ORDER BY row_id{}",
                                           condition_of(filter), status_sql(true), limit),
                               filter_values(job, filter)));
  std::vector<std::int64_t> rows;
  for (const db::Row& row : found) rows.push_back(integer_of(row[0]));
  if (rows.empty()) return rows;
  static const Sql sql(
      "UPDATE lade_page SET status = 'pending', attempt = 0, available_at = 0, error_code = '', error_reason = '', "
      "error = NULL, http_status = 0, duration_ms = 0, enrich_ms = 0, started_at = 0, completed_at = 0, fields = NULL, "
      "gathered = 0 WHERE job_id = $1 AND row_id IN @list[$2]");
  const Value values[] = {job, queue::list_of(connection, rows)};
  LADE_TRY(connection.execute(sql.of(connection), values));
  return rows;
}

Result<std::vector<StuckPage>> release_stuck_pages(db::Connection& connection, std::chrono::microseconds threshold,
                                                   std::int64_t job) {
  static const Sql sql(
      "UPDATE lade_page SET status = 'retryable', error_code = 'stuck_timeout', error_reason = 'stuck_timeout', "
      "error = $3, available_at = 0, completed_at = @now WHERE status = 'running' AND started_at < @now - $2 "
      "AND (CAST($4 AS bigint) IS NULL OR job_id = CAST($4 AS bigint)) RETURNING job_id, row_id");
  const PageError error{.code = "stuck_timeout",
                        .message = fmt::format("nobody has told how this attempt ended for more than {} s",
                                               threshold.count() / 1'000'000),
                        .reason = "stuck_timeout"};
  const Value values[] = {Value(), std::int64_t{threshold.count()}, to_json(error), id_or_null(job)};
  LADE_ASSIGN(const auto rows, connection.query(sql.of(connection), values));
  std::vector<StuckPage> pages;
  for (const db::Row& row : rows) {
    pages.push_back({integer_of(row[0]), integer_of(row[1])});
    LADE_TRY(tell_batch_of_page(
        connection, {pages.back().job, pages.back().row_id, batch_event::kTaskMarkedRetryable, to_json(error)}));
  }
  return pages;
}

Result<bool> is_job_held(db::Connection& connection, std::int64_t job) {
  const Value values[] = {job};
  LADE_ASSIGN(const auto rows,
              connection.query("SELECT 1 FROM lade_job WHERE id = $1 AND (paused OR cancel_requested)", values));
  return !rows.empty();
}

Result<std::int64_t> cancel_pages(db::Connection& connection, std::int64_t job) {
  static const Sql sql(fmt::format(
      "UPDATE lade_page SET status = 'cancelled', completed_at = @now WHERE job_id = $2 AND {}", kNotEnded));
  const Value values[] = {Value(), job};
  return connection.execute(sql.of(connection), values);
}

Result<std::int64_t> fail_open_pages(db::Connection& connection, std::int64_t job, const PageError& error) {
  static const Sql sql(
      fmt::format("UPDATE lade_page SET status = 'failed', error_code = $3, error_reason = $4, error = $5, "
                  "completed_at = @now WHERE job_id = $2 AND {}",
                  kNotEnded));
  const Value values[] = {Value(), job, error.code, error.reason, to_json(error)};
  return connection.execute(sql.of(connection), values);
}

Result<void> mark_gathered(db::Connection& connection, std::int64_t job) {
  const Value values[] = {job};
  LADE_TRY(connection.execute(
      fmt::format("UPDATE lade_page SET gathered = 1 WHERE job_id = $1 AND gathered = 0 AND NOT ({})", kNotEnded),
      values));
  return {};
}

Result<void> mark_gathered(db::Connection& connection, std::int64_t job, std::span<const std::int64_t> rows) {
  if (rows.empty()) return {};
  static const Sql sql("UPDATE lade_page SET gathered = 1 WHERE job_id = $1 AND row_id IN @list[$2]");
  const Value values[] = {job, queue::list_of(connection, rows)};
  LADE_TRY(connection.execute(sql.of(connection), values));
  return {};
}

Result<bool> is_evidence(db::Connection& connection, const std::string& file) {
  const Value values[] = {file};
  LADE_ASSIGN(const auto rows, connection.query("SELECT 1 FROM lade_page WHERE evidence_path = $1 LIMIT 1", values));
  return !rows.empty();
}

Result<std::vector<std::string>> evidence_files(db::Connection& connection, std::int64_t job) {
  const Value values[] = {job};
  LADE_ASSIGN(const auto rows,
              connection.query("SELECT DISTINCT evidence_path FROM lade_page WHERE job_id = $1 AND evidence_path IS "
                               "NOT NULL",
                               values));
  std::vector<std::string> files;
  for (const db::Row& row : rows) files.push_back(text_of(row[0]));
  return files;
}

}  // namespace lade::store
