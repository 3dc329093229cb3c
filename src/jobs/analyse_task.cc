#include "base/failpoint.h"
#include "base/log.h"
#include "jobs/compare.h"
#include "jobs/pages.h"
#include "jobs/questions.h"
#include "jobs/sets.h"
#include "jobs/store_issues.h"
#include "jobs/stored_job.h"
#include "jobs/task.h"
#include "staging/segment_file.h"
#include "store/files.h"
#include "store/job_changes.h"
#include "store/outcomes.h"

// Tasks before anything is written to the target: plan, analyse, settle.
namespace lade::jobs {
namespace {

using model::JobEvent;
using model::JobState;
using model::Outcome;

// On PostgreSQL in a transaction, where temporary tables are emptied at its end.
Result<ComparedBucket> compare_staged(const Work& work, const StagedBucket& staged) {
  LADE_ASSIGN(BucketLoader* const comparer, work.worker.comparer());
  db::Connection& connection = comparer->writer();
  LADE_TRY(compare_with_active(*comparer, connection, work.job()));
  if (connection.backend() == db::Backend::sqlite)
    return compare_bucket(work.job(), *comparer, staged, work.target.part, work.context.stop());
  LADE_ASSIGN(db::Transaction transaction, db::Transaction::begin(connection));
  LADE_ASSIGN(ComparedBucket compared,
              compare_bucket(work.job(), *comparer, staged, work.target.part, work.context.stop()));
  LADE_TRY(transaction.rollback());
  return compared;
}

// What is decided about a bucket before anything is written, and the comparison when there is one.
Result<std::pair<BucketResult, std::optional<store::Comparison>>> settle_part(const Work& work,
                                                                              const StagedBucket& staged) {
  if (!compares_before(work.job().definition())) {
    LADE_ASSIGN(BucketResult settled, settle_bucket(work.job(), staged, work.context.stop()));
    return std::pair(std::move(settled), std::optional<store::Comparison>());
  }
  LADE_ASSIGN(ComparedBucket compared, compare_staged(work, staged));
  return std::pair(std::move(compared.settled), std::optional(std::move(compared.comparison)));
}

}  // namespace

Result<void> begin_preparation(db::Connection& connection, const store::JobRecord& job) {
  if (job.standing.state != JobState::upload_completed) return {};
  const auto begun = store::change_job(connection, job.id, {.event = JobEvent::preparation_started});
  if (begun) return {};
  LADE_ASSIGN(const auto now, store::job_with_id(connection, job.id));
  if (now && now->standing.state == JobState::preparing_data) return {};
  return fail(begun.error());
}

Result<void> plan(queue::TaskContext& context, Desk& desk, const TaskTarget& target) {
  LADE_ASSIGN(const auto connection, db::connect(context.sessions().url()));
  auto loaded = load_job(*connection, target.job, desk.here(), desk.storage());
  if (!loaded) return fail(manifest_error(*connection, target.job, std::move(loaded).error()));
  StoredJob stored = std::move(*loaded);
  LADE_TRY(begin_preparation(*connection, stored.record));
  LADE_TRY(verify_file(*connection, stored, desk.storage()));
  if (steps::fetches_pages(stored.definition)) return plan_pages(context, *connection, stored, desk.progress());
  auto session = plan_job(*stored.job, stored.definition, context.stop());
  if (!session) return fail(std::move(session).error().within(stored.record.file_name));
  LADE_ASSIGN(const auto records, keep_records(stored.job->input, desk.storage()));
  LADE_ASSIGN(queue::Publication publication, context.publish(*connection));
  if (records) LADE_TRY(record_records(*connection, target.job, *records));
  LADE_TRY(arm_analysis(*connection, stored.group, stored.job->plan));
  LADE_TRY(publication.commit());
  log(LogLevel::info, "job_planned",
      {{"job", stored.job->uuid},
       {"company", std::to_string(stored.record.company)},
       {"definition", stored.record.definition},
       {"total_rows", std::to_string(stored.job->plan.split.rows)},
       {"chunks", std::to_string(stored.job->plan.chunks())},
       {"buckets", std::to_string(stored.job->plan.buckets())}});
  desk.put(std::move(stored.job));
  return {};
}

Result<void> analyse(const Work& work) {
  const Job& job = work.job();
  LADE_ASSIGN(ChunkAnalyser* const analyser, work.worker.analyser());
  LADE_ASSIGN(ChunkAnalyser::Chunk chunk,
              analyser->analyse(work.target.part, work.context.stop(), &work.unpublished.failed));
  LADE_FAILPOINT("stage");
  LADE_ASSIGN(const staging::WrittenSegment segment,
              staging::write_segment(work.open.storage, chunk.rows, job.plan.splitters, *chunk.findings));
  const std::int64_t rows = job.plan.chunk_rows(work.target.part);
  LADE_ASSIGN(const Worker::Session session, work.worker.session(work.context.stop()));
  LADE_ASSIGN(queue::Publication publication, work.context.publish(*session));
  LADE_TRY(store::record_segment(
      *session, job.id,
      {static_cast<std::int64_t>(work.target.part), segment.id, static_cast<std::int64_t>(segment.bytes),
       rows - chunk.failed_rows, chunk.failed_rows, to_text(chunk.issues)}));
  LADE_TRY(store_issues(*session, job, *chunk.findings));
  LADE_TRY(store_questions(*session, job, work.open.storage.id(), *chunk.findings));
  model::RowCounts counts;
  counts[Outcome::failed] = chunk.failed_rows;
  LADE_TRY(store::advance_job(*session, job.id, {.chunks_done = 1, .rows_analysed = rows, .rows = counts}));
  work.unpublished.clear();
  LADE_TRY(publication.commit());
  work.desk.progress().rows_analysed += rows;
  work.desk.progress().rows_failed += chunk.failed_rows;
  return {};
}

Result<void> claims(const Work& work) {
  work.desk.progress().phase = Phase::settling;
  const Job& job = work.job();
  {
    LADE_ASSIGN(const Worker::Session session, work.worker.session(work.context.stop()));
    LADE_TRY(work.open.staged.open(*session));
  }
  const std::size_t part = job.plan.buckets();
  LADE_ASSIGN(const StagedBucket staged, work.open.staged.bucket(part));
  LADE_ASSIGN(BucketResult refused, refuse_contested(job, staged.ranges));
  LADE_ASSIGN(const auto stored, to_stored(part, refused, false));
  LADE_ASSIGN(const Worker::Session session, work.worker.session(work.context.stop()));
  LADE_ASSIGN(queue::Publication publication, work.context.publish(*session));
  LADE_TRY(store::save_outcomes(*session, job.id, stored));
  LADE_TRY(store_issues(*session, job, *refused.findings));
  LADE_TRY(store::advance_job(*session, job.id, {.rows = refused.counts}));
  LADE_TRY(publication.commit());
  work.desk.progress().rows_failed += refused.counts[Outcome::failed];
  return {};
}

// A settled bucket once more, for somebody who must look at it though the definition does not ask for it.
Result<void> compare(const Work& work) {
  work.desk.progress().phase = Phase::settling;
  {
    LADE_ASSIGN(const Worker::Session session, work.worker.session(work.context.stop()));
    LADE_TRY(work.open.staged.open(*session));
  }
  LADE_ASSIGN(const StagedBucket staged, work.open.staged.bucket(work.target.part));
  LADE_ASSIGN(const ComparedBucket compared, compare_staged(work, staged));
  LADE_ASSIGN(const Worker::Session session, work.worker.session(work.context.stop()));
  LADE_ASSIGN(queue::Publication publication, work.context.publish(*session));
  LADE_TRY(store::save_comparison(*session, work.job().id, compared.comparison));
  return publication.commit();
}

Result<void> settle(const Work& work) {
  work.desk.progress().phase = Phase::settling;
  {
    LADE_ASSIGN(const Worker::Session session, work.worker.session(work.context.stop()));
    LADE_TRY(work.open.staged.open(*session));
    LADE_TRY(work.open.staged.settle_claims());
  }
  LADE_ASSIGN(const StagedBucket staged, work.open.staged.bucket(work.target.part));
  LADE_ASSIGN(auto decided, settle_part(work, staged));
  auto& [settled, comparison] = decided;
  LADE_ASSIGN(const auto stored, to_stored(work.target.part, settled, true));
  LADE_ASSIGN(const Worker::Session session, work.worker.session(work.context.stop()));
  LADE_ASSIGN(queue::Publication publication, work.context.publish(*session));
  LADE_TRY(store::save_outcomes(*session, work.job().id, stored));
  if (comparison) LADE_TRY(store::save_comparison(*session, work.job().id, *comparison));
  LADE_TRY(store_issues(*session, work.job(), *settled.findings));
  LADE_TRY(store::advance_job(*session, work.job().id, {.buckets_settled = 1}));
  return publication.commit();
}

}  // namespace lade::jobs
