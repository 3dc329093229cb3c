#include <fmt/format.h>

#include "base/failpoint.h"
#include "base/log.h"
#include "db/durably.h"
#include "jobs/bucket.h"
#include "jobs/conclude.h"
#include "jobs/store_issues.h"
#include "jobs/task.h"
#include "jobs/undo.h"
#include "queue/stage.h"
#include "store/job_changes.h"
#include "store/outcomes.h"
#include "store/target_lock.h"

// Tasks that take a job back.
namespace lade::jobs {
namespace {

using load::UndoAction;
using model::JobEvent;
using model::JobState;
using model::Outcome;
using store::JobRecord;

// When an undo waits for a job that has its target.
constexpr std::chrono::milliseconds kLookAgain{500};
// The code of rows that cannot be taken back before rows of other buckets are.
constexpr std::string_view kWaitsForOthers = "waits_for_others";
// One large publication.
constexpr std::chrono::hours kLongest{24};

Outcome outcome_of(UndoAction action) {
  switch (action) {
    case UndoAction::restore: return Outcome::updated;
    case UndoAction::remove: return Outcome::deleted;
    case UndoAction::put_back: return Outcome::inserted;
    case UndoAction::nothing: return Outcome::unchanged;
    case UndoAction::leave: break;
  }
  return Outcome::skipped;
}

// A job at work that takes another one back.
struct Undo {
  JobRecord record;
  UndoPlan plan;
};

Result<Undo> open_undo(db::Connection& connection, std::int64_t id) {
  Undo undo;
  LADE_ASSIGN(auto record, store::job_with_id(connection, id));
  if (!record) return fail("job_not_found", "the job was deleted");
  undo.record = std::move(*record);
  LADE_ASSIGN(const auto undone, store::job_with_id(connection, undo.record.undoes_id));
  if (!undone) return fail("job_not_found", "the job that is to be undone was deleted");
  LADE_ASSIGN(undo.plan, plan_undo(connection, *undone));
  return undo;
}

// What became of the rows of one bucket.
struct UndoneBucket {
  model::RowCounts counts;
  store::OutcomePacker outcomes;
  staging::IssueCounts issues;
  std::vector<NewIssue> listed;
  std::set<std::uint32_t> held;  // rows that wait for rows of other buckets, counted as unprocessed

