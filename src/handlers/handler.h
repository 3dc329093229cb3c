#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

// A row handler as the configuration describes it.
namespace lade::handlers {

struct Limits {
  std::size_t batch_rows = 1000;                   // rows that it gets at once
  std::chrono::seconds batch_seconds{60};          // for the answers to them
  std::chrono::seconds row_seconds{10};            // for a row that is tried alone, after a batch went wrong
  std::chrono::seconds start_seconds{30};          // for the answer to the first message
  std::size_t line_bytes = 1024 * 1024;            // of one answer
  std::size_t batch_bytes = 64 * 1024 * 1024;      // of all answers to one batch
  std::uint64_t memory_bytes = 512 * 1024 * 1024;  // address space of one process
  std::uint64_t cpu_seconds = 3600;                // of one process; another one is started when they are used up
  std::uint64_t file_bytes = 64 * 1024 * 1024;     // of each file that it writes
  std::uint64_t open_files = 256;
  std::uint64_t processes = 0;  // that the user of lade may have in all, 0: no limit. Without effect for root
};

struct Handler {
  std::string name;
  std::vector<std::string> command;  // the program, an absolute path, and its arguments; nothing of a row or a request
  std::string folder;                // where it runs
  std::vector<std::pair<std::string, std::string>> environment;  // all of it
  std::vector<std::string> options;                              // names that a definition or a request may give
  std::size_t concurrency = 4;  // batches that are answered at the same time, in one process of lade
  Limits limits;
  // The program is lade itself. Its address space is not limited where a sanitizer has taken most of it.
  bool is_lua = false;

  bool takes(std::string_view option) const;
};

}  // namespace lade::handlers
