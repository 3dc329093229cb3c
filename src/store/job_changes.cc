#include "store/job_changes.h"

#include <fmt/format.h>

#include <vector>

#include "base/one_line.h"
#include "store/batches.h"
#include "store/events.h"
#include "store/job_list.h"
#include "store/sql.h"
#include "store/tally.h"
#include "store/undo.h"

namespace lade::store {
namespace {

using db::Value;
using model::JobEvent;
using model::JobStanding;
using model::JobState;
using model::Outcome;

Error job_not_found(std::int64_t id) {
  return {"job_not_found", fmt::format("there is no job {}", id), "", ErrorKind::invalid};
}

// The part of a job that decides what may happen to it.
struct Decisive {
  JobStanding standing;
  std::optional<JobState> ended_in;
  std::int64_t revision = 0;
  std::string dedupe_hash;
  std::int64_t company = 0;
  bool forced = false;
  bool paused = false;
  bool cancel_requested = false;
  std::int64_t undone_by = 0;
  std::string slug;
};

Result<Decisive> read_decisive(db::Connection& connection, std::int64_t id) {
  const Value values[] = {id};
  LADE_ASSIGN(const auto rows,
              connection.query("SELECT state, outcome, ended_in, review_revision, dedupe_hash, company_id, forced, "
                               "paused, cancel_requested, undone_by, slug FROM lade_job WHERE id = $1",
                               values));
  if (rows.empty()) return fail(job_not_found(id));
  const db::Row& row = rows.front();
  return Decisive{{model::job_state_of(text_of(row[0])).value(), model::job_outcome_of(text_of(row[1]))},
                  model::job_state_of(text_of(row[2])),
                  integer_of(row[3]),
                  text_of(row[4]),
                  integer_of(row[5]),
                  integer_of(row[6]) != 0,
                  integer_of(row[7]) != 0,
                  integer_of(row[8]) != 0,
                  integer_of(row[9]),
                  text_of(row[10])};
}

// An UPDATE of one job, built clause by clause.
class JobUpdate {
 public:
  void set(std::string_view column, Value value) {
    set_sql(fmt::format("{} = {}", column, parameter(std::move(value))));
  }
  void set_sql(std::string_view assignment) {
    sql_ += fmt::format("{}{}", sql_.empty() ? "UPDATE lade_job SET " : ", ", assignment);
  }
  // The parameter that stands for the value.
  std::string parameter(Value value) {
    values_.push_back(std::move(value));
    return fmt::format("${}", values_.size());
  }
  // Changes the job if it still stands there; false when it does not.
  Result<bool> run(db::Connection& connection, std::int64_t id, const Decisive& from) {
    sql_ += fmt::format(" WHERE id = {} AND state = {} AND review_revision = {} AND undone_by = {}", parameter(id),
                        parameter(std::string(to_string(from.standing.state))), parameter(from.revision),
                        parameter(from.undone_by));
    sql_ += from.standing.outcome
                ? fmt::format(" AND outcome = {}", parameter(std::string(to_string(*from.standing.outcome))))
                : " AND outcome IS NULL";
    LADE_ASSIGN(const std::int64_t changed, connection.execute(sql_, values_));
    return changed == 1;
  }

