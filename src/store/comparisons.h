#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "db/connection.h"
#include "model/outcome.h"

// What came of comparing a job's buckets with the target before anything is written: counts of what will be done, the
// diff in blocks (load/diff.h), and what was stored for each row (load/seen_rows.h).
namespace lade::store {

struct DiffRecord {
  std::string counts;  // JSON
  std::string packed;
};

struct Comparison {
  std::int64_t bucket = 0;
  model::RowCounts counts;  // by the outcome that rows will have
  std::string seen;
  std::vector<DiffRecord> diff;
};

// In the caller's transaction. Replaces what was stored for the bucket.
Result<void> save_comparison(db::Connection& connection, std::int64_t job, const Comparison& comparison);
// Adds a block behind those of the bucket, for what no bucket has compared.
Result<void> save_diff_block(db::Connection& connection, std::int64_t job, std::int64_t bucket,
                             const DiffRecord& block);

// The sum over all buckets; nullopt when nothing was compared.
Result<std::optional<model::RowCounts>> compared_rows(db::Connection& connection, std::int64_t job);
// What was stored when the bucket was compared; empty when it was not, or nobody has looked at it.
Result<std::string> seen_rows(db::Connection& connection, std::int64_t job, std::int64_t bucket);
// For a job that goes on without review.
Result<void> forget_seen_rows(db::Connection& connection, std::int64_t job);

// Blocks of the diff without their records, in order, those from a place on.
struct DiffPlace {
  std::int64_t bucket = 0;
  std::int64_t block = 0;
  std::string counts = {};
};
Result<std::vector<DiffPlace>> diff_places(db::Connection& connection, std::int64_t job);
Result<std::string> diff_block(db::Connection& connection, std::int64_t job, const DiffPlace& place);

}  // namespace lade::store
