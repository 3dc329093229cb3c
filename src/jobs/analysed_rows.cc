#include "jobs/analysed_rows.h"

#include <algorithm>
#include <vector>

#include "jobs/plan.h"
#include "store/files.h"
#include "store/job_changes.h"

namespace lade::jobs {

Result<std::function<bool(std::int64_t)>> analysed_rows(db::Connection& connection, const store::JobRecord& job) {
  const bool all = job.chunks > 0 && job.chunks_done >= job.chunks;
  if (all || job.chunks_done == 0) return [all](std::int64_t) { return all; };
  LADE_ASSIGN(const store::JobPlan stored, store::read_plan(connection, job.id));
  LADE_ASSIGN(Plan plan, read_plan(stored.plan));
  LADE_ASSIGN(const auto segments, store::segments_of(connection, job.id));
  std::vector<bool> done(plan.chunks(), false);
  for (const store::SegmentRecord& segment : segments) done.at(static_cast<std::size_t>(segment.chunk)) = true;
  return [chunks = std::move(plan.split.chunks), done = std::move(done)](std::int64_t row) {
    const auto next = std::ranges::upper_bound(chunks, row, {}, &csv::ChunkStart::row);
    return next != chunks.begin() && done[static_cast<std::size_t>(next - chunks.begin() - 1)];
  };
}

}  // namespace lade::jobs
