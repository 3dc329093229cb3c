#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "db/pool.h"
#include "jobs/analyse.h"
#include "jobs/bucket.h"
#include "jobs/job.h"
#include "jobs/staged_rows.h"
#include "storage/storage.h"

namespace lade::jobs {

// One thread's place at an open job: its session with the database, and what was made for it there.
class Worker {
 public:
  Worker(const Job& job, db::Pool& sessions) : job_(job), sessions_(sessions) {}

  // The session in which results are published. On SQLite, which has one writer, it is lent by the pool, and others
  // wait for it.
  class Session {
   public:
    explicit Session(db::Connection& own) : connection_(&own) {}
    explicit Session(db::Pool::Lease lease) : lease_(std::move(lease)), connection_(&**lease_) {}
    db::Connection& operator*() const { return *connection_; }
    db::Connection* operator->() const { return connection_; }

   private:
    std::optional<db::Pool::Lease> lease_;
    db::Connection* connection_;
  };
  Result<Session> session(const std::stop_token& stop);

  // A session for looking, which nobody waits for.
  Result<db::Connection*> reader();
  Result<ChunkAnalyser*> analyser();
  // The loader, bound to the session that was there when it was made: see loads_into().
  Result<BucketLoader*> loader(const std::stop_token& stop);
  // A loader that only compares, on the session for looking.
  Result<BucketLoader*> comparer();
  bool loads_into(const db::Connection& session) const { return loader_session_ == session.number(); }
  // After an error nothing of it is used again.
  void forget();

 private:
  Result<void> open();
  bool one_writer() const { return db::backend_of(sessions_.url()) == db::Backend::sqlite; }

  const Job& job_;
  db::Pool& sessions_;
  std::unique_ptr<db::Connection> own_;
  std::unique_ptr<ChunkAnalyser> analyser_;
  std::unique_ptr<BucketLoader> loader_, comparer_;
  std::uint64_t loader_session_ = 0;  // the number of the session that the loader writes to
};

// A job on which this process works: what was bound for it, what it has staged, and its workers. Thread-safe.
class OpenJob {
 public:
  OpenJob(std::unique_ptr<const Job> bound, const storage::Storage& folder, db::Pool& sessions)
      : job(std::move(bound)), storage(folder), staged(*job, folder), sessions_(sessions) {}

  const std::unique_ptr<const Job> job;
  const storage::Storage& storage;
  StagedRows staged;

  // A worker that nobody else uses at the moment.
  using WorkerPointer = std::unique_ptr<Worker, std::function<void(Worker*)>>;
  WorkerPointer worker();

 private:
  db::Pool& sessions_;
  std::mutex mutex_;  // guards what follows
  std::vector<std::unique_ptr<Worker>> idle_;
};

}  // namespace lade::jobs
