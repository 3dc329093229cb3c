#include "harvest/fetch.h"

#include <algorithm>

namespace lade::harvest {

std::string Fetched::header(std::string_view name) const {
  const auto found =
      std::find_if(headers.rbegin(), headers.rend(), [&](const auto& each) { return each.first == name; });
  return found == headers.rend() ? "" : found->second;
}

}  // namespace lade::harvest
