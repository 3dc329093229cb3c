#include "queue/figures.h"

#include "queue/task_list.h"
#include "testing/queue_test.h"

namespace lade::queue {
namespace {

using QueueFiguresTest = testing::QueueTest;
LADE_ON_BOTH_DATABASES(QueueFiguresTest);

TEST_P(QueueFiguresTest, CountWhatIsReadyHeldLaterAndRunning) {
  add({.kind = "mail"});
  claim_one();
  now += 5 * testing::kSecond;
  add({.kind = "mail"});
  add({.kind = "mail", .delay = std::chrono::seconds(60)});
  add({.kind = "mail", .queue = "slow"});
  ASSERT_OK(pause(*connection, Scope::queue, "slow", true));
  now += 3 * testing::kSecond;
  const auto figures = queue_figures(*connection, now);
  ASSERT_OK(figures);
  ASSERT_EQ(figures->size(), 2U);
  const QueueFigures& usual = figures->at(0);
  EXPECT_EQ(usual.queue, "default");
  EXPECT_EQ(usual.ready, 1);
  EXPECT_EQ(usual.later, 1);
  EXPECT_EQ(usual.running, 1);
  EXPECT_EQ(usual.oldest_ready, 3 * testing::kSecond);
  EXPECT_EQ(figures->at(1).held, 1);
  EXPECT_EQ(figures->at(1).ready, 0);
  const auto running = running_tasks(*connection, 10, now);
  ASSERT_OK(running);
  ASSERT_EQ(running->size(), 1U);
  EXPECT_EQ(running->front().elapsed, 8 * testing::kSecond);
}

TEST_P(QueueFiguresTest, WhyATaskWaits) {
  const auto codes = [&](std::int64_t task) {
    std::vector<std::string> found;
    const auto reasons = why_waiting(*connection, task, now);
    for (const WaitReason& reason : reasons.value()) found.push_back(reason.kind);
    return found;
  };
  using Codes = std::vector<std::string>;
  const std::int64_t first = add({.kind = "mail", .group = "g1"}), second = add({.kind = "mail", .group = "g2"});
  EXPECT_EQ(codes(first), Codes{"no_node"});
  ASSERT_OK(register_node(*connection, {.boot = "n1", .slots = 4}, now));
  EXPECT_EQ(codes(second), Codes{"behind_others"});
  EXPECT_EQ(why_waiting(*connection, second, now)->front().number, 1);
  ASSERT_OK(put_group(*connection, {.id = "g2"}));
  ASSERT_OK(pause_group(*connection, "g2", true));
  EXPECT_EQ(codes(second), Codes{"group_paused"});
  ASSERT_OK(pause_group(*connection, "g2", false));
  ASSERT_EQ(claim(1).size(), 1U);
  ASSERT_OK(limit(*connection, Scope::kind, "mail", 1));
  const auto limited = why_waiting(*connection, second, now);
  ASSERT_OK(limited);
  EXPECT_EQ(limited->front().kind, "limit_reached");
  EXPECT_EQ(limited->front().by, std::vector<std::string>{"g1"});
  const std::int64_t later = add({.kind = "other", .delay = std::chrono::seconds(9)});
  EXPECT_EQ(why_waiting(*connection, later, now)->front().until, now + 9 * testing::kSecond);
  EXPECT_EQ(codes(first), Codes());
}

TEST_P(QueueFiguresTest, ANodeThatDrainsClaimsNothing) {
  ASSERT_OK(register_node(*connection, {.boot = "n1", .slots = 4}, now));
  add({.kind = "mail"});
  EXPECT_EQ(drain_node(*connection, "n1", true), true);
  EXPECT_TRUE(claim(ClaimRequest{.node = "n1", .count = 1}).empty());
  const auto nodes = list_nodes(*connection);
  ASSERT_OK(nodes);
  EXPECT_TRUE(nodes->front().draining);
  EXPECT_EQ(nodes->front().slots, 4);
  EXPECT_EQ(drain_node(*connection, "n1", false), true);
  EXPECT_EQ(claim(ClaimRequest{.node = "n1", .count = 1}).size(), 1U);
  EXPECT_EQ(drain_node(*connection, "n2", true), false);
}

TEST_P(QueueFiguresTest, DeadLettersWithTheSameCauseAreOneGroup) {
  for (int i = 0; i < 5; ++i) {
    add({.kind = i < 4 ? "mail" : "other"});
    const Task task = claim_one();
    const std::string message =
        i < 3 ? "row " + std::to_string(i) + " of 'file " + std::to_string(i) + "' is bad" : "gone";
    ASSERT_OK(fail_task(*connection, task.lease, {"broken", message}, {.max_attempts = 1}, {}, now));
  }
  const auto groups = group_dead_letters(*connection, 0, now);
  ASSERT_OK(groups);
  ASSERT_EQ(groups->size(), 3U);
  EXPECT_EQ(groups->front().count, 3);
  EXPECT_EQ(groups->front().tasks.size(), 3U);
  EXPECT_EQ(groups->front().spark.back(), 3);
  EXPECT_EQ(count_dead_letters(*connection, 0), 5);
  EXPECT_EQ(group_dead_letters(*connection, 7, now)->size(), 0U);
}

}  // namespace
}  // namespace lade::queue
