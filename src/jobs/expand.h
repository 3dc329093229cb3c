#pragma once

#include "base/result.h"
#include "db/connection.h"
#include "definition/definition.h"
#include "jobs/import.h"

namespace lade::jobs {

// The definition with all that its steps add, for a job with these options: what the job keeps. Definitions without
// steps come back as they are.
Result<definition::Definition> expanded(const definition::Definition& definition, db::Connection& connection,
                                        const ImportOptions& options);

}  // namespace lade::jobs
