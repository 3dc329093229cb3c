#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace lade::analysis {

// "Did you mean" for the cells of one column that are none of the names there are. One analyser's; not shared by
// threads. Costs nothing until the first such cell. All comparisons together are bounded: beyond that only texts met
// before get a proposal, so a file of nothing but wrong cells takes little longer.
class Suggestions {
 public:
  static constexpr std::size_t kMaxNames = 20'000;  // of more none is proposed

  // The names, asked for once.
  using Names = std::function<std::vector<std::string>()>;

  // "did you mean 'Retail'? ", or nothing when no name is near.
  std::string hint(std::string_view text, const Names& names);

 private:
  static constexpr std::size_t kMaxTextBytes = 64;
  static constexpr std::int64_t kBudget = 400'000;  // comparisons
  static constexpr std::int64_t kLeastCost = 50;    // of one text, so that no more than 8,000 are remembered

  std::vector<std::string> names_;
  bool asked_ = false;
  std::int64_t budget_ = kBudget;
  std::unordered_map<std::string, std::string> hints_;  // texts met before
};

}  // namespace lade::analysis
