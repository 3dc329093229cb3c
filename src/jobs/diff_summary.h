#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "jobs/diff.h"

// What a diff comes to, by columns: how many values rise and fall, and by how much.
namespace lade::jobs {

struct ColumnChange {
  std::string table;
  std::string column;
  std::int64_t changes = 0;
  bool numbers = true;  // all its values are numbers; what follows is about them
  std::int64_t rises = 0, falls = 0;
  std::optional<double> median_percent = {};
  struct Largest {
    std::int64_t row = 0, line = 0;
    std::string before, now;
    double percent = 0;
  };
  std::optional<Largest> largest = {};
};

struct DiffSummary {
  load::KindCounts counts{};
  std::vector<ColumnChange> columns;  // of rows that are updated, the one that changes most often first
  std::int64_t looked_at = 0;         // records
  bool complete = true;
};
inline constexpr std::int64_t kMostSummarised = 200'000;

// Fails as diff_page() does.
Result<DiffSummary> summarise_diff(db::Connection& connection, const store::JobRecord& job);

}  // namespace lade::jobs
