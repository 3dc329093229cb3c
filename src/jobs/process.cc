#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <mutex>
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

Error cancelled() {
  return {"cancelled", "the import was cancelled", {}, ErrorKind::cancelled};
}

using Ranges = std::span<const staging::Range>;

std::int64_t rows_in(Ranges ranges) {
  std::int64_t rows = 0;
  for (const staging::Range& range : ranges) rows += range.rows;
  return rows;
}

// A bucket on its way to the database: its settler, the slice at hand, and what was found on the way.
struct BucketRun {
  BucketRun(Job& job, Ranges ranges, staging::IssueLog& log, load::Slice memory)
      : settler(*job.program, job.area->file(), ranges, {kSliceBytes}), slice(std::move(memory)), issues(log) {
    first = next();
  }
  Result<bool> next() { return settler.next(slice, issues, counts); }

  load::Settler settler;
  load::Slice slice;
  staging::IssueWriter issues;
  model::RowCounts counts;
  staging::SegmentBuilder orphans;  // rows that wait for their parents
  Result<bool> first = false;       // what the first next() gave
};

// SQLite has one writer at a time: its session, which the workers take in turn.
struct Writer {
  std::mutex mutex;
  std::unique_ptr<db::Connection> connection;
};

// In a write-ahead log a commit need not wait for the disk: what was committed stays whole, and the job's end, which
// waits, makes all before it durable too.
Result<std::unique_ptr<db::Connection>> open_writer(const Job& job) {
  LADE_ASSIGN(auto connection, db::connect(job.options.database));
  LADE_ASSIGN(const auto mode, connection->query("PRAGMA main.journal_mode"));
  if (std::get<std::string>(mode.front().front()) == "wal") LADE_TRY(connection->run("PRAGMA synchronous = NORMAL"));
  return connection;
}

// One worker: what it loads buckets with. With a shared writer it settles and compares on a session of its own while
// another worker writes.
class BucketWorker {
 public:
  explicit BucketWorker(Job& job, Writer* shared = nullptr) : job_(job), shared_(shared) {}

  // Loads a bucket in one transaction, again after errors that pass (lost connections, deadlocks). With `hold`, rows
  // that wait for their parents go to job.orphans.
  Result<void> load(Ranges bucket, bool hold) {
    auto pause = kFirstPause;
    for (int attempt = 1;; ++attempt) {
      BucketRun run(job_, bucket, *job_.log, std::exchange(spare_, {}));
      auto result = try_bucket(run, hold);
      spare_ = std::move(run.slice);
      if (result) return hand_over(run);
      if (result.error().kind == ErrorKind::cancelled || !passes_ || attempt == kMaxAttempts) return result;
      loader_.reset();
      own_.reset();
      std::this_thread::sleep_for(pause);
      pause *= 2;
    }
  }

  // All buckets in one transaction; refused rows are listed to the end, then everything is taken back.
  Result<void> load_all() {
    staging::IssueLog log(*job_.area);
    staging::IssueCounts issues;
    model::RowCounts counts;
    std::vector<staging::Range> orphans;
    LADE_TRY(open());
    LADE_ASSIGN(db::Transaction transaction, db::Transaction::begin(connection()));
    const auto load_one = [&](Ranges ranges, bool hold) -> Result<void> {
      BucketRun run(job_, ranges, log, std::exchange(spare_, {}));
      LADE_TRY(load_rows(run, hold));
      spare_ = std::move(run.slice);
      counts += run.counts;
      LADE_TRY(run.issues.publish(issues));
      return keep_orphans(run, orphans);
    };
    for (const auto& bucket : job_.buckets) LADE_TRY(load_one(bucket, true));
    for (std::int64_t before = -1, waiting = 0; !orphans.empty(); before = waiting) {
      const std::vector<staging::Range> ranges = std::exchange(orphans, {});
      waiting = rows_in(ranges);
      LADE_TRY(load_one(ranges, waiting != before));
    }
    job_.error =
        too_many_errors(job_.program->definition, job_.failed_rows() + counts[Outcome::failed], job_.counts.read);
    if (job_.error) {
      LADE_TRY(transaction.rollback());
      return keep_failures(job_, log, counts);
    }
    LADE_TRY(transaction.commit());
    job_.counts += counts;
    for (const auto& [what, count] : issues) job_.issues[what] += count;
    for (const staging::Range& range : log.ranges()) job_.log->add_range(range);
    return {};
  }

 private:
  db::Connection& connection() { return shared_ != nullptr ? *shared_->connection : *own_; }

  Result<void> open() {
    if (loader_) return {};
    LADE_ASSIGN(own_, db::connect(job_.options.database));
    // Each page is read once: there is nothing to keep for later.
    if (shared_ != nullptr) LADE_TRY(own_->run("PRAGMA cache_size = -8192"));
    const auto lock = take_turn();
    loader_ = std::make_unique<load::Loader>(*job_.program, connection(), shared_ != nullptr ? own_.get() : nullptr);
    return loader_->prepare();
  }

