#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "storage/s3_answer.h"
#include "storage/s3_signing.h"

namespace lade::storage {

// One request on its way, signed already.
struct S3Transfer {
  std::string method;
  std::string url;
  S3Fields headers = {};
  std::string_view body = {};
  std::size_t most_bytes = 16 * 1024 * 1024;  // of the answer; more breaks it
};

// Connections to one server, kept alive and lent to whoever sends something. Thread-safe.
class S3Connections {
 public:
  explicit S3Connections(std::string ca_file);
  ~S3Connections();

  // Sends it once. Never throws, never fails otherwise than by what the answer says.
  S3Answer send(const S3Transfer& transfer);

 private:
  struct Handle;
  std::unique_ptr<Handle> take();

  const std::string ca_file_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Handle>> idle_;  // guarded by mutex_
};

}  // namespace lade::storage
