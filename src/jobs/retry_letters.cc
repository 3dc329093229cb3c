#include "jobs/retry_letters.h"

#include <optional>
#include <set>
#include <string>

#include "db/in_transaction.h"
#include "jobs/arm.h"
#include "jobs/control.h"
#include "queue/dead_letters.h"
#include "queue/task_list.h"
#include "store/job_list.h"

namespace lade::jobs {
namespace {

// Nullopt: the task is none of a job.
Result<std::optional<store::JobRecord>> job_of(db::Connection& connection, const queue::TaskRow& task) {
  const auto target = read_target(task.payload);
  if (!target) return std::nullopt;
  LADE_ASSIGN(auto job, store::job_with_id(connection, target->job));
  return job && job->uuid == task.group ? std::move(job) : std::nullopt;
}

// `revived`: jobs that were brought back already, and with them all their dead letters.
Result<void> retry_letter(db::Connection& connection, std::int64_t task, const Actor& who,
                          std::set<std::string>& revived) {
  LADE_ASSIGN(const auto found, queue::list_tasks(connection, {.task = task}));
  if (found.empty()) return fail(queue::no_such_letter(task));
  const queue::TaskRow& row = found.front();
  if (revived.contains(row.group) && row.status != "failed") return {};
  LADE_ASSIGN(const auto job, job_of(connection, row));
  if (!job || !job->standing.outcome || row.status != "failed") return queue::retry_dead_letter(connection, task);
  LADE_TRY(retry_job(connection, {job->uuid, who.actor, job->company, who.actor_id}));
  revived.insert(row.group);
  return {};
}

}  // namespace

Result<RetriedLetters> retry_letters(db::Connection& connection, std::span<const std::int64_t> tasks,
                                     const Actor& who) {
  return db::in_transaction(connection, [&]() -> Result<RetriedLetters> {
    RetriedLetters done;
    std::set<std::string> revived;
    for (const std::int64_t task : tasks) {
      LADE_ASSIGN(db::Savepoint savepoint, db::Savepoint::begin(connection));
      if (auto retried = retry_letter(connection, task, who, revived)) {
        LADE_TRY(savepoint.release());
        ++done.retried;
      } else {
        LADE_TRY(savepoint.rollback());
        done.refused.push_back({task, std::move(retried).error()});
      }
    }
    return done;
  });
}

}  // namespace lade::jobs