  std::unique_lock<std::mutex> take_turn() {
    return shared_ != nullptr ? std::unique_lock(shared_->mutex) : std::unique_lock<std::mutex>();
  }

  // After an error passes_ tells whether it may be gone at the next attempt.
  Result<void> try_bucket(BucketRun& run, bool hold) {
    passes_ = true;
    LADE_TRY(open());
    if (shared_ != nullptr && run.first) {
      if (auto decided = loader_->decide_ahead(run.slice); !decided) {
        passes_ = load::is_transient(own_->diagnosis());
        return decided;
      }
    }
    const auto lock = take_turn();  // also guards what the connection says about a refusal
    auto loaded = load_in_transaction(run, hold);
    if (!loaded) passes_ = !connection().usable() || load::is_transient(connection().diagnosis());
    return loaded;
  }

  Result<void> load_in_transaction(BucketRun& run, bool hold) {
    LADE_ASSIGN(db::Transaction transaction, db::Transaction::begin(connection()));
    LADE_TRY(load_rows(run, hold));
    return job_.options.dry_run ? transaction.rollback() : transaction.commit();
  }

  Result<void> load_rows(BucketRun& run, bool hold) {
    loader_->hold_orphans(hold);
    for (Result<bool> more = run.first;; more = run.next()) {
      if (!more) return fail(std::move(more).error());
      if (!*more) return {};
      if (job_.stop.stop_requested()) return fail(cancelled());
      LADE_TRY(job_.options.dry_run ? loader_->rehearse(run.slice, run.issues, run.counts)
                                    : loader_->load(run.slice, run.issues, run.counts));
      for (const load::Row& row : run.slice.rows)
        if (row.outcome == Outcome::unprocessed) staging::stage_row(run.orphans, row.key, row.place, row.tuple);
    }
  }

  Result<void> keep_orphans(BucketRun& run, std::vector<staging::Range>& orphans) {
    if (run.orphans.empty()) return {};
    LADE_ASSIGN(const std::vector<staging::Range> ranges, run.orphans.finish(*job_.area, {}));
    orphans.push_back(ranges.front());
    return {};
  }

  // The bucket is committed: its outcome becomes the job's.
  Result<void> hand_over(BucketRun& run) {
    const std::lock_guard lock(job_.mutex);
    job_.counts += run.counts;
    job_.progress.rows_loaded += run.counts.accounted();
    job_.progress.rows_failed += run.counts[Outcome::failed];
    LADE_TRY(keep_orphans(run, job_.orphans));
    return run.issues.publish(job_.issues);
  }

  Job& job_;
  Writer* const shared_;
  std::unique_ptr<db::Connection> own_;
  std::unique_ptr<load::Loader> loader_;
  bool passes_ = false;
  load::Slice spare_;  // of an earlier bucket: its memory serves the next one
};

// One worker: bucket after bucket, in ascending order, until none is left or too many rows have failed.
Result<void> load_buckets(Job& job, const NextItem& next, Writer* shared, std::vector<char>& done) {
  BucketWorker worker(job, shared);
  // One dead bucket does not stop the others, but what would kill each of them does.
  const auto stopped = [&] {
    const std::lock_guard lock(job.mutex);
    return job.error && (job.error->code == "too_many_errors" || job.error->code == "db_full" ||
                         job.error->kind == ErrorKind::cannot_connect);
  };
  for (auto bucket = next(); bucket && !stopped(); bucket = next()) {
    auto loaded = worker.load(job.buckets[*bucket], true);
    const std::lock_guard lock(job.mutex);
    if (loaded) {
      done[*bucket] = 1;
      if (!job.error && !job.options.dry_run)
        job.error = too_many_errors(job.program->definition, job.failed_rows(), job.counts.read);
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
    Writer writer;
    const bool one_writer = job.connection->backend() == db::Backend::sqlite && !job.options.dry_run;
    if (one_writer) {
      LADE_ASSIGN(writer.connection, open_writer(job));
    }
    LADE_TRY(run_workers(job.options.workers, job.buckets.size(), job.stop, [&](const NextItem& next) {
      return load_buckets(job, next, one_writer ? &writer : nullptr, done);
    }));
    if (!job.options.dry_run) LADE_TRY(load_orphans(job));
  }
  for (std::size_t bucket = 0; bucket < done.size(); ++bucket)
    if (!done[bucket]) LADE_TRY(count_unprocessed(job, job.buckets[bucket]));
  if (job.stop.stop_requested() && !job.error && job.counts[Outcome::unprocessed] > 0) job.error = cancelled();
  return {};
}

}  // namespace lade::jobs
