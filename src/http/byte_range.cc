#include "http/byte_range.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "http/text.h"

namespace lade::http {
namespace {

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || fault != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

ByteRange byte_range(std::string_view range, std::uint64_t bytes) {
  using Kind = ByteRange::Kind;
  const ByteRange whole{Kind::whole, 0, bytes};
  const std::string_view unit = take_until(range, '=');
  if (!same_name(unit, "bytes") || range.find(',') != std::string_view::npos) return whole;
  range = trimmed(range);
  const std::size_t dash = range.find('-');
  if (dash == std::string_view::npos) return whole;
  const auto first = number(range.substr(0, dash)), last = number(range.substr(dash + 1));
  const bool has_last = dash + 1 < range.size();
  if ((dash > 0 && !first) || (has_last && !last) || (!first && !last) || (first && last && *last < *first))
    return whole;
  if (!first) {  // so many at the end
    const std::uint64_t count = std::min(*last, bytes);
    if (count == 0) return {Kind::unsatisfiable, 0, 0};
    return {Kind::part, bytes - count, count};
  }
  if (*first >= bytes) return {Kind::unsatisfiable, 0, 0};
  return {Kind::part, *first, std::min(last.value_or(bytes - 1), bytes - 1) - *first + 1};
}

}  // namespace lade::http
