#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "base/result.h"

namespace lade::model {

// What became of a row, weakest first: a row that goes into several tables counts with its strongest outcome.
enum class Outcome : std::uint8_t { skipped, unchanged, updated, inserted, failed, unprocessed, deleted };
// All of them, in the order in which they are shown and stored.
inline constexpr Outcome kOutcomes[] = {Outcome::inserted, Outcome::updated,     Outcome::unchanged, Outcome::failed,
                                        Outcome::skipped,  Outcome::unprocessed, Outcome::deleted};

std::string_view to_string(Outcome outcome);

// The bill of lading: rows read and what became of each.
struct RowCounts {
  std::int64_t read = 0;
  // From the target, because a file that is the whole truth lacks them; not part of the sum. (A row of the file that
  // deletes a stored one has the outcome `deleted`.)
  std::int64_t removed = 0;

  std::int64_t& operator[](Outcome outcome) { return by_outcome[static_cast<std::size_t>(outcome)]; }
  std::int64_t operator[](Outcome outcome) const { return by_outcome[static_cast<std::size_t>(outcome)]; }
  RowCounts& operator+=(const RowCounts& other);

  std::int64_t accounted() const;
  // How many rows read have no outcome (yet); below 0: some have several.
  std::int64_t missing() const { return read - accounted(); }
  // Every row read has exactly one outcome.
  bool conserved() const { return missing() == 0; }
  // Of a job that did not reach its end: rows without an outcome were not processed. Rows with several stay visible.
  void fill_missing() { (*this)[Outcome::unprocessed] += std::max<std::int64_t>(missing(), 0); }
  // Of a job that has: all rows have an outcome, and none is left over. Otherwise not_conserved.
  Result<void> check_conserved() const;

  std::array<std::int64_t, std::size(kOutcomes)> by_outcome{};
};

}  // namespace lade::model
