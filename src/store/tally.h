#pragma once

#include <cstdint>
#include <string>

#include "db/connection.h"

// Counters for those who operate lade, which outlive processes and deleted jobs.
namespace lade::store {

// In the caller's transaction when there is one.
Result<void> add_tally(db::Connection& connection, std::int64_t company, const std::string& name,
                       const std::string& label, std::int64_t value);
// What a job adds when it ends: one more of its outcome, its rows and its time.
Result<void> tally_end(db::Connection& connection, std::int64_t job);

}  // namespace lade::store
