#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "source/input.h"
#include "testing/temporary_folder.h"

namespace lade::testing {

// Inputs made of bytes, as a file with no telling name.
class InputFolder {
 public:
  const std::filesystem::path& path() const { return folder_.path(); }

  std::string write(const std::string& name, std::string_view bytes) const {
    std::ofstream(path() / name, std::ios::binary) << bytes;
    return (path() / name).string();
  }
  Result<source::Input> open(std::string_view bytes, const source::Overrides& overrides = {},
                             std::uint64_t max_bytes = 1 << 30) const {
    return source::open_input(write("input", bytes), path(), max_bytes, overrides);
  }

 private:
  TemporaryFolder folder_;
};

inline std::string content(const source::Input& input) {
  std::string bytes(input.bytes + 10, '\0');
  const auto count = input.file.read_at(0, bytes);
  bytes.resize(count.value_or(0));
  return bytes;
}

}  // namespace lade::testing
