#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "db/connection.h"
#include "jobs/job.h"
#include "model/job_state.h"
#include "queue/task.h"

// The tasks that a job consists of, and what puts them into the queue. All of a job's tasks are in the group named by
// its uuid; everything here works in the caller's transaction, so that a job never stands without its next task.
namespace lade::jobs {

// Kinds of tasks, in the order of a job's life.
constexpr std::string_view kPlanTask = "plan";
constexpr std::string_view kFetchTask = "fetch";        // a group of pages, of jobs whose rows name some
constexpr std::string_view kGatherTask = "gather";      // once all pages have ended
constexpr std::string_view kAnalyseTask = "analyse";    // one chunk
constexpr std::string_view kClaimsTask = "claims";      // once all chunks are done, when rows claim something
constexpr std::string_view kSettleTask = "settle";      // one bucket, when failed rows can stop the job
constexpr std::string_view kCompareTask = "compare";    // one bucket, when somebody must look at a set after all
constexpr std::string_view kJudgeTask = "judge";        // once all chunks or buckets of the stage are done
constexpr std::string_view kProcessTask = "process";    // one bucket; all of them with commit: all_or_nothing
constexpr std::string_view kOrphansTask = "orphans";    // rows that waited for their parents
constexpr std::string_view kFinaliseTask = "finalise";  // once all is loaded
// Of a job that takes another one back.
constexpr std::string_view kUndoBeginTask = "undo_begin";
constexpr std::string_view kUndoTask = "undo";           // one bucket; all of them with commit: all_or_nothing
constexpr std::string_view kUndoRestTask = "undo_rest";  // rows that waited for those of other buckets
constexpr std::string_view kUndoEndTask = "undo_end";

// What a task's payload says.
struct TaskTarget {
  std::int64_t job = 0;
  std::size_t part = 0;  // its chunk or bucket
};
std::string to_text(const TaskTarget& target);
Result<TaskTarget> read_target(std::string_view payload);

// Whose tasks, and on which storage its files lie.
struct JobGroup {
  std::int64_t id = 0;
  std::string uuid;
  std::string storage;
  std::int64_t company = 1;
  std::string queue = "default";  // that its definition names
};

Result<void> arm_planning(db::Connection& connection, const JobGroup& group);
// Puts groups of pages into the queue; what follows them follows also when there is none.
Result<void> arm_fetching(db::Connection& connection, const JobGroup& group, std::span<const std::size_t> groups);
// Decides again what becomes of a job that is analysed.
Result<void> arm_judging(db::Connection& connection, const JobGroup& group);
// Ends a job that nothing more is done for.
Result<void> arm_ending(db::Connection& connection, const JobGroup& group);
// Stores the plan, moves the job on and puts all chunks into the queue.
Result<void> arm_analysis(db::Connection& connection, const JobGroup& group, const Plan& plan);
Result<void> arm_claims(db::Connection& connection, const JobGroup& group);
Result<void> arm_comparing(db::Connection& connection, const JobGroup& group, const Plan& plan);
// Buckets that nothing was decided about yet.
Result<void> arm_settling(db::Connection& connection, const JobGroup& group, const Plan& plan);
// Buckets that are not loaded yet, and loaded ones of which rows were corrected since. `event` moves the job to
// processing_data, from analysis or from its approval; nullopt: it is there already.
Result<void> arm_processing(db::Connection& connection, const JobGroup& group, const Job& job,
                            std::optional<model::JobEvent> event);
// For a job that is retried while processing: buckets whose task has ended without loading them (too many rows had
// failed) are put into the queue once more, and the stage will end once more.
Result<void> arm_rest(db::Connection& connection, const JobGroup& group);
Result<void> arm_orphans(db::Connection& connection, const JobGroup& group);

// The first task of an undo, and those that follow: one for each bucket.
Result<void> arm_undo(db::Connection& connection, const JobGroup& group);
Result<void> arm_undoing(db::Connection& connection, const JobGroup& group, std::span<const std::size_t> buckets);
Result<void> arm_undo_rest(db::Connection& connection, const JobGroup& group);

}  // namespace lade::jobs
