#pragma once

#include <chrono>
#include <filesystem>
#include <stop_token>
#include <string>

#include "base/result.h"

namespace lade::db {

// The right to be the one process that works on a SQLite file; it ends with the object, or with the process. Kept by a
// locked file beside the database, which is gone when nobody holds it.
class Ownership {
 public:
  // Waits for the present owner, at most so long; fails with database_in_use, which names its process. A server has no
  // owner: it is shared at once, as is a database in memory.
  static Result<Ownership> take(const std::string& url, std::chrono::milliseconds patience,
                                const std::stop_token& stop = {});
  Ownership(Ownership&& other) noexcept;
  Ownership& operator=(Ownership&&) = delete;
  ~Ownership();

 private:
  Ownership(std::filesystem::path path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
  std::filesystem::path path_;
  int descriptor_ = -1;
};

}  // namespace lade::db
