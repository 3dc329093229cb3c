#include "analysis/suggestions.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/nearest.h"

namespace lade::analysis {

std::string Suggestions::hint(std::string_view text, const Names& names) {
  if (text.size() > kMaxTextBytes) return {};
  if (!asked_) {
    names_ = names();
    asked_ = true;
    if (names_.empty() || names_.size() > kMaxNames) budget_ = 0;
  }
  std::string key(text);
  if (const auto found = hints_.find(key); found != hints_.end()) return found->second;
  if (budget_ <= 0) return {};
  budget_ -= std::max(kLeastCost, static_cast<std::int64_t>(names_.size()));
  const std::string_view near = nearest(text, names_);
  std::string hint = near.empty() ? std::string() : fmt::format("did you mean '{}'? ", near);
  hints_.emplace(std::move(key), hint);
  return hint;
}

}  // namespace lade::analysis
