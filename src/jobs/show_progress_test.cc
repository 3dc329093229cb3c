// What a Redis shows of jobs while they are worked on.
#include "jobs/show_progress.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <thread>

#include "testing/durable.h"
#include "testing/redis_server.h"

namespace lade::jobs {
namespace {

using namespace std::chrono_literals;
using model::Outcome;

class ShowProgress : public testing::DurableTest {
 protected:
  ShowProgress() { work.here.mirror = options.mirror = mirror_at(redis.url()); }
  mirror::Options mirror_at(const std::string& url) {
    auto address = mirror::parse_address(url);
    EXPECT_OK(address);
    return {.address = *address, .patience = 300ms, .pause = 1ms, .longest_pause = 20ms};
  }
  std::optional<mirror::JobProgress> shown(const std::string& job) { return reader.read(job); }

  testing::RedisServer redis;
  mirror::Reader reader{mirror_at(redis.url())};
};

TEST_P(ShowProgress, EndsWithTheCountsOfTheJob) {
  const std::string job = submit(file(500));
  EXPECT_FALSE(shown(job)) << "nobody works on it yet";
  run_worker();
  const store::JobRecord ended = record(job);
  ASSERT_EQ(ended.status(), "succeeded");
  const auto end = shown(job);
  ASSERT_TRUE(end) << redis.ask("GET import:progress:" + job);
  EXPECT_TRUE(end->finished);
  EXPECT_EQ(end->total, 500);
  EXPECT_EQ(end->processed(), 500);
  EXPECT_EQ(end->failed, ended.rows[Outcome::failed]);
  EXPECT_GT(end->failed, 0);
  EXPECT_EQ(end->percentage(), 100.0);
}

TEST_P(ShowProgress, OfAnImportByOneProcess) {
  const Summary summary = import(file(500), kItems);
  const auto end = shown(summary.job_id);
  ASSERT_TRUE(end);
  EXPECT_TRUE(end->finished);
  EXPECT_EQ(end->processed(), 500);
}

TEST_P(ShowProgress, BeginsAnewWithARetry) {
  const std::string job = submit(file(500), kItems + "max_errors: 3\n");
  run_worker();
  ASSERT_EQ(status(job), "failed");
  ASSERT_TRUE(shown(job));
  EXPECT_TRUE(shown(job)->finished);
  EXPECT_EQ(shown(job)->attempt, 0);
  ASSERT_OK(retry_job(*connection, {job, "eve"}, {.limits = {.max_errors = "100"}}));
  run_worker();
  ASSERT_EQ(status(job), "succeeded");
  EXPECT_EQ(shown(job)->attempt, 1);
  EXPECT_EQ(shown(job)->processed(), 500);
}

TEST_P(ShowProgress, CountsRowsOfRunningTasksOnTopOfWhatIsStored) {
  const std::string job = submit(file(500));
  run_worker();
  ASSERT_OK(
      connection->run("UPDATE lade_job SET state = 'processing_data', outcome = NULL, finished_at = NULL, retries = 1, "
                      "rows_inserted = 100, rows_updated = 0, rows_unchanged = 0, rows_skipped = 0, rows_failed = 5"));
  const std::int64_t id = record(job).id;
  ActiveJobs active;
  {
    ActiveJobs::Task here(active, id), beside(active, id), other(active, id + 1);
    here.rows.succeeded = 20;
    beside.rows.failed = 3;
    other.rows.succeeded = 1000;
    { const ProgressShow show(mirror_at(redis.url()), options.database, active); }
    ASSERT_TRUE(shown(job));
    EXPECT_EQ(shown(job)->succeeded, 120);
    EXPECT_EQ(shown(job)->failed, 8);
    EXPECT_EQ(redis.ask("KEYS '*'"), mirror::key_of(job)) << "there is no other job";
    here.rows.succeeded = 100'000;
    { const ProgressShow show(mirror_at(redis.url()), options.database, active); }
    EXPECT_EQ(shown(job)->processed(), 500) << "never more than there are";
  }
  ASSERT_OK(connection->run("UPDATE lade_job SET state = 'finished', outcome = 'cancelled', finished_at = created_at"));
  { const ProgressShow show(mirror_at(redis.url()), options.database, active); }
  EXPECT_EQ(shown(job)->processed(), 105) << "what was not published is not counted in the end";
}

TEST_P(ShowProgress, DoesNotHoldUpWorkWhenRedisIsGone) {
  redis.kill();
  const std::string job = submit(file(500));
  run_worker();
  EXPECT_EQ(status(job), "succeeded");
  EXPECT_EQ(items().size(), 495U - 10U);
}

TEST_P(ShowProgress, DoesNotHoldUpWorkWhenRedisHangs) {
  redis.freeze();
  const auto begin = std::chrono::steady_clock::now();
  const std::string job = submit(file(500));
  run_worker();
  EXPECT_EQ(status(job), "succeeded");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 20s);
}

TEST_P(ShowProgress, GoesOnAfterRedisWasRestarted) {
  const std::string first = submit(file(500));
  run_worker();
  EXPECT_TRUE(shown(first)->finished);
  std::jthread restarts([this](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      redis.kill();
      redis.start();
    }
  });
  const std::string second = submit(file(2000));
  run_worker();
  EXPECT_EQ(status(second), "succeeded");
  restarts = {};
  const std::string third = submit(file(700));
  run_worker();
  const auto until = std::chrono::steady_clock::now() + 10s;
  while (!shown(third) && std::chrono::steady_clock::now() < until) std::this_thread::sleep_for(1ms);
  ASSERT_TRUE(shown(third));
  EXPECT_TRUE(shown(third)->finished);
}

LADE_ON_BOTH_DATABASES(ShowProgress);

TEST(ActiveJobs, AreThoseOfRunningTasksAndOfThoseThatHaveEndedSince) {
  ActiveJobs active;
  EXPECT_TRUE(active.take().empty());
  {
    ActiveJobs::Task first(active, 1), second(active, 2);
    EXPECT_EQ(active.take(), (std::set<std::int64_t>{1, 2}));
    EXPECT_EQ(active.take(), (std::set<std::int64_t>{1, 2}));
    first.rows.failed = 7;
    EXPECT_EQ(active.unpublished(1).failed, 7);
    first.rows.clear();
    EXPECT_EQ(active.unpublished(1).failed, 0);
  }
  EXPECT_EQ(active.take(), (std::set<std::int64_t>{1, 2}));
  EXPECT_TRUE(active.take().empty());
  EXPECT_EQ(active.unpublished(1).succeeded, 0);
}

}  // namespace
}  // namespace lade::jobs
