#include "base/id.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <chrono>
#include <cstdint>

#include "base/assert.h"

namespace lade {

std::string new_uuid() {
  unsigned char bytes[16];
  LADE_ASSERT(::getrandom(bytes, sizeof bytes, 0) == sizeof bytes);
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto milliseconds =
      static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
  for (int i = 0; i < 6; ++i) bytes[i] = static_cast<unsigned char>(milliseconds >> (8 * (5 - i)));
  bytes[6] = static_cast<unsigned char>((bytes[6] & 0x0F) | 0x70);
  bytes[8] = static_cast<unsigned char>((bytes[8] & 0x3F) | 0x80);
  std::string text;
  for (int i = 0; i < 16; ++i)
    text += fmt::format("{}{:02x}", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", bytes[i]);
  return text;
}

}  // namespace lade
