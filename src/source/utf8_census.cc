#include "source/utf8_census.h"

#include <simdjson.h>

#include <cstring>

namespace lade::source {
namespace {

constexpr std::size_t kShortBytes = 64;

std::uint8_t byte_at(std::string_view text, std::size_t at) {
  return static_cast<std::uint8_t>(text[at]);
}

bool is_continuation(std::uint8_t byte) {
  return (byte & 0xC0) == 0x80;
}

// Bytes of a character that begins so, by its first byte; 0: none does.
std::size_t announced_length(std::uint8_t first) {
  if (first < 0x80) return 1;
  if (first < 0xC2) return 0;
  if (first < 0xE0) return 2;
  if (first < 0xF0) return 3;
  return first < 0xF5 ? 4 : 0;
}

// Bytes of the whole character at the text's front; 0 when there is none.
std::size_t character_length(std::string_view text) {
  const std::size_t length = announced_length(byte_at(text, 0));
  return length > 0 && length <= text.size() && simdjson::validate_utf8(text.data(), length) ? length : 0;
}

// How many bytes at the end may be the beginning of a character.
std::size_t cut_length(std::string_view text) {
  for (std::size_t back = 1; back <= 3 && back <= text.size(); ++back) {
    const std::uint8_t byte = byte_at(text, text.size() - back);
    if (is_continuation(byte)) continue;
    return announced_length(byte) > back ? back : 0;
  }
  return 0;
}

std::uint64_t word_at(std::string_view text, std::size_t at) {
  std::uint64_t word = 0;
  std::memcpy(&word, text.data() + at, sizeof word);
  return word;
}

bool is_ascii(std::string_view text) {
  std::uint64_t bits = 0;
  std::size_t at = 0;
  for (; at + 8 <= text.size(); at += 8) bits |= word_at(text, at);
  for (; at < text.size(); ++at) bits |= byte_at(text, at);
  return (bits & 0x8080808080808080) == 0;
}

std::uint64_t count_beyond_ascii(std::string_view text) {
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  std::uint64_t count = 0;
  std::size_t at = 0;
  // The product adds up the eight high bits in its highest byte.
  for (; at + 8 <= text.size(); at += 8) count += ((word_at(text, at) >> 7 & kOnes) * kOnes) >> 56;
  for (; at < text.size(); ++at) count += byte_at(text, at) >> 7;
  return count;
}

}  // namespace

void Utf8Census::add(std::string_view bytes) {
  bytes_ += bytes.size();
  std::string joined;
  if (!cut_.empty()) {
    joined.append(cut_).append(bytes);
    bytes = joined;
  }
  const std::size_t open = cut_length(bytes);
  cut_ = bytes.substr(bytes.size() - open);
  bytes.remove_suffix(open);
  count(bytes, bytes_ - open - bytes.size());
}

void Utf8Census::finish() {
  count(cut_, bytes_ - cut_.size());
  cut_.clear();
}

// Halves what is not valid until it is short: one bad byte does not make its whole block slow.
void Utf8Census::count(std::string_view text, std::uint64_t offset) {
  if (is_ascii(text)) return;
  if (simdjson::validate_utf8(text.data(), text.size())) {
    good_ += count_beyond_ascii(text);
    return;
  }
  if (text.size() <= kShortBytes) return count_one_by_one(text, offset);
  const std::string_view half = text.substr(0, text.size() / 2);
  const std::size_t middle = half.size() - cut_length(half);
  count(text.substr(0, middle), offset);
  count(text.substr(middle), offset + middle);
}

void Utf8Census::count_one_by_one(std::string_view text, std::uint64_t offset) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = character_length(text.substr(at));
    if (length == 0) {
      if (bad_offsets_.size() < kOffsetsKept) bad_offsets_.push_back(offset + at);
      ++bad_;
    } else if (length > 1) {
      good_ += length;
    }
    at += length > 0 ? length : 1;
  }
}

}  // namespace lade::source
