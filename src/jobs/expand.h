#pragma once

#include "base/result.h"
#include "db/connection.h"
#include "definition/parse.h"
#include "jobs/import.h"

namespace lade::jobs {

// Parses a definition and checks its steps: every fault that its text alone has.
definition::Parsed read_definition(std::string_view text);

// The definition with all that its steps add, for a job with these options: what the job keeps. Definitions without
// steps come back as they are.
Result<definition::Definition> expanded(const definition::Definition& definition, db::Connection& connection,
                                        const ImportOptions& options);
// The same for nobody's job: what files for it look like.
Result<definition::Definition> expanded(const definition::Definition& definition, db::Connection& connection);

}  // namespace lade::jobs
