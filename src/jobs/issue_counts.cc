#include "jobs/issue_counts.h"

#include "jobs/bucket.h"
#include "store/files.h"
#include "store/outcomes.h"

namespace lade::jobs {

Result<std::string> issue_counts(db::Connection& connection, const store::JobRecord& job) {
  if (job.standing.outcome) return job.issues;
  staging::IssueCounts counts;
  LADE_ASSIGN(const auto segments, store::segments_of(connection, job.id));
  for (const store::SegmentRecord& segment : segments) add_counts(counts, segment.issues);
  LADE_ASSIGN(const auto buckets, store::bucket_issues(connection, job.id));
  for (const std::string& issues : buckets) add_counts(counts, issues);
  return to_text(counts);
}

}  // namespace lade::jobs
