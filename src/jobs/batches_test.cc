// What people do to batches is done to their jobs, and jobs that come later hear of it.
#include "jobs/batches.h"

#include "db/values.h"
#include "jobs/control.h"
#include "queue/claim.h"
#include "queue/enqueue.h"
#include "testing/stored_jobs.h"

namespace lade::jobs {
namespace {

using model::JobEvent;
using model::JobOutcome;
using model::JobState;

class BatchControl : public testing::StoredJobsTest {
 protected:
  BatchControl() {
    const auto id = store::find_or_create_batch(*connection, {new_uuid(), "monday"});
    EXPECT_OK(id);
    batch = id.value_or(0);
  }
  store::NewJob job_of_batch() {
    const auto file = store::create_file(*connection, {0, new_uuid(), "disk", "prices.csv", 10, "sum"});
    EXPECT_OK(file);
    store::NewJob job = new_job();
    job.file_id = file.value_or(0);
    job.batch_id = batch;
    return job;
  }
  // A job with a task that waits.
  std::int64_t add_job(JobState state) {
    const auto id = admit_job(*connection, job_of_batch());
    EXPECT_OK(id);
    place(*id, {state, {}});
    EXPECT_OK(queue::enqueue(*connection, {.kind = "plan", .group = found(*id).uuid, .storage = "disk"}));
    return *id;
  }
  std::int64_t add_ended(JobOutcome outcome) {
    const std::int64_t id = created(job_of_batch());
    place(id, {JobState::processing_data, {}});
    EXPECT_OK(change(id, outcome == JobOutcome::failed      ? JobEvent::failed
                         : outcome == JobOutcome::cancelled ? JobEvent::cancelled
                                                            : JobEvent::completed));
    return id;
  }
  std::int64_t add_user(const std::string& email) {
    const db::Value values[] = {new_uuid(), store::kDefaultCompany, email};
    const auto rows = connection->query(
        "INSERT INTO lade_user (uuid, company_id, email, name, role, sight, created_at) "
        "VALUES ($1, $2, $3, '', 'reviewer', 'company', CURRENT_TIMESTAMP) RETURNING id",
        values);
    EXPECT_OK(rows);
    return rows ? db::integer_of(rows->front().front()) : 0;
  }
  std::size_t claimable() {
    auto transaction = db::Transaction::begin(*connection);
    const auto tasks = queue::claim(*connection, {.node = "n1", .count = 100, .storage = "disk"});
    EXPECT_OK(tasks);
    EXPECT_OK(transaction->rollback());
    return tasks ? tasks->size() : 0;
  }
  std::string status(std::int64_t job) { return std::string(found(job).status()); }
  const BatchOrder order{"monday", "eve"};
  std::int64_t batch = 0;
};
LADE_ON_BOTH_DATABASES(BatchControl);

using Act = Result<BatchOutcome> (*)(db::Connection&, const BatchOrder&);

TEST_P(BatchControl, UnknownBatchesAndThoseOfOtherCompaniesAreNotFound) {
  const Act retry = [](db::Connection& session, const BatchOrder& wanted) { return retry_batch(session, wanted); };
  for (const Act act : {Act{pause_batch}, Act{resume_batch}, Act{cancel_batch}, Act{approve_batch}, Act{reject_batch},
                        Act{finalize_batch}, Act{delete_batch}, retry}) {
    EXPECT_FAILS(act(*connection, {"nobody"}), "batch_not_found");
    EXPECT_FAILS(act(*connection, {"monday", "eve", 2}), "batch_not_found");
  }
}

TEST_P(BatchControl, PauseHoldsAllItsLiveJobsAndResumeLetsThemGo) {
  const std::int64_t queued = add_job(JobState::upload_completed), running = add_job(JobState::analysing_data);
  add_ended(JobOutcome::succeeded);
  const std::int64_t other = created(new_job());
  EXPECT_EQ(claimable(), 2u);
  auto paused = pause_batch(*connection, order);
  ASSERT_OK(paused);
  EXPECT_EQ(paused->done, 2);
  EXPECT_EQ(paused->refused, (std::map<std::string, std::int64_t>{{"transition_refused", 1}}));
  EXPECT_EQ(paused->batch.status(), "paused");
  EXPECT_EQ(status(queued), "paused");
  EXPECT_EQ(status(running), "paused");
  EXPECT_EQ(status(other), "queued");
  EXPECT_EQ(claimable(), 0u);
  EXPECT_EQ(store::events_of(*connection, running)->back().actor, "eve");
  const auto resumed = resume_batch(*connection, order);
  ASSERT_OK(resumed);
  EXPECT_EQ(resumed->done, 2);
  EXPECT_EQ(resumed->batch.status(), "pending") << "no worker has begun one";
  EXPECT_EQ(claimable(), 2u);
}

TEST_P(BatchControl, AJobThatJoinsAPausedBatchWaits) {
  add_job(JobState::analysing_data);
  ASSERT_OK(pause_batch(*connection, order));
  const std::int64_t newcomer = add_job(JobState::upload_completed);
  EXPECT_EQ(status(newcomer), "paused");
  EXPECT_EQ(claimable(), 0u);
  const auto clone = clone_job(*connection, {std::to_string(newcomer), "eve"});
  ASSERT_OK(clone);
  EXPECT_EQ(clone->status(), "paused") << "a clone joins too";
  ASSERT_OK(resume_job(*connection, {std::to_string(newcomer), "eve"}));
  EXPECT_EQ(claimable(), 1u) << "jobs are resumed one by one, too";
  ASSERT_OK(resume_batch(*connection, order));
  EXPECT_EQ(status(add_job(JobState::upload_completed)), "queued");
}

TEST_P(BatchControl, CancelEndsWhatIsLiveAndLeavesTheRest) {
  const std::int64_t queued = add_job(JobState::upload_completed), review = add_job(JobState::waiting_for_review);
  const std::int64_t done = add_ended(JobOutcome::succeeded);
  ASSERT_OK(pause_batch(*connection, order));
  const auto cancelled = cancel_batch(*connection, order);
  ASSERT_OK(cancelled);
  EXPECT_EQ(cancelled->done, 2);
  EXPECT_EQ(cancelled->refused.at("transition_refused"), 1);
  EXPECT_EQ(status(queued), "cancelled");
  EXPECT_EQ(status(review), "cancelled");
  EXPECT_EQ(status(done), "succeeded");
  EXPECT_EQ(cancelled->batch.status(), "succeeded");
  EXPECT_FALSE(cancelled->batch.completed_at.empty());
  EXPECT_EQ(status(add_job(JobState::upload_completed)), "queued") << "what comes later is not cancelled";
}

TEST_P(BatchControl, RetryTakesUpOnlyWhatFailedOrWasCancelled) {
  const std::int64_t failed = add_ended(JobOutcome::failed), cancelled = add_ended(JobOutcome::cancelled);
  const std::int64_t gone = add_ended(JobOutcome::failed), done = add_ended(JobOutcome::succeeded);
  ASSERT_OK(store::mark_file_removed(*connection, found(gone).file_id));
  const auto retried = retry_batch(*connection, order);
  ASSERT_OK(retried);
  EXPECT_EQ(retried->done, 2);
  EXPECT_EQ(retried->refused, (std::map<std::string, std::int64_t>{{"file_gone", 1}, {"transition_refused", 1}}));
  EXPECT_EQ(status(failed), "running");
  EXPECT_EQ(status(cancelled), "running");
  EXPECT_EQ(status(gone), "failed") << "a refused job is left as it was";
  EXPECT_EQ(status(done), "succeeded");
}

TEST_P(BatchControl, NothingOfAFinalizedBatchComesBack) {
  const std::int64_t failed = add_ended(JobOutcome::failed), other = created(new_job());
  place(other, {JobState::processing_data, {}});
  ASSERT_OK(change(other, JobEvent::failed));
  ASSERT_OK(finalize_batch(*connection, order));
  EXPECT_FAILS(retry_job(*connection, {std::to_string(failed), "eve"}), "transition_refused");
  EXPECT_FAILS(retry_batch(*connection, order), "transition_refused");
  EXPECT_EQ(status(failed), "failed");
  EXPECT_OK(store::retry_job(*connection, other, "eve")) << "it is in no batch";
}

TEST_P(BatchControl, WhereFourEyesAreWantedNobodyApprovesTheirOwn) {
  const std::int64_t eve = add_user("eve@example.com"), ada = add_user("ada@example.com");
  const auto waiting = [&](std::int64_t whose) {
    store::NewJob job = job_of_batch();
    job.created_by_id = whose;
    const std::int64_t id = created(job);
    place(id, {JobState::waiting_for_review, {}});
    return id;
  };
  const std::int64_t own = waiting(eve), others = waiting(ada), nobodys = waiting(0);
  BatchOrder by_eve{"monday", "eve", store::kDefaultCompany, eve, true};
  const auto approved = approve_batch(*connection, by_eve);
  ASSERT_OK(approved);
  EXPECT_EQ(approved->done, 2);
  EXPECT_EQ(approved->refused, (std::map<std::string, std::int64_t>{{"not_allowed", 1}}));
  EXPECT_EQ(status(own), "waiting_for_review");
  EXPECT_NE(status(others), "waiting_for_review");
  EXPECT_NE(status(nobodys), "waiting_for_review");
  EXPECT_FAILS(approve_job(*connection, {std::to_string(own), "eve", store::kDefaultCompany, eve, true}),
               "not_allowed");
  by_eve.four_eyes = false;
  EXPECT_OK(approve_batch(*connection, by_eve));
  EXPECT_NE(status(own), "waiting_for_review");
}

TEST_P(BatchControl, NamesAreOneLine) {
  for (const std::string& name : {std::string("monday"), std::string("März 2024, 2nd"), std::string(200, 'x')})
    EXPECT_OK(check_batch_name(name));
  for (const std::string& name : {std::string(), std::string("  "), std::string("a\nb"), std::string("a\0b", 3),
                                  std::string(201, 'x'), std::string("\xff"), std::string("\x7f")})
    EXPECT_FAILS(check_batch_name(name), "batch_name_invalid");
}

}  // namespace
}  // namespace lade::jobs
