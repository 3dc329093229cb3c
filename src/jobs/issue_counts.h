#pragma once

#include <string>

#include "db/connection.h"
#include "store/job_list.h"

namespace lade::jobs {

// How often which issue was found in which column, as a JSON list; of a job under way, of what is committed so far.
Result<std::string> issue_counts(db::Connection& connection, const store::JobRecord& job);

}  // namespace lade::jobs
