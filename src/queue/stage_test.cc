// Stages, groups: counters, exactly one finaliser, cancel, retry, and the reconciler.
#include <gmock/gmock.h>

#include "testing/queue_test.h"

namespace lade::queue {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class QueueStage : public lade::testing::QueueTest {
 protected:
  // A stage of group g with `count` tasks.
  std::int64_t make_stage(std::int64_t count, bool sealed = true) {
    const auto stage = open_stage(*connection, {.group = "g", .name = "s", .then = {.kind = "finish", .payload = "f"}});
    EXPECT_OK(stage);
    for (std::int64_t i = 0; i < count; ++i) add({.kind = "work", .group = "g", .stage = *stage});
    if (sealed) {
      EXPECT_OK(seal_stage(*connection, *stage, now));
    }
    return *stage;
  }
  Stage stage(std::int64_t id) {
    const auto found = read_stage(*connection, id);
    EXPECT_OK(found);
    return found ? *found : Stage();
  }
  std::int64_t finalisers() { return integer("SELECT count(*) FROM lade_task WHERE kind = 'finish'"); }
};
LADE_ON_BOTH_DATABASES(QueueStage);
// What needs several writers, sessions or notifications.
class QueueStageOnPostgresql : public QueueStage {};
LADE_ON_POSTGRESQL(QueueStageOnPostgresql);

TEST_P(QueueStage, TheLastTaskOfASealedStageEnqueuesItsFinaliser) {
  const std::int64_t id = make_stage(3);
  EXPECT_EQ(stage(id).open, 3);
  EXPECT_EQ(stage(id).total, 3);
  std::vector<Task> tasks = claim(9);
  ASSERT_THAT(tasks, SizeIs(3));
  publish(tasks[0].lease);
  ASSERT_OK(complete(*connection, std::vector{tasks[1].lease}, now));
  EXPECT_EQ(finalisers(), 0);
  EXPECT_FALSE(stage(id).finished());
  EXPECT_EQ(*refuse_task(*connection, tasks[2].lease, Error{"x", "y"}, {}, now), FailureEnd::dead);
  EXPECT_EQ(finalisers(), 1);
  EXPECT_EQ(stage(id).open, 0);
  EXPECT_EQ(stage(id).failed, 1);
  const Task finaliser = claim_one();
  EXPECT_EQ(finaliser.kind, "finish");
  EXPECT_EQ(finaliser.payload, "f");
  EXPECT_EQ(finaliser.group, "g");
  EXPECT_EQ(stage(id).finaliser, finaliser.lease.task);
}

TEST_P(QueueStage, AnUnsealedStageWaits) {
  const std::int64_t id = make_stage(1, false);
  publish(claim_one().lease);
  EXPECT_EQ(finalisers(), 0);
  add({.kind = "work", .group = "g", .stage = id});
  ASSERT_OK(seal_stage(*connection, id, now));
  EXPECT_EQ(finalisers(), 0);
  publish(claim_one().lease);
  EXPECT_EQ(finalisers(), 1);
  EXPECT_FAILS(enqueue(*connection, {.kind = "work", .group = "g", .stage = id}, now), "stage_finished");
  EXPECT_EQ(integer("SELECT count(*) FROM lade_task WHERE kind = 'work'"), 2);
}

TEST_P(QueueStage, AnEmptyStageIsFinalisedWhenSealed) {
  const std::int64_t id = make_stage(0);
  EXPECT_EQ(finalisers(), 1);
  ASSERT_OK(seal_stage(*connection, id, now));
  EXPECT_EQ(finalisers(), 1);
}

TEST_P(QueueStage, AStageMayHaveNoFinaliser) {
  const auto id = open_stage(*connection, {.group = "g", .name = "quiet"});
  ASSERT_OK(id);
  EXPECT_EQ(*open_stage(*connection, {.group = "g", .name = "quiet"}), *id);
  EXPECT_EQ(find_stage(*connection, "g", "quiet")->id, *id);
  ASSERT_OK(seal_stage(*connection, *id, now));
  EXPECT_TRUE(stage(*id).finished());
  EXPECT_EQ(integer("SELECT count(*) FROM lade_task"), 0);
  EXPECT_FAILS(read_stage(*connection, *id + 1), "stage_not_found");
  EXPECT_FAILS(find_stage(*connection, "g", "none"), "stage_not_found");
  EXPECT_FAILS(seal_stage(*connection, *id + 1, now), "stage_not_found");
}

TEST_P(QueueStage, BatchesCountInSeveralStages) {
  std::vector<std::int64_t> ids;
  std::vector<NewTask> tasks;
  for (const char* name : {"a", "b"}) {
    ids.push_back(*open_stage(*connection, {.group = "g", .name = name, .then = {.kind = "finish"}}));
    for (int i = 0; i < 4; ++i) tasks.push_back({.kind = "work", .group = "g", .stage = ids.back()});
  }
  ASSERT_OK(enqueue_all(*connection, tasks, now));
  for (const std::int64_t id : ids) ASSERT_OK(seal_stage(*connection, id, now));
  EXPECT_EQ(stage(ids[0]).open, 4);
  std::vector<Lease> leases;
  for (const Task& task : claim(20)) leases.push_back(task.lease);
  ASSERT_OK(complete(*connection, leases, now));
  EXPECT_EQ(finalisers(), 2);
  EXPECT_EQ(stage(ids[1]).open, 0);
}

TEST_P(QueueStageOnPostgresql, TwoThatEndAStageAtOnceMakeOneFinaliser) {
  make_stage(2);
  const std::vector<Task> tasks = claim(2);
  const auto other = database.connect();
  auto first = Publication::begin(*connection, tasks[0].lease, now);
  auto second = Publication::begin(*other, tasks[1].lease, now);
  ASSERT_OK(first);
  ASSERT_OK(second);
  ASSERT_OK(first->commit());
  ASSERT_OK(second->commit());
  EXPECT_EQ(finalisers(), 1);
}

TEST_P(QueueStage, CancelEndsWhatWaitsAndLetsTheFinaliserRun) {
  const std::int64_t id = make_stage(3);
  const std::vector<Task> running = claim(1);
  EXPECT_EQ(*cancel_group(*connection, "g", now), 2);
  EXPECT_EQ(stage(id).cancelled, 2);
  EXPECT_THAT(claim(5), IsEmpty());
  const auto granted = granted_leases(*connection, "n1", now);
  ASSERT_OK(granted);
  ASSERT_THAT(*granted, SizeIs(1));
  EXPECT_TRUE(granted->front().cancelled);
  EXPECT_EQ(*fail_task(*connection, running[0].lease, Error{"cancelled", "stopped"}, {}, {}, now),
            FailureEnd::cancelled);
  EXPECT_EQ(finalisers(), 1);
  const Task finaliser = claim_one();
  EXPECT_EQ(finaliser.kind, "finish");
  EXPECT_EQ(*cancel_group(*connection, "g", now), 0);
  EXPECT_FALSE(granted_leases(*connection, "n1", now)->front().cancelled);
  publish(finaliser.lease);
}

TEST_P(QueueStage, WhatIsPublishedBeforeItHearsOfTheCancelCounts) {
  const std::int64_t id = make_stage(2);
  const std::vector<Task> running = claim(1);
  ASSERT_OK(cancel_group(*connection, "g", now));
  publish(running[0].lease);
  EXPECT_EQ(stage(id).cancelled, 1);
  EXPECT_EQ(stage(id).open, 0);
  EXPECT_EQ(finalisers(), 1);
}

TEST_P(QueueStage, CancelOfAParentReachesItsChildrenAndTasksEnqueuedLaterRun) {
  ASSERT_OK(put_group(*connection, {.id = "c1", .parent = "p"}));
  ASSERT_OK(put_group(*connection, {.id = "c2", .parent = "p"}));
  for (const char* group : {"c1", "c2", "other"}) add({.kind = "k", .payload = group, .group = group});
  EXPECT_EQ(*cancel_group(*connection, "p", now), 2);
  EXPECT_EQ(payloads(claim(9)), std::vector<std::string>{"other"});
  add({.kind = "k", .payload = "later", .group = "c1"});
  EXPECT_EQ(payloads(claim(9)), std::vector<std::string>{"later"});
}

TEST_P(QueueStageOnPostgresql, ATaskEnqueuedDuringACancelIsSweptUp) {
  const std::int64_t id = make_stage(0, false);
  const auto other = database.connect();
  auto transaction = db::Transaction::begin(*other);
  ASSERT_OK(transaction);
  ASSERT_OK(enqueue(*other, {.kind = "work", .group = "g"}, now));
  ASSERT_OK(cancel_group(*connection, "g", now));
  ASSERT_OK(transaction->commit());
  EXPECT_THAT(claim(5), IsEmpty());
  EXPECT_EQ(*sweep_cancelled(*connection, now), 1);
  EXPECT_EQ(*sweep_cancelled(*connection, now), 0);
  EXPECT_EQ(count_tasks(*connection, "g")->cancelled, 1);
  EXPECT_EQ(stage(id).open, 0);
}

TEST_P(QueueStage, RetryReopensTheStageAndFinalisesItAgain) {
  const std::int64_t id = make_stage(3);
  std::vector<Task> tasks = claim(2);
  publish(tasks[0].lease);
  ASSERT_OK(refuse_task(*connection, tasks[1].lease, Error{"x", "y"}, {}, now));
  ASSERT_OK(cancel_group(*connection, "g", now));
  publish(claim_one().lease);
  ASSERT_TRUE(stage(id).finished());
  EXPECT_EQ(*retry_group(*connection, "g"), 2);
  EXPECT_FALSE(stage(id).finished());
  EXPECT_EQ(stage(id).open, 2);
  EXPECT_EQ(stage(id).failed, 0);
  EXPECT_EQ(stage(id).cancelled, 0);
  tasks = claim(5);
  ASSERT_THAT(tasks, SizeIs(2));
  for (const Task& task : tasks) publish(task.lease);
  EXPECT_EQ(finalisers(), 2);
  EXPECT_EQ(count_tasks(*connection, "g")->succeeded, 4);
  EXPECT_EQ(count_tasks(*connection, "g")->live(), 1);
}

TEST_P(QueueStage, ARetriedDeadLetterReopensItsStage) {
  const std::int64_t id = make_stage(1);
  const Task task = claim_one();
  ASSERT_OK(refuse_task(*connection, task.lease, Error{"x", "y"}, {}, now));
  ASSERT_OK(retry_dead_letter(*connection, task.lease.task));
  EXPECT_EQ(stage(id).open, 1);
  EXPECT_EQ(stage(id).failed, 0);
  EXPECT_FALSE(stage(id).finished());
}

TEST_P(QueueStage, TheReconcilerRearmsWhatIsMissing) {
  const std::int64_t id = make_stage(2);
  EXPECT_EQ(*reconcile_stages(*connection, now), 0);
  ASSERT_OK(connection->run("UPDATE lade_stage SET open = 7"));
  EXPECT_EQ(*reconcile_stages(*connection, now), 1);
  EXPECT_EQ(stage(id).open, 2);
  for (const Task& task : claim(2)) publish(task.lease);
  EXPECT_EQ(*reconcile_stages(*connection, now), 0);
  ASSERT_OK(connection->run("DELETE FROM lade_task WHERE kind = 'finish'"));
  EXPECT_EQ(*reconcile_stages(*connection, now), 1);
  EXPECT_EQ(finalisers(), 1);
  EXPECT_EQ(*reconcile_stages(*connection, now), 0);
  publish(claim_one().lease);
  EXPECT_EQ(*reconcile_stages(*connection, now), 0);
  EXPECT_EQ(finalisers(), 1);
}

TEST_P(QueueStage, ADeletedGroupLeavesNothing) {
  make_stage(2);
  ASSERT_OK(put_group(*connection, {.id = "g"}));
  ASSERT_OK(refuse_task(*connection, claim(1).front().lease, Error{"x", "y"}, {}, now));
  ASSERT_OK(delete_group(*connection, "g"));
  for (const char* table : {"lade_task", "lade_stage", "lade_task_group", "lade_dead_letter"})
    EXPECT_EQ(integer(std::string("SELECT count(*) FROM ") + table), 0) << table;
}

}  // namespace
}  // namespace lade::queue
