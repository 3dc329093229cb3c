#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace lade::xlsx {

struct CellReference {
  std::uint32_t column = 0;  // 0-based
  std::int64_t row = 0;      // 1-based
};

// B7; columns have up to four letters, which is more than any program has.
inline std::optional<CellReference> parse_reference(std::string_view text) {
  CellReference result;
  std::size_t at = 0;
  std::uint32_t column = 0;
  for (; at < text.size() && at < 4; ++at) {
    const char letter = static_cast<char>(text[at] & ~0x20);
    if (letter < 'A' || letter > 'Z') break;
    column = column * 26 + static_cast<std::uint32_t>(letter - 'A' + 1);
  }
  const char* const end = text.data() + text.size();
  const auto [parsed, error] = std::from_chars(text.data() + at, end, result.row);
  if (at == 0 || at == text.size() || error != std::errc() || parsed != end || result.row < 1) return std::nullopt;
  result.column = column - 1;
  return result;
}

}  // namespace lade::xlsx
