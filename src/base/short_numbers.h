#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// Numbers with seven bits a byte, lowest first; small ones take one byte.
namespace lade {

inline void put_number(std::string& out, std::uint64_t number) {
  for (; number >= 0x80; number >>= 7) out.push_back(static_cast<char>(number | 0x80));
  out.push_back(static_cast<char>(number));
}

// Takes one from the front; nullopt when there is none, or one of more than 63 bits.
inline std::optional<std::uint64_t> take_number(std::string_view& rest) {
  std::uint64_t number = 0;
  for (unsigned shift = 0; shift < 63 && !rest.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(rest.front());
    rest.remove_prefix(1);
    number |= std::uint64_t{byte & 0x7Fu} << shift;
    if (byte < 0x80) return number;
  }
  return std::nullopt;
}

// A text with its length in front.
inline void put_text(std::string& out, std::string_view text) {
  put_number(out, text.size());
  out += text;
}

inline std::optional<std::string_view> take_text(std::string_view& rest) {
  const auto size = take_number(rest);
  if (!size || *size > rest.size()) return std::nullopt;
  const std::string_view text = rest.substr(0, *size);
  rest.remove_prefix(*size);
  return text;
}

}  // namespace lade
