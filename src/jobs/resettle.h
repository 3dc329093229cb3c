#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "db/connection.h"
#include "jobs/staged_rows.h"

namespace lade::jobs {

// What was staged of a row before it was corrected, and what is now, as ranges.
struct RowChange {
  std::uint32_t row = 0;
  std::string before, now;
};

// Decides again what depends on the rows: keys repeated in the buckets where they were and are, rows of their entities,
// and what rows claim. Replaces what was stored about it, in the caller's transaction. `staged` has the corrections.
// Nothing is stored any more of what had come of the rows themselves; of buckets that are loaded the rest stays, until
// they are processed again. A row whose claims change costs a pass over all buckets.
Result<void> resettle(db::Connection& connection, const Job& job, StagedRows& staged,
                      std::span<const RowChange> changes);

// Whether a row claims something else than before.
bool change_claims(const Job& job, std::span<const RowChange> changes);

// What is stored of a bucket without some rows.
struct Remainder {
  BucketResult result;
  std::map<std::uint32_t, model::Outcome> taken;  // what had become of those rows, as far as it was told
  std::vector<staging::Finding> findings;         // about them
};
Result<Remainder> without(const Job& job, const store::BucketOutcomes& stored, const std::set<std::uint32_t>& rows);

}  // namespace lade::jobs
