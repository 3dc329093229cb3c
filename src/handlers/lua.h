#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>

#include "base/result.h"

// Handlers in Lua: a file with `function import_row(index, row, job_id, options)`, run over the same protocol as every
// other handler, in a process of its own.
namespace lade::handlers {

struct LuaOptions {
  std::size_t memory_bytes = 512 * 1024 * 1024;  // of all values
  std::chrono::seconds row_seconds{10};          // a row that takes longer fails; C functions are not interrupted
  int input = 0, output = 1;                     // descriptors
};

// Answers messages until the input ends. What the file can reach: strings, tables, numbers, coroutines; no files, no
// programs, no other code. Fails with lua_invalid when the file cannot be run or has no import_row.
Result<void> run_lua_handler(const std::filesystem::path& file, const LuaOptions& options);

// From now on this process starts no other, writes no files and gains no rights.
void confine_process();

}  // namespace lade::handlers
