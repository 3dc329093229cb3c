#pragma once

#include <filesystem>
#include <stop_token>
#include <string>

#include "base/file.h"
#include "base/result.h"

namespace lade::source {

// A file as it came, that can be read at any place.
struct Original {
  std::string name;  // as shown to people
  File file;
  std::uint64_t bytes = 0;
  bool collected = false;  // it came through a pipe and lies in a nameless file now
};

// Opens a path, or standard input for "-"; what comes through a pipe is collected in `spool_folder`, at most
// `max_bytes`. Refuses with file_too_large, cancelled.
Result<Original> open_original(const std::string& path, const std::filesystem::path& spool_folder,
                               std::uint64_t max_bytes, const std::stop_token& stop = {});

}  // namespace lade::source
