#pragma once

#include <string>

#include "db/connection.h"

namespace lade::db {

// Sessions of workers may commit without waiting for the disk. While this lives the session's commits wait, and make
// all before them durable too. No transaction is open when it begins and ends.
class Durably {
 public:
  explicit Durably(Connection& connection);
  Durably(const Durably&) = delete;
  Durably& operator=(const Durably&) = delete;
  ~Durably();

 private:
  Connection& connection_;
  std::string restore_;  // the statement that makes it as it was; empty: nothing was changed
};

}  // namespace lade::db
