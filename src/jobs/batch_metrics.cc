#include "jobs/batch_metrics.h"

#include <algorithm>
#include <map>

#include "jobs/batch_stages.h"

namespace lade::jobs {
namespace {

constexpr std::int64_t kMostReasons = 10;

// In the order in which a row passes them.
constexpr std::string_view kOrder[] = {stage::kIngest,  stage::kScrape,  stage::kEnrich,
                                       stage::kResolve, stage::kPrepare, stage::kLoad};
using Stages = std::map<std::string_view, StageMetrics>;

void add(Stages& stages, const store::KindTally& tally) {
  if (tally.status != "succeeded" && tally.status != "failed") return;
  StageMetrics& metrics = stages[stage_of_kind(tally.kind)];
  metrics.tasks += tally.tasks;
  metrics.retried += tally.retried;
  if (tally.status == "failed") metrics.failed += tally.tasks;
}

void add(Stages& stages, const store::PageTally& tally) {
  const bool failed = tally.status == "failed";
  if (!failed && tally.status != "succeeded" && tally.status != "blocked") return;
  const std::string_view last = failed ? stage_of_code(tally.error_code) : stage::kResolve;
  for (const std::string_view name : {stage::kScrape, stage::kEnrich, stage::kResolve}) {
    StageMetrics& metrics = stages[name];
    metrics.tasks += tally.pages;
    if (name == stage::kScrape) metrics.retried += tally.retried;
    if (name != last) continue;
    if (failed) metrics.failed += tally.pages;
    return;
  }
}

// Of several kinds of one stage the one with most tasks speaks for it.
void add(Stages& stages, const store::KindDurations& kind) {
  StageMetrics& metrics = stages[stage_of_kind(kind.kind)];
  if (kind.durations.count > metrics.durations.count) metrics.durations = kind.durations;
}

void count_reasons(BatchMetrics& metrics, std::vector<FailureReason> reasons) {
  for (const FailureReason& reason : reasons) metrics.failures += reason.count;
  std::ranges::sort(reasons, [](const FailureReason& a, const FailureReason& b) {
    return a.count != b.count ? a.count > b.count : a.code + a.reason < b.code + b.reason;
  });
  if (std::ssize(reasons) > kMostReasons) reasons.resize(kMostReasons);
  for (FailureReason& reason : reasons)
    reason.share = static_cast<double>(reason.count) / static_cast<double>(metrics.failures);
  metrics.reasons = std::move(reasons);
}

Result<std::vector<FailureReason>> reasons_of(db::Connection& connection, const store::BatchRecord& batch,
                                              const std::vector<store::PageTally>& pages) {
  std::map<std::pair<std::string, std::string>, std::int64_t> counts;
  for (const store::PageTally& tally : pages)
    if (tally.status == "failed" || tally.status == "blocked")
      counts[{tally.error_code, tally.error_reason}] += tally.pages;
  LADE_ASSIGN(const auto rows, store::row_failures(connection, batch.id));
  for (const store::FailureCount& row : rows) counts[{row.code, ""}] += row.count;
  std::vector<FailureReason> reasons;
  for (const auto& [name, count] : counts) reasons.push_back({name.first, name.second, count});
  return reasons;
}

}  // namespace

Result<BatchMetrics> batch_metrics(db::Connection& connection, const store::BatchRecord& batch) {
  BatchMetrics metrics;
  Stages stages;
  LADE_ASSIGN(const auto tasks, store::tally_tasks(connection, batch.id));
  LADE_ASSIGN(const auto pages, store::tally_pages(connection, batch.id));
  LADE_ASSIGN(const auto durations, store::task_durations(connection, batch.id));
  for (const store::KindTally& tally : tasks)
    if (!is_of_pages(stage_of_kind(tally.kind))) add(stages, tally);
  for (const store::KindDurations& kind : durations)
    if (!is_of_pages(stage_of_kind(kind.kind))) add(stages, kind);
  for (const store::PageTally& tally : pages) add(stages, tally);
  if (!pages.empty()) {
    LADE_ASSIGN(stages[stage::kScrape].durations, store::fetch_durations(connection, batch.id));
    LADE_ASSIGN(stages[stage::kEnrich].durations, store::enrich_durations(connection, batch.id));
  }
  std::int64_t ended = 0, retried = 0;
  for (const std::string_view name : kOrder) {
    const auto found = stages.find(name);
    if (found == stages.end() || found->second.tasks == 0) continue;
    found->second.type = name;
    ended += found->second.tasks;
    retried += found->second.retried;
    metrics.stages.push_back(found->second);
  }
  const std::int64_t judged = batch.tasks.succeeded + batch.tasks.failed;
  if (judged > 0) metrics.success_rate = static_cast<double>(batch.tasks.succeeded) / static_cast<double>(judged);
  if (ended > 0) metrics.retry_rate = static_cast<double>(retried) / static_cast<double>(ended);
  LADE_ASSIGN(auto reasons, reasons_of(connection, batch, pages));
  count_reasons(metrics, std::move(reasons));
  return metrics;
}

}  // namespace lade::jobs
