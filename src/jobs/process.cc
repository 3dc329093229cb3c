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
constexpr std::size_t kMergeBytes = 1024 * 1024;
constexpr int kMaxAttempts = 5;
constexpr std::chrono::milliseconds kFirstPause{100};

Error cancelled() { return {"cancelled", "the import was cancelled", {}, ErrorKind::cancelled}; }

using Ranges = std::span<const staging::Range>;

std::int64_t rows_in(Ranges ranges) {
  std::int64_t rows = 0;
  for (const staging::Range& range : ranges) rows += range.rows;
  return rows;
}

// One worker's connection and what it loads with.
class BucketWorker {
 public:
  explicit BucketWorker(Job& job) : job_(job), issues_(*job.log) {}

  // Loads a bucket in one transaction, again after errors that pass (lost connections, deadlocks). With `hold`, rows
  // that wait for their parents are put into job.orphans.
  Result<void> load(Ranges bucket, bool hold) {
    auto pause = kFirstPause;
    for (int attempt = 1;; ++attempt) {
      model::RowCounts counts;
      auto result = try_bucket(bucket, hold, counts);
      if (result) return hand_over(counts);
      issues_.discard();
      orphans_ = {};
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
    for (const auto& bucket : job_.buckets) LADE_TRY(load_rows(bucket, true, attempted, counts));
    for (std::int64_t before = -1, waiting = 0; !orphans_.empty(); before = waiting) {
      LADE_ASSIGN(const std::vector<staging::Range> ranges, orphans_.finish(*job_.area, {}));
      waiting = rows_in(ranges);
      LADE_TRY(load_rows(ranges, waiting != before, attempted, counts));
    }
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

  Result<void> try_bucket(Ranges bucket, bool hold, model::RowCounts& counts) {
    LADE_TRY(open());
    LADE_ASSIGN(db::Transaction transaction, db::Transaction::begin(*connection_));
    LADE_TRY(load_rows(bucket, hold, issues_, counts));
    return job_.options.dry_run ? transaction.rollback() : transaction.commit();
  }

  Result<void> load_rows(Ranges bucket, bool hold, staging::IssueWriter& issues, model::RowCounts& counts) {
    loader_->hold_orphans(hold);
    load::Settler settler(*job_.program, job_.area->file(), bucket, {kSliceBytes});
    for (;;) {
      if (job_.stop.stop_requested()) return fail(cancelled());
      LADE_ASSIGN(const bool more, settler.next(slice_, issues, counts));
      if (!more) return {};
      LADE_TRY(job_.options.dry_run ? loader_->rehearse(slice_, issues, counts) : loader_->load(slice_, issues, counts));
      for (const load::Row& row : slice_.rows)
        if (row.outcome == Outcome::unprocessed) keep_orphan(row);
    }
  }

  void keep_orphan(const load::Row& row) {
    staging::begin_row(orphans_.payload(), row.place);
    orphans_.payload().append(row.tuple);
    orphans_.add(row.key, row.place.row_id);
  }

  Result<void> hand_over(const model::RowCounts& counts) {
    const std::lock_guard lock(job_.mutex);
    job_.counts += counts;
    job_.progress.rows_loaded += counts.accounted();
    job_.progress.rows_failed += counts[Outcome::failed];
    if (!orphans_.empty()) {
      LADE_ASSIGN(const std::vector<staging::Range> ranges, orphans_.finish(*job_.area, {}));
      job_.orphans.push_back(ranges.front());
    }
    return issues_.publish(job_.issues);
  }

  Job& job_;
  staging::IssueWriter issues_;
  std::unique_ptr<db::Connection> connection_;
  std::unique_ptr<load::Loader> loader_;
  load::Slice slice_;
  staging::SegmentBuilder orphans_;
};

// One worker: bucket after bucket, in ascending order, until none is left or the job has failed too often.
Result<void> load_buckets(Job& job, const NextItem& next, std::vector<char>& done) {
  BucketWorker worker(job);
  const auto stopped = [&] {
    const std::lock_guard lock(job.mutex);
    return job.error && job.error->code == "too_many_errors";
  };
  while (const auto bucket = next()) {
    if (stopped()) return {};
    auto loaded = worker.load(job.buckets[*bucket], true);
    const std::lock_guard lock(job.mutex);
    if (loaded) {
      done[*bucket] = 1;
      if (!job.error && !job.options.dry_run) job.error = too_many_errors(job.program->definition, job.failed_rows(), job.counts.read);
    } else if (!job.error) {
      job.error = std::move(loaded).error();  // the other buckets go on
    }
  }
  return {};
}

// Rows that waited for their parents are tried again as long as a round brings some of them in.
Result<void> load_orphans(Job& job) {
  BucketWorker worker(job);
  for (std::int64_t before = -1, waiting = 0; !job.orphans.empty(); before = waiting) {
    const std::vector<staging::Range> ranges = std::exchange(job.orphans, {});
    waiting = rows_in(ranges);
    if (job.error) return count_unprocessed(job, ranges);
    if (auto loaded = worker.load(ranges, waiting != before); !loaded) {
      job.error = std::move(loaded).error();
      return count_unprocessed(job, ranges);
    }
  }
  if (!job.error) job.error = too_many_errors(job.program->definition, job.failed_rows(), job.counts.read);
  return {};
}

}  // namespace

Result<void> count_unprocessed(Job& job, std::span<const staging::Range> ranges) {
  const std::int64_t rows = rows_in(ranges);
  job.counts[Outcome::unprocessed] += rows;
  if (job.options.results != Results::all || rows == 0) return {};
  staging::Merge merge(job.area->file(), ranges, kMergeBytes);
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
  std::vector<char> done(job.buckets.size(), 0);
  if (job.program->definition.commit == Commit::all_or_nothing && !job.options.dry_run) {
    BucketWorker worker(job);
    if (auto loaded = worker.load_all(); !loaded) job.error = loaded.error();
    if (!job.error) std::fill(done.begin(), done.end(), 1);
  } else {
    // SQLite has one writer; more would only wait for each other.
    const bool one_writer = job.connection->backend() == db::Backend::sqlite && !job.options.dry_run;
    LADE_TRY(run_workers(one_writer ? 1 : job.options.workers, job.buckets.size(), job.stop, [&](const NextItem& next) { return load_buckets(job, next, done); }));
    if (!job.options.dry_run) LADE_TRY(load_orphans(job));
  }
  for (std::size_t bucket = 0; bucket < done.size(); ++bucket)
    if (!done[bucket]) LADE_TRY(count_unprocessed(job, job.buckets[bucket]));
  if (job.stop.stop_requested() && !job.error && job.counts[Outcome::unprocessed] > 0) job.error = cancelled();
  return {};
}

}  // namespace lade::jobs
