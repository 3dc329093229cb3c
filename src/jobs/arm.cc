#include "jobs/arm.h"

#include <boost/json.hpp>

#include <limits>
#include <numeric>
#include <set>

#include "jobs/corrections.h"
#include "queue/enqueue.h"
#include "queue/stage.h"
#include "queue/task_list.h"
#include "store/comparisons.h"
#include "store/job_changes.h"
#include "store/outcomes.h"

namespace lade::jobs {
namespace {

queue::NewTask task_of(const JobGroup& group, std::string_view kind, std::size_t part = 0) {
  return {.kind = std::string(kind),
          .payload = to_text(TaskTarget{group.id, part}),
          .queue = group.queue,
          .group = group.uuid,
          .storage = group.storage,
          .company = group.company};
}

// One task for each part, and one that follows when all have ended.
Result<void> arm_stage(db::Connection& connection, const JobGroup& group, std::string_view kind,
                       std::span<const std::size_t> parts, std::string_view then) {
  LADE_ASSIGN(const std::int64_t stage,
              queue::open_stage(connection, {group.uuid, std::string(kind), task_of(group, then)}));
  std::vector<queue::NewTask> tasks;
  for (const std::size_t part : parts) {
    tasks.push_back(task_of(group, kind, part));
    tasks.back().stage = stage;
  }
  LADE_TRY(queue::enqueue_all(connection, tasks));
  return queue::seal_stage(connection, stage);
}

std::vector<std::size_t> all_of(std::size_t count) {
  std::vector<std::size_t> parts(count);
  std::iota(parts.begin(), parts.end(), 0u);
  return parts;
}

// The buckets that have something to load. Those that are loaded and will be again do not count as processed until
// then.
Result<std::vector<std::size_t>> buckets_to_process(db::Connection& connection, const Job& job) {
  LADE_ASSIGN(const auto loaded, store::loaded_revisions(connection, job.id));
  if (loaded.empty()) return all_of(job.plan.buckets());
  LADE_ASSIGN(const auto corrections, Corrections::read(connection, job.id, job.plan.splitters));
  std::vector<std::size_t> buckets;
  std::int64_t again = 0;
  for (std::size_t bucket = 0; bucket < job.plan.buckets(); ++bucket) {
    const auto found = loaded.find(bucket);
    if (found != loaded.end() && (!corrections || corrections->touched(bucket, found->second).rows.empty())) continue;
    if (found != loaded.end()) ++again;
    buckets.push_back(bucket);
  }
  LADE_TRY(store::advance_job(connection, job.id, {.buckets_processed = -again}));
  return buckets;
}

}  // namespace

std::string to_text(const TaskTarget& target) {
  return boost::json::serialize(boost::json::object{{"job", target.job}, {"part", target.part}});
}

Result<TaskTarget> read_target(std::string_view payload) {
  boost::system::error_code error;
  const boost::json::value value = boost::json::parse(payload, error);
  const boost::json::object* object = error ? nullptr : value.if_object();
  const boost::json::value* job = object == nullptr ? nullptr : object->if_contains("job");
  if (job == nullptr || !job->is_int64())
    return fail("payload_invalid", "the task's payload names no job: " + std::string(payload));
  const boost::json::value* part = object->if_contains("part");
  return TaskTarget{job->as_int64(), part == nullptr ? 0 : part->to_number<std::size_t>()};
}

Result<void> arm_planning(db::Connection& connection, const JobGroup& group) {
  LADE_TRY(queue::enqueue(connection, task_of(group, kPlanTask)));
  return {};
}

Result<void> arm_fetching(db::Connection& connection, const JobGroup& group, std::span<const std::size_t> groups) {
  const auto before = queue::find_stage(connection, group.uuid, std::string(kFetchTask));
  if (!before && before.error().code != "stage_not_found") return fail(before.error());
  if (before && before->finished()) LADE_TRY(queue::reopen_stage(connection, before->id, queue::Ending::succeeded, 0));
  return arm_stage(connection, group, kFetchTask, groups, kGatherTask);
}

Result<void> arm_judging(db::Connection& connection, const JobGroup& group) {
  LADE_TRY(queue::enqueue(connection, task_of(group, kJudgeTask)));
  return {};
}

Result<void> arm_ending(db::Connection& connection, const JobGroup& group) {
  queue::NewTask task = task_of(group, kFinaliseTask);
  task.essential = true;
  LADE_TRY(queue::enqueue(connection, task));
  return {};
}

Result<void> arm_analysis(db::Connection& connection, const JobGroup& group, const Plan& plan) {
  const store::JobPlan stored{plan.split.rows, static_cast<std::int64_t>(plan.chunks()),
                              static_cast<std::int64_t>(plan.buckets()), to_text(plan)};
  LADE_TRY(store::save_plan(connection, group.id, stored));
  LADE_TRY(store::change_job(connection, group.id, {.event = model::JobEvent::planned}));
  return arm_stage(connection, group, kAnalyseTask, all_of(plan.chunks()), kJudgeTask);
}

Result<void> arm_claims(db::Connection& connection, const JobGroup& group) {
  return arm_stage(connection, group, kClaimsTask, all_of(1), kJudgeTask);
}

Result<void> arm_comparing(db::Connection& connection, const JobGroup& group, const Plan& plan) {
  return arm_stage(connection, group, kCompareTask, all_of(plan.buckets()), kJudgeTask);
}

Result<void> arm_settling(db::Connection& connection, const JobGroup& group, const Plan& plan) {
  LADE_ASSIGN(const auto buckets, store::undecided_buckets(connection, group.id, plan.buckets()));
  return arm_stage(connection, group, kSettleTask, buckets, kJudgeTask);
}

Result<void> arm_processing(db::Connection& connection, const JobGroup& group, const Job& job,
                            std::optional<model::JobEvent> event) {
  if (event) LADE_TRY(store::change_job(connection, group.id, {.event = *event}));
  // Nobody has looked at it: there is nothing that must still hold.
  if (event == model::JobEvent::analysed) LADE_TRY(store::forget_seen_rows(connection, group.id));
  const bool at_once = job.definition().commit == definition::Commit::all_or_nothing;
  std::vector<std::size_t> parts = {0};
  if (!at_once) {
    LADE_ASSIGN(parts, buckets_to_process(connection, job));
  }
  return arm_stage(connection, group, kProcessTask, parts, kFinaliseTask);
}

Result<void> arm_rest(db::Connection& connection, const JobGroup& group) {
  LADE_ASSIGN(const queue::Stage stage, queue::find_stage(connection, group.uuid, std::string(kProcessTask)));
  LADE_ASSIGN(std::set<std::size_t> done, store::loaded_buckets(connection, group.id));
  LADE_ASSIGN(const auto known, queue::list_tasks(connection, {.kind = std::string(kProcessTask),
                                                               .group = group.uuid,
                                                               .limit = std::numeric_limits<std::int32_t>::max()}));
  std::set<std::size_t> parts;
  for (const queue::TaskRow& task : known) {
    LADE_ASSIGN(const TaskTarget target, read_target(task.payload));
    const bool live = task.status == "pending" || task.status == "retryable" || task.status == "running";
    (live ? done : parts).insert(target.part);
  }
  std::vector<queue::NewTask> tasks;
  for (const std::size_t part : parts) {
    if (done.contains(part)) continue;
    tasks.push_back(task_of(group, kProcessTask, part));
    tasks.back().stage = stage.id;
  }
  if (stage.finished()) LADE_TRY(queue::reopen_stage(connection, stage.id, queue::Ending::succeeded, 0));
  LADE_TRY(queue::enqueue_all(connection, tasks));
  return queue::seal_stage(connection, stage.id);
}

Result<void> arm_orphans(db::Connection& connection, const JobGroup& group) {
  return arm_stage(connection, group, kOrphansTask, all_of(1), kFinaliseTask);
}

Result<void> arm_undo(db::Connection& connection, const JobGroup& group) {
  LADE_TRY(queue::enqueue(connection, task_of(group, kUndoBeginTask)));
  return {};
}

Result<void> arm_undoing(db::Connection& connection, const JobGroup& group, std::span<const std::size_t> buckets) {
  return arm_stage(connection, group, kUndoTask, buckets, kUndoEndTask);
}

Result<void> arm_undo_rest(db::Connection& connection, const JobGroup& group) {
  return arm_stage(connection, group, kUndoRestTask, all_of(1), kUndoEndTask);
}

}  // namespace lade::jobs
