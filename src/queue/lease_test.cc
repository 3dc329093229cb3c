// The fence: publication, completion, progress, failure, and what a lost lease may not do.
#include <gmock/gmock.h>

#include "base/failpoint.h"
#include "testing/queue_test.h"

namespace lade::queue {
namespace {

using lade::testing::kSecond;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class QueueLease : public lade::testing::QueueTest {
 protected:
  void SetUp() override {
    QueueTest::SetUp();
    ASSERT_OK(connection->run("CREATE TABLE effect (task bigint)"));
  }
  ~QueueLease() override { EXPECT_OK(arm_failpoints("")); }
  // A task that was claimed by n1, taken away and claimed by n2: the lease of n1.
  Task lost_task() {
    add({.kind = "k"});
    Task task = claim_one();
    EXPECT_OK(rescue(*connection, "n1", std::nullopt, default_rules(), now));
    winner = claim_one("n2", true);
    return task;
  }
  Task winner;
};
LADE_ON_BOTH_DATABASES(QueueLease);
// What needs several writers, sessions or notifications.
class QueueLeaseOnPostgresql : public QueueLease {};
LADE_ON_POSTGRESQL(QueueLeaseOnPostgresql);

TEST_P(QueueLease, APublicationCommitsTheCallersWritesWithTheTask) {
  const std::int64_t id = add({.kind = "k"});
  const Task task = claim_one();
  auto publication = Publication::begin(*connection, task.lease, now);
  ASSERT_OK(publication);
  ASSERT_OK(connection->execute("INSERT INTO effect VALUES ($1)", std::vector<db::Value>{id}));
  ASSERT_OK(publication->commit());
  EXPECT_EQ(status(id), "succeeded");
  EXPECT_EQ(integer("SELECT count(*) FROM effect"), 1);
  EXPECT_TRUE(*was_published(*connection, task.lease));
  EXPECT_FAILS(Publication::begin(*connection, task.lease, now), "lease_lost");
}

TEST_P(QueueLease, APublicationThatIsDroppedLeavesTheTaskHeld) {
  const std::int64_t id = add({.kind = "k"});
  const Task task = claim_one();
  {
    auto publication = Publication::begin(*connection, task.lease, now);
    ASSERT_OK(publication);
    ASSERT_OK(connection->execute("INSERT INTO effect VALUES ($1)", std::vector<db::Value>{id}));
  }
  EXPECT_EQ(status(id), "running");
  EXPECT_EQ(integer("SELECT count(*) FROM effect"), 0);
  EXPECT_FALSE(*was_published(*connection, task.lease));
  publish(task.lease);
}

TEST_P(QueueLease, AZombieWritesNothing) {
  const Task zombie = lost_task();
  EXPECT_FAILS(Publication::begin(*connection, zombie.lease, now), "lease_lost");
  EXPECT_FALSE(connection->in_transaction());
  EXPECT_FAILS(save_progress(*connection, zombie.lease, "half", std::chrono::seconds(1), now), "lease_lost");
  EXPECT_FAILS(give_back(*connection, zombie.lease, Duration(0), now), "lease_lost");
  EXPECT_FAILS(extend_deadline(*connection, zombie.lease, std::chrono::seconds(1), now), "lease_lost");
  EXPECT_EQ(*fail_task(*connection, zombie.lease, Error{"x", "y"}, {}, {}, now), FailureEnd::lost);
  EXPECT_EQ(*refuse_task(*connection, zombie.lease, Error{"x", "y"}, {}, now), FailureEnd::lost);
  const auto completion = complete(*connection, std::vector{zombie.lease}, now);
  ASSERT_OK(completion);
  EXPECT_EQ(completion->completed, 0);
  EXPECT_THAT(completion->stale, ElementsAre(zombie.lease.task));
  EXPECT_EQ(status(zombie.lease.task), "running");
  EXPECT_EQ(field(zombie.lease.task, "attempts"), 0);
  publish(winner.lease);
}

TEST_P(QueueLease, EveryPartOfTheLeaseCounts) {
  add({.kind = "k"});
  const Lease lease = claim_one().lease;
  for (const Lease& wrong :
       {Lease{lease.task, "n2", lease.epoch, lease.nonce}, Lease{lease.task, lease.node, lease.epoch + 1, lease.nonce},
        Lease{lease.task, lease.node, lease.epoch, lease.nonce + 1},
        Lease{lease.task + 1, lease.node, lease.epoch, lease.nonce}})
    EXPECT_FAILS(Publication::begin(*connection, wrong, now), "lease_lost");
  publish(lease);
}

TEST_P(QueueLease, CompletionIsInBatchesAndMayBeRepeated) {
  for (int i = 0; i < 5; ++i) add({.kind = "k"});
  std::vector<Lease> leases;
  for (const Task& task : claim(2)) leases.push_back(task.lease);
  for (const Task& task : claim(3)) leases.push_back(task.lease);
  ASSERT_OK(complete(*connection, std::span(leases).first(3), now));
  const auto again = complete(*connection, leases, now);
  ASSERT_OK(again);
  EXPECT_EQ(again->completed, 2);
  EXPECT_THAT(again->stale, IsEmpty());
  EXPECT_EQ(integer("SELECT count(*) FROM lade_task WHERE status = 'succeeded'"), 5);
}

TEST_P(QueueLease, ProgressSurvivesARetryAndMovesTheDeadline) {
  const std::int64_t id = add({.kind = "k"});
  const Task task = claim_one();
  ASSERT_OK(save_progress(*connection, task.lease, "row 500", std::chrono::seconds(9), now));
  EXPECT_EQ(field(id, "deadline"), now + 9 * kSecond);
  ASSERT_OK(extend_deadline(*connection, task.lease, std::chrono::minutes(2), now));
  EXPECT_EQ(field(id, "deadline"), now + 120 * kSecond);
  EXPECT_EQ(*fail_task(*connection, task.lease, Error{"broken", "oh"}, {}, {}, now), FailureEnd::retrying);
  now += 10 * kSecond;
  EXPECT_EQ(claim_one().progress, "row 500");
}

TEST_P(QueueLease, AFailureIsRetriedLaterAndLaterUntilItIsADeadLetter) {
  const std::int64_t id = add({.kind = "k", .payload = "p", .group = "g"});
  const RetryPolicy policy{.max_attempts = 3, .jitter = 0.0};
  std::vector<DeadLetter> heard;
  const DeathHook hook = [&](db::Connection&, const DeadLetter& letter) -> Result<void> {
    heard.push_back(letter);
    return {};
  };
  for (const std::int64_t delay : {1, 2}) {
    EXPECT_EQ(*fail_task(*connection, claim_one().lease, Error{"broken", "oh"}, policy, hook, now),
              FailureEnd::retrying);
    EXPECT_EQ(status(id), "pending");
    EXPECT_EQ(field(id, "available_at"), now + delay * kSecond);
    now += delay * kSecond;
  }
  EXPECT_THAT(heard, IsEmpty());
  EXPECT_EQ(*fail_task(*connection, claim_one().lease, Error{"broken", "oh"}, policy, hook, now), FailureEnd::dead);
  EXPECT_EQ(status(id), "failed");
  ASSERT_THAT(heard, SizeIs(1));
  EXPECT_EQ(heard[0].payload, "p");
  EXPECT_EQ(heard[0].group, "g");
  EXPECT_EQ(heard[0].attempts, 3);
  const auto letters = dead_letters(*connection);
  ASSERT_OK(letters);
  ASSERT_THAT(*letters, SizeIs(1));
  EXPECT_EQ(letters->front().task, id);
  EXPECT_EQ(letters->front().reason, "broken");
  EXPECT_EQ(letters->front().message, "oh");
  EXPECT_THAT(claim(5), IsEmpty());
}

TEST_P(QueueLease, AHookThatFailsKeepsTheTask) {
  const std::int64_t id = add({.kind = "k"});
  const Task task = claim_one();
  const DeathHook hook = [](db::Connection&, const DeadLetter&) -> Result<void> { return fail("no", "no"); };
  EXPECT_FAILS(fail_task(*connection, task.lease, Error{"broken", "oh"}, {.max_attempts = 1}, hook, now), "no");
  EXPECT_EQ(status(id), "running");
  EXPECT_THAT(*dead_letters(*connection), IsEmpty());
}

TEST_P(QueueLease, AnOutageCostsNoAttempt) {
  const std::int64_t id = add({.kind = "k"});
  EXPECT_EQ(*fail_task(*connection, claim_one().lease, Error{"db_lost", "gone"}, {.max_attempts = 1}, {}, now),
            FailureEnd::retrying);
  EXPECT_EQ(field(id, "attempts"), 0);
  EXPECT_GT(field(id, "available_at"), now);
}

TEST_P(QueueLease, AnUnknownCommitIsResolvedByItsNonce) {
  add({.kind = "k"});
  const Task task = claim_one();
  ASSERT_OK(arm_failpoints("commit_answered=error:db_lost"));
  auto publication = Publication::begin(*connection, task.lease, now);
  ASSERT_OK(publication);
#ifdef LADE_FAILPOINTS
  EXPECT_FAILS(publication->commit(), "db_lost");
#else
  EXPECT_OK(publication->commit());
#endif
  EXPECT_EQ(*fail_task(*connection, task.lease, Error{"db_lost", "gone"}, {}, {}, now), FailureEnd::published);
  EXPECT_EQ(status(task.lease.task), "succeeded");
}

TEST_P(QueueLeaseOnPostgresql, AFailureReportWaitsForACommitOnItsWay) {
  add({.kind = "k"});
  const Task task = claim_one();
  auto publication = Publication::begin(*connection, task.lease, now);
  ASSERT_OK(publication);
  const auto other = database.connect();
  ASSERT_OK(other->run("SET lock_timeout = '200ms'"));
  EXPECT_FAILS(fail_task(*other, task.lease, Error{"db_lost", "gone"}, {}, {}, now), "db_busy");
  ASSERT_OK(publication->commit());
  EXPECT_EQ(*fail_task(*other, task.lease, Error{"db_lost", "gone"}, {}, {}, now), FailureEnd::published);
}

TEST_P(QueueLease, ATaskGivenBackIsAsBefore) {
  const std::int64_t id = add({.kind = "k"});
  ASSERT_OK(give_back(*connection, claim_one().lease, Duration(0), now));
  const Task again = claim_one("n2");
  EXPECT_EQ(again.lease.task, id);
  EXPECT_EQ(again.attempts, 0);
  EXPECT_FALSE(again.alone);
  EXPECT_EQ(again.lease.epoch, 2);
}

TEST_P(QueueLease, DeadLettersAreRetriedAndDeleted) {
  const std::int64_t id = add({.kind = "k", .unique_key = "u"});
  const std::int64_t other = add({.kind = "k", .payload = "2"});
  for (const Task& task : claim(2))
    EXPECT_EQ(*refuse_task(*connection, task.lease, Error{"unknown_kind", "nobody knows it"}, {}, now),
              FailureEnd::dead);
  EXPECT_THAT(*dead_letters(*connection), SizeIs(2));
  EXPECT_FAILS(retry_dead_letter(*connection, id + 100), "dead_letter_not_found");
  const std::int64_t twin = add({.kind = "k", .unique_key = "u"});
  EXPECT_FAILS(retry_dead_letter(*connection, id), "task_exists");
  EXPECT_EQ(claim_one().lease.task, twin);
  ASSERT_OK(
      connection->execute("UPDATE lade_task SET status = 'succeeded' WHERE id = $1", std::vector<db::Value>{twin}));
  ASSERT_OK(retry_dead_letter(*connection, id));
  EXPECT_FAILS(retry_dead_letter(*connection, id), "task_exists");
  EXPECT_EQ(claim_one().attempts, 0);
  EXPECT_THAT(*dead_letters(*connection), SizeIs(1));
  ASSERT_OK(delete_dead_letter(*connection, other));
  EXPECT_FAILS(delete_dead_letter(*connection, other), "dead_letter_not_found");
  EXPECT_FAILS(delete_dead_letter(*connection, id), "dead_letter_not_found");
  EXPECT_THAT(*dead_letters(*connection), IsEmpty());
}

TEST_P(QueueLease, OldDeadLettersAndEndedTasksArePurged) {
  const auto days = [](int count) { return std::chrono::hours(24 * count); };
  add({.kind = "k", .payload = "dead"});
  add({.kind = "k", .payload = "done"});
  add({.kind = "k", .payload = "kept", .group = "g"});
  for (const Task& task : claim(3)) {
    if (task.payload == "dead") {
      ASSERT_OK(refuse_task(*connection, task.lease, Error{"x", "y"}, {}, now));
    } else {
      publish(task.lease);
    }
  }
  now += 2LL * 86'400 * kSecond;
  EXPECT_EQ(*purge(*connection, days(30), days(1), now), 1);
  EXPECT_THAT(*dead_letters(*connection), SizeIs(1));
  now += 29LL * 86'400 * kSecond;
  EXPECT_EQ(*purge(*connection, days(30), days(1), now), 2);
  EXPECT_EQ(integer("SELECT count(*) FROM lade_task"), 1);
}

TEST(RetryPolicyTest, BackoffGrowsToItsCapWithinItsJitter) {
  const RetryPolicy exact{.jitter = 0.0};
  const std::vector<int> seconds = {1, 2, 4, 8, 16, 32, 60, 60};
  for (std::size_t i = 0; i < seconds.size(); ++i)
    EXPECT_EQ(backoff(exact, static_cast<std::int64_t>(i) + 1, 0.7), std::chrono::seconds(seconds[i]));
  EXPECT_EQ(backoff(exact, 10'000, 0.5), std::chrono::seconds(60));
  EXPECT_EQ(backoff(RetryPolicy{}, 2, 0.0), std::chrono::milliseconds(1600));
  EXPECT_EQ(backoff(RetryPolicy{}, 2, 0.5), std::chrono::milliseconds(2000));
  for (int i = 0; i < 100; ++i) {
    EXPECT_GE(backoff(RetryPolicy{}, 1), std::chrono::milliseconds(800));
    EXPECT_LE(backoff(RetryPolicy{}, 1), std::chrono::milliseconds(1200));
  }
}

}  // namespace
}  // namespace lade::queue
