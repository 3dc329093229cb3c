#include "base/one_line.h"

namespace lade {
namespace {

// How many bytes follow the first one of a character; -1: it cannot be a first one.
int followers(unsigned char first) {
  if (first < 0x80) return 0;
  if (first >= 0xC2 && first < 0xE0) return 1;
  if (first >= 0xE0 && first < 0xF0) return 2;
  if (first >= 0xF0 && first < 0xF5) return 3;
  return -1;
}

// Whether the second byte rules out what is longer than needed, surrogates, and what is beyond Unicode.
bool may_follow(unsigned char first, unsigned char second) {
  if (first == 0xE0) return second >= 0xA0;
  if (first == 0xED) return second < 0xA0;
  if (first == 0xF0) return second >= 0x90;
  if (first == 0xF4) return second < 0x90;
  return true;
}

bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto first = static_cast<unsigned char>(text[i++]);
    const int count = followers(first);
    if (count < 0 || text.size() - i < static_cast<std::size_t>(count)) return false;
    if (count > 0 && !may_follow(first, static_cast<unsigned char>(text[i]))) return false;
    for (int left = count; left > 0; --left)
      if ((static_cast<unsigned char>(text[i++]) & 0xC0) != 0x80) return false;
  }
  return true;
}

}  // namespace

std::string one_line(std::string_view text) {
  constexpr std::size_t kMost = 500;
  const bool is_text = is_utf8(text);
  std::string line;
  std::size_t characters = 0, last_begin = 0;
  for (const char byte : text) {
    const auto c = static_cast<unsigned char>(byte);
    const bool begins = !is_text || (c & 0xC0) != 0x80;
    if (begins && ++characters > kMost) {
      line.resize(last_begin);
      return line + "…";
    }
    if (begins) last_begin = line.size();
    if (c < 0x20 || c == 0x7F)
      line.push_back(' ');
    else
      line.push_back(c >= 0x80 && !is_text ? '?' : byte);
  }
  while (line.ends_with(' ')) line.pop_back();
  return line;
}

}  // namespace lade
