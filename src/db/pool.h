#pragma once

#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

#include "db/connection.h"

namespace lade::db {

// Up to `size` sessions with one database, opened when needed and kept for the next user. Thread-safe; outlives its
// leases. A database in memory belongs to one session, so its pool has one.
class Pool {
 public:
  // A session lent to one thread. Its end gives the session back: an open transaction is rolled back, a broken session
  // is closed and a new one opened for the next user.
  class Lease {
   public:
    Lease(Lease&& other) noexcept
        : pool_(std::exchange(other.pool_, nullptr)), connection_(std::move(other.connection_)) {}
    Lease& operator=(Lease&&) = delete;
    ~Lease();
    Connection& operator*() const { return *connection_; }
    Connection* operator->() const { return connection_.get(); }

   private:
    friend class Pool;
    Lease(Pool& pool, std::unique_ptr<Connection> connection) : pool_(&pool), connection_(std::move(connection)) {}
    Pool* pool_;
    std::unique_ptr<Connection> connection_;
  };

  Pool(std::string url, std::size_t size);
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  // Waits for a session; fails with `cancelled` when `stop` is asked meanwhile, or as connect() does.
  Result<Lease> acquire(const std::stop_token& stop = {});
  // Takes a session with the same database that somebody else has opened.
  void add(std::unique_ptr<Connection> session);
  const std::string& url() const { return url_; }
  std::size_t size() const { return size_; }

 private:
  void give_back(std::unique_ptr<Connection> connection);

  const std::string url_;
  const std::size_t size_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::size_t lent_ = 0;                           // guarded by mutex_
  std::vector<std::unique_ptr<Connection>> idle_;  // guarded by mutex_
};

}  // namespace lade::db
