#pragma once

#include <string_view>

namespace lade::model {

// How good a record is that was put together from what others have written; each part and the whole from 0 to 1.
struct Quality {
  double completeness = 0;  // which share of its fields has a value
  double resolution = 0;    // how sure its names are
  double source = 1;        // whether what it comes from was read whole
  double validation = 1;    // 1: nothing else is wrong with it, 0.5: it has warnings, 0: errors

  double score() const { return 0.4 * completeness + 0.3 * resolution + 0.2 * source + 0.1 * validation; }
};

constexpr std::string_view quality_tier(double score) {
  return score >= 0.90 ? "excellent" : score >= 0.75 ? "good" : score >= 0.60 ? "fair" : "poor";
}

}  // namespace lade::model
