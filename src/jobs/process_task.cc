#include <map>
#include <optional>
#include <set>

#include "base/log.h"
#include "jobs/compare.h"
#include "jobs/fixed_bucket.h"
#include "jobs/hand_over.h"
#include "jobs/sets.h"
#include "jobs/store_issues.h"
#include "jobs/task.h"
#include "store/comparisons.h"
#include "store/job_changes.h"
#include "store/job_list.h"
#include "store/journal.h"
#include "store/outcomes.h"
#include "store/set_versions.h"

// Tasks that load.
namespace lade::jobs {
namespace {

using model::Outcome;

// Failed rows whose findings were stored when the bucket was settled.
Result<std::set<std::uint32_t>> settled_failures(const Work& work, db::Connection& connection, std::size_t bucket) {
  std::set<std::uint32_t> rows;
  if (!is_judged(work.job().definition())) return rows;
  const auto number = static_cast<std::int64_t>(bucket);
  LADE_ASSIGN(const auto outcomes, store::outcomes_of(connection, work.job().id, number, number));
  for (const store::BucketOutcomes& settled : outcomes)
    LADE_TRY(store::for_each_outcome(settled.packed, [&](const store::RowOutcome& row) -> Result<void> {
      if (row.outcome == Outcome::failed) rows.insert(row.row_id);
      return {};
    }));
  return rows;
}

// Stores what became of a loaded bucket, in the transaction that has loaded it.
Result<void> store_bucket(const Work& work, db::Connection& connection, std::size_t bucket, BucketResult& result,
                          bool settled = false) {
  LADE_ASSIGN(const std::set<std::uint32_t> known, settled_failures(work, connection, bucket));
  LADE_ASSIGN(const auto stored, to_stored(bucket, result, settled));
  LADE_TRY(store::save_outcomes(connection, work.job().id, stored));
  return store_issues(connection, work.job(), *result.findings, known);
}

// Stores blocks of the undo journal in the transaction that loads the bucket.
load::JournalSink journal_of(const Work& work, db::Connection& connection, std::size_t bucket) {
  return [&work, &connection, bucket](const load::JournalBlock& block) {
    return store::save_journal_block(connection, work.job().id,
                                     {.bucket = static_cast<std::int64_t>(bucket),
                                      .table = block.table,
                                      .first_key = block.first_key,
                                      .last_key = block.last_key,
                                      .rows = block.rows,
                                      .packed = block.packed,
                                      .kept = work.job().definition().lineage});
  };
}

Result<void> advance(const Work& work, db::Connection& connection, std::int64_t buckets, model::RowCounts counts) {
  counts[Outcome::unprocessed] = 0;  // only the end of the job knows
  return store::advance_job(connection, work.job().id, {.buckets_processed = buckets, .rows = counts});
}

void show(const Work& work, const model::RowCounts& counts) {
  work.desk.progress().rows_loaded += counts.accounted();
  work.desk.progress().rows_failed += counts[Outcome::failed];
}

Result<Worker::Session> loading_session(const Work& work) {
  LADE_ASSIGN(Worker::Session session, work.worker.session(work.context.stop()));
  if (!work.worker.loads_into(*session))
    return fail("db_lost", "the session with the database was opened anew meanwhile", "", ErrorKind::cannot_connect);
  return session;
}

// What is stored of a bucket that is loaded already: rows of it were corrected since.
Result<std::optional<store::BucketOutcomes>> loaded_before(const Work& work, db::Connection& connection,
                                                           std::size_t bucket) {
  if (work.job().retries == 0) return std::nullopt;
  const auto number = static_cast<std::int64_t>(bucket);
  LADE_ASSIGN(auto stored, store::outcomes_of(connection, work.job().id, number, number));
  if (stored.empty() || stored.front().settled) return std::nullopt;
  return std::move(stored.front());
}

Result<void> process_fixed_bucket(const Work& work, const StagedBucket& staged, const store::BucketOutcomes& before) {
  LADE_ASSIGN(BucketLoader* const loader, work.worker.loader(work.context.stop()));
  LADE_ASSIGN(const Worker::Session session, loading_session(work));
  LADE_ASSIGN(queue::Publication publication, work.context.publish(*session));
  const load::JournalSink journal = journal_of(work, *session, work.target.part);
  LADE_ASSIGN(FixedBucket fixed, load_fixed_bucket(work.job(), *loader, staged, before, journal, work.context.stop()));
  LADE_ASSIGN(const model::RowCounts grown, store_fixed_bucket(*session, work.job(), fixed, before));
  LADE_TRY(advance(work, *session, 1, grown));
  LADE_TRY(publication.commit());
  show(work, grown);
  return {};
}

// Of a set that is built aside: rows are compared with what was active when it was begun, and written apart from it.
Result<void> use_versions(const Work& work, BucketLoader& loader) {
  const definition::WholeSet* set = work.job().definition().set();
  if (set == nullptr || !set->version) return {};
  LADE_ASSIGN(const Worker::Session session, work.worker.session(work.context.stop()));
  LADE_ASSIGN(const auto version, store::set_version_of(*session, work.job().id));
  if (!version) return fail("version_not_found", "the job has no version to build", "", ErrorKind::invalid);
  loader.use_versions(version->based_on, version->version);
  return {};
}

Result<void> process_bucket(const Work& work) {
  if (work.job().definition().handler() != nullptr) return hand_over(work);
  std::optional<store::BucketOutcomes> before;
  std::optional<load::SeenRows> seen;
  // SQLite's only session is in use as long as another bucket is written: this one is prepared meanwhile.
  if (!work.open.staged.is_open() || is_judged(work.job().definition()) || work.job().retries > 0) {
    LADE_ASSIGN(const Worker::Session session, work.worker.session(work.context.stop()));
    LADE_ASSIGN(const bool stopped, is_stopped(work, *session));
    if (stopped) return {};
    LADE_TRY(work.open.staged.open(*session));
    LADE_ASSIGN(before, loaded_before(work, *session, work.target.part));
    LADE_ASSIGN(seen, rows_seen(*session, work.job(), work.target.part));
  }
  LADE_TRY(work.open.staged.settle_claims());
  LADE_ASSIGN(const StagedBucket staged, work.open.staged.bucket(work.target.part));
  if (before) return process_fixed_bucket(work, staged, *before);
  LADE_ASSIGN(BucketLoader* const loader, work.worker.loader(work.context.stop()));
  LADE_TRY(use_versions(work, *loader));
  LADE_TRY(loader->begin(staged));
  loader->expect(std::move(seen));
  LADE_TRY(loader->compare_ahead());
  LADE_ASSIGN(const Worker::Session session, loading_session(work));
  LADE_ASSIGN(queue::Publication publication, work.context.publish(*session));
  const load::JournalSink journal = journal_of(work, *session, work.target.part);
  LADE_ASSIGN(BucketResult result, loader->load(true, journal, work.context.stop()));
  LADE_TRY(store_bucket(work, *session, work.target.part, result));
  LADE_TRY(advance(work, *session, 1, result.counts));
  LADE_TRY(publication.commit());
  show(work, result.counts);
  log(LogLevel::info, "bucket_loaded",
      {{"job", work.job().uuid},
       {"company", std::to_string(work.job().options.company)},
       {"bucket", std::to_string(work.target.part)},
       {"rows", std::to_string(result.counts.accounted())},
       {"failed", std::to_string(result.counts[Outcome::failed])}});
  return {};
}

// Tries rows that wait for their parents again, round by round, as long as a round brings some of them in.
Result<void> load_orphans(const Work& work, BucketLoader& loader, std::map<std::size_t, BucketResult>& results) {
  for (std::size_t before = 0, round = 0;; ++round) {
    std::size_t waiting = 0;
    for (const auto& [bucket, result] : results) waiting += result.held.size();
    if (waiting == 0) return {};
    const bool hold = round == 0 || waiting != before;
    before = waiting;
    for (auto& [bucket, result] : results) {
      if (result.held.empty()) continue;
      LADE_ASSIGN(const StagedBucket staged, work.open.staged.bucket(bucket));
      LADE_TRY(loader.begin(staged, &result.held));
      const load::JournalSink journal = journal_of(work, loader.writer(), bucket);
      LADE_ASSIGN(BucketResult loaded, loader.load(hold, journal, work.context.stop()));
      LADE_TRY(add_orphans(result, loaded));
    }
  }
}

// A bucket that was loaded before, with what was stored of it.
struct LoadedAgain {
  store::BucketOutcomes before;
  FixedBucket fixed;  // its result is with the others'
};

// Stores all buckets that were loaded together; gives what the job's counters have grown by.
Result<model::RowCounts> store_buckets(const Work& work, db::Connection& connection,
                                       std::map<std::size_t, BucketResult>& results,
                                       std::map<std::size_t, LoadedAgain>& again) {
  model::RowCounts grown;
  for (auto& [bucket, result] : results) {
    const auto found = again.find(bucket);
    if (found == again.end()) {
      grown += result.counts;
      LADE_TRY(store_bucket(work, connection, bucket, result));
      continue;
    }
    found->second.fixed.result = std::move(result);
    LADE_ASSIGN(const model::RowCounts more,
                store_fixed_bucket(connection, work.job(), found->second.fixed, found->second.before));
    grown += more;
  }
  return grown;
}

// Takes the rows out of the set that the file lacks; refused when that are too many and nobody has approved it.
Result<BucketResult> remove_leftovers(const Work& work, db::Connection& connection, load::Leftovers& leftovers) {
  const Job& job = work.job();
  LADE_ASSIGN(const load::Leftovers::Counts counts, leftovers.find());
  LADE_ASSIGN(const auto record, store::job_with_id(connection, job.id));
  const bool approved = record && !record->reviewed_by.empty();
  if (auto error = too_many_removed(*job.definition().set(), counts); error && !approved)
    return fail(std::move(*error));
  LADE_ASSIGN(const std::string seen,
              store::seen_rows(connection, job.id, static_cast<std::int64_t>(set_part(job.plan))));
  if (approved && !seen.empty()) LADE_TRY(leave_unseen(leftovers, seen));
  BucketResult result(job);
  if (counts.removed == 0) return result;
  leftovers.rows().journal_to(journal_of(work, connection, set_part(job.plan)));
  LADE_ASSIGN(result.counts.removed,
              leftovers.rows().remove([&](std::string_view tuple) { return leftovers.rows().tell(tuple); }));
  LADE_TRY(leftovers.rows().finish_journal());
  return result;
}

// All buckets in one transaction; refused rows are listed to the end, then everything is taken back.
Result<void> process_all(const Work& work) {
  const Job& job = work.job();
  LADE_ASSIGN(BucketLoader* const loader, work.worker.loader(work.context.stop()));
  LADE_ASSIGN(const Worker::Session session, loading_session(work));
  LADE_TRY(work.open.staged.open(*session));
  LADE_TRY(work.open.staged.settle_claims());
  LADE_TRY(work.context.extend_deadline(*session, std::chrono::hours(24)));
  std::map<std::size_t, BucketResult> results;
  std::map<std::size_t, LoadedAgain> again;
  model::RowCounts counts;
  {
    LADE_ASSIGN(queue::Publication publication, work.context.publish(*session));
    std::optional<load::Leftovers> leftovers;
    if (job.definition().set() != nullptr) LADE_TRY(leftovers.emplace(*session, *job.program).begin());
    loader->collect(leftovers ? &*leftovers : nullptr);
    for (std::size_t bucket = 0; bucket < job.plan.buckets(); ++bucket) {
      LADE_ASSIGN(const StagedBucket staged, work.open.staged.bucket(bucket));
      const load::JournalSink journal = journal_of(work, *session, bucket);
      LADE_ASSIGN(auto before, loaded_before(work, *session, bucket));
      if (before) {
        LADE_ASSIGN(FixedBucket fixed, load_fixed_bucket(job, *loader, staged, *before, journal, work.context.stop()));
        results.emplace(bucket, std::move(fixed.result));
        again.emplace(bucket, LoadedAgain{std::move(*before), std::move(fixed)});
        continue;
      }
      LADE_TRY(loader->begin(staged));
      LADE_ASSIGN(auto seen, rows_seen(*session, job, bucket));
      loader->expect(std::move(seen));
      LADE_ASSIGN(BucketResult result, loader->load(true, journal, work.context.stop()));
      results.emplace(bucket, std::move(result));
    }
    LADE_TRY(load_orphans(work, *loader, results));
    loader->collect(nullptr);
    if (leftovers) {
      LADE_ASSIGN(BucketResult removed, remove_leftovers(work, *session, *leftovers));
      results.emplace(set_part(job.plan), std::move(removed));
    }
    for (const auto& [bucket, result] : results) counts += result.counts;
    LADE_ASSIGN(std::int64_t failed, failed_rows(*session, job.id));
    LADE_ASSIGN(const model::RowCounts settled, store::counted_outcomes(*session, job.id));
    failed += counts[Outcome::failed] - settled[Outcome::failed];
    if (!too_many_errors(job.definition(), failed, job.plan.split.rows)) {
      LADE_ASSIGN(const model::RowCounts grown, store_buckets(work, *session, results, again));
      LADE_TRY(advance(work, *session, static_cast<std::int64_t>(job.plan.buckets() - again.size()), grown));
      LADE_TRY(publication.commit());
      show(work, counts);
      return {};
    }
    LADE_TRY(publication.rollback());
  }
  LADE_ASSIGN(queue::Publication publication, work.context.publish(*session));
  for (auto& [bucket, result] : results) {
    if (again.contains(bucket)) continue;  // it stays as it was loaded
    LADE_ASSIGN(BucketResult refused, taken_back(job, result));
    LADE_TRY(store_bucket(work, *session, bucket, refused, true));
  }
  return publication.commit();
}

}  // namespace

Result<void> process(const Work& work) {
  work.desk.progress().phase = Phase::processing;
  return work.job().definition().commit == definition::Commit::all_or_nothing ? process_all(work)
                                                                              : process_bucket(work);
}

// In one transaction, so that they are found together again after a crash.
Result<void> orphans(const Work& work) {
  const Job& job = work.job();
  LADE_ASSIGN(BucketLoader* const loader, work.worker.loader(work.context.stop()));
  LADE_ASSIGN(const Worker::Session session, loading_session(work));
  LADE_TRY(work.open.staged.open(*session));
  LADE_TRY(work.open.staged.settle_claims());
  LADE_ASSIGN(queue::Publication publication, work.context.publish(*session));
  std::map<std::size_t, BucketResult> results;
  for (std::size_t bucket = 0; bucket < job.plan.buckets(); ++bucket) {
    const auto number = static_cast<std::int64_t>(bucket);
    LADE_ASSIGN(const auto stored, store::outcomes_of(*session, job.id, number, number));
    if (stored.empty() || stored.front().counts[Outcome::unprocessed] == 0) continue;
    LADE_ASSIGN(BucketResult result, from_stored(job, stored.front()));
    results.emplace(bucket, std::move(result));
  }
  std::map<std::size_t, std::size_t> known;  // ranges of findings that are stored already
  for (const auto& [bucket, result] : results) known[bucket] = result.findings->ranges().size();
  model::RowCounts before, after;
  for (const auto& [bucket, result] : results) before += result.counts;
  LADE_TRY(load_orphans(work, *loader, results));
  for (auto& [bucket, result] : results) {
    after += result.counts;
    staging::IssueLog found(*job.area);
    for (std::size_t i = known[bucket]; i < result.findings->ranges().size(); ++i)
      found.add_range(result.findings->ranges()[i]);
    LADE_TRY(store_issues(*session, job, found));
    LADE_ASSIGN(const auto stored, to_stored(bucket, result, false));
    LADE_TRY(store::save_outcomes(*session, job.id, stored));
  }
  for (std::size_t i = 0; i < after.by_outcome.size(); ++i) after.by_outcome[i] -= before.by_outcome[i];
  LADE_TRY(advance(work, *session, 0, after));
  return publication.commit();
}

}  // namespace lade::jobs
