#include "definition/faults.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/nearest.h"

namespace lade::definition {
namespace {

constexpr std::size_t kShownBytes = 60;
constexpr std::size_t kShownNames = 12;
constexpr std::size_t kMaxFaults = 1000;  // of each severity

// Cuts before the character that would go over the limit, never inside one.
std::string_view shortened(std::string_view value) {
  if (value.size() <= kShownBytes) return value;
  std::size_t end = kShownBytes;
  while (end > 0 && (static_cast<unsigned char>(value[end]) & 0xC0U) == 0x80U) --end;
  return value.substr(0, end);
}

}  // namespace

void Faults::error(Place place, std::string_view code, std::string message) {
  if (++error_count_ > kMaxFaults) return;
  faults_.push_back({std::string(code), std::move(message), place.line, place.column, false});
}

void Faults::warning(Place place, std::string_view code, std::string message) {
  if (++warning_count_ > kMaxFaults) return;
  faults_.push_back({std::string(code), std::move(message), place.line, place.column, true});
}

std::vector<Fault> Faults::take() && {
  std::stable_sort(faults_.begin(), faults_.end(), [](const Fault& left, const Fault& right) {
    return std::tie(left.line, left.column) < std::tie(right.line, right.column);
  });
  return std::move(faults_);
}

std::string in_quotes(std::string_view value) {
  const std::string_view shown = shortened(value);
  std::string result = "'";
  for (const char character : shown) {
    if (static_cast<unsigned char>(character) < 0x20 || character == 0x7F)
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(character));
    else
      result += character;
  }
  return result + (shown.size() < value.size() ? "…'" : "'");
}

std::string suggestion(std::string_view name, const std::vector<std::string_view>& known) {
  if (known.empty()) return {};
  if (const std::string_view near = nearest(name, std::span(known)); !near.empty())
    return fmt::format("; did you mean {}?", in_quotes(near));
  const std::size_t shown = std::min(known.size(), kShownNames);
  std::string names;
  for (std::size_t i = 0; i < shown; ++i) names += fmt::format("{}{}", i == 0 ? "" : ", ", shortened(known[i]));
  if (shown < known.size()) names += fmt::format(" and {} more", known.size() - shown);
  return "; known are " + names;
}

}  // namespace lade::definition
