#pragma once

#include <cstdint>

// Numbers as a zip archive stores them.
namespace lade::zip {

template <class Number>
Number read_little_endian(const char* bytes) {
  Number value = 0;
  for (unsigned index = sizeof(Number); index-- > 0;) {
    value = static_cast<Number>(static_cast<std::uint64_t>(value) << 8 | static_cast<unsigned char>(bytes[index]));
  }
  return value;
}

inline std::uint16_t read_16(const char* bytes) {
  return read_little_endian<std::uint16_t>(bytes);
}
inline std::uint32_t read_32(const char* bytes) {
  return read_little_endian<std::uint32_t>(bytes);
}
inline std::uint64_t read_64(const char* bytes) {
  return read_little_endian<std::uint64_t>(bytes);
}

}  // namespace lade::zip
