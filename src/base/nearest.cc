#include "base/nearest.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

namespace lade {
namespace {

constexpr std::size_t kMaxLength = 64;

// What is compared: letters and digits only, lower case, so that "Unit Price", "unit_price" and "UnitPrice" are equal.
std::string folded(std::string_view text) {
  std::string result;
  for (const char character : text) {
    if (result.size() == kMaxLength) break;
    if (character == ' ' || character == '_' || character == '-' || character == '.') continue;
    const bool upper = character >= 'A' && character <= 'Z';
    result.push_back(upper ? static_cast<char>(character - 'A' + 'a') : character);
  }
  return result;
}

// Optimal string alignment: insertions, deletions, replacements and swaps of neighbours.
std::size_t distance(std::string_view left, std::string_view right) {
  using Row = std::array<std::size_t, kMaxLength + 1>;
  Row before_last{}, last{}, current{};
  for (std::size_t j = 0; j <= right.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= left.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j <= right.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (left[i - 1] == right[j - 1] ? 0 : 1);
      current[j] = std::min({last[j] + 1, current[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1])
        current[j] = std::min(current[j], before_last[j - 2] + 1);
    }
    before_last = last;
    last = current;
  }
  return last[right.size()];
}

template <class Text>
std::string_view nearest_of(std::string_view name, std::span<const Text> candidates) {
  const std::string wanted = folded(name);
  std::string_view best;
  // About one slip in three characters, and at least one.
  std::size_t best_distance = std::max<std::size_t>(1, wanted.size() / 3) + 1;
  for (const Text& candidate : candidates) {
    const std::string offered = folded(candidate);
    // Two texts with nothing in common are not near, however short they are.
    const std::size_t limit = std::min(best_distance, std::max(wanted.size(), offered.size()));
    const std::size_t longer = std::max(wanted.size(), offered.size()) - std::min(wanted.size(), offered.size());
    if (longer >= limit) continue;
    const std::size_t apart = distance(wanted, offered);
    if (apart < limit) {
      best = candidate;
      best_distance = apart;
    }
  }
  return best;
}

}  // namespace

std::string_view nearest(std::string_view name, std::span<const std::string_view> candidates) {
  return nearest_of(name, candidates);
}
std::string_view nearest(std::string_view name, std::span<const std::string> candidates) {
  return nearest_of(name, candidates);
}

}  // namespace lade
