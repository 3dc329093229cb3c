#include "jobs/rehearse.h"

#include "jobs/analyse.h"
#include "jobs/bucket.h"
#include "jobs/diff_file.h"
#include "jobs/results.h"
#include "jobs/sets.h"
#include "jobs/versions.h"

namespace lade::jobs {
namespace {

using model::Outcome;

// What the threads of a rehearsal share: the same steps as those of a job, with nothing stored.
struct Rehearsal {
  explicit Rehearsal(const Job& bound, Progress& shown)
      : job(bound),
        progress(shown),
        findings(*bound.area),
        buckets(bound.plan.parts(), std::vector<staging::Range>(bound.plan.chunks())),
        changes(bound.options.diff_file, bound.options.first_changes) {
    counts.read = bound.plan.split.rows;
  }
  const Job& job;
  Progress& progress;
  staging::IssueLog findings;
  std::vector<std::vector<staging::Range>> buckets;  // each bucket's ranges, by chunk
  std::shared_ptr<const load::ClaimResults> claims;
  std::mutex mutex;  // guards what follows
  DiffFile changes;
  model::RowCounts counts;
  staging::IssueCounts issues;
  std::vector<std::string> remarks;

  void add(const staging::IssueLog& found, const staging::IssueCounts& counted) {
    for (const staging::Range& range : found.ranges()) findings.add_range(range);
    for (const auto& [what, count] : counted) issues[what] += count;
  }
};

Result<void> analyse_chunks(Rehearsal& rehearsal, const NextItem& next, const std::stop_token& stop) {
  const Job& job = rehearsal.job;
  LADE_ASSIGN(const auto connection, db::connect(job.options.database));
  ChunkAnalyser analyser(job, connection.get());
  while (const auto number = next()) {
    LADE_ASSIGN(ChunkAnalyser::Chunk chunk, analyser.analyse(*number, stop));
    LADE_ASSIGN(const auto ranges, chunk.rows.finish(*job.area, job.plan.splitters));
    const std::lock_guard lock(rehearsal.mutex);
    for (std::size_t bucket = 0; bucket < ranges.size(); ++bucket) rehearsal.buckets[bucket][*number] = ranges[bucket];
    rehearsal.add(*chunk.findings, chunk.issues);
    rehearsal.counts[Outcome::failed] += chunk.failed_rows;
    rehearsal.progress.rows_analysed += job.plan.chunk_rows(*number);
    rehearsal.progress.rows_failed += chunk.failed_rows;
  }
  return {};
}

// What a handler would do with the rows only it knows: all that are staged count as new.
Result<void> rehearse_handing(Rehearsal& rehearsal, const NextItem& next, const std::stop_token& stop) {
  while (const auto bucket = next()) {
    const StagedBucket staged{rehearsal.buckets[*bucket], nullptr, rehearsal.claims};
    LADE_ASSIGN(const BucketResult settled, settle_bucket(rehearsal.job, staged, stop));
    const std::lock_guard lock(rehearsal.mutex);
    rehearsal.counts[Outcome::inserted] += settled.counts[Outcome::unprocessed];
    rehearsal.progress.rows_loaded += settled.counts[Outcome::unprocessed];
  }
  return {};
}

Result<void> rehearse_buckets(Rehearsal& rehearsal, const NextItem& next, const std::stop_token& stop) {
  LADE_ASSIGN(const auto connection, db::connect(rehearsal.job.options.database));
  BucketLoader loader(rehearsal.job, *connection, nullptr);
  LADE_TRY(loader.prepare());
  LADE_TRY(compare_with_active(loader, *connection, rehearsal.job));
  while (const auto bucket = next()) {
    const StagedBucket staged{rehearsal.buckets[*bucket], nullptr, rehearsal.claims};
    LADE_TRY(loader.begin(staged));
    LADE_ASSIGN(db::Transaction transaction, db::Transaction::begin(*connection));
    std::vector<load::DiffBlock> diff;
    load::DiffWriter writer = rehearsal.changes.writer(diff);
    LADE_ASSIGN(const BucketResult result,
                loader.rehearse(stop, {rehearsal.changes.is_wanted() ? &writer : nullptr, nullptr}));
    LADE_TRY(writer.finish());
    LADE_TRY(transaction.rollback());
    const std::lock_guard lock(rehearsal.mutex);
    LADE_TRY(rehearsal.changes.add(*bucket, std::move(diff)));
    rehearsal.add(*result.findings, result.issues);
    rehearsal.counts += result.counts;
    rehearsal.progress.rows_loaded += result.counts.accounted();
    rehearsal.progress.rows_failed += result.counts[Outcome::failed];
  }
  return {};
}

Result<void> refuse_contested(Rehearsal& rehearsal) {
  const Job& job = rehearsal.job;
  if (!job.plan.has_claims()) return {};
  LADE_ASSIGN(const BucketResult refused, refuse_contested(job, rehearsal.buckets.back()));
  LADE_ASSIGN(rehearsal.claims, settle_claims(job, rehearsal.buckets.back()));
  rehearsal.add(*refused.findings, refused.issues);
  rehearsal.counts += refused.counts;
  rehearsal.progress.rows_failed += refused.counts[Outcome::failed];
  return {};
}

// What the file means for its set as a whole.
Result<void> rehearse_set(Rehearsal& rehearsal, const std::stop_token& stop) {
  const Job& job = rehearsal.job;
  const definition::WholeSet* set = job.definition().set();
  if (set == nullptr) return {};
  LADE_ASSIGN(const auto connection, db::connect(job.options.database));
  LADE_ASSIGN(db::Transaction transaction, db::Transaction::begin(*connection));
  LADE_ASSIGN(const auto version, active_version(*connection, job));
  load::Leftovers leftovers(*connection, *job.program, version);
  const auto staged = [&](std::size_t bucket) -> Result<StagedBucket> {
    return StagedBucket{rehearsal.buckets[bucket]};
  };
  LADE_ASSIGN(const load::Leftovers::Counts counts, find_leftovers(leftovers, job, staged, stop));
  rehearsal.counts.removed = counts.removed;
  if (const auto error = refuse_empty(*set, counts)) rehearsal.remarks.push_back(error->message);
  if (const auto error = too_many_removed(*set, counts))
    rehearsal.remarks.push_back(error->message + ": somebody must approve it");
  std::vector<load::DiffBlock> diff;
  load::DiffWriter writer = rehearsal.changes.writer(diff);
  std::string seen;
  if (rehearsal.changes.is_wanted()) LADE_TRY(tell_leftovers(leftovers, job, writer, seen));
  LADE_TRY(writer.finish());
  LADE_TRY(rehearsal.changes.add(set_part(job.plan), std::move(diff)));
  return transaction.rollback();
}

Result<void> run_phases(Rehearsal& rehearsal, const std::stop_token& stop) {
  const Job& job = rehearsal.job;
  rehearsal.progress.phase = Phase::analysing;
  LADE_TRY(run_workers(job.options.workers, job.plan.chunks(), stop,
                       [&](const NextItem& next) { return analyse_chunks(rehearsal, next, stop); }));
  if (stop.stop_requested()) return fail(cancelled());
  LADE_TRY(refuse_contested(rehearsal));
  rehearsal.progress.phase = Phase::processing;
  const auto rehearse_part = job.definition().handler() == nullptr ? rehearse_buckets : rehearse_handing;
  LADE_TRY(run_workers(job.options.workers, job.plan.buckets(), stop,
                       [&](const NextItem& next) { return rehearse_part(rehearsal, next, stop); }));
  if (stop.stop_requested()) return fail(cancelled());
  return rehearse_set(rehearsal, stop);
}

Result<void> write_files(const Rehearsal& rehearsal, Outcome untold, Summary& summary) {
  const Job& job = rehearsal.job;
  if (!job.options.issues_file.empty()) LADE_TRY(write_issue_file(job.options.issues_file, rehearsal.findings));
  const Verdicts verdicts{rehearsal.findings, std::vector<Outcome>(job.plan.chunks(), untold)};
  LADE_ASSIGN(const ResultFiles files, write_result_files(job, verdicts, job.options.results_folder));
  summary.failed_file = files.failed;
  summary.succeeded_file = files.succeeded;
  summary.unprocessed_file = files.unprocessed;
  return {};
}

}  // namespace

Result<void> rehearse(const Job& job, Progress& progress, const std::stop_token& stop, Summary& summary) {
  Rehearsal rehearsal(job, progress);
  LADE_TRY(rehearsal.changes.create());
  auto done = run_phases(rehearsal, stop);
  if (!done && done.error().kind != ErrorKind::cancelled) return done;
  if (done) {
    LADE_TRY(rehearsal.counts.check_conserved());
  } else {
    rehearsal.counts.fill_missing();
  }
  progress.phase = Phase::finishing;
  LADE_TRY(write_files(rehearsal, done ? Outcome::unchanged : Outcome::unprocessed, summary));
  if (done) LADE_TRY(rehearsal.changes.finish());
  summary.first_changes = rehearsal.changes.first();
  summary.rows = rehearsal.counts;
  summary.issues = rehearsal.issues;
  summary.remarks = rehearsal.remarks;
  summary.outcome = done ? "succeeded" : "cancelled";
  if (!done) summary.error = done.error();
  return {};
}

}  // namespace lade::jobs
