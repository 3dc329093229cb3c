#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "db/connection.h"
#include "jobs/corrections.h"
#include "jobs/job.h"
#include "storage/storage.h"

namespace lade::jobs {

// Other text for cells of rows, by row id.
using RowCells = std::map<std::int64_t, Cells>;

struct Corrector {
  std::string actor;
  std::int64_t revision = 0;  // of the job, which these corrections make
};

// Analyses the rows with other text in some of their cells, as their job would, and stores in the caller's transaction
// what comes of it: their next versions, issues and counts, and what depends on them (jobs/resettle.h). Each chunk that
// has one of the rows is read once. What stays equal to the source's own text is no change. Fails with row_not_found,
// source_column_unknown, value_not_writable, and as reading file and segments does.
Result<void> apply_corrections(db::Connection& connection, const Job& job, const storage::Storage& storage,
                               const RowCells& corrections, const Corrector& corrector);

}  // namespace lade::jobs
