#pragma once

#include <cstdint>
#include <optional>

#include "db/connection.h"
#include "jobs/staged_rows.h"

// Buckets of a job in review, whose rows change one by one.
namespace lade::jobs {

// The bucket in which the row was settled; nullopt when its analysis had refused it. Memory is that of one bucket's
// outcomes, time that of all.
Result<std::optional<std::size_t>> bucket_of_row(db::Connection& connection, const Job& job, std::int64_t row);

// Decides again among the keys repeated in a bucket, and replaces what was stored about it, in the caller's
// transaction. `corrected` is the row that has changed: nothing is stored any more of what its keys came to before.
Result<void> resettle(db::Connection& connection, const Job& job, const StagedRows& staged, std::size_t bucket,
                      std::uint32_t corrected);

}  // namespace lade::jobs
