#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "db/connection.h"

// How far a job has come, in the words of Statbus' get_import_job_progress(): worked out by one query from lade's own
// tables, a few rows of which it reads.
namespace lade::store {

// An object: job_id, job, state, outcome, total_rows (null before it is planned), analysed_rows, imported_rows, pct,
// analysis_rows_per_sec, import_rows_per_sec (null without a beginning) and row_states, the counts by model::RowState.
// Fails with job_not_found.
Result<std::string> job_progress(db::Connection& connection, std::int64_t job);

// The query for one of both databases; $1 is the job's id.
std::string job_progress_query(db::Backend backend);
// What makes it a function of the database, unless there is one of that name. PostgreSQL only. It is part of a
// migration: another query needs a further one.
std::string job_progress_function();
// The same with the newest query, in place of lade's own.
std::string newer_job_progress_function();

}  // namespace lade::store
