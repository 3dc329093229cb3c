#include "source/distinct_values.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace lade::source {
namespace {

__extension__ typedef unsigned __int128 UInt128;

constexpr std::uint64_t kFirst = 0x9E3779B97F4A7C15U;
constexpr std::uint64_t kSecond = 0xD6E8FEB86659FD93U;

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  const UInt128 product = UInt128{a} * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

// Never 0, which marks a free slot.
std::uint64_t hash(std::string_view text) {
  std::uint64_t value = kFirst ^ text.size();
  for (; text.size() > 8; text.remove_prefix(8)) {
    std::uint64_t word;
    std::memcpy(&word, text.data(), 8);
    value = mix(value ^ word, kSecond);
  }
  std::uint64_t word = 0;
  std::memcpy(&word, text.data(), text.size());
  value = mix(mix(value ^ word, kSecond), kFirst);
  return value == 0 ? 1 : value;
}

}  // namespace

void DistinctValues::count(std::string_view value) {
  const std::uint64_t key = hash(value);
  if (key == last_) {
    repeated_ = true;
    return;
  }
  last_ = key;
  if (2 * (count_ + 1) > slots_.size()) grow();
  std::size_t at = key & (slots_.size() - 1);
  for (; slots_[at] != 0; at = (at + 1) & (slots_.size() - 1)) {
    if (slots_[at] != key) continue;
    repeated_ = true;
    if (count_ > kMostCounted) give_up();
    return;
  }
  slots_[at] = key;
  ++count_;
  if (kept_.size() < kMostKept) kept_.emplace_back(value);
  if (count_ > most_ || (repeated_ && count_ > kMostCounted)) give_up();
}

void DistinctValues::grow() {
  std::vector<std::uint64_t> old(std::max<std::size_t>(64, 2 * slots_.size()));
  std::swap(old, slots_);
  for (const std::uint64_t key : old) {
    if (key == 0) continue;
    std::size_t at = key & (slots_.size() - 1);
    while (slots_[at] != 0) at = (at + 1) & (slots_.size() - 1);
    slots_[at] = key;
  }
}

void DistinctValues::give_up() {
  given_up_ = true;
  slots_ = {};
}

}  // namespace lade::source
