#pragma once

#include <cstdint>
#include <functional>

#include "base/result.h"
#include "db/connection.h"
#include "store/job_list.h"

namespace lade::jobs {

// Tells of each row, by its id, whether its chunk is analysed and what was staged is still there or needed no longer.
Result<std::function<bool(std::int64_t row)>> analysed_rows(db::Connection& connection, const store::JobRecord& job);

}  // namespace lade::jobs
