#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "jobs/apply_corrections.h"
#include "jobs/control.h"
#include "jobs/review.h"

// Failed rows that are corrected and sent again, into the job in which they failed.
namespace lade::jobs {

struct Fix {
  std::int64_t row = 0;
  Cells cells;  // other text for some of its source columns; none: it is tried again as it is
};

// A row that cannot be fixed, and why: row_not_found, row_not_failed, row_repeated.
struct RefusedFix {
  std::int64_t row = 0;
  std::string code;
  std::string message;
};

// Corrects rows and, when the job has ended, sends it back to where it loads them: only these rows are analysed, and
// only what depends on them is loaded. In one transaction (the caller's when there is one); gives the job as it stands
// then, which workers take up. A job that waits for review takes all of them as one revision. Fails, with nothing
// changed, with transition_refused when the job is not at rest, with fixes_invalid when rows cannot be fixed (all of
// them are in `refused`), with staging_gone and file_gone when what it needs was tidied away, with fix_not_possible for
// a whole set that has rows of the job already, and as apply_corrections() does.
Result<store::JobRecord> fix_rows(db::Connection& connection, const ReviewPlace& place, const JobOrder& order,
                                  const std::vector<Fix>& fixes, std::vector<RefusedFix>& refused);

// The same under a savepoint: when it fails nothing of it has happened, and the caller's transaction goes on.
// `refused` has only what is refused now.
Result<store::JobRecord> try_fixes(db::Connection& connection, const ReviewPlace& place, const JobOrder& order,
                                   const std::vector<Fix>& fixes, std::vector<RefusedFix>& refused);
std::vector<Fix> without_refused(std::vector<Fix> fixes, const std::vector<RefusedFix>& refused);

// The rows of a corrected failed file, as lade gave it back: CSV or a workbook with the column _row. What is said about
// the rows is left out, and guards of formulas are taken off. Fails with fixes_invalid when it has no such column or
// another one that the job's file has not, with fixes_too_many, and as reading files does.
Result<std::vector<Fix>> read_fixes(db::Connection& connection, const ReviewPlace& place, const store::JobRecord& job,
                                    File file, const std::string& name);

}  // namespace lade::jobs
