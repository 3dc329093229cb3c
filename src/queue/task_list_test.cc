#include "queue/task_list.h"

#include "testing/queue_test.h"

namespace lade::queue {
namespace {

using TaskList = testing::QueueTest;
LADE_ON_BOTH_DATABASES(TaskList);

TEST_P(TaskList, ShowsTasksNewestFirst) {
  const auto stage = open_stage(*connection, {"g1", "analyse"});
  ASSERT_OK(stage);
  const std::int64_t first = add({.kind = "analyse", .payload = "{}", .group = "g1", .stage = *stage});
  const std::int64_t second = add({.kind = "mail"});
  const Task task = claim(1).front();
  ASSERT_OK(fail_task(*connection, task.lease, {"broken", "why"}, {.max_attempts = 1}, {}, now));
  const auto tasks = list_tasks(*connection);
  ASSERT_OK(tasks);
  ASSERT_EQ(tasks->size(), 2U);
  EXPECT_EQ(tasks->at(0).id, second);
  EXPECT_EQ(tasks->at(0).status, "pending");
  EXPECT_EQ(tasks->at(0).created_at, now);
  EXPECT_EQ(tasks->at(0).finished_at, 0);
  EXPECT_EQ(tasks->at(1).id, first);
  EXPECT_EQ(tasks->at(1).status, "failed");
  EXPECT_EQ(tasks->at(1).stage, "analyse");
  EXPECT_EQ(tasks->at(1).error_code, "broken");
  EXPECT_EQ(tasks->at(1).attempts, 1);
  EXPECT_EQ(tasks->at(1).finished_at, now);
}

TEST_P(TaskList, FiltersAndPages) {
  std::vector<std::int64_t> ids;
  for (const char* group : {"g1", "g2", "g1"}) ids.push_back(add({.kind = "analyse", .group = group}));
  const auto count = [&](const TaskFilter& filter) { return list_tasks(*connection, filter).value().size(); };
  EXPECT_EQ(count({.group = "g1"}), 2U);
  EXPECT_EQ(count({.kind = "analyse"}), 3U);
  EXPECT_EQ(count({.kind = "mail"}), 0U);
  EXPECT_EQ(count({.status = "running"}), 0U);
  EXPECT_EQ(count({.limit = 2}), 2U);
  EXPECT_EQ(list_tasks(*connection, {.before = ids[2], .limit = 1}).value().front().id, ids[1]);
  EXPECT_FAILS(list_tasks(*connection, {.status = "sleeping"}), "status_unknown");
}

TEST_P(TaskList, WhatFailedAndWaitsForItsNextAttemptIsRetryable) {
  const std::int64_t failed = add({.kind = "mail"});
  const std::int64_t fresh = add({.kind = "mail"});
  const std::int64_t later = add({.kind = "mail", .delay = std::chrono::seconds(60)});
  const Task task = claim(1).front();
  ASSERT_EQ(task.lease.task, failed);
  ASSERT_OK(fail_task(*connection, task.lease, {"broken", "why"}, {.max_attempts = 3}, {}, now));
  const auto ids = [&](const std::string& status) {
    std::vector<std::int64_t> found;
    const auto tasks = list_tasks(*connection, {.status = status}, now);
    for (const TaskRow& row : tasks.value()) {
      EXPECT_EQ(row.status, status);
      found.push_back(row.id);
    }
    return found;
  };
  EXPECT_EQ(ids("retryable"), (std::vector{failed}));
  EXPECT_EQ(ids("pending"), (std::vector{later, fresh})) << "one that is to run later has not failed";
  EXPECT_EQ(list_tasks(*connection, {}, now).value().back().status, "retryable");
  now += 3'600'000'000;
  EXPECT_EQ(ids("retryable"), (std::vector<std::int64_t>{}));
  EXPECT_EQ(ids("pending"), (std::vector{later, fresh, failed})) << "its time has come";
}

TEST_P(TaskList, EndedTasksHaveADuration) {
  const std::int64_t first = add({.kind = "mail"});
  add({.kind = "mail"});
  const Task task = claim(1).front();
  ASSERT_EQ(task.lease.task, first);
  EXPECT_EQ(list_tasks(*connection).value().back().duration, 0) << "it runs";
  now += 1'500'000;
  ASSERT_OK(complete(*connection, std::vector{task.lease}, now));
  const auto tasks = list_tasks(*connection);
  EXPECT_EQ(tasks.value().back().duration, 1'500'000);
  EXPECT_EQ(tasks.value().front().duration, 0);
}

TEST_P(TaskList, LiveIsWhatRunsOrWillRun) {
  EXPECT_FALSE(has_live_tasks(*connection).value());
  add({.kind = "mail", .delay = std::chrono::seconds(60)});
  EXPECT_TRUE(has_live_tasks(*connection).value()) << "later is live too";
  now += 3'600'000'000;
  const Task task = claim(1).front();
  EXPECT_TRUE(has_live_tasks(*connection).value());
  ASSERT_OK(complete(*connection, std::vector{task.lease}, now));
  EXPECT_FALSE(has_live_tasks(*connection).value());
}

TEST_P(TaskList, ShowsNodesWithTheirWork) {
  ASSERT_OK(register_node(*connection, {"n1", "alpha", "disk"}, now));
  ASSERT_OK(register_node(*connection, {"n2", "beta", "disk"}, now + 1));
  add({.kind = "mail"});
  claim(1, "n1");
  const auto nodes = list_nodes(*connection);
  ASSERT_OK(nodes);
  ASSERT_EQ(nodes->size(), 2U);
  EXPECT_EQ(nodes->at(0).name, "alpha");
  EXPECT_EQ(nodes->at(0).running, 1);
  EXPECT_EQ(nodes->at(0).started_at, now);
  EXPECT_EQ(nodes->at(1).running, 0);
}

TEST_P(TaskList, ShowsWhatIsPausedOrLimited) {
  ASSERT_OK(pause(*connection, Scope::queue, "default", true));
  ASSERT_OK(pause(*connection, Scope::kind, "mail", true));
  ASSERT_OK(pause(*connection, Scope::kind, "other", true));
  ASSERT_OK(pause(*connection, Scope::kind, "other", false));
  ASSERT_OK(limit(*connection, Scope::queue, "prices", 3));
  const auto rules = list_rules(*connection);
  ASSERT_OK(rules);
  ASSERT_EQ(rules->size(), 3U);
  EXPECT_EQ(rules->at(0).scope + " " + rules->at(0).name, "kind mail");
  EXPECT_TRUE(rules->at(0).paused);
  EXPECT_EQ(rules->at(0).concurrency, std::nullopt);
  EXPECT_EQ(rules->at(1).scope + " " + rules->at(1).name, "queue default");
  EXPECT_EQ(rules->at(2).scope + " " + rules->at(2).name, "queue prices");
  EXPECT_FALSE(rules->at(2).paused);
  EXPECT_EQ(rules->at(2).concurrency, 3);
}

TEST_P(TaskList, KnowsWhetherAQueueHasSomethingToDo) {
  add({.kind = "mail", .queue = "post"});
  EXPECT_TRUE(*has_live_tasks(*connection));
  EXPECT_TRUE(*has_live_tasks(*connection, "post"));
  EXPECT_FALSE(*has_live_tasks(*connection, "prices"));
}

}  // namespace
}  // namespace lade::queue
