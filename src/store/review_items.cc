#include "store/review_items.h"

#include <fmt/format.h>

#include <algorithm>

#include "store/sql.h"

namespace lade::store {
namespace {

using db::Value;

constexpr std::size_t kItemsAtOnce = 200;
constexpr std::size_t kRowsAtOnce = 1000;

double number_of(const Value& value) {
  const auto* real = std::get_if<double>(&value);
  return real == nullptr ? static_cast<double>(integer_of(value)) : *real;
}

// `items` is where they come from, as i.
std::string select_items(const db::Connection& connection, std::string_view items = "lade_review_item i") {
  return fmt::format(
      "SELECT i.row_id, i.line, i.step, i.column_name, i.table_name, i.rules, i.name_key, i.name, i.tier, i.best, "
      "CASE WHEN i.ambiguous THEN 1 ELSE 0 END, i.candidates, i.record, "
      "CASE WHEN i.blocks THEN 1 ELSE 0 END, i.id, i.company_id, i.job_id, i.status, i.decision, i.entity_id, "
      "i.entity_name, i.decided_by, {}, CASE WHEN i.sent THEN 1 ELSE 0 END, i.send_error, i.revision, {}, "
      "CAST(j.uuid AS text), j.slug, j.file_name, b.name, j.created_by_id, j.project_id, p.url, p.evidence_path, "
      "p.checksum FROM {} "
      "JOIN lade_job j ON j.id = i.job_id LEFT JOIN lade_batch b ON b.id = j.batch_id "
      "LEFT JOIN lade_page p ON p.job_id = i.job_id AND p.row_id = i.row_id ",
      time_sql(connection, "i.decided_at"), time_sql(connection, "i.created_at"), items);
}

ReviewItem item_of(const db::Row& row) {
  ReviewItem item;
  std::size_t at = 0;
  const auto integer = [&] { return integer_of(row[at++]); };
  const auto text = [&] { return text_of(row[at++]); };
  item.row = integer();
  item.line = integer();
  for (std::string* field : {&item.step, &item.column, &item.table, &item.rules, &item.key, &item.name, &item.tier})
    *field = text();
  item.best = number_of(row[at++]);
  item.ambiguous = integer() != 0;
  for (std::string* field : {&item.candidates, &item.record}) *field = text();
  item.blocks = integer() != 0;
  for (std::int64_t* field : {&item.id, &item.company, &item.job}) *field = integer();
  for (std::string* field : {&item.status, &item.decision.decision, &item.decision.entity, &item.decision.entity_name,
                             &item.decision.decided_by, &item.decision.decided_at})
    *field = text();
  item.sent = integer() != 0;
  item.send_error = text();
  item.revision = integer();
  for (std::string* field : {&item.created_at, &item.job_uuid, &item.job_slug, &item.file_name, &item.batch})
    *field = text();
  item.job_created_by_id = integer();
  item.job_project = integer();
  for (std::string* field : {&item.source_url, &item.evidence_path, &item.checksum}) *field = text();
  return item;
}

Result<std::vector<ReviewItem>> items_of(db::Connection& connection, const std::vector<db::Row>& rows) {
  std::vector<ReviewItem> items;
  std::vector<RecordPlace> places;
  for (const db::Row& row : rows) {
    items.push_back(item_of(row));
    places.push_back({items.back().job, items.back().row});
  }
  LADE_ASSIGN(const auto qualities, record_qualities(connection, places));
  for (std::size_t i = 0; i < items.size(); ++i) items[i].quality = qualities[i].value_or(model::Quality());
  return items;
}

// What a filter wants, as a condition with its parameters.
struct Condition {
  std::string sql;
  std::vector<Value> values;
  void add(std::string_view text, Value value) {
    values.push_back(std::move(value));
    sql += fmt::format(" AND {}${}", text, values.size());
  }
};

Condition condition_of(const ReviewFilter& filter) {
  Condition condition{"WHERE i.company_id = $1", {filter.company}};
  if (!filter.status.empty()) condition.add("i.status = ", filter.status);
  if (filter.min) condition.add("i.best >= ", *filter.min);
  if (filter.below) condition.add("i.best < ", *filter.below);
  if (!filter.table.empty()) condition.add("i.table_name = ", filter.table);
  if (filter.job != 0) condition.add("i.job_id = ", filter.job);
  if (filter.batch_id != 0) condition.add("j.batch_id = ", filter.batch_id);
  if (filter.seen_by != 0) {
    condition.values.push_back(filter.seen_by);
    condition.values.push_back(filter.project);
    condition.sql += fmt::format(" AND (j.created_by_id = ${} OR (${} <> 0 AND j.project_id = ${}))",
                                 condition.values.size() - 1, condition.values.size(), condition.values.size());
  }
  if (filter.after != 0) condition.add("i.id > ", filter.after);
  return condition;
}

Result<void> put_some(db::Connection& connection, std::int64_t job, std::int64_t company,
                      std::span<const NewReviewItem> items) {
  std::vector<Value> values = {job, company};
  std::string rows;
  for (const NewReviewItem& item : items) {
    rows += fmt::format("{}($1, $2, {}", rows.empty() ? "" : ", ", now_sql(connection));
    const auto add = [&](Value value, std::string_view type = {}) {
      values.push_back(std::move(value));
      rows +=
          type.empty() ? fmt::format(", ${}", values.size()) : fmt::format(", CAST(${} AS {})", values.size(), type);
    };
    add(item.row);
    add(item.line);
    for (const std::string* text :
         {&item.step, &item.column, &item.table, &item.rules, &item.key, &item.name, &item.tier})
      add(*text);
    add(item.best, "double precision");
    rows += item.ambiguous ? ", true" : ", false";
    for (const std::string* text : {&item.candidates, &item.record}) add(*text);
    add(fmt::format(R"({{"completeness":{}}})", item.completeness));
    rows += item.blocks ? ", 0, true)" : ", 0, false)";  // the score follows from what is stored when it is shown
  }
  LADE_TRY(connection.execute(
      fmt::format("INSERT INTO lade_review_item (job_id, company_id, created_at, row_id, line, step, column_name, "
                  "table_name, rules, name_key, name, tier, best, ambiguous, candidates, record, quality, "
                  "quality_score, blocks) VALUES {} ON CONFLICT (job_id, row_id, step) DO UPDATE SET "
                  "column_name = excluded.column_name, table_name = excluded.table_name, rules = excluded.rules, "
                  "name_key = excluded.name_key, name = excluded.name, tier = excluded.tier, best = excluded.best, "
                  "ambiguous = excluded.ambiguous, candidates = excluded.candidates, record = excluded.record, "
                  "quality = excluded.quality, quality_score = excluded.quality_score, blocks = excluded.blocks, "
                  "status = 'open', decision = '', entity_id = '', entity_name = '', decided_by = '', "
                  "decided_at = NULL, sent = false, send_error = '', revision = lade_review_item.revision + 1",
                  rows),
      values));
  return {};
}

constexpr std::string_view kOfKey = "company_id = $1 AND table_name = $2 AND rules = $3 AND name_key = $4";

std::vector<Value> values_of(const NameKey& key) {
  return {key.company, key.table, key.rules, key.name};
}

// SQLite's writing transaction is a lock by itself.
Result<void> lock(db::Connection& connection, const std::string& what) {
  if (connection.backend() == db::Backend::sqlite) return {};
  const Value values[] = {what};
  LADE_TRY(
      connection.query("SELECT pg_advisory_xact_lock(hashtextextended(current_schema() || ' ' || $1, 0))", values));
  return {};
}

Result<std::vector<std::int64_t>> ids(db::Connection& connection, std::string_view sql, std::span<const Value> values) {
  LADE_ASSIGN(const auto rows, connection.query(sql, values));
  std::vector<std::int64_t> found;
  for (const db::Row& row : rows) found.push_back(integer_of(row[0]));
  return found;
}

// Decided for an entity, and its row waits for nothing else.
constexpr std::string_view kToSend =
    "status = 'decided' AND blocks AND NOT sent AND decision <> 'reject' AND send_error = '' AND NOT EXISTS (SELECT 1 "
    "FROM lade_review_item AS other WHERE other.job_id = lade_review_item.job_id AND other.row_id = "
    "lade_review_item.row_id AND other.status = 'open' AND other.blocks)";

}  // namespace

Result<void> put_review_items(db::Connection& connection, std::int64_t job, std::int64_t company,
                              std::span<const NewReviewItem> items) {
  for (; !items.empty(); items = items.subspan(std::min(items.size(), kItemsAtOnce)))
    LADE_TRY(put_some(connection, job, company, items.first(std::min(items.size(), kItemsAtOnce))));
  return {};
}

Result<void> settle_review_items(db::Connection& connection, std::int64_t job, std::span<const std::int64_t> rows) {
  const Value values[] = {job};
  for (; !rows.empty(); rows = rows.subspan(std::min(rows.size(), kRowsAtOnce)))
    LADE_TRY(connection.execute(
        fmt::format("UPDATE lade_review_item SET sent = (status = 'decided'), "
                    "status = CASE WHEN status = 'open' THEN 'withdrawn' ELSE status END, revision = revision + 1 "
                    "WHERE job_id = $1 AND (status = 'open' OR (status = 'decided' AND NOT sent)) AND row_id IN ({})",
                    fmt::join(rows.first(std::min(rows.size(), kRowsAtOnce)), ", ")),
        values));
  return {};
}

Result<std::vector<ReviewItem>> list_review_items(db::Connection& connection, const ReviewFilter& filter) {
  Condition condition = condition_of(filter);
  condition.values.push_back(filter.limit);
  // The ids of the page first, from an index alone: rows are long.
  const std::string page = fmt::format(
      "(SELECT i.id FROM lade_review_item i {} {} ORDER BY i.id LIMIT ${}) AS wanted JOIN lade_review_item i "
      "ON i.id = wanted.id",
      filter.batch_id != 0 || filter.seen_by != 0 ? "JOIN lade_job j ON j.id = i.job_id" : "", condition.sql,
      condition.values.size());
  LADE_ASSIGN(const auto rows, connection.query(select_items(connection, page) + "ORDER BY i.id", condition.values));
  return items_of(connection, rows);
}

Result<std::optional<ReviewItem>> find_review_item(db::Connection& connection, std::int64_t company, std::int64_t id) {
  const Value values[] = {company, id};
  LADE_ASSIGN(const auto rows,
              connection.query(select_items(connection) + "WHERE i.company_id = $1 AND i.id = $2", values));
  LADE_ASSIGN(auto items, items_of(connection, rows));
  if (items.empty()) return std::nullopt;
  return std::move(items.front());
}

Result<void> lock_reviews(db::Connection& connection, std::int64_t company) {
  return lock(connection, fmt::format("lade_review {}", company));
}

Result<void> lock_sending(db::Connection& connection, std::int64_t job) {
  return lock(connection, fmt::format("lade_resend {}", job));
}

Result<ReviewCount> count_review_items(db::Connection& connection, const ReviewFilter& filter) {
  const Condition condition = condition_of(filter);
  LADE_ASSIGN(const auto rows,
              connection.query("SELECT count(*), count(DISTINCT i.table_name || ' ' || i.rules || ' ' || i.name_key), "
                               "coalesce(sum(CASE WHEN i.ambiguous THEN 1 ELSE 0 END), 0) FROM lade_review_item i JOIN "
                               "lade_job j ON j.id = i.job_id " +
                                   condition.sql,
                               condition.values));
  const db::Row& row = rows.front();
  return ReviewCount{integer_of(row[0]), integer_of(row[1]), integer_of(row[2])};
}

Result<std::int64_t> decide_review_items(db::Connection& connection, const NameKey& key, const NameDecision& decision) {
  std::vector<Value> values = values_of(key);
  for (const std::string* text : {&decision.decision, &decision.entity, &decision.entity_name, &decision.decided_by})
    values.emplace_back(*text);
  return connection.execute(
      fmt::format("UPDATE lade_review_item SET status = 'decided', decision = $5, entity_id = $6, entity_name = $7, "
                  "decided_by = $8, decided_at = {}, sent = false, send_error = '', revision = revision + 1 WHERE {} "
                  "AND (status = 'open' OR (status = 'decided' AND NOT sent))",
                  now_sql(connection), kOfKey),
      values);
}

Result<std::int64_t> decide_remembered(db::Connection& connection, std::int64_t job, std::int64_t first_row,
                                       std::int64_t last_row) {
  const Value values[] = {job, first_row, last_row};
  return connection.execute(
      "UPDATE lade_review_item SET status = 'decided', decision = d.decision, entity_id = d.entity_id, entity_name = "
      "d.entity_name, decided_by = d.decided_by, decided_at = d.decided_at, revision = revision + 1 FROM "
      "lade_name_decision AS d WHERE job_id = $1 AND row_id BETWEEN $2 AND $3 AND status = 'open' AND d.company_id = "
      "lade_review_item.company_id AND "
      "d.table_name = lade_review_item.table_name AND d.rules = lade_review_item.rules AND d.name_key = "
      "lade_review_item.name_key",
      values);
}

Result<std::int64_t> reopen_review_items(db::Connection& connection, const NameKey& key) {
  return connection.execute(
      fmt::format("UPDATE lade_review_item SET status = 'open', decision = '', entity_id = '', entity_name = '', "
                  "decided_by = '', decided_at = NULL, send_error = '', revision = revision + 1 WHERE {} AND status = "
                  "'decided' AND NOT sent",
                  kOfKey),
      values_of(key));
}

Result<std::int64_t> count_sent(db::Connection& connection, const NameKey& key) {
  LADE_ASSIGN(const auto rows,
              connection.query(fmt::format("SELECT count(*) FROM lade_review_item WHERE {} AND status = 'decided' AND "
                                           "sent",
                                           kOfKey),
                               values_of(key)));
  return integer_of(rows.front().front());
}

Result<std::vector<std::int64_t>> jobs_that_ask(db::Connection& connection, const NameKey& key) {
  return ids(connection,
             fmt::format("SELECT DISTINCT job_id FROM lade_review_item WHERE {} AND (status = 'open' OR (status = "
                         "'decided' AND NOT sent)) ORDER BY 1",
                         kOfKey),
             values_of(key));
}

Result<std::vector<std::int64_t>> jobs_to_send(db::Connection& connection, const NameKey& key) {
  return ids(connection,
             fmt::format("SELECT DISTINCT job_id FROM lade_review_item WHERE {} AND {} ORDER BY 1", kOfKey, kToSend),
             values_of(key));
}

Result<RowsToSend> rows_to_send(db::Connection& connection, std::int64_t job, std::int64_t most) {
  const Value values[] = {job, most};
  LADE_ASSIGN(const auto rows, connection.query(fmt::format("SELECT row_id, decided_by FROM lade_review_item WHERE "
                                                            "job_id = $1 AND {} ORDER BY row_id, decided_at LIMIT $2",
                                                            kToSend),
                                                values));
  RowsToSend found{.more = std::ssize(rows) == most};
  for (const db::Row& row : rows) {
    if (found.rows.empty() || found.rows.back() != integer_of(row[0])) found.rows.push_back(integer_of(row[0]));
    found.by = text_of(row[1]);
  }
  return found;
}

Result<void> refuse_rows(db::Connection& connection, std::int64_t job, std::span<const std::int64_t> rows,
                         const std::string& why) {
  const Value values[] = {job, why};
  for (; !rows.empty(); rows = rows.subspan(std::min(rows.size(), kRowsAtOnce)))
    LADE_TRY(connection.execute(
        fmt::format("UPDATE lade_review_item SET send_error = $2, revision = revision + 1 WHERE job_id = $1 AND status "
                    "= 'decided' AND NOT sent AND row_id IN ({})",
                    fmt::join(rows.first(std::min(rows.size(), kRowsAtOnce)), ", ")),
        values));
  return {};
}

}  // namespace lade::store
