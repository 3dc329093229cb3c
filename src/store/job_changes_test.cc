// What moves a job: every pair of standing and event in the database, flags, plan and counters, and many at once.
#include <atomic>
#include <thread>

#include "testing/stored_jobs.h"

namespace lade::store {
namespace {

using model::JobEvent;
using model::JobOutcome;
using model::JobStanding;
using model::JobState;
using model::Outcome;

using JobChanges = testing::StoredJobsTest;
LADE_ON_BOTH_DATABASES(JobChanges);

TEST_P(JobChanges, EveryPairDoesWhatTheTableSaysOrNothing) {
  const std::int64_t id = created(new_job());
  const std::string everything = "SELECT CAST(j.* AS text) FROM lade_job j";
  const auto row = [&] {
    return is_sqlite() ? connection->query("SELECT * FROM lade_job").value().front()
                       : connection->query(everything).value().front();
  };
  for (const JobStanding& from : testing::all_standings())
    for (std::size_t i = 0; i < model::kJobEvents; ++i) {
      const auto event = static_cast<JobEvent>(i);
      SCOPED_TRACE(to_string(from) + " + " + std::string(to_string(event)));
      place(id, from);
      const db::Row before = row();
      const std::size_t events = event_kinds(id).size();
      const auto expected = model::next(from, event);
      const auto moved = change(id, event);
      if (!expected) {
        EXPECT_FAILS(moved, "transition_refused");
        EXPECT_EQ(row(), before);
        EXPECT_EQ(event_kinds(id).size(), events);
        continue;
      }
      ASSERT_OK(moved);
      EXPECT_EQ(*moved, *expected);
      EXPECT_EQ(found(id).standing, *expected);
      EXPECT_EQ(event_kinds(id).size(), events + 1);
      EXPECT_EQ(event_kinds(id).back(), to_string(event));
    }
}

TEST_P(JobChanges, AWholeLifeIsRecorded) {
  NewJob job = new_job();
  job.state = JobState::waiting_for_upload;
  const std::int64_t id = created(job);
  for (const JobEvent event :
       {JobEvent::file_stored, JobEvent::preparation_started, JobEvent::planned, JobEvent::review_needed,
        JobEvent::fixed, JobEvent::approved, JobEvent::processing_started, JobEvent::completed})
    ASSERT_OK(change(id, event)) << to_string(event);
  const JobRecord end = found(id);
  EXPECT_EQ(end.slug, "prices-" + std::to_string(id));
  EXPECT_EQ(end.status(), "succeeded");
  EXPECT_EQ(end.ended_in, JobState::processing_data);
  EXPECT_EQ(end.review_revision, 1);
  EXPECT_EQ(end.reviewed_by, "bob");
  EXPECT_EQ(end.created_by, "ada");
  EXPECT_EQ(end.events, 9);
  for (const std::string& time : {end.created_at, end.started_at, end.reviewed_at, end.finished_at}) {
    EXPECT_EQ(time.size(), 24u) << time;
    EXPECT_GE(time, end.created_at);
  }
  const auto events = events_of(*connection, id, 7);
  ASSERT_OK(events);
  ASSERT_EQ(events->size(), 2u);
  EXPECT_EQ((*events)[0].kind, "processing_started");
  EXPECT_EQ((*events)[0].state, "processing_data");
  EXPECT_EQ((*events)[1].actor, "bob");
}

TEST_P(JobChanges, AFailureSaysWhyAndARetryForgetsIt) {
  const std::int64_t id = created(new_job());
  place(id, {JobState::processing_data, {}});
  ASSERT_OK(request_cancel(*connection, id, "ada"));
  ASSERT_OK(change(id, JobEvent::failed));
  JobRecord job = found(id);
  EXPECT_EQ(job.error, "the disk is full");
  EXPECT_EQ(job.error_code, "disk_full");
  EXPECT_EQ(job.progress(), 100);
  const auto back = retry_job(*connection, id, "eve");
  ASSERT_OK(back);
  EXPECT_EQ(*back, (JobStanding{JobState::processing_data, {}}));
  job = found(id);
  EXPECT_EQ(job.error, "");
  EXPECT_EQ(job.error_code, "");
  EXPECT_EQ(job.finished_at, "");
  EXPECT_EQ(job.retries, 1);
  EXPECT_FALSE(job.cancel_requested);
  EXPECT_EQ(event_kinds(id).back(), "processing_retried");
  EXPECT_FALSE(change_job(*connection, id, {JobEvent::failed})) << "without a reason";
}

TEST_P(JobChanges, ARetryReturnsToWhereItEnded) {
  for (std::size_t i = 0; i + 1 < model::kJobStates; ++i) {
    const auto state = static_cast<JobState>(i);
    if (state == JobState::rejected) continue;
    SCOPED_TRACE(to_string(state));
    const std::int64_t id = created(new_job());
    place(id, {state, {}});
    EXPECT_FAILS(retry_job(*connection, id, "eve"), "transition_refused");
    ASSERT_OK(change(id, JobEvent::cancelled));
    const auto back = retry_job(*connection, id, "eve");
    if (state == JobState::waiting_for_upload) {
      EXPECT_FAILS(back, "transition_refused");
    } else {
      ASSERT_OK(back);
      EXPECT_EQ(*back, model::next({JobState::finished, JobOutcome::cancelled}, *model::retry_event(state)).value());
    }
  }
}

TEST_P(JobChanges, OnlyTheNewestRevisionIsApproved) {
  const std::int64_t id = created(new_job());
  place(id, {JobState::waiting_for_review, {}});
  ASSERT_OK(change(id, JobEvent::fixed));
  const auto refused = change_job(*connection, id, {.event = JobEvent::approved, .actor = "bob", .revision = 0});
  ASSERT_FAILS(refused, "revision_changed");
  EXPECT_EQ(found(id).status(), "waiting_for_review");
  EXPECT_OK(change_job(*connection, id, {.event = JobEvent::approved, .actor = "bob", .revision = 1}));
}

TEST_P(JobChanges, FlagsAreSetOnceAndOnlyBeforeTheEnd) {
  const std::int64_t id = created(new_job());
  ASSERT_OK(set_job_paused(*connection, id, true, "ada"));
  ASSERT_OK(set_job_paused(*connection, id, true, "ada"));
  EXPECT_EQ(found(id).status(), "paused");
  ASSERT_OK(set_job_paused(*connection, id, false, "ada"));
  ASSERT_OK(request_cancel(*connection, id, "ada"));
  ASSERT_OK(request_cancel(*connection, id, "ada"));
  EXPECT_TRUE(found(id).cancel_requested);
  EXPECT_EQ(event_kinds(id), (std::vector<std::string>{"created", "paused", "resumed", "cancel_requested"}));
  ASSERT_OK(change(id, JobEvent::cancelled));
  EXPECT_FAILS(set_job_paused(*connection, id, true, "ada"), "transition_refused");
  EXPECT_FAILS(request_cancel(*connection, id, "ada"), "transition_refused");
  EXPECT_EQ(event_kinds(id).size(), 5u);
}

TEST_P(JobChanges, WhatIsRolledBackNeverHappened) {
  const std::int64_t id = created(new_job());
  {
    auto transaction = db::Transaction::begin(*connection);
    ASSERT_OK(transaction);
    ASSERT_OK(change(id, JobEvent::preparation_started));
    ASSERT_OK(transaction->rollback());
  }
  EXPECT_EQ(found(id).status(), "queued");
  EXPECT_EQ(event_kinds(id), std::vector<std::string>{"created"});
}

TEST_P(JobChanges, AJobThatIsNotThereIsNotFound) {
  EXPECT_FAILS(change(7, JobEvent::planned), "job_not_found");
  EXPECT_FAILS(retry_job(*connection, 7, ""), "job_not_found");
  EXPECT_FAILS(request_cancel(*connection, 7, ""), "job_not_found");
  EXPECT_FAILS(append_event(*connection, {7, "x"}), "job_not_found");
  EXPECT_FAILS(save_plan(*connection, 7, {}), "job_not_found");
  EXPECT_FAILS(read_plan(*connection, 7), "job_not_found");
  EXPECT_FAILS(advance_job(*connection, 7, {}), "job_not_found");
}

TEST_P(JobChanges, PlanAndCountersGiveTheProgress) {
  const std::int64_t id = created(new_job());
  std::string bytes;
  for (int i = 0; i < 512; ++i) bytes.push_back(static_cast<char>(i));
  ASSERT_OK(save_plan(*connection, id, {1'000, 4, 3, bytes}));
  place(id, {JobState::analysing_data, {}});
  const auto plan = read_plan(*connection, id);
  ASSERT_OK(plan);
  EXPECT_EQ(plan->plan, bytes);
  EXPECT_EQ(plan->rows_total, 1'000);
  EXPECT_EQ(found(id).progress(), 10);
  JobAdvance advance{4, 3, 1, 1'000, {}};
  advance.rows.read = 21;
  advance.rows.removed = 7;
  std::int64_t next = 1;
  for (const Outcome outcome : model::kOutcomes) advance.rows[outcome] = next++;
  ASSERT_OK(advance_job(*connection, id, advance));
  JobRecord job = found(id);
  EXPECT_EQ(job.rows_total, 1'000);
  EXPECT_EQ(job.rows_analysed, 1'000);
  EXPECT_EQ(job.progress(), 81);
  EXPECT_EQ(job.rows.read, 21);
  EXPECT_EQ(job.rows.removed, 7);
  EXPECT_EQ(job.rows.by_outcome, advance.rows.by_outcome);
  ASSERT_OK(advance_job(*connection, id, {.buckets_processed = 2}));
  EXPECT_EQ(found(id).progress(), 99);
}

// Many try the same at once: one does it, the others are told that it is done.
TEST_P(JobChanges, OneOfManyApproves) {
  const std::int64_t id = created(new_job());
  place(id, {JobState::waiting_for_review, {}});
  std::atomic<int> done = 0, refused = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 6; ++i)
      threads.emplace_back([&] {
        const auto own = database.connect();
        const auto moved = change_job(*own, id, {JobEvent::approved, "bob"});
        ++(moved ? done : refused);
        if (!moved) {
          EXPECT_EQ(moved.error().code, "transition_refused");
        }
      });
  }
  EXPECT_EQ(done, 1);
  EXPECT_EQ(refused, 5);
  EXPECT_EQ(event_kinds(id), (std::vector<std::string>{"created", "approved"}));
}

TEST_P(JobChanges, EventsOfManyAreNumberedWithoutGaps) {
  const std::int64_t id = created(new_job());
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&] {
        const auto own = database.connect();
        for (int n = 0; n < 20; ++n) EXPECT_OK(append_event(*own, {id, "noted"}));
      });
  }
  EXPECT_EQ(event_kinds(id).size(), 81u);
}

}  // namespace
}  // namespace lade::store
