#include "jobs/resettle.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "jobs/compare.h"
#include "jobs/sets.h"
#include "jobs/store_issues.h"
#include "store/job_changes.h"
#include "store/outcomes.h"
#include "store/row_versions.h"

namespace lade::jobs {
namespace {

using model::Outcome;

// Why rows failed, by row.
using Failures = std::map<std::uint32_t, std::vector<model::Issue>>;
using Rows = std::set<std::uint32_t>;

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
                                                const Failures& now, const Rows& corrected) {
  std::set<std::uint32_t> kept;
  std::map<std::string, std::vector<std::int64_t>> outdated;  // by code
  for (const auto& [row, issues] : before) {
    if (corrected.contains(row)) continue;
    const auto found = now.find(row);
    if (found != now.end() && same(issues, found->second)) {
      kept.insert(row);
      continue;
    }
    for (const model::Issue& issue : issues) outdated[issue.code].push_back(row);
  }
  for (const auto& [code, rows] : outdated) LADE_TRY(store::forget_issues(connection, job.id, rows, code));
  return kept;
}

// Puts what a part has come to in the place of what was stored of it; gives by how many its failed rows have grown.
Result<std::int64_t> replace(db::Connection& connection, const Job& job, std::size_t part, BucketResult result,
                             bool settled, const Rows& corrected) {
  const auto number = static_cast<std::int64_t>(part);
  LADE_ASSIGN(const auto stored, store::outcomes_of(connection, job.id, number, number));
  Failures before;
  std::int64_t failed = result.counts[Outcome::failed];
  if (!stored.empty()) {
    staging::IssueLog findings(*job.area);
    LADE_TRY(staging::unpack(stored.front().findings, findings));
    LADE_ASSIGN(before, failures_of(findings));
    failed -= stored.front().counts[Outcome::failed];
  }
  LADE_ASSIGN(const Failures now, failures_of(*result.findings));
  LADE_ASSIGN(const auto kept, forget_outdated(connection, job, before, now, corrected));
  LADE_TRY(store_issues(connection, job, *result.findings, kept));
  LADE_ASSIGN(const auto outcomes, to_stored(part, result, settled));
  LADE_TRY(store::save_outcomes(connection, job.id, outcomes));
  return failed;
}

Result<void> resettle_claims(db::Connection& connection, const Job& job, const StagedRows& staged, const Rows& rows) {
  const std::size_t part = job.plan.buckets();
  LADE_ASSIGN(const StagedBucket claims, staged.bucket(part));
  LADE_ASSIGN(BucketResult refused, refuse_contested(job, claims.ranges));
  model::RowCounts counts;
  LADE_ASSIGN(counts[Outcome::failed], replace(connection, job, part, std::move(refused), false, rows));
  return store::advance_job(connection, job.id, {.rows = counts});
}

// The parts in which something of the row is staged.
void add_parts(const Job& job, std::string_view records, std::set<std::size_t>& parts) {
  staging::for_each_record(
      records, [&](const staging::Record& record) { parts.insert(part_of(job.plan.splitters, record.key)); });
}

std::vector<std::string> claims_of(const Job& job, std::string_view records) {
  std::vector<std::string> claims;
  staging::for_each_record(records, [&](const staging::Record& record) {
    if (part_of(job.plan.splitters, record.key) == job.plan.buckets())
      claims.push_back(std::string(record.key) + std::string(record.payload));
  });
  std::ranges::sort(claims);
  return claims;
}

// The corrected rows that are staged in the bucket now.
Rows staged_now(const Job& job, std::span<const RowChange> changes, std::size_t bucket) {
  Rows rows;
  for (const RowChange& change : changes)
    staging::for_each_record(change.now, [&](const staging::Record& record) {
      if (part_of(job.plan.splitters, record.key) == bucket) rows.insert(change.row);
    });
  return rows;
}

// Takes the corrected rows out of a bucket that was loaded before they were. `open` are those that a handler gets now.
Result<void> take_out(db::Connection& connection, const Job& job, const store::BucketOutcomes& stored, const Rows& rows,
                      const Rows& open) {
  LADE_ASSIGN(Remainder rest, without(job, stored, rows));
  if (rest.taken.empty() && open.empty()) return {};
  store::JobAdvance advance;
  for (const auto& [row, outcome] : rest.taken) --advance.rows[outcome];
  for (const std::uint32_t row : open) {
    rest.result.outcomes.add({row, Outcome::unprocessed});
    ++rest.result.counts[Outcome::unprocessed];
  }
  LADE_ASSIGN(store::BucketOutcomes left, to_stored(static_cast<std::size_t>(stored.bucket), rest.result, false));
  left.revision = stored.revision;
  left.partial = stored.partial || !open.empty();
  if (left.partial && !stored.partial) advance.buckets_processed = -1;
  LADE_TRY(store::save_outcomes(connection, job.id, left));
  advance.rows[Outcome::unprocessed] = 0;  // only the end of the job knows
  return store::advance_job(connection, job.id, advance);
}

}  // namespace

