#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <type_traits>

#include "db/pool.h"

namespace lade::queue {

// One thread's way to the database. On PostgreSQL it has a session of its own, opened when needed and again after it
// was lost; on SQLite, which has one writer, it borrows the pool's session for each use.
class Session {
 public:
  // `set_up` is run on each new session of PostgreSQL.
  Session(db::Pool& pool, std::string set_up) : pool_(pool), set_up_(std::move(set_up)) {}

  // Gives what `work`, called with the connection, gives; or why there is no connection.
  template <class Work>
  auto use(const std::stop_token& stop, Work&& work) -> std::invoke_result_t<Work, db::Connection&> {
    if (db::backend_of(pool_.url()) == db::Backend::sqlite) {
      LADE_ASSIGN(const db::Pool::Lease lease, pool_.acquire(stop));
      return work(*lease);
    }
    LADE_TRY(open());
    return work(*connection_);
  }
  // The open session, nullptr when there is none (SQLite never has one).
  db::Connection* connection() { return connection_.get(); }

 private:
  Result<void> open();

  db::Pool& pool_;
  std::string set_up_;
  std::unique_ptr<db::Connection> connection_;
};

}  // namespace lade::queue
