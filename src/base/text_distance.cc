#include "base/text_distance.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <cstdint>

namespace lade {
namespace {

constexpr std::size_t kMostBytes = 64;
constexpr std::size_t kPrefix = 4;
constexpr double kPrefixWeight = 0.1;

using Marks = std::bitset<kMostBytes>;

// Marks the letters that both have within `window` of each other.
std::size_t common_letters(std::string_view one, std::string_view other, std::size_t window, Marks& in_one,
                           Marks& in_other) {
  std::size_t common = 0;
  for (std::size_t i = 0; i < one.size(); ++i) {
    const std::size_t begin = i > window ? i - window : 0, end = std::min(other.size(), i + window + 1);
    for (std::size_t j = begin; j < end; ++j) {
      if (in_other[j] || one[i] != other[j]) continue;
      in_one[i] = in_other[j] = true;
      ++common;
      break;
    }
  }
  return common;
}

std::size_t out_of_order(std::string_view one, std::string_view other, const Marks& in_one, const Marks& in_other) {
  std::size_t count = 0;
  for (std::size_t i = 0, j = 0; i < one.size(); ++i) {
    if (!in_one[i]) continue;
    while (!in_other[j]) ++j;
    if (one[i] != other[j++]) ++count;
  }
  return count / 2;
}

}  // namespace

// Myers' algorithm as Hyyrö gives it: a column of the table of distances is two words of bits, up by one and down by
// one.
std::size_t levenshtein(std::string_view pattern, std::string_view text) {
  pattern = pattern.substr(0, kMostBytes);
  text = text.substr(0, kMostBytes);
  if (pattern.empty()) return text.size();
  std::array<std::uint64_t, 256> places{};
  for (std::size_t i = 0; i < pattern.size(); ++i)
    places[static_cast<unsigned char>(pattern[i])] |= std::uint64_t{1} << i;
  const std::uint64_t last = std::uint64_t{1} << (pattern.size() - 1);
  std::uint64_t up = ~std::uint64_t{0}, down = 0;
  std::size_t distance = pattern.size();
  for (const char c : text) {
    const std::uint64_t same = places[static_cast<unsigned char>(c)];
    const std::uint64_t diagonal = (((same & up) + up) ^ up) | same | down;
    std::uint64_t across_up = down | ~(diagonal | up);
    std::uint64_t across_down = up & diagonal;
    if ((across_up & last) != 0) ++distance;
    if ((across_down & last) != 0) --distance;
    across_up = across_up << 1 | 1;
    across_down <<= 1;
    up = across_down | ~(diagonal | across_up);
    down = across_up & diagonal;
  }
  return distance;
}

double jaro_winkler(std::string_view one, std::string_view other) {
  one = one.substr(0, kMostBytes);
  other = other.substr(0, kMostBytes);
  if (one.empty() || other.empty()) return one == other ? 1 : 0;
  const std::size_t longest = std::max(one.size(), other.size());
  const std::size_t window = longest / 2 > 0 ? longest / 2 - 1 : 0;
  Marks in_one, in_other;
  const std::size_t common = common_letters(one, other, window, in_one, in_other);
  if (common == 0) return 0;
  const auto count = static_cast<double>(common);
  const auto swapped = static_cast<double>(out_of_order(one, other, in_one, in_other));
  const double jaro = (count / static_cast<double>(one.size()) + count / static_cast<double>(other.size()) +
                       (count - swapped) / count) /
                      3;
  std::size_t prefix = 0;
  while (prefix < std::min({kPrefix, one.size(), other.size()}) && one[prefix] == other[prefix]) ++prefix;
  return jaro + static_cast<double>(prefix) * kPrefixWeight * (1 - jaro);
}

}  // namespace lade
