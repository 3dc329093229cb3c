#pragma once

#include <span>
#include <string>
#include <string_view>

namespace lade {

// The candidate that somebody who wrote `name` most likely meant: smallest edit distance (a swap of neighbours counts
// one), ignoring ASCII case, spaces, '_', '-' and '.'. Empty when none is near enough to be worth proposing. The first
// of equals wins. The view points into `candidates`. Cost: |name| · Σ|candidate|; text beyond 64 bytes is not compared.
std::string_view nearest(std::string_view name, std::span<const std::string_view> candidates);
std::string_view nearest(std::string_view name, std::span<const std::string> candidates);

}  // namespace lade
