#include "jobs/sets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "jobs/versions.h"
#include "load/tuple_fields.h"

namespace lade::jobs {
namespace {

using db::Connection;

std::int64_t share_of(double percent, std::int64_t rows) {
  return static_cast<std::int64_t>(percent * static_cast<double>(rows) / 100);
}

}  // namespace

Result<load::Leftovers::Counts> find_leftovers(load::Leftovers& leftovers, const Job& job, const BucketSource& staged,
                                               const std::stop_token& stop) {
  LADE_TRY(leftovers.begin());
  load::Slice slice;
  for (std::size_t bucket = 0; bucket < job.plan.buckets(); ++bucket) {
    LADE_ASSIGN(const StagedBucket rows, staged(bucket));
    load::SettleOptions options;
    options.on_failed = [&](std::string_view key) { leftovers.spare(key); };
    load::Settler settler(*job.program, job.area->file(), rows.ranges, options);
    staging::IssueLog said(*job.area);  // by whoever settles them
    staging::IssueWriter ignored(said);
    model::RowCounts counted;
    for (;;) {
      if (stop.stop_requested()) return fail(cancelled());
      LADE_ASSIGN(const bool more, settler.next(slice, ignored, counted));
      if (!more) break;
      LADE_TRY(leftovers.keep(slice));
      // Nothing can be lacking: that the file has rows is all that is asked for.
      if (!leftovers.has_stored()) return leftovers.find();
    }
  }
  return leftovers.find();
}

Result<void> tell_leftovers(load::Leftovers& leftovers, const Job& job, load::DiffWriter& diff, std::string& seen) {
  const load::DiffTable table(*job.program, 0);
  const auto& fields = job.program->entries.front().fields;
  const auto& whole = leftovers.rows().whole().fields;
  std::vector<int> places;  // of the entry's fields in the whole row
  for (const analysis::TargetField& field : fields)
    for (std::size_t i = 0; i < whole.size(); ++i)
      if (whole[i].column.name == field.column.name) places.push_back(static_cast<int>(i));
  std::vector<std::uint64_t> fingerprints;
  LADE_TRY(leftovers.rows().show([&](std::string_view tuple) -> Result<void> {
    fingerprints.push_back(load::fingerprint(tuple));
    std::string row;
    for (const int place : places) load::append_whole(row, load::field_at(tuple, place));
    return diff.add(table, {.before = row});
  }));
  std::ranges::sort(fingerprints);
  seen.assign(reinterpret_cast<const char*>(fingerprints.data()), fingerprints.size() * sizeof(std::uint64_t));
  return {};
}

Result<std::int64_t> leave_unseen(load::Leftovers& leftovers, std::string_view seen) {
  std::vector<std::uint64_t> fingerprints(seen.size() / sizeof(std::uint64_t));
  std::memcpy(fingerprints.data(), seen.data(), fingerprints.size() * sizeof(std::uint64_t));
  return leftovers.leave(
      [&](std::string_view tuple) { return !std::ranges::binary_search(fingerprints, load::fingerprint(tuple)); });
}

Result<void> compare_with_active(BucketLoader& loader, Connection& connection, const Job& job) {
  LADE_ASSIGN(const auto version, active_version(connection, job));
  loader.use_versions(version, std::nullopt);
  return {};
}

std::optional<Error> refuse_empty(const definition::WholeSet& set, const load::Leftovers::Counts& counts) {
  if (set.allow_empty || counts.kept + counts.spared > 0) return std::nullopt;
  return Error{"set_empty", fmt::format("the file has no rows for the set, which has {}", counts.stored),
               "say allow_empty: true where a set may become empty", ErrorKind::invalid};
}

std::optional<Error> too_many_removed(const definition::WholeSet& set, const load::Leftovers::Counts& counts) {
  const definition::MaxErrors& limit = set.max_removed;
  const bool beyond = (limit.count && counts.removed > *limit.count) ||
                      (limit.percent && counts.removed > share_of(*limit.percent, counts.stored));
  if (!beyond) return std::nullopt;
  return Error{"too_many_removed",
               fmt::format("the file lacks {} of the {} rows that the set has", counts.removed, counts.stored),
               "approve it if that is meant, or raise max_removed", ErrorKind::invalid};
}

}  // namespace lade::jobs
