#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"

namespace lade::source {

struct EncodingFinding {
  std::string name;           // usual name in small letters
  std::size_t bom_bytes = 0;  // of the byte order mark at the front
  std::string evidence;
  // Of UTF-8 only: bytes that are none, and where the first ten stand.
  std::int64_t bad_bytes = 0;
  std::vector<std::uint64_t> bad_offsets;
};

// Finds out how the first `bytes` bytes of a file are encoded: byte order mark, zero bytes, UTF-8 over the whole file,
// else by the letters around the first byte that is no UTF-8. Text that is UTF-8 but for a few bytes stays UTF-8. Reads
// the file once. Refuses with unsupported_encoding what it knows but cannot decode, and with cancelled.
Result<EncodingFinding> find_encoding(const File& file, std::uint64_t bytes, const std::stop_token& stop);

// The same where somebody has said it: looks only at the front. Refuses with encoding_unknown.
Result<EncodingFinding> given_encoding(const File& file, std::uint64_t bytes, const std::string& name);

}  // namespace lade::source
