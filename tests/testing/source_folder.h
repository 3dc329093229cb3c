#pragma once

#include <cstdlib>
#include <filesystem>

namespace lade::testing {

// The folder of the sources: LADE_SOURCE_DIR, or what the compiler knew. That may be relative to the folder of the
// build, where the programs of the tests are.
inline std::filesystem::path source_folder() {
  if (const char* folder = std::getenv("LADE_SOURCE_DIR"); folder != nullptr) return folder;
  const std::filesystem::path here = std::filesystem::path(__FILE__).parent_path();
  const std::filesystem::path build = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  return (build / here / "../..").lexically_normal();
}

}  // namespace lade::testing
