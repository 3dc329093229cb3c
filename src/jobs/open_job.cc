#include "jobs/open_job.h"

namespace lade::jobs {

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

Result<BucketLoader*> Worker::comparer() {
  LADE_TRY(open());
  if (comparer_) return comparer_.get();
  comparer_ = std::make_unique<BucketLoader>(job_, *own_, nullptr);
  LADE_TRY(comparer_->prepare());
  return comparer_.get();
}

void Worker::forget() {
  loader_.reset();
  comparer_.reset();
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

}  // namespace lade::jobs
