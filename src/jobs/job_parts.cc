#include "jobs/job_parts.h"

#include <algorithm>
#include <map>

#include "base/moment.h"
#include "jobs/arm.h"
#include "queue/task_list.h"
#include "store/events.h"
#include "store/files.h"
#include "store/job_changes.h"
#include "store/outcomes.h"

namespace lade::jobs {
namespace {

constexpr std::int64_t kMostTasks = 200'000;

using Parts = std::map<std::int64_t, JobPart>;

// The newest task of each part stands for it.
Result<void> add_tasks(db::Connection& connection, const store::JobRecord& job, std::string_view kind, Parts& parts) {
  LADE_ASSIGN(const auto tasks,
              queue::list_tasks(connection, {.kind = std::string(kind), .group = job.uuid, .limit = kMostTasks}));
  for (const queue::TaskRow& task : tasks) {
    const auto target = read_target(task.payload);
    if (!target) continue;
    JobPart& part = parts[static_cast<std::int64_t>(target->part)];
    if (part.task != 0) continue;
    part.task = task.id;
    part.status = task.status;
    part.attempts = task.attempts;
    part.duration = task.duration;
    part.finished_at = task.status == "succeeded" ? task.finished_at : 0;
  }
  return {};
}

std::vector<JobPart> in_order(Parts parts) {
  std::vector<JobPart> all;
  for (auto& [number, part] : parts) {
    part.number = number;
    all.push_back(std::move(part));
  }
  return all;
}

Result<std::vector<JobPart>> chunks_of(db::Connection& connection, const store::JobRecord& job) {
  Parts parts;
  LADE_ASSIGN(const store::JobPlan stored, store::read_plan(connection, job.id));
  if (!stored.plan.empty()) {
    LADE_ASSIGN(const Plan plan, read_plan(stored.plan));
    for (std::size_t i = 0; i < plan.chunks(); ++i) {
      JobPart& part = parts[static_cast<std::int64_t>(i)];
      part.first_row = plan.split.chunks[i].row;
      part.rows = plan.chunk_rows(i);
    }
  }
  LADE_ASSIGN(const auto segments, store::segments_of(connection, job.id));
  for (const store::SegmentRecord& segment : segments)
    if (segment.chunk >= 0) parts[segment.chunk].failed = segment.failed_rows;
  LADE_TRY(add_tasks(connection, job, kAnalyseTask, parts));
  return in_order(std::move(parts));
}

Result<std::vector<JobPart>> buckets_of(db::Connection& connection, const store::JobRecord& job) {
  Parts parts;
  for (std::int64_t i = 0; i < job.buckets; ++i) parts[i] = {};
  LADE_TRY(add_tasks(connection, job, kProcessTask, parts));
  LADE_ASSIGN(const auto counts, store::bucket_counts(connection, job.id));
  for (const store::BucketCounts& count : counts) {
    JobPart& part = parts[count.bucket];
    part.rows = count.rows;
    part.failed = count.failed;
    // With commit: all_or_nothing one task loads all buckets.
    if (part.task == 0) part.status = "succeeded";
  }
  return in_order(std::move(parts));
}

std::string_view phase_of(std::string_view state) {
  static constexpr std::pair<std::string_view, std::string_view> kPhases[] = {
      {"waiting_for_upload", "upload"}, {"upload_completed", "plan"},     {"preparing_data", "plan"},
      {"analysing_data", "analyse"},    {"waiting_for_review", "review"}, {"approved", "process"},
      {"processing_data", "process"}};
  for (const auto& [name, phase] : kPhases)
    if (name == state) return phase;
  return "";
}

Result<std::vector<JobPhase>> phases_of(db::Connection& connection, const store::JobRecord& job) {
  LADE_ASSIGN(const auto events, store::events_of(connection, job.id, 0));
  std::vector<JobPhase> phases;
  for (const store::Event& event : events) {
    const std::string_view phase = phase_of(event.state);
    if (!phases.empty() && phases.back().finished_at.empty() && phases.back().phase == phase) continue;
    if (!phases.empty() && phases.back().finished_at.empty()) phases.back().finished_at = event.created_at;
    if (!phase.empty()) phases.push_back({std::string(phase), event.created_at, ""});
  }
  return phases;
}

// What was done in which second of the series.
class Series {
 public:
  Series(Moment from, Moment to)
      : from_(from),
        seconds_(std::max<std::int64_t>(1, std::chrono::ceil<std::chrono::seconds>(to - from).count())),
        step_((seconds_ + kMostPoints - 1) / kMostPoints),
        slots_(static_cast<std::size_t>((seconds_ + step_ - 1) / step_)) {}

  void take(const std::vector<JobPart>& parts, std::int64_t ProgressPoint::*what) {
    for (const JobPart& part : parts) {
      const auto at = moment_of(part.finished_at);
      if (!at) continue;
      const std::int64_t second = std::chrono::floor<std::chrono::seconds>(*at - from_).count();
      ProgressPoint& slot = slots_[static_cast<std::size_t>(
          std::clamp<std::int64_t>(second / step_, 0, static_cast<std::int64_t>(slots_.size()) - 1))];
      slot.*what += part.rows;
      slot.failed += part.failed;
    }
  }
  std::vector<ProgressPoint> points() const {
    std::vector<ProgressPoint> points{{}};
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      const ProgressPoint& last = points.back();
      points.push_back({static_cast<std::int64_t>(i + 1) * step_, last.analysed + slots_[i].analysed,
                        last.loaded + slots_[i].loaded, last.failed + slots_[i].failed});
    }
    return points;
  }
  std::int64_t step() const { return step_; }

 private:
  const Moment from_;
  const std::int64_t seconds_, step_;
  std::vector<ProgressPoint> slots_;
};

}  // namespace

Result<JobParts> job_parts(db::Connection& connection, const store::JobRecord& job) {
  JobParts parts;
  LADE_ASSIGN(parts.chunks, chunks_of(connection, job));
  LADE_ASSIGN(parts.buckets, buckets_of(connection, job));
  return parts;
}

std::vector<JobPart> grouped(const std::vector<JobPart>& parts, std::size_t group_size) {
  // What most wants to be seen stands for the others.
  static constexpr std::string_view kWorst[] = {"failed", "retryable", "running", "pending", "cancelled", "succeeded"};
  const auto rank = [](std::string_view status) { return std::ranges::find(kWorst, status) - std::begin(kWorst); };
  std::vector<JobPart> groups;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i % group_size == 0) {
      groups.push_back(parts[i]);
      continue;
    }
    JobPart& group = groups.back();
    group.rows += parts[i].rows;
    group.failed += parts[i].failed;
    group.attempts = std::max(group.attempts, parts[i].attempts);
    group.duration += parts[i].duration;
    if (rank(parts[i].status) < rank(group.status)) {
      group.status = parts[i].status;
      group.task = parts[i].task;
    }
  }
  return groups;
}

Result<JobSeries> job_series(db::Connection& connection, const store::JobRecord& job) {
  JobSeries series;
  LADE_ASSIGN(series.phases, phases_of(connection, job));
  const auto from = moment_of(job.started_at);
  if (!from) return series;
  LADE_ASSIGN(const JobParts parts, job_parts(connection, job));
  Series collected(*from, moment_of(job.finished_at).value_or(now()));
  collected.take(parts.chunks, &ProgressPoint::analysed);
  collected.take(parts.buckets, &ProgressPoint::loaded);
  series.from = job.started_at;
  series.step = collected.step();
  series.points = collected.points();
  return series;
}

}  // namespace lade::jobs
