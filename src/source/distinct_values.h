#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lade::source {

// How many different values a column has, and whether any repeats. Values are told apart by a hash of 64 bits. It gives
// up, and lets its memory go, once it knows that some repeat and that there are more than kMostCounted, or beyond
// `most` values.
class DistinctValues {
 public:
  static constexpr std::size_t kMostCounted = 1000;
  static constexpr std::size_t kMostKept = 20;

  explicit DistinctValues(std::size_t most) : most_(most) {}
  void take(std::string_view value) {
    if (!given_up_) count(value);
  }

  // 0: more than kMostCounted.
  std::size_t distinct() const { return count_ > kMostCounted ? 0 : count_; }
  // No value came twice, as far as is known: false also when there were too many to tell.
  bool are_unique() const { return !repeated_ && !given_up_; }
  // The first of them, each once; all of them when distinct() says so.
  const std::vector<std::string>& kept() const { return kept_; }

 private:
  void count(std::string_view value);
  void grow();
  void give_up();

  const std::size_t most_;
  std::vector<std::uint64_t> slots_;  // a power of two of them; 0: free
  std::size_t count_ = 0;
  std::uint64_t last_ = 0;
  bool repeated_ = false;
  bool given_up_ = false;
  std::vector<std::string> kept_;
};

}  // namespace lade::source
