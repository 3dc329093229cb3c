// What people do to jobs: the job and its tasks change together, or not at all.
#include "jobs/control.h"

#include <functional>
#include <map>

#include "jobs/arm.h"
#include "jobs/stored_job.h"
#include "jobs/task.h"
#include "queue/claim.h"
#include "queue/dead_letters.h"
#include "queue/enqueue.h"
#include "queue/groups.h"
#include "queue/lease.h"
#include "queue/stage.h"
#include "queue/task_list.h"
#include "store/outcomes.h"
#include "testing/stored_jobs.h"

namespace lade::jobs {
namespace {

using model::JobEvent;
using model::JobOutcome;
using model::JobState;
using model::Outcome;

class Control : public testing::StoredJobsTest {
 protected:
  // A job in this state, with an upload.
  store::JobRecord job_in(const model::JobStanding& standing, const std::string& hash = {}) {
    const auto file = store::create_file(*connection, {0, new_uuid(), "disk", "prices.csv", 10, "sum"});
    EXPECT_OK(file);
    store::NewJob job = new_job(hash);
    job.file_id = file.value_or(0);
    job.options = R"({"limit":7})";
    const std::int64_t id = created(job);
    place(id, standing);
    return found(id);
  }
  store::JobRecord job_in(JobState state) { return job_in(model::JobStanding{state, {}}); }
  store::JobRecord ended_in(JobState state, JobOutcome outcome) {
    const store::JobRecord job = job_in(state);
    EXPECT_OK(change(job.id, outcome == JobOutcome::failed ? JobEvent::failed : JobEvent::cancelled));
    return found(job.id);
  }
  std::int64_t add_task(const store::JobRecord& job, const std::string& kind, std::int64_t stage = 0) {
    const auto id = queue::enqueue(*connection, {.kind = kind,
                                                 .payload = to_text(TaskTarget{job.id, 0}),
                                                 .group = job.uuid,
                                                 .stage = stage,
                                                 .storage = "disk"});
    EXPECT_OK(id);
    return id && *id ? **id : 0;
  }
  // A sealed stage of so many tasks, followed by `then`.
  std::int64_t add_stage(const store::JobRecord& job, const std::string& kind, int tasks, const std::string& then) {
    const auto stage = queue::open_stage(*connection, {job.uuid, kind, {.kind = then, .storage = "disk"}});
    EXPECT_OK(stage);
    for (int i = 0; i < tasks; ++i) add_task(job, kind, *stage);
    EXPECT_OK(queue::seal_stage(*connection, *stage));
    return *stage;
  }
  std::vector<queue::Task> claim(std::int64_t count = 100) {
    auto tasks = queue::claim(*connection, {.node = "n1", .count = count, .storage = "disk"});
    EXPECT_OK(tasks);
    return tasks ? std::move(*tasks) : std::vector<queue::Task>();
  }
  std::vector<std::string> kinds(const std::vector<queue::Task>& tasks) {
    std::vector<std::string> names;
    for (const queue::Task& task : tasks) names.push_back(task.kind);
    return names;
  }
  void succeed(const queue::Task& task) { ASSERT_OK(queue::complete(*connection, std::vector{task.lease})); }
  void bury(const queue::Task& task) { ASSERT_OK(queue::refuse_task(*connection, task.lease, {"broken", "why"})); }
  std::vector<queue::TaskRow> tasks_of(const store::JobRecord& job, const std::string& status = {}) {
    auto tasks = queue::list_tasks(*connection, {.status = status, .group = job.uuid});
    EXPECT_OK(tasks);
    return tasks ? std::move(*tasks) : std::vector<queue::TaskRow>();
  }
  JobOrder order(const store::JobRecord& job) const { return {job.slug, "eve"}; }
  void count_rows(std::int64_t id, std::int64_t read, std::int64_t failed) {
    store::JobAdvance advance;
    advance.rows_analysed = read;
    advance.rows[Outcome::failed] = failed;
    ASSERT_OK(store::advance_job(*connection, id, advance));
  }
  std::string last_actor(std::int64_t id) {
    const auto events = store::events_of(*connection, id);
    EXPECT_OK(events);
    return events->back().actor;
  }
};
LADE_ON_BOTH_DATABASES(Control);

using Act = std::function<Result<void>(db::Connection&, const JobOrder&)>;

template <class Call>
Act as_act(Call call) {
  return [call](db::Connection& connection, const JobOrder& order) -> Result<void> {
    LADE_TRY(call(connection, order));
    return {};
  };
}

std::vector<std::pair<std::string, Act>> all_acts() {
  return {{"pause", as_act(pause_job)},
          {"resume", as_act(resume_job)},
          {"cancel", as_act(cancel_job)},
          {"retry", as_act([](auto& connection, const auto& order) { return retry_job(connection, order); })},
          {"approve", as_act([](auto& connection, const auto& order) { return approve_job(connection, order); })},
          {"reject", as_act([](auto& connection, const auto& order) { return reject_job(connection, order); })},
          {"clone", as_act([](auto& connection, const auto& order) { return clone_job(connection, order); })},
          {"delete", as_act(delete_job)}};
}

TEST_P(Control, PreparationGoesOnWhereSomebodyElseHasBegunIt) {
  const store::JobRecord as_read = job_in(JobState::upload_completed);
  ASSERT_OK(begin_preparation(*connection, as_read));
  EXPECT_EQ(found(as_read.id).standing.state, JobState::preparing_data);
  EXPECT_OK(begin_preparation(*connection, as_read));
  place(as_read.id, {JobState::finished, JobOutcome::cancelled});
  EXPECT_FAILS(begin_preparation(*connection, as_read), "transition_refused");
}

TEST_P(Control, FindsJobsByIdUuidAndSlug) {
  const store::JobRecord job = job_in(JobState::analysing_data);
  for (const std::string& name : {std::to_string(job.id), job.uuid, job.slug}) {
    const auto found = require_job(*connection, name);
    ASSERT_OK(found);
    EXPECT_EQ(found->id, job.id);
  }
}

TEST_P(Control, UnknownJobsAndThoseOfOtherCompaniesAreNotFound) {
  const store::JobRecord job = job_in({JobState::finished, JobOutcome::failed});
  for (const auto& [name, act] : all_acts()) {
    EXPECT_FAILS(act(*connection, {"nobody"}), "job_not_found") << name;
    EXPECT_FAILS(act(*connection, {job.slug, "eve", 2}), "job_not_found") << name;
  }
}

TEST_P(Control, WhatTheTableOfStatesRefusesChangesNothing) {
  for (const model::JobStanding& standing : testing::all_standings()) {
    const bool finished = standing.state == JobState::finished;
    const bool ended_badly = standing.outcome == JobOutcome::failed || standing.outcome == JobOutcome::cancelled;
    const std::map<std::string, bool> allowed = {{"pause", !finished},
                                                 {"resume", !finished},
                                                 {"cancel", next(standing, JobEvent::cancelled).has_value()},
                                                 {"retry", ended_badly},
                                                 {"approve", next(standing, JobEvent::approved).has_value()},
                                                 {"reject", next(standing, JobEvent::rejected).has_value()},
                                                 {"clone", true},
                                                 {"delete", finished}};
    for (const auto& [name, act] : all_acts()) {
      const store::JobRecord job = job_in(standing);
      ASSERT_OK(connection->run("UPDATE lade_job SET ended_in = 'processing_data' WHERE outcome IS NOT NULL"));
      const auto done = act(*connection, order(job));
      SCOPED_TRACE(name + " in " + to_string(standing));
      if (allowed.at(name)) {
        EXPECT_OK(done);
        continue;
      }
      EXPECT_FAILS(done, "transition_refused");
      EXPECT_EQ(found(job.id).standing, standing);
      EXPECT_EQ(event_kinds(job.id), std::vector<std::string>{"created"});
      EXPECT_TRUE(tasks_of(job).empty());
    }
  }
}

TEST_P(Control, APausedJobsTasksAreNotClaimed) {
  const store::JobRecord job = job_in(JobState::analysing_data);
  add_task(job, "analyse");
  const auto paused = pause_job(*connection, order(job));
  ASSERT_OK(paused);
  EXPECT_EQ(paused->status(), "paused");
  EXPECT_TRUE(claim().empty());
  const auto resumed = resume_job(*connection, order(job));
  ASSERT_OK(resumed);
  EXPECT_EQ(resumed->status(), "running");
  EXPECT_EQ(claim().size(), 1U);
  EXPECT_EQ(event_kinds(job.id), (std::vector<std::string>{"created", "paused", "resumed"}));
  EXPECT_EQ(last_actor(job.id), "eve");
}

TEST_P(Control, CancelLeavesTheEndToTheTaskThatFollows) {
  const store::JobRecord job = job_in(JobState::analysing_data);
  add_stage(job, "analyse", 3, "judge");
  const auto running = claim(1);
  const auto cancelled = cancel_job(*connection, order(job));
  ASSERT_OK(cancelled);
  EXPECT_TRUE(cancelled->cancel_requested);
  EXPECT_EQ(cancelled->standing.state, JobState::analysing_data);
  EXPECT_EQ(tasks_of(job, "cancelled").size(), 2U);
  EXPECT_TRUE(claim().empty());
  succeed(running.front());
  EXPECT_EQ(kinds(claim()), std::vector<std::string>{"judge"});
}

TEST_P(Control, CancelEndsAJobWithoutTasksAtOnce) {
  for (const JobState state : {JobState::waiting_for_upload, JobState::waiting_for_review}) {
    const store::JobRecord job = job_in(state);
    if (state == JobState::waiting_for_review) count_rows(job.id, 10, 2);
    const auto cancelled = cancel_job(*connection, order(job));
    ASSERT_OK(cancelled);
    EXPECT_EQ(cancelled->status(), "cancelled");
    EXPECT_EQ(cancelled->ended_in, state);
    EXPECT_TRUE(cancelled->rows.conserved());
    EXPECT_EQ(cancelled->rows[Outcome::unprocessed], cancelled->rows.read == 10 ? 8 : 0);
    EXPECT_EQ(event_kinds(job.id), (std::vector<std::string>{"created", "cancel_requested", "cancelled"}));
  }
}

TEST_P(Control, CancelEndsAJobWhosePlanHasNotBegun) {
  const store::JobRecord job = job_in(JobState::upload_completed);
  add_task(job, "plan");
  const auto cancelled = cancel_job(*connection, order(job));
  ASSERT_OK(cancelled);
  EXPECT_EQ(cancelled->status(), "cancelled");
  EXPECT_TRUE(claim().empty());
}

TEST_P(Control, APausedJobCanBeCancelled) {
  const store::JobRecord job = job_in(JobState::analysing_data);
  add_stage(job, "analyse", 1, "judge");
  ASSERT_OK(pause_job(*connection, order(job)));
  const auto cancelled = cancel_job(*connection, order(job));
  ASSERT_OK(cancelled);
  EXPECT_FALSE(cancelled->paused);
  EXPECT_EQ(kinds(claim()), std::vector<std::string>{"judge"});
}

TEST_P(Control, CancelledJobsWhoseLastTaskEndedWithoutAFollowerEnd) {
  const store::JobRecord job = job_in(JobState::preparing_data);
  const store::JobRecord other = job_in(JobState::preparing_data);
  add_task(job, "plan");
  const auto running = claim(1);
  ASSERT_OK(cancel_job(*connection, order(job)));
  EXPECT_EQ(finish_cancelled_jobs(*connection).value(), 0);
  EXPECT_EQ(found(job.id).standing.state, JobState::preparing_data);
  ASSERT_OK(queue::fail_task(*connection, running.front().lease, {"cancelled", "stopped"}, {}));
  EXPECT_EQ(finish_cancelled_jobs(*connection).value(), 1);
  EXPECT_EQ(found(job.id).status(), "cancelled");
  EXPECT_EQ(found(other.id).status(), "running");
  EXPECT_EQ(finish_cancelled_jobs(*connection).value(), 0);
}

TEST_P(Control, TasksThatWereEnqueuedDuringTheCancelEndToo) {
  const store::JobRecord job = job_in(JobState::preparing_data);
  add_task(job, "plan");
  const auto plan = claim(1);
  ASSERT_OK(cancel_job(*connection, order(job)));
  // The plan is published all the same, and arms what follows.
  ASSERT_OK(change(job.id, JobEvent::planned));
  add_stage(job, "analyse", 2, "judge");
  succeed(plan.front());
  EXPECT_EQ(finish_cancelled_jobs(*connection).value(), 0);
  EXPECT_EQ(tasks_of(job, "cancelled").size(), 2U);
  EXPECT_EQ(kinds(claim()), std::vector<std::string>{"judge"});
}

TEST_P(Control, RetryRunsOnlyWhatFailedAndThenTheFollowerAgain) {
  const store::JobRecord job = job_in(JobState::processing_data);
  const std::int64_t stage = add_stage(job, "process", 3, "finalise");
  const auto tasks = claim();
  ASSERT_EQ(tasks.size(), 3U);
  succeed(tasks[0]);
  bury(tasks[1]);
  succeed(tasks[2]);
  const auto finaliser = claim();
  ASSERT_EQ(kinds(finaliser), std::vector<std::string>{"finalise"});
  count_rows(job.id, 10, 2);
  store::JobAdvance rest;
  rest.rows[Outcome::unprocessed] = 8;
  ASSERT_OK(store::advance_job(*connection, job.id, rest));
  ASSERT_OK(change(job.id, JobEvent::failed));
  succeed(finaliser.front());

  const auto retried = retry_job(*connection, order(job));
  ASSERT_OK(retried);
  EXPECT_EQ(retried->standing.state, JobState::processing_data);
  EXPECT_EQ(retried->retries, 1);
  EXPECT_EQ(retried->rows[Outcome::unprocessed], 0);
  EXPECT_EQ(retried->rows[Outcome::failed], 2);
  const auto again = claim();
  ASSERT_EQ(again.size(), 1U);
  EXPECT_EQ(again.front().lease.task, tasks[1].lease.task);
  succeed(again.front());
  EXPECT_EQ(kinds(claim()), std::vector<std::string>{"finalise"});
  EXPECT_EQ(queue::read_stage(*connection, stage).value().failed, 0);
  EXPECT_EQ(last_actor(job.id), "eve");
}

TEST_P(Control, RetryOfACancelledJobTakesTheCancelBack) {
  const store::JobRecord job = job_in(JobState::analysing_data);
  add_stage(job, "analyse", 2, "judge");
  ASSERT_OK(cancel_job(*connection, order(job)));
  const auto judge = claim();
  ASSERT_OK(change(job.id, JobEvent::cancelled));
  succeed(judge.front());
  const auto retried = retry_job(*connection, order(job));
  ASSERT_OK(retried);
  EXPECT_FALSE(retried->cancel_requested);
  EXPECT_EQ(kinds(claim()), (std::vector<std::string>{"analyse", "analyse"}));
}

TEST_P(Control, RetryDecidesAgainWhenNoTaskHasFailed) {
  const store::JobRecord job = job_in(JobState::analysing_data);
  add_stage(job, "analyse", 1, "judge");
  succeed(claim().front());
  const auto first = claim();
  ASSERT_EQ(kinds(first), std::vector<std::string>{"judge"});
  ASSERT_OK(change(job.id, JobEvent::failed));  // too many errors
  succeed(first.front());
  ASSERT_OK(retry_job(*connection, order(job)));
  const auto second = claim();
  ASSERT_EQ(kinds(second), std::vector<std::string>{"judge"});
  EXPECT_EQ(queue::find_stage(*connection, job.uuid, "analyse").value().finaliser, second.front().lease.task);
}

TEST_P(Control, RetryBeginsWithTheTaskThatTheStateNeeds) {
  for (const auto& [state, kind] :
       {std::pair(JobState::preparing_data, "plan"), {JobState::waiting_for_review, "judge"}}) {
    const store::JobRecord job = ended_in(state, JobOutcome::cancelled);
    ASSERT_OK(retry_job(*connection, order(job)));
    const auto tasks = claim();
    ASSERT_EQ(kinds(tasks), std::vector<std::string>{kind});
    EXPECT_EQ(tasks.front().payload, to_text(TaskTarget{job.id, 0}));
  }
}

TEST_P(Control, RetryAndCloneNeedTheFile) {
  const store::JobRecord job = ended_in(JobState::preparing_data, JobOutcome::failed);
  ASSERT_OK(store::mark_file_removed(*connection, job.file_id));
  EXPECT_FAILS(retry_job(*connection, order(job)), "file_gone");
  EXPECT_FAILS(clone_job(*connection, order(job)), "file_gone");
  EXPECT_EQ(found(job.id).status(), "failed");
  EXPECT_EQ(integer("SELECT count(*) FROM lade_job"), 1);
}

TEST_P(Control, AFileThatLiesElsewhereIsNotAskedFor) {
  const store::JobRecord job = ended_in(JobState::preparing_data, JobOutcome::failed);
  ASSERT_OK(connection->run(R"(UPDATE lade_job SET file_id = NULL, options = '{"local":{"path":"a.csv"}}')"));
  EXPECT_OK(clone_job(*connection, order(job)));
  EXPECT_OK(retry_job(*connection, order(job)));
}

TEST_P(Control, ApprovalIsOfTheRevisionThatWasSeen) {
  const store::JobRecord job = job_in(JobState::waiting_for_review);
  ASSERT_OK(change(job.id, JobEvent::fixed));
  EXPECT_FAILS(approve_job(*connection, order(job), 0), "revision_changed");
  EXPECT_TRUE(claim().empty());
  const auto approved = approve_job(*connection, order(job), 1);
  ASSERT_OK(approved);
  EXPECT_EQ(approved->standing.state, JobState::approved);
  EXPECT_EQ(approved->reviewed_by, "eve");
  const auto tasks = tasks_of(job);
  ASSERT_EQ(tasks.size(), 1U);
  EXPECT_EQ(tasks.front().kind, "judge");
  EXPECT_EQ(tasks.front().storage, "disk");
  EXPECT_FAILS(approve_job(*connection, order(job)), "transition_refused");
}

TEST_P(Control, ARejectedJobIsFinalised) {
  const store::JobRecord job = job_in(JobState::waiting_for_review);
  const auto rejected = reject_job(*connection, order(job));
  ASSERT_OK(rejected);
  EXPECT_EQ(rejected->standing.state, JobState::rejected);
  EXPECT_EQ(kinds(claim()), std::vector<std::string>{"finalise"});
  EXPECT_EQ(rejection_reason(*connection, job).value(), "");
}

TEST_P(Control, TheReasonOfARejectionIsOneLineAndStandsInTheHistory) {
  const store::JobRecord job = job_in(JobState::waiting_for_review);
  for (const std::string& bad : {std::string(), std::string(" \t "), std::string("two\nlines"), std::string("\xff"),
                                 std::string(kMostReasonBytes + 1, 'x')})
    EXPECT_FAILS(reject_job(*connection, order(job), bad), "reason_invalid");
  EXPECT_EQ(require_job(*connection, job.uuid)->standing.state, JobState::waiting_for_review);
  ASSERT_OK(reject_job(*connection, order(job), "the prices are of \"last\" year"));
  EXPECT_EQ(rejection_reason(*connection, job).value(), "the prices are of \"last\" year");
  const auto event = store::last_event(*connection, job.id, "rejected");
  ASSERT_OK(event);
  ASSERT_TRUE(event->has_value());
  EXPECT_EQ((*event)->actor, "eve");
}

TEST_P(Control, ACloneIsTheSameJobAnew) {
  const store::JobRecord job = job_in({JobState::finished, JobOutcome::succeeded}, "hash");
  const auto clone = clone_job(*connection, order(job));
  ASSERT_OK(clone);
  EXPECT_NE(clone->id, job.id);
  EXPECT_NE(clone->uuid, job.uuid);
  EXPECT_EQ(clone->standing.state, JobState::upload_completed);
  EXPECT_EQ(clone->file_id, job.file_id);
  EXPECT_EQ(clone->options, job.options);
  EXPECT_EQ(clone->created_by, "eve");
  EXPECT_EQ(store::job_snapshot(*connection, clone->id).value(), store::job_snapshot(*connection, job.id).value());
  const auto tasks = tasks_of(*clone);
  ASSERT_EQ(tasks.size(), 1U);
  EXPECT_EQ(tasks.front().kind, "plan");
  EXPECT_EQ(tasks.front().storage, "disk");
  EXPECT_FAILS(clone_job(*connection, order(job)), "job_exists");
  EXPECT_OK(clone_job(*connection, order(job), true));
  EXPECT_FAILS(clone_job(*connection, order(job), true, "perhaps"), "choice_invalid");
}

TEST_P(Control, ACloneCanBeReviewedWhereItsJobWasNot) {
  const store::JobRecord job = job_in({JobState::finished, JobOutcome::succeeded}, "hash");
  const auto clone = clone_job(*connection, order(job), true, "always");
  ASSERT_OK(clone);
  const auto cloned = definition_of(*connection, *clone);
  ASSERT_OK(cloned);
  EXPECT_EQ(cloned->review, definition::Review::always);
  EXPECT_EQ(definition_of(*connection, job)->review, definition::Review::never);
}

TEST_P(Control, DeletingLeavesNothingOfTheJob) {
  const store::JobRecord job = ended_in(JobState::processing_data, JobOutcome::failed);
  add_stage(job, "process", 2, "finalise");
  bury(claim().front());
  const std::string segment = new_uuid();
  ASSERT_OK(store::record_segment(*connection, job.id, {0, segment, 100, 10, 0}));
  ASSERT_OK(store::save_outcomes(*connection, job.id, {0, {}, "packed"}));
  ASSERT_OK(connection->run("INSERT INTO lade_issue VALUES (" + std::to_string(job.id) +
                            ", 1, 2, 3, 'error', 'c', '', '', '', '')"));
  const std::string upload = store::find_file(*connection, job.file_id).value()->uuid;
  const auto deleted = delete_job(*connection, order(job));
  ASSERT_OK(deleted);
  EXPECT_EQ(deleted->job.slug, job.slug);
  ASSERT_EQ(deleted->files.size(), 2U);
  EXPECT_EQ(deleted->files[0].uuid, upload);
  EXPECT_EQ(deleted->files[1].uuid, segment);
  for (const store::UnwantedFile& file : deleted->files) EXPECT_EQ(file.storage, "disk");
  for (const char* table : {"lade_job", "lade_file", "lade_segment", "lade_outcome", "lade_issue", "lade_event",
                            "lade_task", "lade_stage", "lade_task_group", "lade_dead_letter"})
    EXPECT_EQ(integer("SELECT count(*) FROM " + std::string(table)), 0) << table;
}

TEST_P(Control, AnUploadThatAnotherJobHasStays) {
  const store::JobRecord job = job_in({JobState::finished, JobOutcome::succeeded});
  const auto clone = clone_job(*connection, order(job));
  ASSERT_OK(clone);
  const auto deleted = delete_job(*connection, order(job));
  ASSERT_OK(deleted);
  EXPECT_TRUE(deleted->files.empty());
  EXPECT_TRUE(store::find_file(*connection, clone->file_id).value());
  EXPECT_EQ(tasks_of(*clone).size(), 1U);
}

TEST_P(Control, TheCallersTransactionDecides) {
  const store::JobRecord job = job_in(JobState::waiting_for_review);
  {
    auto transaction = db::Transaction::begin(*connection);
    ASSERT_OK(transaction);
    ASSERT_OK(approve_job(*connection, order(job)));
  }
  EXPECT_EQ(found(job.id).standing.state, JobState::waiting_for_review);
  EXPECT_TRUE(claim().empty());
}

}  // namespace
}  // namespace lade::jobs
