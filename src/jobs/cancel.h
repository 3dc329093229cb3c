#pragma once

#include <cstdint>

#include "jobs/control.h"

namespace lade::jobs {

// Ends a job that nothing works on any more; rows without an outcome will not get one, nor will pages.
Result<void> end_as_cancelled(db::Connection& connection, std::int64_t id, const JobOrder& order);

}  // namespace lade::jobs
