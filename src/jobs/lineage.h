#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "db/connection.h"
#include "store/job_list.h"

// Where stored rows come from, and what a job has written: a search in the undo journal, which lies beside the target.
namespace lade::jobs {

// One writing of a stored row.
struct WrittenRow {
  std::string table;
  std::vector<std::pair<std::string, std::optional<std::string>>> key;  // column, value as text
  std::string_view action;                                              // inserted, updated, deleted
  store::JobRecord job;
  std::string sha256;    // of its file; empty: not known
  std::int64_t row = 0;  // of the file; 0: not known
  std::int64_t line = 0;
  std::string by;  // who has corrected the row, or made the job
};

// A stored row by its table and its key, or the first columns of it.
struct LineageDemand {
  std::string table;
  std::vector<std::pair<std::string, std::string>> key;  // column, value as text
  std::int64_t company = store::kDefaultCompany;
};
// All that jobs have done to it, as far as their journals are kept, newest first. Only blocks whose keys surround it
// are read. Fails with table_not_found, lineage_key_invalid, and lineage_not_kept when no journal of the table is
// there.
Result<std::vector<WrittenRow>> lineage_of_row(db::Connection& connection, const LineageDemand& demand);

// What a job has written, from a place on; `next` is where the following page begins, 0: this is the last one.
struct LineagePage {
  std::vector<WrittenRow> rows;
  std::int64_t next = 0;
};
Result<LineagePage> lineage_of_job(db::Connection& connection, const store::JobRecord& job, std::int64_t from,
                                   std::int64_t limit);

}  // namespace lade::jobs
