#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "jobs/control.h"
#include "jobs/grid.h"

// The same correction of many rows while a job waits for review.
namespace lade::jobs {

struct Replacement {
  std::string column;  // of the file
  std::string from;
  std::string to;
  bool part = false;  // every place in a cell that reads `from`; otherwise cells that read it as a whole
  RowWish rows;
  std::optional<std::int64_t> revision = {};  // of the job, as who replaces has seen it; nullopt: whichever
};

struct Replaced {
  std::int64_t rows = 0;
  std::int64_t revision = 0;  // of the job afterwards
  struct Example {
    std::int64_t row;
    std::string before, now;
  };
  std::vector<Example> examples;  // the first few
};
inline constexpr std::size_t kMostReplacedRows = 10'000, kMostReplacedExamples = 5;

// Counts what replace_cells() would do. Fails with source_column_unknown, sensitive_column, and with replace_too_large
// beyond kMostReplacedRows.
Result<Replaced> count_replaced(db::Connection& connection, const ReviewPlace& place, Grids& grids,
                                const store::JobRecord& job, const Replacement& replacement);
// In one transaction (the caller's when there is one), as one revision. Fails as count_replaced() and correct_row().
Result<Replaced> replace_cells(db::Connection& connection, const ReviewPlace& place, Grids& grids,
                               const JobOrder& order, const Replacement& replacement);

}  // namespace lade::jobs
