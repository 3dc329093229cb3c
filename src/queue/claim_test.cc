// Enqueue and claim: order, fairness, what is left alone.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "testing/queue_test.h"

namespace lade::queue {
namespace {

using lade::testing::kSecond;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using QueueClaim = lade::testing::QueueTest;
LADE_ON_BOTH_DATABASES(QueueClaim);
// What needs several writers, sessions or notifications.
class QueueClaimOnPostgresql : public QueueClaim {};
LADE_ON_POSTGRESQL(QueueClaimOnPostgresql);

TEST_P(QueueClaim, AClaimedTaskIsWholeAndHeldOnce) {
  const std::int64_t id = add({.kind = "k", .payload = "it's {\"a\": 1} ü", .queue = "q", .group = "g", .priority = 7});
  const Task task = claim_one();
  EXPECT_EQ(task.lease.task, id);
  EXPECT_EQ(task.lease.node, "n1");
  EXPECT_EQ(task.lease.epoch, 1);
  EXPECT_NE(task.lease.nonce, 0);
  EXPECT_EQ(task.kind, "k");
  EXPECT_EQ(task.payload, "it's {\"a\": 1} ü");
  EXPECT_EQ(task.queue, "q");
  EXPECT_EQ(task.group, "g");
  EXPECT_EQ(task.priority, 7);
  EXPECT_EQ(task.attempts, 0);
  EXPECT_THAT(claim(10, "n2"), IsEmpty());
  EXPECT_EQ(status(id), "running");
}

TEST_P(QueueClaim, PriorityThenAge) {
  add({.kind = "k", .payload = "a"});
  add({.kind = "k", .payload = "late", .priority = 500});
  add({.kind = "k", .payload = "b"});
  add({.kind = "k", .payload = "soon", .priority = 0});
  EXPECT_EQ(payloads(claim(2)), (std::vector<std::string>{"soon", "a"}));
  EXPECT_EQ(payloads(claim(2)), (std::vector<std::string>{"b", "late"}));
}

TEST_P(QueueClaim, ALargeGroupDoesNotStarveASmallOne) {
  std::vector<NewTask> large(300, NewTask{.kind = "k", .group = "large"});
  ASSERT_OK(enqueue_all(*connection, large, now));
  claim(20);
  for (int i = 0; i < 3; ++i) add({.kind = "k", .payload = "small", .group = "small"});
  int small = 0;
  for (const Task& task : claim(8)) small += task.payload == "small" ? 1 : 0;
  EXPECT_EQ(small, 3);
}

TEST_P(QueueClaim, TwoLargeGroupsShareAlike) {
  for (const char* group : {"a", "b"})
    ASSERT_OK(enqueue_all(*connection, std::vector<NewTask>(50, NewTask{.kind = "k", .group = group}), now));
  int of_a = 0;
  for (const Task& task : claim(40)) of_a += task.group == "a" ? 1 : 0;
  EXPECT_EQ(of_a, 20);
}

TEST_P(QueueClaim, AStreamOfSmallGroupsDoesNotStarveALargeOneWhileAnotherIsPaused) {
  ASSERT_OK(enqueue_all(*connection, std::vector<NewTask>(5, NewTask{.kind = "k", .group = "paused"}), now));
  ASSERT_OK(pause_group(*connection, "paused", true));
  ASSERT_OK(enqueue_all(*connection, std::vector<NewTask>(100, NewTask{.kind = "k", .group = "large"}), now));
  int of_large = 0;
  for (int round = 0; round < 20; ++round) {
    add({.kind = "k", .group = fmt::format("small{}", round)});
    for (const Task& task : claim(2)) {
      of_large += task.group == "large" ? 1 : 0;
      ASSERT_OK(complete(*connection, std::vector{task.lease}, now));
    }
  }
  EXPECT_GE(of_large, 15);
}

TEST_P(QueueClaim, NotBeforeItsTime) {
  const std::int64_t id = add({.kind = "k", .delay = std::chrono::seconds(5)});
  now += 5 * kSecond - 1;
  EXPECT_THAT(claim(1), IsEmpty());
  now += 1;
  EXPECT_EQ(claim_one().lease.task, id);
}

TEST_P(QueueClaim, TheDatabasesClockCountsWhenNoTimeIsGiven) {
  ASSERT_OK(enqueue(*connection, {.kind = "k"}));
  ASSERT_OK(enqueue(*connection, {.kind = "k", .delay = std::chrono::hours(1)}));
  const auto tasks = queue::claim(*connection, {.node = "n1", .count = 5});
  ASSERT_OK(tasks);
  EXPECT_THAT(*tasks, SizeIs(1));
  const std::int64_t created = integer("SELECT min(created_at) FROM lade_task");
  const auto system = std::chrono::system_clock::now().time_since_epoch();
  EXPECT_LT(std::abs(created - std::chrono::duration_cast<Duration>(system).count()), 60 * kSecond);
}

TEST_P(QueueClaim, PausedQueuesKindsGroupsAndParentsAreLeftAlone) {
  ASSERT_OK(put_group(*connection, {.id = "child", .parent = "parent"}));
  add({.kind = "k", .payload = "queue", .queue = "q"});
  add({.kind = "slow", .payload = "kind"});
  add({.kind = "k", .payload = "group", .group = "g"});
  add({.kind = "k", .payload = "parent", .group = "child"});
  add({.kind = "k", .payload = "free"});
  ASSERT_OK(pause(*connection, Scope::queue, "q", true));
  ASSERT_OK(pause(*connection, Scope::kind, "slow", true));
  ASSERT_OK(pause_group(*connection, "g", true));
  ASSERT_OK(pause_group(*connection, "parent", true));
  EXPECT_EQ(payloads(claim(10)), std::vector<std::string>{"free"});
  ASSERT_OK(pause(*connection, Scope::queue, "q", false));
  EXPECT_EQ(payloads(claim(10)), std::vector<std::string>{"queue"});
  ASSERT_OK(pause(*connection, Scope::kind, "slow", false));
  EXPECT_EQ(payloads(claim(10)), std::vector<std::string>{"kind"});
  ASSERT_OK(pause_group(*connection, "g", false));
  EXPECT_EQ(payloads(claim(10)), std::vector<std::string>{"group"});
  ASSERT_OK(pause_group(*connection, "parent", false));
  EXPECT_EQ(payloads(claim(10)), std::vector<std::string>{"parent"});
}

TEST_P(QueueClaim, LimitsPerKindAndPerQueueHoldOverAllNodes) {
  ASSERT_OK(limit(*connection, Scope::kind, "fetch", 3));
  ASSERT_OK(limit(*connection, Scope::queue, "narrow", 2));
  for (int i = 0; i < 10; ++i) add({.kind = "fetch"});
  for (int i = 0; i < 10; ++i) add({.kind = "k", .queue = "narrow"});
  std::vector<Task> held = claim(20);
  int fetches = 0, narrow = 0;
  for (const Task& task : held) ++(task.kind == "fetch" ? fetches : narrow);
  EXPECT_EQ(fetches, 3);
  EXPECT_EQ(narrow, 2);
  EXPECT_THAT(claim(20, "n2"), IsEmpty());
  ASSERT_OK(complete(*connection, std::vector{held.front().lease}, now));
  EXPECT_THAT(claim(20, "n2"), SizeIs(1));
  ASSERT_OK(limit(*connection, Scope::kind, "fetch", std::nullopt));
  EXPECT_THAT(claim(20), SizeIs(6));
}

TEST_P(QueueClaim, ASaturatedKindDoesNotHideOthers) {
  ASSERT_OK(limit(*connection, Scope::kind, "fetch", 1));
  for (int i = 0; i < 10; ++i) add({.kind = "fetch"});
  add({.kind = "k"});
  EXPECT_THAT(claim(5), SizeIs(1));
  EXPECT_EQ(claim_one().kind, "k");
}

TEST_P(QueueClaim, OnlyItsStorageQueueAndGroup) {
  add({.kind = "k", .payload = "s1", .storage = "s1"});
  add({.kind = "k", .payload = "q", .queue = "q"});
  add({.kind = "k", .payload = "g", .group = "g"});
  EXPECT_EQ(payloads(claim(ClaimRequest{.node = "n", .count = 9, .queue = "q"})), std::vector<std::string>{"q"});
  EXPECT_EQ(payloads(claim(ClaimRequest{.node = "n", .count = 9, .group = "g"})), std::vector<std::string>{"g"});
  EXPECT_THAT(claim(ClaimRequest{.node = "n", .count = 9, .storage = "s2"}), IsEmpty());
  EXPECT_EQ(payloads(claim(ClaimRequest{.node = "n", .count = 9, .storage = "s1"})), std::vector<std::string>{"s1"});
}

TEST_P(QueueClaim, AReservedGroupBelongsToItsNodeWhileThatLives) {
  ASSERT_OK(register_node(*connection, {.boot = "one-shot"}, now));
  ASSERT_OK(put_group(*connection, {.id = "g", .reserved_by = "one-shot"}));
  add({.kind = "k", .payload = "1", .group = "g"});
  add({.kind = "k", .payload = "2", .group = "g"});
  EXPECT_THAT(claim(5, "other"), IsEmpty());
  EXPECT_EQ(payloads(claim(1, "one-shot")), std::vector<std::string>{"1"});
  ASSERT_OK(remove_node(*connection, "one-shot"));
  EXPECT_EQ(payloads(claim(5, "other")), std::vector<std::string>{"2"});
}

TEST_P(QueueClaim, AUniqueKeyHoldsWhileTheTaskLives) {
  const NewTask task{.kind = "k", .unique_key = "once"};
  const std::int64_t id = add(task);
  const auto again = enqueue(*connection, task, now);
  ASSERT_OK(again);
  EXPECT_FALSE(again->has_value());
  const Task claimed = claim_one();
  EXPECT_FALSE(enqueue(*connection, task, now)->has_value());
  ASSERT_OK(complete(*connection, std::vector{claimed.lease}, now));
  EXPECT_NE(add(task), id);
  const std::vector<NewTask> more = {task, {.kind = "k"}, {.kind = "k", .unique_key = "other"}};
  EXPECT_EQ(*enqueue_all(*connection, more, now), 2);
}

TEST_P(QueueClaim, ABatchKeepsItsOrderAndEveryField) {
  std::vector<NewTask> tasks;
  for (int i = 0; i < 200; ++i)
    tasks.push_back({.kind = "k", .payload = std::to_string(i), .queue = "q", .group = "g", .priority = 3});
  tasks.push_back({.kind = "k", .payload = "later", .delay = std::chrono::seconds(1)});
  EXPECT_EQ(*enqueue_all(*connection, tasks, now), 201);
  EXPECT_EQ(*enqueue_all(*connection, {}, now), 0);
  const std::vector<Task> claimed = claim(300);
  ASSERT_THAT(claimed, SizeIs(200));
  for (int i = 0; i < 200; ++i) EXPECT_EQ(claimed[static_cast<std::size_t>(i)].payload, std::to_string(i));
  EXPECT_EQ(claimed[5].queue, "q");
  EXPECT_EQ(claimed[5].group, "g");
}

TEST_P(QueueClaim, EnqueueIsPartOfTheCallersTransaction) {
  {
    auto transaction = db::Transaction::begin(*connection);
    ASSERT_OK(transaction);
    add({.kind = "k"});
    ASSERT_OK(enqueue_all(*connection, std::vector<NewTask>(3, NewTask{.kind = "k"}), now));
  }
  EXPECT_EQ(integer("SELECT count(*) FROM lade_task"), 0);
  auto transaction = db::Transaction::begin(*connection);
  ASSERT_OK(transaction);
  add({.kind = "k"});
  ASSERT_OK(transaction->commit());
  EXPECT_THAT(claim(5), SizeIs(1));
}

TEST_P(QueueClaimOnPostgresql, ClaimsAtTheSameTimeDoNotWaitForEachOther) {
  ASSERT_OK(enqueue_all(*connection, std::vector<NewTask>(4, NewTask{.kind = "k"}), now));
  auto transaction = db::Transaction::begin(*connection);
  ASSERT_OK(transaction);
  const std::vector<Task> first = claim(2);
  const auto other = database.connect();
  ASSERT_OK(other->run("SET lock_timeout = '1s'"));
  const auto second = queue::claim(*other, {.node = "n2", .count = 9, .limited = false}, now);
  ASSERT_OK(second);
  EXPECT_THAT(first, SizeIs(2));
  EXPECT_THAT(*second, SizeIs(2));
}

}  // namespace
}  // namespace lade::queue
