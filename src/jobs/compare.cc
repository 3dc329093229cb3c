#include "jobs/compare.h"

#include "load/diff.h"
#include "load/seen_rows.h"

namespace lade::jobs {

Result<ComparedBucket> compare_bucket(const Job& job, BucketLoader& loader, const StagedBucket& staged,
                                      std::size_t bucket, const std::stop_token& stop) {
  store::Comparison comparison;
  comparison.bucket = static_cast<std::int64_t>(bucket);
  load::DiffWriter diff([&](load::DiffBlock&& block) -> Result<void> {
    comparison.diff.push_back({load::to_text(block.counts), std::move(block.packed)});
    return {};
  });
  load::SeenRows seen;
  LADE_TRY(loader.begin(staged));
  LADE_ASSIGN(BucketResult rehearsed, loader.rehearse(stop, {&diff, &seen}));
  LADE_TRY(diff.finish());
  comparison.counts = rehearsed.counts;
  comparison.seen = seen.pack();
  LADE_ASSIGN(BucketResult settled, taken_back(job, rehearsed));
  return ComparedBucket{std::move(settled), std::move(comparison)};
}

Result<std::optional<load::SeenRows>> rows_seen(db::Connection& connection, const Job& job, std::size_t bucket) {
  if (!compares_before(job.definition()) && job.definition().set() == nullptr) return std::nullopt;
  LADE_ASSIGN(const std::string packed, store::seen_rows(connection, job.id, static_cast<std::int64_t>(bucket)));
  if (packed.empty()) return std::nullopt;
  LADE_ASSIGN(load::SeenRows seen, load::SeenRows::unpack(packed));
  return seen;
}

}  // namespace lade::jobs
