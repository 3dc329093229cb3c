#include "definition/utf8.h"

#include <algorithm>

namespace lade::definition {
namespace {

struct Lead {
  std::size_t length;  // 0: not a lead byte
  unsigned char second_low, second_high;
};

// The second byte's range excludes overlong forms, surrogates and values past U+10FFFF.
Lead lead_of(unsigned char byte) {
  if (byte >= 0x01 && byte < 0x80) return {1, 0x80, 0xBF};
  if (byte >= 0xC2 && byte <= 0xDF) return {2, 0x80, 0xBF};
  if (byte == 0xE0) return {3, 0xA0, 0xBF};
  if (byte == 0xED) return {3, 0x80, 0x9F};
  if (byte >= 0xE1 && byte <= 0xEF) return {3, 0x80, 0xBF};
  if (byte == 0xF0) return {4, 0x90, 0xBF};
  if (byte >= 0xF1 && byte <= 0xF3) return {4, 0x80, 0xBF};
  if (byte == 0xF4) return {4, 0x80, 0x8F};
  return {0, 0, 0};
}

bool is_continuation(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

}  // namespace

std::optional<std::size_t> find_invalid_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const Lead lead = lead_of(static_cast<unsigned char>(text[at]));
    const std::string_view rest = text.substr(at);
    if (lead.length == 0 || rest.size() < lead.length) return at;
    if (lead.length > 1) {
      const auto second = static_cast<unsigned char>(rest[1]);
      const std::string_view tail = rest.substr(1, lead.length - 1);
      if (second < lead.second_low || second > lead.second_high) return at;
      if (!std::all_of(tail.begin(), tail.end(), is_continuation)) return at;
    }
    at += lead.length;
  }
  return std::nullopt;
}

}  // namespace lade::definition
