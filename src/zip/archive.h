#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/file.h"
#include "base/result.h"

// A zip archive that may lie about itself. Nothing is unpacked to a path: entries are read as streams, by index.
namespace lade::zip {

struct Limits {
  std::size_t max_entries = 10'000;
  std::uint64_t max_bytes = 10'000'000'000;  // inflated, of all entries read together
  // An entry may grow beyond `free_bytes` only so many times its compressed size.
  std::uint64_t max_ratio = 100;
  std::uint64_t free_bytes = 1'000'000;
};

struct Entry {
  std::string name;  // as stored; never used as a path
  std::uint64_t packed_bytes = 0;
  std::uint64_t bytes = 0;  // as declared
  bool folder = false;
  bool encrypted = false;
};

// Whether a file that begins so is a zip archive (also an empty one).
bool looks_like_zip(std::string_view beginning);

class Archive {
 public:
  // Reads the directory. `name` is for messages; the file outlives the archive. Refuses with zip_damaged (no directory,
  // entries that overlap or contradict their local headers, names twice), zip_too_many_entries.
  static Result<Archive> open(const File& file, std::string name, const Limits& limits = {});
  Archive(Archive&&) noexcept;
  Archive& operator=(Archive&&) noexcept;
  ~Archive();

  const std::vector<Entry>& entries() const;
  // By name, ignoring ASCII case, a leading slash and backslashes for slashes, as Office does; -1: none.
  std::ptrdiff_t find(std::string_view name) const;

  // The entry's bytes, counted while they are inflated and checked (size, CRC) at the end. The archive outlives it, and
  // is read by one thread at a time. Refuses with zip_encrypted, zip_method, zip_bomb (ratio), zip_damaged; its reads
  // with zip_damaged and file_too_large (max_bytes).
  Result<std::unique_ptr<ByteSource>> read(std::size_t entry) const;

 private:
  struct State;
  explicit Archive(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace lade::zip
