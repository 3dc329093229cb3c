#pragma once

#include <optional>

#include "jobs/arm.h"
#include "jobs/desk.h"
#include "jobs/open_job.h"
#include "queue/node.h"

// The handlers of a job's tasks. Each works outside the database first and publishes its result in one fenced
// transaction: rows, findings, counters and the task's end together, or nothing.
namespace lade::jobs {

// A task at work: its job, opened, and a worker for it.
struct Work {
  queue::TaskContext& context;
  Desk& desk;
  TaskTarget target;
  OpenJob& open;
  Worker& worker;
  UnpublishedRows& unpublished;
  const Job& job() const { return *open.job; }
  JobGroup group() const {
    return {job().id, job().uuid, open.storage.id(), job().options.company, job().definition().queue};
  }
};

// The job, as it was read, is being prepared. Not under the fence: somebody who has lost the task by now may have begun
// meanwhile, which is as good.
Result<void> begin_preparation(db::Connection& connection, const store::JobRecord& job);
// The plan task has no bound job yet.
Result<void> plan(queue::TaskContext& context, Desk& desk, const TaskTarget& target);
Result<void> analyse(const Work& work);
Result<void> claims(const Work& work);
Result<void> settle(const Work& work);
Result<void> compare(const Work& work);
Result<void> judge(const Work& work);
Result<void> process(const Work& work);
Result<void> orphans(const Work& work);
Result<void> finalise(const Work& work);

// Tasks of a job that takes another one back. They need no file: nothing is bound.
Result<void> begin_undo(queue::TaskContext& context, Desk& desk, const TaskTarget& target);
Result<void> undo_part(queue::TaskContext& context, Desk& desk, const TaskTarget& target);
Result<void> undo_rest(queue::TaskContext& context, Desk& desk, const TaskTarget& target);
Result<void> end_undo(queue::TaskContext& context, Desk& desk, const TaskTarget& target);

// Rows that failed so far: in analysis, and by being settled or loaded.
Result<std::int64_t> failed_rows(db::Connection& connection, std::int64_t job);
// Whether so many rows have failed meanwhile that nothing more is loaded.
Result<bool> is_stopped(const Work& work, db::Connection& connection);
// Whether all tasks of the stage have succeeded.
Result<bool> stage_is_whole(db::Connection& connection, const std::string& group, std::string_view name);

}  // namespace lade::jobs
