#include "jobs/open_job.h"

#include "store/files.h"

namespace lade::jobs {
namespace {

// A hot key may make a bucket as large as the file: beyond this it is read piece by piece.
constexpr std::uint64_t kMostInMemory = 32 * 1024 * 1024;

}  // namespace

Result<void> Worker::open() {
  if (own_ && own_->usable()) return {};
  forget();
  LADE_ASSIGN(own_, db::connect(sessions_.url()));
  // SQLite: each page is read once, there is nothing to keep for later. PostgreSQL: rows and the task that has loaded
  // them are committed together, so a server that crashes forgets both or neither, and need not wait for its disk
  // before the job's end.
  return own_->run(one_writer() ? "PRAGMA cache_size = -8192" : "SET synchronous_commit = off");
}

Result<Worker::Session> Worker::session(const std::stop_token& stop) {
  if (one_writer()) {
    LADE_ASSIGN(db::Pool::Lease lease, sessions_.acquire(stop));
    return Session(std::move(lease));
  }
  LADE_TRY(open());
  return Session(*own_);
}

Result<db::Connection*> Worker::reader() {
  LADE_TRY(open());
  return own_.get();
}

Result<ChunkAnalyser*> Worker::analyser() {
  if (analyser_) return analyser_.get();
  LADE_TRY(open());
  analyser_ = std::make_unique<ChunkAnalyser>(job_, own_.get());
  return analyser_.get();
}

Result<BucketLoader*> Worker::loader(const std::stop_token& stop) {
  LADE_TRY(open());
  if (loader_) return loader_.get();
  LADE_ASSIGN(const Session writer, session(stop));
  loader_ = std::make_unique<BucketLoader>(job_, *writer, one_writer() ? own_.get() : nullptr);
  loader_session_ = writer->number();
  LADE_TRY(loader_->prepare());
  return loader_.get();
}

void Worker::forget() {
  loader_.reset();
  analyser_.reset();
  own_.reset();
}

OpenJob::WorkerPointer OpenJob::worker() {
  std::unique_ptr<Worker> worker;
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      worker = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  if (!worker) worker = std::make_unique<Worker>(*job, sessions_);
  return {worker.release(), [this](Worker* done) {
            const std::lock_guard lock(mutex_);
            idle_.emplace_back(done);
          }};
}

bool OpenJob::has_segments() const {
  const std::lock_guard lock(mutex_);
  return segments_opened_;
}

Result<void> OpenJob::open_segments(db::Connection& connection) {
  const std::lock_guard lock(mutex_);
  if (segments_opened_) return {};
  LADE_ASSIGN(const auto records, store::segments_of(connection, job->id));
  if (records.size() != job->plan.chunks())
    return fail("staging_incomplete", "not all chunks of the job are analysed", "retry the job");
  std::vector<std::unique_ptr<staging::SegmentFile>> segments;
  for (const store::SegmentRecord& record : records) {
    LADE_ASSIGN(auto segment,
                staging::SegmentFile::open(storage, record.file_uuid, static_cast<std::uint64_t>(record.bytes)));
    segments.push_back(std::move(segment));
  }
  segments_ = std::move(segments);
  segments_opened_ = true;
  return {};
}

// The claims task has told what came of the claims; here it is found out again, from the same records.
Result<void> OpenJob::settle_claims() {
  const std::lock_guard lock(mutex_);
  if (claims_ || !job->plan.has_claims()) return {};
  LADE_ASSIGN(const StagedBucket staged, bucket(job->plan.buckets()));
  LADE_ASSIGN(claims_, jobs::settle_claims(*job, staged.ranges));
  return {};
}

Result<StagedBucket> OpenJob::bucket(std::size_t bucket) const {
  StagedBucket staged;
  staged.claims = claims_;
  std::uint64_t bytes = 0;
  for (const auto& segment : segments_) bytes += segment->bucket_bytes(bucket);
  if (bytes <= kMostInMemory) staged.memory = std::make_unique_for_overwrite<char[]>(bytes);
  char* at = staged.memory.get();
  for (const auto& segment : segments_) {
    const std::size_t size = segment->bucket_bytes(bucket);
    LADE_ASSIGN(const staging::Range range,
                staged.memory ? segment->bucket(bucket, {at, size}) : segment->bucket(bucket));
    staged.ranges.push_back(range);
    at += staged.memory ? size : 0;
  }
  return staged;
}

}  // namespace lade::jobs
