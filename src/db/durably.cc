#include "db/durably.h"

#include "db/values.h"

namespace lade::db {

Durably::Durably(Connection& connection) : connection_(connection) {
  const bool sqlite = connection.backend() == Backend::sqlite;
  const auto rows = connection.query(sqlite ? "PRAGMA synchronous" : "SHOW synchronous_commit");
  if (!rows || rows->empty()) return;  // the session is lost, and so is what follows
  constexpr std::int64_t kFull = 2;
  const Value& before = rows->front().front();
  if (sqlite ? integer_of(before) >= kFull : text_of(before) == "on") return;
  restore_ = sqlite ? "PRAGMA synchronous = " + std::to_string(integer_of(before))
                    : "SET synchronous_commit = " + text_of(before);
  (void)connection.run(sqlite ? "PRAGMA synchronous = FULL" : "SET synchronous_commit = on");
}

Durably::~Durably() {
  if (!restore_.empty()) (void)connection_.run(restore_);
}

}  // namespace lade::db
