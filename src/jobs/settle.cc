#include <fmt/format.h>

#include "jobs/job.h"

namespace lade::jobs {
namespace {

using definition::Commit;
using definition::FailWhen;
using model::Outcome;

constexpr std::size_t kSliceBytes = 8 * 1024 * 1024;

}  // namespace

std::optional<Error> too_many_errors(const definition::Definition& definition, std::int64_t failed, std::int64_t read) {
  const auto error = [&](std::string why) {
    return Error{"too_many_errors", fmt::format("{} of {} rows failed, {}", failed, read, why),
                 "correct the rows in the failed file, or allow more errors"};
  };
  const auto& limit = definition.max_errors;
  if (limit.count && failed > *limit.count) return error(fmt::format("max_errors allows {}", *limit.count));
  if (limit.percent && static_cast<double>(failed) * 100 > *limit.percent * static_cast<double>(read))
    return error(fmt::format("max_errors allows {}%", *limit.percent));
  if (definition.fail_when == FailWhen::any_failed && failed > 0) return error("fail_when: any_failed allows none");
  if (definition.fail_when == FailWhen::all_failed && failed == read && read > 0) return error("fail_when: all_failed");
  if (definition.commit == Commit::all_or_nothing && !limit.given() && failed > 0)
    return error("commit: all_or_nothing allows none");
  return std::nullopt;
}

Result<void> keep_failures(Job& job, const staging::IssueLog& log, const model::RowCounts& counts) {
  staging::IssueReader reader(log);
  staging::IssueWriter writer(*job.log);
  staging::Finding finding;
  for (;;) {
    LADE_ASSIGN(const bool more, reader.next(finding));
    if (!more) break;
    if (finding.verdict == Outcome::failed) LADE_TRY(writer.add(finding));
  }
  job.counts[Outcome::failed] += counts[Outcome::failed];
  job.counts[Outcome::unprocessed] -= counts[Outcome::failed];
  return writer.publish(job.issues);
}

Result<void> settle(Job& job) {
  const auto& definition = job.program->definition;
  const bool judged = definition.max_errors.given() || definition.fail_when != FailWhen::never ||
                      definition.commit == Commit::all_or_nothing;
  if (!judged || job.options.dry_run) return {};
  staging::IssueLog log(*job.area);
  model::RowCounts counts;
  staging::IssueCounts ignored;
  LADE_TRY(run_workers(job.options.workers, job.buckets.size(), job.stop, [&](const NextItem& next) -> Result<void> {
    staging::IssueWriter issues(log);
    model::RowCounts own;
    load::Slice slice;
    while (const auto bucket = next()) {
      load::Settler settler(*job.program, job.area->file(), job.buckets[*bucket], {kSliceBytes});
      for (;;) {
        LADE_ASSIGN(const bool more, settler.next(slice, issues, own));
        if (!more) break;
      }
    }
    const std::lock_guard lock(job.mutex);
    counts += own;
    return issues.publish(ignored);
  }));
  job.error = too_many_errors(definition, job.failed_rows() + counts[Outcome::failed], job.counts.read);
  if (!job.error) return {};
  return keep_failures(job, log, counts);
}

}  // namespace lade::jobs