 private:
  std::string sql_;
  std::vector<Value> values_;
};

void set_end(JobUpdate& update, const db::Connection& connection, const Decisive& from, const JobChange& change) {
  update.set_sql(fmt::format("finished_at = {}", now_sql(connection)));
  update.set("ended_in", std::string(to_string(from.standing.state)));
  update.set("error", text_or_null(one_line(change.error)));
  update.set("error_code", text_or_null(change.error_code));
  update.set("error_hint", text_or_null(one_line(change.error_hint)));
}

void set_return(JobUpdate& update) {
  update.set_sql(
      "finished_at = NULL, ended_in = NULL, error = NULL, error_code = NULL, error_hint = NULL, results_error = NULL");
  update.set("cancel_requested", std::int64_t{0});
  update.set_sql("retries = retries + 1");
}

// Beside state and outcome, what the event changes.
void set_effects(JobUpdate& update, const db::Connection& connection, const Decisive& from, const JobStanding& to,
                 const JobChange& change) {
  const bool was_finished = from.standing.state == JobState::finished, is_finished = to.state == JobState::finished;
  if (!was_finished && is_finished) set_end(update, connection, from, change);
  if (was_finished && !is_finished) set_return(update);
  switch (change.event) {
    case JobEvent::preparation_started:
    case JobEvent::processing_started:
      update.set_sql(fmt::format("started_at = coalesce(started_at, {})", now_sql(connection)));
      break;
    case JobEvent::file_stored: {
      const std::string file = update.parameter(change.file_id);
      update.set_sql(
          fmt::format("file_id = CAST({0} AS integer), "
                      "file_name = (SELECT name FROM lade_file WHERE id = CAST({0} AS integer)), "
                      "file_bytes = (SELECT bytes FROM lade_file WHERE id = CAST({0} AS integer))",
                      file));
      update.set("dedupe_hash", text_or_null(change.dedupe_hash));
      break;
    }
    case JobEvent::approved:
    case JobEvent::rejected:
      update.set("reviewed_by", change.actor);
      update.set_sql(fmt::format("reviewed_at = {}", now_sql(connection)));
      break;
    case JobEvent::fixed: update.set_sql("review_revision = review_revision + 1"); break;
    default: break;
  }
}

Result<void> check_revision(const Decisive& job, const JobChange& change) {
  if (!change.revision || *change.revision == job.revision) return {};
  return fail(
      "revision_changed",
      fmt::format("revision {} was reviewed, but rows were corrected since: it is {}", *change.revision, job.revision),
      "look at the newest revision, then approve that", ErrorKind::invalid);
}

Result<void> check_no_twin(db::Connection& connection, const Decisive& job, const JobStanding& to,
                           const JobChange& change) {
  const bool returns = job.standing.state == JobState::finished && to.state != JobState::finished;
  const std::string& hash = returns ? job.dedupe_hash : change.dedupe_hash;
  if (hash.empty() || job.forced) return {};
  LADE_ASSIGN(const auto twin, find_twin(connection, hash, std::nullopt, job.company));
  if (!twin) return {};
  return fail("job_exists", fmt::format("job {} does the same at the moment", twin->slug), "wait for it, or cancel it",
              ErrorKind::duplicate);
}

// A way back from finished is closed while another job takes it back, or has done so halfway.
Result<void> check_not_being_undone(db::Connection& connection, const Decisive& job) {
  if (job.undone_by == 0) return {};
  LADE_ASSIGN(const auto undo, job_with_id(connection, job.undone_by));
  if (!undo || !is_open_undo(*undo)) return {};
  return fail(being_undone(job.slug, *undo));
}

// It is closed for good when the batch was finalized.
Result<void> check_batch_is_open(db::Connection& connection, std::int64_t job) {
  const Value values[] = {job};
  LADE_ASSIGN(const auto batch,
              connection.query("SELECT batch_id FROM lade_job WHERE id = $1 AND batch_id IS NOT NULL", values));
  if (batch.empty()) return {};
  const std::int64_t id = integer_of(batch.front().front());
  LADE_TRY(lock_batch(connection, id));
  LADE_ASSIGN(const bool finalized, is_finalized(connection, id));
  if (!finalized) return {};
  return fail("transition_refused", "the batch of the job was finalized: nothing of it changes any more",
              "import the file again, outside this batch", ErrorKind::invalid);
}

Result<void> check_may_return(db::Connection& connection, std::int64_t id, const Decisive& job, const JobStanding& to) {
  if (job.standing.state != JobState::finished || to.state == JobState::finished) return {};
  LADE_TRY(check_not_being_undone(connection, job));
  return check_batch_is_open(connection, id);
}

Result<void> set_flag(db::Connection& connection, std::int64_t id, std::string_view column, bool value,
                      std::string_view event, const std::string& actor) {
  return in_transaction(connection, [&]() -> Result<void> {
    const Value values[] = {std::int64_t{value}, id};
    LADE_ASSIGN(const std::int64_t changed,
                connection.execute(fmt::format("UPDATE lade_job SET {0} = $1 WHERE id = $2 AND outcome IS NULL AND {0} "
                                               "<> $1",
                                               column),
                                   values));
    if (changed == 1) {
      LADE_TRY(append_event(connection, {id, std::string(event), actor}));
      return {};
    }
    LADE_ASSIGN(const Decisive job, read_decisive(connection, id));
    if (job.standing.state != JobState::finished) return {};
    return fail("transition_refused", fmt::format("job {} is {}: it cannot be {}", id, to_string(job.standing), event),
                "only a job that is not finished can be paused, resumed or cancelled", ErrorKind::invalid);
  });
}

Result<void> set_text(db::Connection& connection, std::int64_t id, std::string_view column, const std::string& text) {
  const Value values[] = {text, id};
  LADE_ASSIGN(const std::int64_t changed,
              connection.execute(fmt::format("UPDATE lade_job SET {} = $1 WHERE id = $2", column), values));
  if (changed == 0) return fail(job_not_found(id));
  return {};
}

Result<std::int64_t> number_of(db::Connection& connection, std::int64_t id, std::string_view column) {
  const Value values[] = {id};
  LADE_ASSIGN(const auto rows, connection.query(fmt::format("SELECT {} FROM lade_job WHERE id = $1", column), values));
  if (rows.empty()) return fail(job_not_found(id));
  return integer_of(rows.front().front());
}

Result<JobStanding> change_in_transaction(db::Connection& connection, std::int64_t id, const JobChange& change) {
  // Who was overtaken looks again: the change may be refused by now.
  for (;;) {
    LADE_ASSIGN(const Decisive from, read_decisive(connection, id));
    LADE_ASSIGN(const JobStanding to, model::next(from.standing, change.event));
    LADE_TRY(check_revision(from, change));
    LADE_TRY(check_no_twin(connection, from, to, change));
    LADE_TRY(check_may_return(connection, id, from, to));
    JobUpdate update;
    update.set("state", std::string(to_string(to.state)));
    update.set("outcome", to.outcome ? Value(std::string(to_string(*to.outcome))) : Value());
    set_effects(update, connection, from, to, change);
    LADE_ASSIGN(const bool moved, update.run(connection, id, from));
    if (!moved) continue;
    LADE_TRY(append_event(connection, {id, std::string(to_string(change.event)), change.actor, change.data}));
    if (to.outcome && !from.standing.outcome) LADE_TRY(tally_end(connection, id));
    return to;
  }
}

}  // namespace

Result<JobStanding> change_job(db::Connection& connection, std::int64_t id, const JobChange& change) {
  return in_transaction(connection, [&] { return change_in_transaction(connection, id, change); });
}

Result<JobStanding> retry_job(db::Connection& connection, std::int64_t id, const std::string& actor,
                              const std::string& data) {
  return in_transaction(connection, [&]() -> Result<JobStanding> {
    LADE_ASSIGN(const Decisive job, read_decisive(connection, id));
    const auto event = model::retry_event(job.ended_in.value_or(JobState::waiting_for_upload));
    if (!event)
      return fail("transition_refused",
                  fmt::format("job {} is {}: there is nothing to retry", id, to_string(job.standing)),
                  "only a job that failed or was cancelled after it had its file can be retried", ErrorKind::invalid);
    return change_in_transaction(connection, id, {.event = *event, .actor = actor, .data = data});
  });
}

Result<void> set_job_snapshot(db::Connection& connection, std::int64_t id, const std::string& snapshot) {
  return set_text(connection, id, "snapshot", snapshot);
}

Result<void> set_job_options(db::Connection& connection, std::int64_t id, const std::string& options) {
  return set_text(connection, id, "options", options);
}

Result<std::int64_t> job_retries(db::Connection& connection, std::int64_t id) {
  return number_of(connection, id, "retries");
}

Result<std::int64_t> review_revision(db::Connection& connection, std::int64_t id) {
  return number_of(connection, id, "review_revision");
}

Result<void> set_job_paused(db::Connection& connection, std::int64_t id, bool paused, const std::string& actor) {
  return set_flag(connection, id, "paused", paused, paused ? "paused" : "resumed", actor);
}

Result<void> request_cancel(db::Connection& connection, std::int64_t id, const std::string& actor) {
  return set_flag(connection, id, "cancel_requested", true, "cancel_requested", actor);
}

Result<void> save_plan(db::Connection& connection, std::int64_t id, const JobPlan& plan) {
  const Value values[] = {plan.rows_total, plan.chunks, plan.buckets, db::Bytes{plan.plan}, id};
  LADE_ASSIGN(const std::int64_t changed,
              connection.execute(
                  "UPDATE lade_job SET rows_total = $1, chunks = $2, buckets = $3, plan = $4 WHERE id = $5", values));
  if (changed == 0) return fail(job_not_found(id));
  return {};
}

Result<JobPlan> read_plan(db::Connection& connection, std::int64_t id) {
  const Value values[] = {id};
  LADE_ASSIGN(const auto rows,
              connection.query("SELECT rows_total, chunks, buckets, plan FROM lade_job WHERE id = $1", values));
  if (rows.empty()) return fail(job_not_found(id));
  const db::Row& row = rows.front();
  return JobPlan{integer_of(row[0]), integer_of(row[1]), integer_of(row[2]), bytes_of(connection, row[3])};
}

Result<void> advance_job(db::Connection& connection, std::int64_t id, const JobAdvance& advance) {
  const model::RowCounts& rows = advance.rows;
  const Value values[] = {advance.chunks_done,
                          advance.buckets_settled,
                          advance.buckets_processed,
                          advance.rows_analysed,
                          rows.read,
                          rows[Outcome::inserted],
                          rows[Outcome::updated],
                          rows[Outcome::unchanged],
                          rows[Outcome::failed],
                          rows[Outcome::skipped],
                          rows[Outcome::unprocessed],
                          rows[Outcome::deleted],
                          rows.removed,
                          id};
  LADE_ASSIGN(
      const std::int64_t changed,
      connection.execute(
          "UPDATE lade_job SET chunks_done = chunks_done + $1, buckets_settled = buckets_settled + $2, "
          "buckets_processed = buckets_processed + $3, rows_analysed = rows_analysed + $4, rows_read = rows_read + $5, "
          "rows_inserted = rows_inserted + $6, rows_updated = rows_updated + $7, rows_unchanged = rows_unchanged + $8, "
          "rows_failed = rows_failed + $9, rows_skipped = rows_skipped + $10, rows_unprocessed = rows_unprocessed + "
          "$11, rows_deleted = rows_deleted + $12, rows_removed = rows_removed + $13 WHERE id = $14 AND outcome IS "
          "NULL",
          values));
  if (changed == 1) return {};
  LADE_TRY(read_decisive(connection, id));
  return fail("job_finished", fmt::format("job {} has ended meanwhile", id), "", ErrorKind::invalid);
}

Result<void> save_bill(db::Connection& connection, std::int64_t id, const JobBill& bill) {
  const model::RowCounts& rows = bill.rows;
  const Value values[] = {rows.read,
                          rows[Outcome::inserted],
                          rows[Outcome::updated],
                          rows[Outcome::unchanged],
                          rows[Outcome::failed],
                          rows[Outcome::skipped],
                          rows[Outcome::unprocessed],
                          rows[Outcome::deleted],
                          rows.removed,
                          bill.issues,
                          text_or_null(one_line(bill.results_error)),
                          id};
  LADE_ASSIGN(const std::int64_t changed,
              connection.execute("UPDATE lade_job SET rows_read = $1, rows_inserted = $2, rows_updated = $3, "
                                 "rows_unchanged = $4, rows_failed = $5, rows_skipped = $6, rows_unprocessed = $7, "
                                 "rows_deleted = $8, rows_removed = $9, issues = $10, results_error = $11 "
                                 "WHERE id = $12",
                                 values));
  if (changed == 0) return fail(job_not_found(id));
  return {};
}

}  // namespace lade::store
