#pragma once

#include <string>

#include "jobs/review.h"
#include "store/row_list.h"

namespace lade::jobs {

struct RowTables {
  std::string upload, data;  // names, quoted
  std::int64_t rows = 0;
};

// Makes two tables that show a job's rows to SQL, in one transaction (the caller's when there is one) and one pass over
// its file: <slug>_upload has the cells as they stand in the file, <slug>_data the data columns as text, what analysis
// made of them, and what became of each row up to now. Those made before are replaced. `schema` empty: the database's
// default. Fails as store::make_job_table(), with results_not_ready before the job is planned, and as reading the file
// does.
Result<RowTables> make_row_tables(db::Connection& connection, const ReviewPlace& place, const store::JobRecord& job,
                                  const std::string& schema = {});

// The word for what became of a row when it was merged into the target; empty: not known yet.
std::string_view merge_status(const store::ListedRow& row);

}  // namespace lade::jobs