  void add(const store::RowOutcome& row) {
    ++counts[row.outcome];
    outcomes.add(row);
  }
  void leave(std::uint32_t number, const load::LeftRow& row) {
    add({number, Outcome::skipped, row.issue.code});
    ++issues[{row.issue.code, row.issue.column}];
    if (!row.repeated) listed.push_back({{number, row.line, 0}, row.issue});
  }
  // With `hold`, rows that the database refuses wait.
  void add(const load::UndoResult& result, bool hold) {
    for (const auto& [number, action] : result.done) add({number, outcome_of(action)});
    for (const auto& [number, row] : result.left) {
      if (hold && row.refused) {
        held.insert(number);
      } else {
        leave(number, row);
      }
    }
  }
};

load::JournalSink journal_into(db::Connection& connection, std::int64_t job, std::int64_t bucket) {
  return [&connection, job, bucket](const load::JournalBlock& block) {
    return store::save_journal_block(connection, job,
                                     {.bucket = bucket,
                                      .table = block.table,
                                      .first_key = block.first_key,
                                      .last_key = block.last_key,
                                      .rows = block.rows,
                                      .packed = block.packed});
  };
}

// Takes one bucket back, or some rows of it.
Result<load::UndoResult> undo_bucket(db::Connection& connection, const Undo& undo, load::Undoer& undoer,
                                     std::int64_t bucket, const std::set<std::uint32_t>* only,
                                     const std::stop_token& stop) {
  const auto read = journal_reader(connection, undo.plan.of, bucket);
  const load::JournalSink journal = journal_into(connection, undo.record.id, bucket);
  return undoer.undo({undo.plan.buckets.at(bucket), read, journal, only}, stop);
}

Result<void> store_bucket(db::Connection& connection, const Undo& undo, std::int64_t bucket, UndoneBucket& undone) {
  for (const std::uint32_t number : undone.held) undone.add({number, Outcome::unprocessed, kWaitsForOthers});
  store::BucketOutcomes stored;
  stored.bucket = bucket;
  stored.counts = undone.counts;
  stored.packed = undone.outcomes.finish();
  stored.issues = to_text(undone.issues);
  LADE_TRY(store::save_outcomes(connection, undo.record.id, stored));
  return store_issues(connection, undo.record, undone.listed);
}

Result<void> advance(db::Connection& connection, const Undo& undo, std::int64_t buckets, model::RowCounts counts) {
  counts[Outcome::unprocessed] = 0;  // only the end of the job knows
  return store::advance_job(connection, undo.record.id,
                            {.buckets_settled = buckets, .buckets_processed = buckets, .rows = counts});
}

// What was stored for a bucket whose held rows are tried again.
Result<UndoneBucket> read_bucket(const store::BucketOutcomes& stored) {
  UndoneBucket undone;
  add_counts(undone.issues, stored.issues);
  LADE_TRY(store::for_each_outcome(stored.packed, [&](const store::RowOutcome& row) -> Result<void> {
    if (row.outcome == Outcome::unprocessed) {
      undone.held.insert(row.row_id);
    } else {
      undone.add(row);
    }
    return {};
  }));
  return undone;
}

// Tries rows that wait again, round by round, as long as a round brings some of them back.
Result<void> undo_held(db::Connection& connection, const Undo& undo, load::Undoer& undoer,
                       std::map<std::int64_t, UndoneBucket>& buckets, const std::stop_token& stop) {
  for (bool moved = true; moved;) {
    moved = false;
    std::map<std::int64_t, load::UndoResult> results;
    for (auto& [bucket, undone] : buckets) {
      if (undone.held.empty()) continue;
      LADE_ASSIGN(load::UndoResult result, undo_bucket(connection, undo, undoer, bucket, &undone.held, stop));
      moved = moved || !result.done.empty();
      results.emplace(bucket, std::move(result));
    }
    for (auto& [bucket, result] : results) {
      buckets.at(bucket).held.clear();
      buckets.at(bucket).add(result, moved);
    }
  }
  return {};
}

Result<void> undo_all(db::Connection& connection, const Undo& undo, const std::stop_token& stop) {
  load::Undoer undoer(connection, undo.plan.tables, undo.plan.shows_keys);
  std::map<std::int64_t, UndoneBucket> buckets;
  for (const auto& [bucket, blocks] : undo.plan.buckets) {
    LADE_ASSIGN(const load::UndoResult result, undo_bucket(connection, undo, undoer, bucket, nullptr, stop));
    buckets[bucket].add(result, true);
  }
  LADE_TRY(undo_held(connection, undo, undoer, buckets, stop));
  model::RowCounts counts;
  for (auto& [bucket, undone] : buckets) {
    LADE_TRY(store_bucket(connection, undo, bucket, undone));
    counts += undone.counts;
  }
  return advance(connection, undo, static_cast<std::int64_t>(buckets.size()), counts);
}

Result<void> undo_one(db::Connection& connection, const Undo& undo, std::int64_t bucket, const std::stop_token& stop) {
  load::Undoer undoer(connection, undo.plan.tables, undo.plan.shows_keys);
  LADE_ASSIGN(const load::UndoResult result, undo_bucket(connection, undo, undoer, bucket, nullptr, stop));
  UndoneBucket undone;
  undone.add(result, true);
  LADE_TRY(store_bucket(connection, undo, bucket, undone));
  return advance(connection, undo, 1, undone.counts);
}

// How the job ends. Only where it has not come to its end may rows be without an outcome.
Result<store::JobChange> end_of(db::Connection& connection, const JobRecord& job, model::RowCounts& counts) {
  if (job.cancel_requested && counts[Outcome::unprocessed] + counts.missing() > 0) {
    counts.fill_missing();
    return store::JobChange{.event = JobEvent::cancelled};
  }
  static constexpr std::string_view kStages[] = {kUndoTask, kUndoRestTask};
  LADE_ASSIGN(std::optional<Error> error, death_of_task(connection, job.uuid, kStages));
  if (error) {
    counts.fill_missing();
  } else if (auto conserved = counts.check_conserved(); !conserved) {
    error = conserved.error();
  }
  if (!error)
    if (auto change = version_change_by(connection, job); !change) error = change.error();
  if (!error) return store::JobChange{.event = JobEvent::completed};
  return store::JobChange{
      .event = JobEvent::failed, .error_code = error->code, .error = error->message, .error_hint = error->hint};
}

Result<void> publish_end(queue::TaskContext& context, db::Connection& connection, std::int64_t id) {
  const db::Durably durably(connection);  // somebody will be told that the job has ended
  LADE_ASSIGN(queue::Publication publication, context.publish(connection));
  LADE_FAILPOINT("undo_end");
  LADE_ASSIGN(const auto job, store::job_with_id(connection, id));
  LADE_ASSIGN(model::RowCounts counts, store::counted_outcomes(connection, id));
  counts.read = job->rows_total.value_or(0);
  LADE_ASSIGN(const auto found, store::bucket_issues(connection, id));
  staging::IssueCounts issues;
  for (const std::string& text : found) add_counts(issues, text);
  LADE_ASSIGN(const store::JobChange change, end_of(connection, *job, counts));
  LADE_TRY(store::save_bill(connection, id, {counts, to_text(issues), ""}));
  LADE_TRY(store::change_job(connection, id, change));
  if (change.event == JobEvent::completed) LADE_TRY(note_undone(connection, *job));
  LADE_TRY(publication.commit());
  log(LogLevel::info, "undo_finished",
      {{"job", job->uuid},
       {"company", std::to_string(job->company)},
       {"undoes", job->undoes},
       {"rows", std::to_string(counts.read)},
       {"left", std::to_string(counts[Outcome::skipped])}});
  return {};
}

}  // namespace

Result<void> begin_undo(queue::TaskContext& context, Desk& desk, const TaskTarget& target) {
  LADE_ASSIGN(const db::Pool::Lease session, context.sessions().acquire(context.stop()));
  LADE_ASSIGN(const Undo undo, open_undo(*session, target.job));
  LADE_ASSIGN(queue::Publication publication, context.publish(*session));
  if (undo.plan.locks_target) {
    std::vector<std::string> tables;
    for (const db::Table& table : undo.plan.tables) tables.push_back(table.quoted);
    LADE_ASSIGN(const auto holder, store::take_targets(*session, target.job, tables));
    if (holder) {
      LADE_TRY(publication.rollback());
      LADE_TRY(store::set_waits_for(*session, target.job, *holder));
      desk.progress().phase = Phase::waiting;
      context.postpone(kLookAgain);
      return {};
    }
    LADE_TRY(store::set_waits_for(*session, target.job, 0));
  }
  if (undo.record.standing.state == JobState::approved)
    LADE_TRY(store::change_job(*session, target.job, {.event = JobEvent::processing_started}));
  std::vector<std::size_t> parts;
  for (const auto& [bucket, blocks] : undo.plan.buckets) parts.push_back(static_cast<std::size_t>(bucket));
  if (undo.plan.at_once && parts.size() > 1) parts.resize(1);
  LADE_TRY(arm_undoing(*session, {target.job, undo.record.uuid, "", undo.record.company}, parts));
  LADE_TRY(publication.commit());
  desk.progress().phase = Phase::processing;
  return {};
}

Result<void> undo_part(queue::TaskContext& context, Desk& desk, const TaskTarget& target) {
  desk.progress().phase = Phase::processing;
  LADE_ASSIGN(const db::Pool::Lease session, context.sessions().acquire(context.stop()));
  LADE_ASSIGN(const Undo undo, open_undo(*session, target.job));
  if (undo.plan.at_once) LADE_TRY(context.extend_deadline(*session, kLongest));
  LADE_ASSIGN(queue::Publication publication, context.publish(*session));
  LADE_FAILPOINT("undo");
  LADE_TRY(undo.plan.at_once ? undo_all(*session, undo, context.stop())
                             : undo_one(*session, undo, static_cast<std::int64_t>(target.part), context.stop()));
  LADE_FAILPOINT("undone");
  LADE_TRY(publication.commit());
  for (const auto& [bucket, blocks] : undo.plan.buckets)
    if (undo.plan.at_once || bucket == static_cast<std::int64_t>(target.part))
      for (const load::JournalPlace& place : blocks) desk.progress().rows_loaded += place.rows;
  return {};
}

// In one transaction, so that they are found together again after a crash.
Result<void> undo_rest(queue::TaskContext& context, Desk&, const TaskTarget& target) {
  LADE_ASSIGN(const db::Pool::Lease session, context.sessions().acquire(context.stop()));
  LADE_ASSIGN(const Undo undo, open_undo(*session, target.job));
  LADE_TRY(context.extend_deadline(*session, kLongest));
  LADE_ASSIGN(queue::Publication publication, context.publish(*session));
  LADE_FAILPOINT("undo");
  std::map<std::int64_t, UndoneBucket> buckets;
  model::RowCounts before, after;
  for (const auto& [bucket, blocks] : undo.plan.buckets) {
    LADE_ASSIGN(const auto stored, store::outcomes_of(*session, target.job, bucket, bucket));
    if (stored.empty() || stored.front().counts[Outcome::unprocessed] == 0) continue;
    LADE_ASSIGN(UndoneBucket undone, read_bucket(stored.front()));
    before += undone.counts;
    buckets.emplace(bucket, std::move(undone));
  }
  load::Undoer undoer(*session, undo.plan.tables, undo.plan.shows_keys);
  LADE_TRY(undo_held(*session, undo, undoer, buckets, context.stop()));
  for (auto& [bucket, undone] : buckets) {
    after += undone.counts;
    LADE_TRY(store_bucket(*session, undo, bucket, undone));
  }
  for (std::size_t i = 0; i < after.by_outcome.size(); ++i) after.by_outcome[i] -= before.by_outcome[i];
  LADE_TRY(advance(*session, undo, 0, after));
  return publication.commit();
}

Result<void> end_undo(queue::TaskContext& context, Desk& desk, const TaskTarget& target) {
  desk.progress().phase = Phase::finishing;
  LADE_ASSIGN(const db::Pool::Lease session, context.sessions().acquire());
  LADE_ASSIGN(const auto job, store::job_with_id(*session, target.job));
  LADE_ASSIGN(const bool current, queue::is_finaliser(*session, context.task().lease.task));
  if (!job || !current) return {};
  LADE_ASSIGN(const model::RowCounts counts, store::counted_outcomes(*session, target.job));
  const bool whole = stage_is_whole(*session, job->uuid, kUndoTask).value_or(false);
  const bool tried = queue::find_stage(*session, job->uuid, std::string(kUndoRestTask)).has_value();
  if (whole && !tried && counts[Outcome::unprocessed] > 0) {
    LADE_ASSIGN(queue::Publication publication, context.publish(*session));
    LADE_TRY(arm_undo_rest(*session, {job->id, job->uuid, "", job->company}));
    return publication.commit();
  }
  LADE_TRY(publish_end(context, *session, target.job));
  desk.tell();
  return {};
}

}  // namespace lade::jobs
