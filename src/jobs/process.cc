#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "jobs/job.h"

namespace lade::jobs {
namespace {

using definition::Commit;
using model::Outcome;

constexpr std::size_t kSliceBytes = 16 * 1024 * 1024;
constexpr int kMaxAttempts = 5;
constexpr std::chrono::milliseconds kFirstPause{100};

Error cancelled() { return {"cancelled", "the import was cancelled", {}, ErrorKind::cancelled}; }

// One worker's connection and what it loads with.
class BucketWorker {
 public:
  explicit BucketWorker(Job& job) : job_(job), issues_(*job.log) {}

  // Loads the bucket in one transaction, again after errors that pass (lost connections, deadlocks).
  Result<void> load(std::size_t bucket) {
    auto pause = kFirstPause;
    for (int attempt = 1;; ++attempt) {
      model::RowCounts counts;
      auto result = try_bucket(bucket, counts);
      if (result) return hand_over(counts);
      issues_.discard();
      const bool passes = connection_ == nullptr || !connection_->usable() || load::is_transient(connection_->diagnosis());
      if (result.error().kind == ErrorKind::cancelled || !passes || attempt == kMaxAttempts) return result;
      loader_.reset();
      connection_.reset();
      std::this_thread::sleep_for(pause);
      pause *= 2;
    }
  }

  // All buckets in one transaction; refused rows are listed to the end, then everything is taken back.
  Result<void> load_all() {
    staging::IssueLog attempt(*job_.area);
    staging::IssueWriter attempted(attempt);
    LADE_TRY(open());
    LADE_ASSIGN(db::Transaction transaction, db::Transaction::begin(*connection_));
    model::RowCounts counts;
    for (std::size_t bucket = 0; bucket < job_.buckets.size(); ++bucket) LADE_TRY(load_rows(bucket, attempted, counts));
    job_.error = too_many_errors(job_.program->definition, job_.failed_rows() + counts[Outcome::failed], job_.counts.read);
    staging::IssueCounts ignored;
    LADE_TRY(attempted.publish(job_.error ? ignored : job_.issues));
    if (job_.error) {
      LADE_TRY(transaction.rollback());
      return keep_failures(job_, attempt, counts);
    }
    LADE_TRY(transaction.commit());
    for (const staging::Range& range : attempt.ranges()) job_.log->add_range(range);
    return hand_over(counts);
  }

 private:
  Result<void> open() {
    if (loader_) return {};
    LADE_ASSIGN(connection_, db::connect(job_.options.database));
    loader_ = std::make_unique<load::Loader>(*job_.program, *connection_);
    return loader_->prepare();
  }

  Result<void> try_bucket(std::size_t bucket, model::RowCounts& counts) {
    LADE_TRY(open());
    LADE_ASSIGN(db::Transaction transaction, db::Transaction::begin(*connection_));
    LADE_TRY(load_rows(bucket, issues_, counts));
    return job_.options.dry_run ? transaction.rollback() : transaction.commit();
  }

  Result<void> load_rows(std::size_t bucket, staging::IssueWriter& issues, model::RowCounts& counts) {
    load::Settler settler(*job_.program, job_.area->file(), job_.buckets[bucket], {kSliceBytes});
    for (;;) {
      if (job_.stop.stop_requested()) return fail(cancelled());
      LADE_ASSIGN(const bool more, settler.next(slice_, issues, counts));
      if (!more) return {};
      LADE_TRY(job_.options.dry_run ? loader_->rehearse(slice_, issues, counts) : loader_->load(slice_, issues, counts));
    }
  }

  Result<void> hand_over(const model::RowCounts& counts) {
    const std::lock_guard lock(job_.mutex);
    job_.counts += counts;
    job_.progress.rows_loaded += counts.accounted();
    job_.progress.rows_failed += counts[Outcome::failed];
    return issues_.publish(job_.issues);
  }

  Job& job_;
  staging::IssueWriter issues_;
  std::unique_ptr<db::Connection> connection_;
  std::unique_ptr<load::Loader> loader_;
  load::Slice slice_;
};

}  // namespace

Result<void> count_unprocessed(Job& job, std::size_t bucket) {
  std::int64_t rows = 0;
  for (const staging::Range& range : job.buckets[bucket]) rows += range.rows;
  job.counts[Outcome::unprocessed] += rows;
  if (job.options.results != Results::all || rows == 0) return {};
  staging::Merge merge(job.area->file(), job.buckets[bucket], 1024 * 1024);
  staging::IssueWriter issues(*job.log);
  staging::Record record;
  for (;;) {
    LADE_ASSIGN(const bool more, merge.next(record));
    if (!more) return issues.publish(job.issues);
    std::string_view tuple;
    LADE_TRY(issues.add({staging::read_row(record, tuple), Outcome::unprocessed, {}}));
  }
}

Result<void> process(Job& job) {
  const auto& definition = job.program->definition;
  std::vector<char> done(job.buckets.size(), 0);
  if (definition.commit == Commit::all_or_nothing && !job.options.dry_run) {
    BucketWorker worker(job);
    if (auto loaded = worker.load_all(); !loaded) job.error = loaded.error();
    if (!job.error) std::fill(done.begin(), done.end(), 1);
  } else {
    // SQLite has one writer; more would only wait for each other.
    const unsigned workers = job.connection->backend() == db::Backend::sqlite && !job.options.dry_run ? 1 : job.options.workers;
    LADE_TRY(run_workers(workers, job.buckets.size(), job.stop, [&](const NextItem& next) -> Result<void> {
      BucketWorker worker(job);
      while (const auto bucket = next()) {
        {
          const std::lock_guard lock(job.mutex);
          if (job.error && job.error->code == "too_many_errors") return {};
        }
        auto loaded = worker.load(*bucket);
        const std::lock_guard lock(job.mutex);
        if (loaded) {
          done[*bucket] = 1;
          if (!job.error && !job.options.dry_run) job.error = too_many_errors(definition, job.failed_rows(), job.counts.read);
        } else if (!job.error) {
          job.error = std::move(loaded).error();  // the other buckets go on
        }
      }
      return {};
    }));
  }
  for (std::size_t bucket = 0; bucket < done.size(); ++bucket)
    if (!done[bucket]) LADE_TRY(count_unprocessed(job, bucket));
  return {};
}

}  // namespace lade::jobs
