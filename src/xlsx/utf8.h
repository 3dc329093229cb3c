#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace lade::xlsx {

constexpr char32_t kReplacement = 0xFFFD;

constexpr bool is_high_surrogate(char32_t unit) {
  return unit >= 0xD800 && unit < 0xDC00;
}
constexpr bool is_low_surrogate(char32_t unit) {
  return unit >= 0xDC00 && unit < 0xE000;
}
constexpr char32_t from_surrogates(char32_t high, char32_t low) {
  return 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
}

// Surrogates and what lies beyond Unicode become the replacement character.
inline void append_utf8(std::string& to, char32_t character) {
  if (character > 0x10FFFF || (character >= 0xD800 && character < 0xE000)) character = kReplacement;
  const auto tail = [&](int shift) { to.push_back(static_cast<char>(0x80 | (character >> shift & 0x3F))); };
  if (character < 0x80) {
    to.push_back(static_cast<char>(character));
  } else if (character < 0x800) {
    to.push_back(static_cast<char>(0xC0 | character >> 6));
    tail(0);
  } else if (character < 0x10000) {
    to.push_back(static_cast<char>(0xE0 | character >> 12));
    tail(6);
    tail(0);
  } else {
    to.push_back(static_cast<char>(0xF0 | character >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
}

inline std::size_t count_characters(std::string_view text) {
  std::size_t count = 0;
  for (const char byte : text) count += (static_cast<unsigned char>(byte) & 0xC0) != 0x80;
  return count;
}

}  // namespace lade::xlsx
