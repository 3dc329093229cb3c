#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace lade::load {

// What was stored for the rows of a bucket when somebody looked at it: a fingerprint of all its stored rows for each
// row of the file, 0 when there were none. Rows that could not have been loaded have none.
class SeenRows {
 public:
  // Each row at most once, in any order.
  void add(std::uint32_t row, std::uint64_t fingerprint) { rows_.emplace_back(row, fingerprint); }
  std::size_t size() const { return rows_.size(); }

  // About nine bytes a row.
  std::string pack();
  // Fails with seen_damaged.
  static Result<SeenRows> unpack(std::string_view packed);
  // Of what was unpacked.
  std::optional<std::uint64_t> find(std::uint32_t row) const;

 private:
  std::vector<std::pair<std::uint32_t, std::uint64_t>> rows_;
};

}  // namespace lade::load
