#pragma once

#include "base/result.h"
#include "db/connection.h"
#include "definition/definition.h"
#include "jobs/import.h"

namespace lade::jobs {

// Finds out which set the file is about: every column of the scope gets the value that it has now, so that all tasks of
// the job mean the same set whatever becomes active meanwhile. Fails with no_active_row and several_active_rows.
Result<void> resolve_scope(definition::WholeSet& set, db::Connection& connection, const ImportOptions& options);

}  // namespace lade::jobs