bool change_claims(const Job& job, std::span<const RowChange> changes) {
  return job.plan.has_claims() && std::ranges::any_of(changes, [&](const RowChange& change) {
           return claims_of(job, change.before) != claims_of(job, change.now);
         });
}

Result<Remainder> without(const Job& job, const store::BucketOutcomes& stored, const std::set<std::uint32_t>& rows) {
  Remainder rest{BucketResult(job), {}, {}};
  BucketResult& result = rest.result;
  result.counts = stored.counts;
  LADE_TRY(store::for_each_outcome(stored.packed, [&](const store::RowOutcome& row) -> Result<void> {
    if (rows.contains(row.row_id)) {
      rest.taken[row.row_id] = row.outcome;
      --result.counts[row.outcome];
    } else if (row.outcome == Outcome::unprocessed && row.code == kWaitsForParent) {
      result.held.insert(row.row_id);
    } else {
      result.outcomes.add(row);
    }
    return {};
  }));
  staging::IssueLog all(*job.area);
  LADE_TRY(staging::unpack(stored.findings, all));
  staging::IssueReader reader(all);
  staging::IssueWriter others(*result.findings);
  for (staging::Finding finding;;) {
    LADE_ASSIGN(const bool more, reader.next(finding));
    if (!more) break;
    if (rows.contains(finding.place.row_id)) {
      rest.findings.push_back(finding);
    } else {
      LADE_TRY(others.add(finding));
    }
  }
  LADE_TRY(others.publish(result.issues));
  return rest;
}

Result<void> resettle(db::Connection& connection, const Job& job, StagedRows& staged,
                      std::span<const RowChange> changes) {
  std::set<std::size_t> parts;
  Rows rows;
  for (const RowChange& change : changes) {
    rows.insert(change.row);
    add_parts(job, change.before, parts);
    add_parts(job, change.now, parts);
  }
  if (change_claims(job, changes)) {
    LADE_TRY(resettle_claims(connection, job, staged, rows));
    for (std::size_t bucket = 0; bucket < job.plan.buckets(); ++bucket) parts.insert(bucket);
  }
  parts.erase(job.plan.buckets());
  LADE_TRY(staged.settle_claims());
  BucketLoader comparer(job, connection, nullptr);
  if (compares_before(job.definition())) LADE_TRY(comparer.prepare());
  LADE_TRY(compare_with_active(comparer, connection, job));
  for (const std::size_t bucket : parts) {
    const auto number = static_cast<std::int64_t>(bucket);
    LADE_ASSIGN(const auto stored, store::outcomes_of(connection, job.id, number, number));
    if (stored.empty()) continue;  // nobody has decided about it yet
    if (!stored.front().settled) {
      const bool handed = job.definition().handler() != nullptr;
      LADE_TRY(take_out(connection, job, stored.front(), rows, handed ? staged_now(job, changes, bucket) : Rows()));
      continue;
    }
    LADE_ASSIGN(const StagedBucket range, staged.bucket(bucket));
    if (!compares_before(job.definition())) {
      LADE_ASSIGN(BucketResult settled, settle_bucket(job, range, {}));
      LADE_TRY(replace(connection, job, bucket, std::move(settled), true, rows));
      continue;
    }
    LADE_ASSIGN(ComparedBucket compared, compare_bucket(job, comparer, range, bucket, {}));
    LADE_TRY(replace(connection, job, bucket, std::move(compared.settled), true, rows));
    LADE_TRY(store::save_comparison(connection, job.id, compared.comparison));
  }
  return {};
}

}  // namespace lade::jobs
