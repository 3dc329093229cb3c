#include "store/job_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/assert.h"
#include "store/sql.h"

namespace lade::store {
namespace {

using db::Value;
using model::Outcome;

std::string select_jobs(const db::Connection& connection) {
  const auto time = [&](std::string_view column) { return time_sql(connection, column); };
  return fmt::format(
      "SELECT j.id, CAST(j.uuid AS text), j.slug, j.definition_id, d.slug, d.version, j.file_id, CAST(f.uuid AS text), "
      "j.file_name, "
      "j.file_bytes, j.batch_id, b.name, j.company_id, j.project_id, j.created_by, j.created_by_id, j.options, "
      "j.dedupe_hash, j.state, j.outcome, j.paused, "
      "j.cancel_requested, j.ended_in, j.error_code, j.error, j.error_hint, j.results_error, j.retries, "
      "j.review_revision, "
      "j.reviewed_by, (SELECT w.slug FROM lade_job w WHERE w.id = j.waits_for AND j.outcome IS NULL), j.undoes, "
      "(SELECT u.slug FROM lade_job u WHERE u.id = j.undoes), j.undone_by, "
      "(SELECT u.slug FROM lade_job u WHERE u.id = j.undone_by), j.rows_total, "
      "j.rows_analysed, j.rows_read, j.rows_inserted, j.rows_updated, j.rows_unchanged, "
      "j.rows_failed, j.rows_skipped, j.rows_unprocessed, j.rows_deleted, j.rows_removed, j.issues, j.chunks, "
      "j.chunks_done, "
      "j.buckets, "
      "j.buckets_settled, j.buckets_processed, j.events, {}, {}, {}, {} "
      "FROM lade_job j JOIN lade_definition d ON d.id = j.definition_id LEFT JOIN lade_batch b ON b.id = j.batch_id "
      "LEFT JOIN lade_file f ON f.id = j.file_id ",
      time("j.created_at"), time("j.started_at"), time("j.reviewed_at"), time("j.finished_at"));
}

// Takes the columns of a row one after another.
class Columns {
 public:
  explicit Columns(const db::Row& row) : row_(row) {}
  ~Columns() { LADE_ASSERT(next_ == row_.size()); }
  std::int64_t integer() { return integer_of(row_[next_++]); }
  std::string text() { return text_of(row_[next_++]); }
  bool flag() { return integer() != 0; }
  std::optional<std::int64_t> integer_or_null() {
    const auto* value = std::get_if<std::int64_t>(&row_[next_++]);
    return value == nullptr ? std::nullopt : std::optional(*value);
  }

