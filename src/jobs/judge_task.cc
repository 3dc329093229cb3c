#include <boost/json.hpp>

#include "jobs/conclude.h"
#include "jobs/hand_over.h"
#include "jobs/sets.h"
#include "jobs/stored_job.h"
#include "jobs/task.h"
#include "jobs/versions.h"
#include "queue/stage.h"
#include "store/comparisons.h"
#include "store/files.h"
#include "store/job_changes.h"
#include "store/outcomes.h"
#include "store/target_lock.h"

// Tasks that follow when all others of a stage have ended: what next?
namespace lade::jobs {
namespace {

using model::JobEvent;
using model::JobState;
using model::Outcome;

// When a job waits for another one that has its target.
constexpr std::chrono::milliseconds kLookAgain{500};

struct Judgement {
  bool superseded = false;  // another finaliser of the stage is on its way
  bool ends = false;        // with `error`, if any
  std::optional<Error> error = {};
  bool claims = false;            // what rows claim must be compared first
  bool settles = false;           // keys repeated in the file must be decided first
  bool reviewed = false;          // somebody must look first
  std::string why_reviewed = {};  // if that is not the definition's wish
  bool compares = false;          // buckets must be compared first, for somebody to look at
  // Rows that will go from a set: how many, and which, when somebody looks at them.
  std::optional<store::Comparison> removed = {};
  std::optional<JobEvent> event = JobEvent::analysed;  // what moves the job on; nullopt: it was moved already
};

Result<Judgement> judge_job(const Work& work, db::Connection& connection) {
  const Job& job = work.job();
  LADE_ASSIGN(const auto record, store::job_with_id(connection, job.id));
  if (!record) return fail("job_not_found", "the job was deleted");
  if (record->standing.state == JobState::approved) return Judgement{.event = JobEvent::processing_started};
  // Cancelled between approval and the first bucket, then retried.
  if (record->standing.state == JobState::processing_data)
    return queue::find_stage(connection, job.uuid, std::string(kProcessTask)) ? Judgement{.superseded = true}
                                                                              : Judgement{.event = std::nullopt};
  LADE_ASSIGN(const bool current, queue::is_finaliser(connection, work.context.task().lease.task));
  if (!current) return Judgement{.superseded = true};
  if (record->cancel_requested) return Judgement{.ends = true};
  LADE_ASSIGN(const bool analysed, stage_is_whole(connection, job.uuid, kAnalyseTask));
  if (!analysed) return Judgement{.ends = true};
  if (job.plan.has_claims()) {
    if (!queue::find_stage(connection, job.uuid, std::string(kClaimsTask))) return Judgement{.claims = true};
    LADE_ASSIGN(const bool claimed, stage_is_whole(connection, job.uuid, kClaimsTask));
    if (!claimed) return Judgement{.ends = true};
  }
  LADE_ASSIGN(const std::int64_t failed, failed_rows(connection, job.id));
  if (auto error = too_many_errors(job.definition(), failed, record->rows_total.value_or(0)))
    return Judgement{.ends = true, .error = std::move(error)};
  const bool settles = settles_before(job.definition()) && record->buckets_settled < record->buckets;
  if (!settles && settles_before(job.definition())) {
    LADE_ASSIGN(const bool settled, stage_is_whole(connection, job.uuid, kSettleTask));
    if (!settled) return Judgement{.ends = true};
  }
  if (queue::find_stage(connection, job.uuid, std::string(kCompareTask))) {
    LADE_ASSIGN(const bool compared, stage_is_whole(connection, job.uuid, kCompareTask));
    if (!compared) return Judgement{.ends = true};
  }
  const definition::Review review = job.definition().review;
  const bool reviewed = review == definition::Review::always || (review == definition::Review::on_issues && failed > 0);
  return Judgement{.settles = settles, .reviewed = reviewed};
}

bool begins_processing(const Judgement& judgement) {
  return !judgement.claims && !judgement.settles && !judgement.compares && !judgement.reviewed;
}

// Tells the handler that gets the rows; not when a job goes on that was fixed.
Result<void> begin_handing(const Work& work) {
  if (!work.job().handler) return {};
  {
    LADE_ASSIGN(const Worker::Session session, work.worker.session(work.context.stop()));
    if (queue::find_stage(*session, work.job().uuid, std::string(kProcessTask))) return {};
  }
  return tell_begin(work.job());
}

// What the file means for its set as a whole.
Result<void> judge_set(const Work& work, Judgement& judgement) {
  const Job& job = work.job();
  const definition::WholeSet* set = job.definition().set();
  if (set == nullptr || judgement.event != JobEvent::analysed) return {};
  LADE_ASSIGN(const Worker::Session session, work.worker.session(work.context.stop()));
  LADE_TRY(work.open.staged.open(*session));
  LADE_ASSIGN(db::Transaction transaction, db::Transaction::begin(*session));
  LADE_ASSIGN(const auto version, active_version(*session, job));
  load::Leftovers leftovers(*session, *job.program, version);
  const auto staged = [&](std::size_t bucket) { return work.open.staged.bucket(bucket); };
  LADE_ASSIGN(const load::Leftovers::Counts counts, find_leftovers(leftovers, job, staged, work.context.stop()));
  if (auto error = refuse_empty(*set, counts)) {
    judgement.ends = true;
    judgement.error = std::move(error);
  } else if (const auto why = too_many_removed(*set, counts)) {
    judgement.reviewed = true;
    judgement.why_reviewed = why->message;
    judgement.compares =
        !compares_before(job.definition()) && !queue::find_stage(*session, job.uuid, std::string(kCompareTask));
  }
  store::Comparison& removed = judgement.removed.emplace();
  removed.bucket = static_cast<std::int64_t>(set_part(job.plan));
  removed.counts.removed = counts.removed;
  if (!judgement.reviewed) return transaction.rollback();
  load::DiffWriter diff([&](load::DiffBlock&& block) -> Result<void> {
    removed.diff.push_back({load::to_text(block.counts), std::move(block.packed)});
    return {};
  });
  LADE_TRY(tell_leftovers(leftovers, job, diff, removed.seen));
  LADE_TRY(diff.finish());
  return transaction.rollback();
}

std::string review_data(const Judgement& judgement) {
  boost::json::object data;
  if (!judgement.why_reviewed.empty()) data["why"] = judgement.why_reviewed;
  return boost::json::serialize(data);
}

// Keeps how many rows will go; whoever removes them says it once more.
Result<void> store_removed(db::Connection& connection, const Job& job, const Judgement& judgement) {
  if (!judgement.removed) return {};
  BucketResult result(job);
  result.counts.removed = judgement.removed->counts.removed;
  LADE_ASSIGN(const auto stored, to_stored(set_part(job.plan), result, true));
  LADE_TRY(store::save_outcomes(connection, job.id, stored));
  return judgement.reviewed ? store::save_comparison(connection, job.id, *judgement.removed) : Result<void>();
}

// Begins to load when no other job has the target, or looks again later.
Result<void> process_alone(const Work& work, db::Connection& connection, const Judgement& judgement) {
  const Job& job = work.job();
  LADE_ASSIGN(const auto tables, target_tables(connection, job.definition()));
  LADE_ASSIGN(queue::Publication publication, work.context.publish(connection));
  LADE_ASSIGN(const auto holder, store::take_targets(connection, job.id, tables));
  if (!holder) {
    LADE_TRY(store::set_waits_for(connection, job.id, 0));
    LADE_TRY(store_removed(connection, job, judgement));
    LADE_TRY(begin_version(connection, job));
    LADE_TRY(arm_processing(connection, work.group(), job, judgement.event));
    LADE_TRY(publication.commit());
    work.desk.progress().phase = Phase::processing;
    return {};
  }
  LADE_TRY(publication.rollback());
  LADE_TRY(store::set_waits_for(connection, job.id, *holder));
  work.desk.progress().phase = Phase::waiting;
  work.context.postpone(kLookAgain);
  return {};
}

}  // namespace

Result<std::int64_t> failed_rows(db::Connection& connection, std::int64_t job) {
  LADE_ASSIGN(const auto segments, store::segments_of(connection, job));
  LADE_ASSIGN(const model::RowCounts outcomes, store::counted_outcomes(connection, job));
  std::int64_t failed = outcomes[Outcome::failed];
  for (const store::SegmentRecord& segment : segments) failed += segment.failed_rows;
  return failed;
}

Result<bool> stage_is_whole(db::Connection& connection, const std::string& group, std::string_view name) {
  LADE_ASSIGN(const queue::Stage stage, queue::find_stage(connection, group, std::string(name)));
  return stage.failed == 0 && stage.cancelled == 0;
}

Result<bool> is_stopped(const Work& work, db::Connection& connection) {
  if (!is_judged(work.job().definition())) return false;
  LADE_ASSIGN(const std::int64_t failed, failed_rows(connection, work.job().id));
  return too_many_errors(work.job().definition(), failed, work.job().plan.split.rows).has_value();
}

Result<void> judge(const Work& work) {
  Judgement judgement;
  {
    LADE_ASSIGN(const Worker::Session session, work.worker.session(work.context.stop()));
    LADE_ASSIGN(judgement, judge_job(work, *session));
  }
  if (judgement.superseded) return {};
  if (!judgement.ends && !judgement.claims && !judgement.settles) LADE_TRY(judge_set(work, judgement));
  if (!judgement.ends && begins_processing(judgement))
    if (auto begun = begin_handing(work); !begun) judgement = {.ends = true, .error = std::move(begun).error()};
  if (judgement.ends) return conclude(work.context, work.open, work.worker, std::move(judgement.error));
  LADE_ASSIGN(const Worker::Session session, work.worker.session(work.context.stop()));
  if (begins_processing(judgement) && work.job().definition().lock == definition::Lock::target)
    return process_alone(work, *session, judgement);
  LADE_ASSIGN(queue::Publication publication, work.context.publish(*session));
  if (judgement.claims) {
    LADE_TRY(arm_claims(*session, work.group()));
  } else if (judgement.settles) {
    LADE_TRY(arm_settling(*session, work.group(), work.job().plan));
  } else if (judgement.compares) {
    LADE_TRY(arm_comparing(*session, work.group(), work.job().plan));
  } else if (judgement.reviewed) {
    LADE_TRY(store_removed(*session, work.job(), judgement));
    LADE_TRY(
        store::change_job(*session, work.job().id, {.event = JobEvent::review_needed, .data = review_data(judgement)}));
  } else {
    LADE_TRY(store_removed(*session, work.job(), judgement));
    LADE_TRY(begin_version(*session, work.job()));
    LADE_TRY(arm_processing(*session, work.group(), work.job(), judgement.event));
  }
  LADE_TRY(publication.commit());
  work.desk.progress().phase = judgement.claims || judgement.settles ? Phase::settling : Phase::processing;
  return {};
}

Result<void> finalise(const Work& work) {
  work.desk.progress().phase = Phase::finishing;
  bool has_orphans = false;
  {
    LADE_ASSIGN(const Worker::Session session, work.worker.session({}));
    LADE_ASSIGN(const auto record, store::job_with_id(*session, work.job().id));
    LADE_ASSIGN(const bool current, queue::is_finaliser(*session, work.context.task().lease.task));
    const bool rejected = record && record->standing.state == JobState::rejected;
    if (!current && !rejected) return {};
    LADE_ASSIGN(const model::RowCounts counts, store::counted_outcomes(*session, work.job().id));
    const bool loaded = !rejected && stage_is_whole(*session, work.job().uuid, kProcessTask).value_or(false);
    const auto whole = queue::find_stage(*session, work.job().uuid, std::string(kOrphansTask));
    const bool tried = whole && whole->finished();
    LADE_ASSIGN(const bool stopped, is_stopped(work, *session));
    has_orphans = !rejected && loaded && !tried && !stopped && counts[Outcome::unprocessed] > 0 &&
                  work.job().definition().commit != definition::Commit::all_or_nothing &&
                  work.job().definition().handler() == nullptr;
  }
  if (!has_orphans) return conclude(work.context, work.open, work.worker, std::nullopt);
  LADE_ASSIGN(const Worker::Session session, work.worker.session({}));
  LADE_ASSIGN(queue::Publication publication, work.context.publish(*session));
  LADE_TRY(arm_orphans(*session, work.group()));
  return publication.commit();
}

}  // namespace lade::jobs
