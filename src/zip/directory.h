#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "zip/archive.h"

namespace lade::zip {

constexpr std::uint16_t kStored = 0;
constexpr std::uint16_t kDeflated = 8;

// An entry with what its reader needs.
struct Place {
  Entry entry;
  std::uint16_t method = kStored;
  std::uint32_t checksum = 0;    // CRC-32 of the inflated bytes
  std::uint64_t header = 0;      // of its local header in the file
  std::uint64_t data_begin = 0;  // of its packed bytes
};

// The error for an archive that contradicts itself or ends too early; `what` completes "is damaged: ".
Error damaged(std::string_view archive, std::string_view what);

// Reads and checks the directory at the end of the file and the local headers it points to. Every packed byte belongs
// to at most one of the places. Costs one read an entry; memory is bounded by limits.max_entries.
Result<std::vector<Place>> read_directory(const File& file, std::string_view archive, const Limits& limits);

}  // namespace lade::zip
