#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "db/connection.h"
#include "load/diff.h"
#include "store/job_list.h"

// The diff of a job that was compared with the target: what loading it will change.
namespace lade::jobs {

struct DiffPage {
  std::vector<std::string> records;  // lines of JSON, without line ends
  std::int64_t next = 0;             // where the next page begins; 0: this is the last one
  load::DiffCounts counts;           // of the whole diff
};

// `after` is what the page before gave as `next`, 0 for the first one. A page is the same as long as the job's revision
// is. Blocks without a wanted record are not read. Fails with no_diff when the job was not compared, and with
// diff_damaged.
Result<DiffPage> diff_page(db::Connection& connection, const store::JobRecord& job, const load::DiffFilter& filter,
                           std::int64_t after, std::int64_t limit);

// How many rows of a job that waits for review will be inserted, updated, left as they are, skipped and refused;
// nullopt when it was not compared. Rows that failed before are in it.
Result<std::optional<model::RowCounts>> rows_to_come(db::Connection& connection, const store::JobRecord& job);

}  // namespace lade::jobs
