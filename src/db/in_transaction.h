#pragma once

#include "db/connection.h"

namespace lade::db {

// Runs `work`, which gives a Result, in the caller's transaction, or in one of its own when there is none.
template <class Work>
auto in_transaction(Connection& connection, Work&& work) -> decltype(work()) {
  if (connection.in_transaction()) return work();
  LADE_ASSIGN(Transaction transaction, Transaction::begin(connection));
  auto result = work();
  if (!result) return result;
  LADE_TRY(transaction.commit());
  return result;
}

}  // namespace lade::db
