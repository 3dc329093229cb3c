#include "jobs/resettle.h"

#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "jobs/bucket.h"
#include "jobs/store_issues.h"
#include "store/outcomes.h"
#include "store/row_versions.h"

namespace lade::jobs {
namespace {

// Why rows failed, by row.
using Failures = std::map<std::uint32_t, std::vector<model::Issue>>;

Result<Failures> failures_of(const staging::IssueLog& findings) {
  Failures failures;
  staging::IssueReader reader(findings);
  staging::Finding finding;
  for (;;) {
    LADE_ASSIGN(const bool more, reader.next(finding));
    if (!more) return failures;
    failures[finding.place.row_id].push_back(finding.issue);
  }
}

bool same(const std::vector<model::Issue>& left, const std::vector<model::Issue>& right) {
  return std::ranges::equal(left, right, [](const model::Issue& a, const model::Issue& b) {
    return std::tie(a.code, a.column, a.value, a.message, a.hint) ==
           std::tie(b.code, b.column, b.value, b.message, b.hint);
  });
}

// Takes back issues that do not hold any more; gives the rows whose issues stay as they are stored.
Result<std::set<std::uint32_t>> forget_outdated(db::Connection& connection, const Job& job, const Failures& before,
                                                const Failures& now, std::uint32_t corrected) {
  std::set<std::uint32_t> kept;
  for (const auto& [row, issues] : before) {
    if (row == corrected) continue;
    const auto found = now.find(row);
    if (found != now.end() && same(issues, found->second)) {
      kept.insert(row);
    } else {
      LADE_TRY(store::forget_issues(connection, job.id, row, store::Forgotten::errors));
    }
  }
  return kept;
}

}  // namespace

Result<std::optional<std::size_t>> bucket_of_row(db::Connection& connection, const Job& job, std::int64_t row) {
  for (std::size_t bucket = 0; bucket < job.plan.buckets(); ++bucket) {
    const auto number = static_cast<std::int64_t>(bucket);
    LADE_ASSIGN(const auto outcomes, store::outcomes_of(connection, job.id, number, number));
    if (outcomes.empty()) continue;
    bool found = false;
    LADE_TRY(store::for_each_outcome(outcomes.front().packed, [&](const store::RowOutcome& known) -> Result<void> {
      found = found || known.row_id == row;
      return {};
    }));
    if (found) return bucket;
  }
  return std::nullopt;
}

Result<void> resettle(db::Connection& connection, const Job& job, const StagedRows& staged, std::size_t bucket,
                      std::uint32_t corrected) {
  const auto number = static_cast<std::int64_t>(bucket);
  LADE_ASSIGN(const auto stored, store::outcomes_of(connection, job.id, number, number));
  Failures before;
  if (!stored.empty()) {
    staging::IssueLog findings(*job.area);
    LADE_TRY(staging::unpack(stored.front().findings, findings));
    LADE_ASSIGN(before, failures_of(findings));
  }
  LADE_ASSIGN(const StagedBucket rows, staged.bucket(bucket));
  LADE_ASSIGN(BucketResult settled, settle_bucket(job, rows.ranges, {}));
  LADE_ASSIGN(const Failures now, failures_of(*settled.findings));
  LADE_ASSIGN(const auto kept, forget_outdated(connection, job, before, now, corrected));
  LADE_TRY(store_issues(connection, job, *settled.findings, kept));
  LADE_ASSIGN(const auto outcomes, to_stored(bucket, settled, true));
  return store::save_outcomes(connection, job.id, outcomes);
}

}  // namespace lade::jobs
