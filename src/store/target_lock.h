#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/result.h"
#include "db/connection.h"

// One job at a time loads into a table, among those that ask for it (`lock: target`).
namespace lade::store {

// Takes the tables (schema and name, quoted) for the job, in the caller's transaction; nothing needs to be given back:
// a job that has ended holds nothing. Gives the job that has one of them, which is live; then the transaction is to be
// rolled back, since others of the tables may have been taken.
Result<std::optional<std::int64_t>> take_targets(db::Connection& connection, std::int64_t job,
                                                 std::span<const std::string> tables);

// Notes for people for whom the job waits, with an event when that is news; 0: it waits no longer.
Result<void> set_waits_for(db::Connection& connection, std::int64_t job, std::int64_t holder);

}  // namespace lade::store
