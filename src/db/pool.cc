#include "db/pool.h"

#include <fmt/format.h>

#include "base/assert.h"

namespace lade::db {

Pool::Pool(std::string url, std::size_t size) : url_(std::move(url)), size_(url_ == "sqlite::memory:" ? 1 : size) {
  LADE_ASSERT(size_ > 0);
}

Result<Pool::Lease> Pool::acquire(const std::stop_token& stop) {
  std::unique_ptr<Connection> connection;
  {
    std::unique_lock lock(mutex_);
    if (!changed_.wait(lock, stop, [&] { return lent_ < size_; }))
      return fail("cancelled", fmt::format("stopped while waiting for a connection to {}", without_password(url_)), "",
                  ErrorKind::cancelled);
    ++lent_;
    if (!idle_.empty()) {
      connection = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  if (connection == nullptr || !connection->usable()) {
    Result<std::unique_ptr<Connection>> opened = connect(url_);
    if (!opened) {
      give_back(nullptr);
      return fail(std::move(opened).error());
    }
    connection = std::move(*opened);
  }
  return Lease(*this, std::move(connection));
}

void Pool::add(std::unique_ptr<Connection> session) {
  const std::lock_guard lock(mutex_);
  if (lent_ + idle_.size() < size_) idle_.push_back(std::move(session));
}

void Pool::give_back(std::unique_ptr<Connection> connection) {
  if (connection != nullptr && connection->in_transaction()) (void)connection->run("ROLLBACK");
  if (connection != nullptr && (!connection->usable() || connection->in_transaction())) connection.reset();
  {
    const std::lock_guard lock(mutex_);
    --lent_;
    if (connection != nullptr) idle_.push_back(std::move(connection));
  }
  changed_.notify_one();
}

Pool::Lease::~Lease() {
  if (pool_ != nullptr) pool_->give_back(std::move(connection_));
}

}  // namespace lade::db