 private:
  const db::Row& row_;
  std::size_t next_ = 0;
};

void read_identity(Columns& columns, JobRecord& job) {
  job.id = columns.integer();
  job.uuid = columns.text();
  job.slug = columns.text();
  job.definition_id = columns.integer();
  job.definition = columns.text();
  job.definition_version = columns.integer();
  job.file_id = columns.integer();
  job.file_uuid = columns.text();
  job.file_name = columns.text();
  job.file_bytes = columns.integer();
  job.batch_id = columns.integer();
  job.batch = columns.text();
  job.company = columns.integer();
  job.project = columns.integer();
  job.created_by = columns.text();
  job.created_by_id = columns.integer();
  job.options = columns.text();
  job.dedupe_hash = columns.text();
}

void read_standing(Columns& columns, JobRecord& job) {
  const auto state = model::job_state_of(columns.text());
  LADE_ASSERT(state);  // the table's own check
  job.standing = {*state, model::job_outcome_of(columns.text())};
  job.paused = columns.flag();
  job.cancel_requested = columns.flag();
  job.ended_in = model::job_state_of(columns.text());
  job.error_code = columns.text();
  job.error = columns.text();
  job.error_hint = columns.text();
  job.results_error = columns.text();
  job.retries = columns.integer();
  job.review_revision = columns.integer();
  job.reviewed_by = columns.text();
  job.waits_for = columns.text();
  job.undoes_id = columns.integer();
  job.undoes = columns.text();
  job.undone_by_id = columns.integer();
  job.undone_by = columns.text();
}

void read_counts(Columns& columns, JobRecord& job) {
  job.rows_total = columns.integer_or_null();
  job.rows_analysed = columns.integer();
  job.rows.read = columns.integer();
  for (const Outcome outcome : model::kOutcomes) job.rows[outcome] = columns.integer();
  job.rows.removed = columns.integer();
  job.issues = columns.text();
  job.chunks = columns.integer();
  job.chunks_done = columns.integer();
  job.buckets = columns.integer();
  job.buckets_settled = columns.integer();
  job.buckets_processed = columns.integer();
  job.events = columns.integer();
}

JobRecord job_of(const db::Row& row) {
  JobRecord job;
  Columns columns(row);
  read_identity(columns, job);
  read_standing(columns, job);
  read_counts(columns, job);
  job.created_at = columns.text();
  job.started_at = columns.text();
  job.reviewed_at = columns.text();
  job.finished_at = columns.text();
  return job;
}

Result<std::optional<JobRecord>> first_job(db::Connection& connection, const std::string& condition,
                                           std::span<const Value> values) {
  LADE_ASSIGN(const auto rows, connection.query(select_jobs(connection) + condition, values));
  if (rows.empty()) return std::nullopt;
  return job_of(rows.front());
}

// The rows of which job_status() says this; nullopt when it never says so.
std::optional<std::string> status_sql(std::string_view status) {
  std::string sql;
  const auto add = [&](const model::JobStanding& standing, bool paused) {
    if (job_status(standing, paused) != status) return;
    sql += fmt::format("{}(j.state = '{}'", sql.empty() ? "" : " OR ", to_string(standing.state));
    if (standing.outcome) sql += fmt::format(" AND j.outcome = '{}'", to_string(*standing.outcome));
    sql += paused ? " AND j.paused)" : " AND NOT j.paused)";
  };
  for (const bool paused : {false, true}) {
    for (std::size_t i = 0; i < model::kJobStates; ++i)
      if (const auto state = static_cast<model::JobState>(i); state != model::JobState::finished)
        add({state, std::nullopt}, paused);
    for (std::size_t i = 0; i < model::kJobOutcomes; ++i)
      add({model::JobState::finished, static_cast<model::JobOutcome>(i)}, paused);
  }
  return sql.empty() ? std::nullopt : std::optional("(" + sql + ")");
}

// The same of several, with commas between; empty: whatever the status is.
Result<std::string> statuses_sql(std::string_view words) {
  std::string sql;
  while (!words.empty()) {
    const std::string_view word = words.substr(0, words.find(','));
    words.remove_prefix(std::min(word.size() + 1, words.size()));
    const std::optional<std::string> one = status_sql(word);
    if (!one)
      return fail("status_unknown", fmt::format("no job has the status '{}'", word),
                  "queued, running, paused, waiting_for_review, succeeded, failed, rejected, cancelled or undone",
                  ErrorKind::usage);
    sql += (sql.empty() ? " AND (" : " OR ") + *one;
  }
  return sql.empty() ? sql : sql + ")";
}

bool is_uuid(std::string_view text) {
  if (text.size() != 36) return false;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (i == 8 || i == 13 || i == 18 || i == 23 ? text[i] != '-'
                                                : std::isxdigit(static_cast<unsigned char>(text[i])) == 0)
      return false;
  return true;
}

}  // namespace

Result<std::optional<JobRecord>> find_job(db::Connection& connection, std::string_view reference,
                                          std::int64_t company) {
  // Each by its own index: there may be very many jobs.
  if (is_uuid(reference)) {
    const Value values[] = {company, std::string(reference)};
    const bool sqlite = connection.backend() == db::Backend::sqlite;
    LADE_ASSIGN(auto job, first_job(connection,
                                    sqlite ? "WHERE j.company_id = $1 AND j.uuid = $2"
                                           : "WHERE j.company_id = $1 AND j.uuid = CAST($2 AS uuid)",
                                    values));
    if (job) return job;
  }
  std::int64_t id = 0;
  const char* end = reference.data() + reference.size();
  if (const auto parsed = std::from_chars(reference.data(), end, id); parsed.ptr != end || parsed.ec != std::errc())
    id = 0;
  const Value values[] = {company, id, std::string(reference)};
  return first_job(connection, "WHERE j.company_id = $1 AND (j.id = CAST($2 AS bigint) OR j.slug = $3)", values);
}

Result<std::optional<JobRecord>> job_with_id(db::Connection& connection, std::int64_t id) {
  const Value values[] = {id};
  return first_job(connection, "WHERE j.id = $1", values);
}

Result<std::string> job_snapshot(db::Connection& connection, std::int64_t id) {
  const Value values[] = {id};
  LADE_ASSIGN(const auto rows, connection.query("SELECT snapshot FROM lade_job WHERE id = $1", values));
  if (rows.empty()) return fail("job_not_found", fmt::format("there is no job {}", id), "", ErrorKind::invalid);
  return text_of(rows.front().front());
}

Result<JobPage> list_jobs(db::Connection& connection, const JobFilter& filter) {
  const Value values[] = {filter.company,
                          text_or_null(filter.definition),
                          id_or_null(filter.batch_id),
                          id_or_null(filter.before),
                          filter.limit + 1,
                          id_or_null(filter.project),
                          id_or_null(filter.seen_by),
                          text_or_null(filter.file),
                          id_or_null(filter.file_id),
                          text_or_null(filter.owner),
                          text_or_null(filter.words),
                          text_or_null(filter.from),
                          text_or_null(filter.to)};
  const std::string_view place = filter.oldest_first ? "j.id >" : "j.id <";
  // SQLite would find all jobs of the company by an index and sort them: with the sign it walks along the ids and stops
  // after a page.
  const std::string_view sign = connection.backend() == db::Backend::sqlite ? "+" : "";
  std::string condition = fmt::format(
      "WHERE {3}j.company_id = $1 AND (CAST($2 AS text) IS NULL OR d.slug = $2) "
      "AND (CAST($3 AS bigint) IS NULL OR j.batch_id = CAST($3 AS bigint)) "
      "AND (CAST($4 AS bigint) IS NULL OR {0} CAST($4 AS bigint)) "
      "AND (CAST($7 AS bigint) IS NULL OR j.created_by_id = CAST($7 AS bigint) OR j.project_id = CAST($6 AS bigint)) "
      "AND (CAST($8 AS text) IS NULL OR {1}(lower(j.file_name), lower($8)) > 0) "
      "AND (CAST($9 AS bigint) IS NULL OR j.file_id = CAST($9 AS bigint)) "
      "AND (CAST($10 AS text) IS NULL OR j.created_by = $10) "
      "AND (CAST($11 AS text) IS NULL OR {1}(lower(j.file_name || ' ' || j.slug || ' ' || d.name), lower($11)) > 0) "
      "AND (CAST($12 AS text) IS NULL OR {2} >= $12) AND (CAST($13 AS text) IS NULL OR {2} < $13)",
      place, connection.backend() == db::Backend::sqlite ? "instr" : "strpos", time_sql(connection, "j.created_at"),
      sign);
  LADE_ASSIGN(const std::string statuses, statuses_sql(filter.status));
  condition += statuses;
  LADE_ASSIGN(const auto rows,
              connection.query(select_jobs(connection) + condition +
                                   (filter.oldest_first ? " ORDER BY j.id LIMIT $5" : " ORDER BY j.id DESC LIMIT $5"),
                               values));
  JobPage page;
  const auto count = std::min(rows.size(), static_cast<std::size_t>(std::max<std::int64_t>(filter.limit, 0)));
  for (std::size_t i = 0; i < count; ++i) page.jobs.push_back(job_of(rows[i]));
  if (rows.size() > count && count > 0) page.next = page.jobs.back().id;
  return page;
}

Result<std::vector<StatusCount>> count_jobs(db::Connection& connection, const JobFilter& filter) {
  std::vector<Value> values{filter.company};
  std::string condition;
  const auto add = [&](std::string_view text, Value value) {
    values.push_back(std::move(value));
    condition += fmt::format(fmt::runtime(text), values.size());
  };
  if (!filter.definition.empty())
    add(" AND definition_id IN (SELECT id FROM lade_definition WHERE company_id = $1 AND slug = ${})",
        filter.definition);
  if (!filter.owner.empty()) add(" AND created_by = ${}", filter.owner);
  if (filter.seen_by != 0 && filter.project != 0) {
    add(" AND (project_id = ${}", filter.project);
    add(" OR created_by_id = ${})", filter.seen_by);
  } else if (filter.seen_by != 0) {
    add(" AND created_by_id = ${}", filter.seen_by);
  }
  LADE_ASSIGN(const auto rows,
              connection.query("SELECT state, outcome, paused, count(*) FROM lade_job WHERE company_id = $1" +
                                   condition + " GROUP BY state, outcome, paused",
                               values));
  std::vector<StatusCount> counts;
  for (const std::string_view status :
       {"queued", "running", "paused", "waiting_for_review", "succeeded", "failed", "rejected", "cancelled", "undone"})
    counts.push_back({status, 0});
  for (const db::Row& row : rows) {
    const model::JobStanding standing{*model::job_state_of(text_of(row[0])), model::job_outcome_of(text_of(row[1]))};
    const std::string_view status = model::job_status(standing, integer_of(row[2]) != 0);
    const auto found = std::ranges::find(counts, status, &StatusCount::status);
    LADE_ASSERT(found != counts.end());
    found->jobs += integer_of(row[3]);
  }
  return counts;
}

Result<std::optional<JobRecord>> find_twin(db::Connection& connection, std::string_view dedupe_hash,
                                           std::optional<std::chrono::seconds> window, std::int64_t company) {
  const Value values[] = {company, std::string(dedupe_hash), window ? Value(std::int64_t{window->count()}) : Value()};
  const std::string recently = connection.backend() == db::Backend::sqlite
                                   ? "j.finished_at >= strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-' || $3 || ' seconds')"
                                   : "j.finished_at >= now() - make_interval(secs => CAST($3 AS bigint))";
  return first_job(connection,
                   "WHERE j.company_id = $1 AND j.dedupe_hash = $2 AND (j.outcome IS NULL OR "
                   "(j.outcome = 'succeeded' AND " +
                       recently + ")) ORDER BY j.outcome IS NULL DESC, j.id DESC LIMIT 1",
                   values);
}

}  // namespace lade::store
