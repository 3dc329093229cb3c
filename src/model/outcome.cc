#include "model/outcome.h"

#include <fmt/format.h>

#include <numeric>

namespace lade::model {

std::string_view to_string(Outcome outcome) {
  switch (outcome) {
    case Outcome::skipped: return "skipped";
    case Outcome::unchanged: return "unchanged";
    case Outcome::updated: return "updated";
    case Outcome::inserted: return "inserted";
    case Outcome::failed: return "failed";
    case Outcome::unprocessed: return "unprocessed";
    case Outcome::deleted: return "deleted";
  }
  return "unknown";
}

RowCounts& RowCounts::operator+=(const RowCounts& other) {
  read += other.read;
  removed += other.removed;
  for (std::size_t i = 0; i < by_outcome.size(); ++i) by_outcome[i] += other.by_outcome[i];
  return *this;
}

std::int64_t RowCounts::accounted() const {
  return std::accumulate(by_outcome.begin(), by_outcome.end(), std::int64_t{0});
}

Result<void> RowCounts::check_conserved() const {
  const std::int64_t left = (*this)[Outcome::unprocessed];
  if (conserved() && left == 0) return {};
  return fail("not_conserved", fmt::format("{} rows were read but {} are accounted for", read, accounted() - left),
              "please report this; the job's counts cannot be trusted");
}

}  // namespace lade::model
