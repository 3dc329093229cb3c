#include "jobs/batch_stages.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/moment.h"
#include "jobs/arm.h"
#include "store/job_list.h"

namespace lade::jobs {
namespace {

using model::JobOutcome;
using model::JobState;
using store::JobRecord;

constexpr std::array<std::string_view, 6> kOrder = {stage::kIngest,  stage::kScrape,  stage::kEnrich,
                                                    stage::kResolve, stage::kPrepare, stage::kLoad};

// A stage of one job while it is added up.
struct Sum {
  StageCounts counts;
  std::int64_t failures = 0;
  std::int64_t started_at = 0;
  std::int64_t finished_at = 0;

  void add_times(std::int64_t started, std::int64_t finished) {
    if (started != 0) started_at = started_at == 0 ? started : std::min(started_at, started);
    finished_at = std::max(finished_at, finished);
  }
};
using Sums = std::map<std::string_view, Sum>;

void add(Sums& sums, const store::KindTally& tally) {
  Sum& sum = sums[stage_of_kind(tally.kind)];
  StageCounts& counts = sum.counts;
  (tally.status == "pending"     ? counts.pending
   : tally.status == "running"   ? counts.running
   : tally.status == "succeeded" ? counts.succeeded
   : tally.status == "failed"    ? counts.failed
                                 : counts.cancelled) += tally.tasks;
  sum.failures += tally.failures;
  sum.add_times(tally.started_at, tally.finished_at);
}

// A page is in one of three stages: it has passed those before, and has not begun with those after.
void add(Sums& sums, const store::PageTally& tally) {
  const bool ended = tally.status == "succeeded" || tally.status == "failed" || tally.status == "blocked";
  const std::string_view last = tally.status == "failed"    ? stage_of_code(tally.error_code)
                                : tally.status == "blocked" ? stage::kResolve
                                : ended                     ? std::string_view()
                                                            : stage::kScrape;
  bool passed = true;
  for (const std::string_view name : {stage::kScrape, stage::kEnrich, stage::kResolve}) {
    StageCounts& counts = sums[name].counts;
    if (name == last) {
      passed = false;
      (tally.status == "failed"      ? counts.failed
       : tally.status == "blocked"   ? counts.blocked
       : tally.status == "running"   ? counts.running
       : tally.status == "cancelled" ? counts.cancelled
                                     : counts.pending) += tally.pages;
    } else if (passed) {
      counts.succeeded += tally.pages;
    } else if (!ended) {
      (tally.status == "cancelled" ? counts.cancelled : counts.pending) += tally.pages;
    }
    if (passed || name == last) sums[name].add_times(tally.started_at, tally.completed_at);
  }
  sums[stage::kScrape].failures += std::max<std::int64_t>(0, tally.tries - tally.pages);
}

bool is_live(const StageCounts& counts) {
  return counts.pending + counts.running > 0;
}

// The stage in which a failed job has failed; empty when it has not.
std::string_view failed_stage(const JobRecord& job, const Sums& sums) {
  if (job.standing.outcome != JobOutcome::failed || !job.ended_in) return {};
  switch (*job.ended_in) {
    case JobState::waiting_for_upload:
    case JobState::upload_completed:
    case JobState::preparing_data: return stage::kIngest;
    case JobState::analysing_data: return sums.contains(stage::kPrepare) ? stage::kPrepare : stage::kIngest;
    default: return stage::kLoad;
  }
}

// `before` is whether a stage before it has not ended.
std::string_view status_of(const JobRecord& job, const Sum& sum, bool before) {
  const StageCounts& counts = sum.counts;
  const bool open = before || is_live(counts) || counts.total() == 0;
  if (!job.standing.outcome && open) {
    if (job.paused) return "paused";
    return sum.started_at != 0 || counts.running > 0 ? "running" : "pending";
  }
  if (counts.succeeded > 0) return "succeeded";  // one of its pages
  if (counts.failed > 0) return "failed";
  if (counts.blocked > 0) return "succeeded";
  return counts.total() == 0 && job.standing.outcome == JobOutcome::succeeded ? "succeeded" : "cancelled";
}

BatchStage stage_of(const JobRecord& job, std::string_view name, const Sum& sum, std::string_view status) {
  BatchStage result;
  result.id = fmt::format("{}:{}", job.uuid, name);
  result.job_id = job.uuid;
  result.job = job.slug;
  result.file = job.file_name;
  result.definition = job.definition;
  result.type = name;
  result.status = status;
  result.retry_count = sum.failures;
  result.counts = sum.counts;
  result.started_at = lade::to_text(moment_of(sum.started_at));
  const bool ended = status == "succeeded" || status == "failed" || status == "cancelled";
  if (ended) result.completed_at = lade::to_text(moment_of(sum.finished_at));
  return result;
}

void append_stages(std::vector<BatchStage>& stages, const JobRecord& job, const Sums& sums) {
  const bool fetches = sums.contains(stage::kScrape);
  const std::string_view failed = failed_stage(job, sums);
  bool before = false;
  for (const std::string_view name : kOrder) {
    if (is_of_pages(name) && !fetches) continue;
    const auto found = sums.find(name);
    const Sum sum = found == sums.end() ? Sum() : found->second;
    const std::string_view status = name == failed ? "failed" : status_of(job, sum, before);
    stages.push_back(stage_of(job, name, sum, status));
    before |= status == "pending" || status == "running" || status == "paused";
  }
}

}  // namespace

bool is_of_pages(std::string_view name) {
  return name == stage::kScrape || name == stage::kEnrich || name == stage::kResolve;
}

std::string_view stage_of_kind(std::string_view kind) {
  if (kind == kPlanTask || kind == kAnalyseTask) return stage::kIngest;
  if (kind == kFetchTask) return stage::kScrape;
  if (kind == kGatherTask) return stage::kEnrich;
  if (kind == kClaimsTask || kind == kSettleTask || kind == kCompareTask || kind == kJudgeTask) return stage::kPrepare;
  return stage::kLoad;
}

std::string_view stage_of_code(std::string_view code) {
  // What goes wrong with a page that was fetched.
  static constexpr std::string_view kOfFields[] = {
      "charset_unknown", "content_unsupported", "field_invalid", "field_too_large",  "import_missing",
      "invalid_payload", "missing_payload",     "not_json",      "page_too_complex", "selector_not_applicable"};
  if (std::ranges::find(kOfFields, code) != std::end(kOfFields)) return stage::kEnrich;
  return code == "resolution_failed" ? stage::kResolve : stage::kScrape;
}

Result<BatchStagePage> batch_stages(db::Connection& connection, const store::BatchRecord& batch, std::int64_t after,
                                    std::int64_t jobs) {
  BatchStagePage page;
  LADE_ASSIGN(const auto wanted, store::jobs_with_tasks(connection, {batch.id, after + 1, "", jobs + 1}));
  LADE_ASSIGN(const auto tasks, store::tally_tasks(connection, batch.id, after, jobs));
  LADE_ASSIGN(const auto pages, store::tally_pages(connection, batch.id, after, jobs));
  std::map<std::int64_t, Sums> sums;
  // What a fetch task does is counted by its pages.
  for (const store::KindTally& tally : tasks)
    if (!is_of_pages(stage_of_kind(tally.kind))) add(sums[tally.job], tally);
  for (const store::PageTally& tally : pages) add(sums[tally.job], tally);
  for (const store::JobWithTasks& each : wanted) {
    if (&each - wanted.data() == jobs) {
      page.next = wanted[static_cast<std::size_t>(jobs) - 1].job;
      break;
    }
    LADE_ASSIGN(const auto job, store::job_with_id(connection, each.job));
    if (job) append_stages(page.stages, *job, sums[each.job]);
  }
  return page;
}

}  // namespace lade::jobs
