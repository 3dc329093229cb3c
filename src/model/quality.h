#pragma once

#include <cmath>
#include <string_view>

namespace lade::model {

constexpr std::string_view quality_tier(double score) {
  return score >= 0.90 ? "excellent" : score >= 0.75 ? "good" : score >= 0.60 ? "fair" : "poor";
}

// How good a record is that was put together from what others have written; each part and the whole from 0 to 1.
struct Quality {
  double completeness = 0;  // which share of its fields has a value
  double resolution = 1;    // how sure the least sure of its names is; 1: it has none, or all are known
  double source = 1;        // how far what it comes from can be trusted
  double validation = 1;    // 1: nothing else is wrong with it, 0.5: it has warnings, 0: errors

  // To two decimals: the tier is that of the number that people see.
  double score() const {
    return std::round(100 * (0.4 * completeness + 0.3 * resolution + 0.2 * source + 0.1 * validation)) / 100;
  }
  std::string_view tier() const { return quality_tier(score()); }
};

// Of a page by its final URL. What came over http could have been changed on the way; what another host has answered
// than the one that was asked, nobody has named as a source.
namespace source_quality {
constexpr double kAsNamed = 1;
constexpr double kUnprotected = 0.8;
constexpr double kElsewhere = 0.6;
}  // namespace source_quality

}  // namespace lade::model
