// Nodes: who is dead, what happens to its tasks, deadlines, and the crash rule.
#include <gmock/gmock.h>

#include "queue/liveness.h"
#include "queue/settings.h"
#include "testing/queue_test.h"

namespace lade::queue {
namespace {

using lade::testing::kSecond;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class QueueRescue : public lade::testing::QueueTest {
 protected:
  Rescue rescue_now(const std::string& boot, std::optional<std::int64_t> judged_at = std::nullopt) {
    const auto rescued = rescue(*connection, boot, judged_at, default_rules(), now);
    EXPECT_OK(rescued);
    return rescued ? *rescued : Rescue();
  }
};
LADE_ON_BOTH_DATABASES(QueueRescue);
// What needs several writers, sessions or notifications.
class QueueRescueOnPostgresql : public QueueRescue {};
LADE_ON_POSTGRESQL(QueueRescueOnPostgresql);

TEST_P(QueueRescue, ANodeBeatsUntilItIsDeclaredDead) {
  ASSERT_OK(register_node(*connection, {.boot = "n1", .name = "host", .storage = "s"}, now));
  EXPECT_TRUE(*beat(*connection, "n1"));
  EXPECT_TRUE(*beat(*connection, "n1"));
  const auto found = nodes(*connection);
  ASSERT_OK(found);
  ASSERT_THAT(*found, SizeIs(1));
  EXPECT_EQ(found->front().beat, 2);
  EXPECT_EQ(found->front().name, "host");
  EXPECT_EQ(rescue_now("n1", 1).pending, 0);
  EXPECT_TRUE(*beat(*connection, "n1"));
  rescue_now("n1", 3);
  EXPECT_FALSE(*beat(*connection, "n1"));
}

TEST_P(QueueRescue, TwoRescuersAreHarmless) {
  ASSERT_OK(register_node(*connection, {.boot = "n1"}, now));
  const std::int64_t id = add({.kind = "k"});
  claim_one("n1");
  EXPECT_EQ(rescue_now("n1", 0).pending, 1);
  const Task again = claim_one("n2", true);
  EXPECT_EQ(rescue_now("n1", 0).pending, 0);
  EXPECT_EQ(rescue_now("n1").pending, 0);
  EXPECT_EQ(again.lease.task, id);
  publish(again.lease);
}

TEST_P(QueueRescue, ACrashCostsNoAttemptAndThreeAloneArePoison) {
  const std::int64_t id = add({.kind = "k"});
  EXPECT_FALSE(claim_one().alone);
  EXPECT_EQ(rescue_now("n1").pending, 1);
  EXPECT_EQ(field(id, "crashes"), 0);
  EXPECT_EQ(std::get<std::string>(value("SELECT error_code FROM lade_task WHERE id = $1", {id})), "node_died");
  EXPECT_THAT(claim(5), IsEmpty());
  EXPECT_TRUE(*alone_waits(*connection, {.node = "n1"}, now));
  for (int crash = 1; crash <= 2; ++crash) {
    EXPECT_TRUE(claim_one("n1", true).alone);
    EXPECT_EQ(rescue_now("n1").pending, 1);
    EXPECT_EQ(field(id, "crashes"), crash);
  }
  claim_one("n1", true);
  EXPECT_EQ(rescue_now("n1").dead, 1);
  EXPECT_EQ(field(id, "attempts"), 0);
  const auto letters = dead_letters(*connection);
  ASSERT_OK(letters);
  ASSERT_THAT(*letters, SizeIs(1));
  EXPECT_EQ(letters->front().reason, "poison");
  EXPECT_EQ(letters->front().crashes, 3);
  EXPECT_FALSE(*alone_waits(*connection, {.node = "n1"}, now));
}

TEST_P(QueueRescue, ACancelledTaskOfADeadNodeIsCancelled) {
  const std::int64_t id = add({.kind = "k", .group = "g"});
  claim_one();
  ASSERT_OK(cancel_group(*connection, "g", now));
  EXPECT_EQ(rescue_now("n1").cancelled, 1);
  EXPECT_EQ(status(id), "cancelled");
}

TEST_P(QueueRescue, LeasesOfAnUnregisteredNodeAreFound) {
  ASSERT_OK(register_node(*connection, {.boot = "n1"}, now));
  add({.kind = "k"});
  add({.kind = "k"});
  claim(1, "n1");
  claim(1, "n2");
  const auto holders = unregistered_holders(*connection);
  ASSERT_OK(holders);
  EXPECT_THAT(*holders, ElementsAre("n2"));
}

TEST_P(QueueRescue, ATaskPastItsDeadlineIsTakenAndItsAttemptCounts) {
  const std::int64_t id = add({.kind = "k"});
  const Task task = claim(ClaimRequest{.node = "n1", .deadline = std::chrono::seconds(10)}).front();
  now += 10 * kSecond + 1;
  EXPECT_TRUE(granted_leases(*connection, "n1", now)->front().overdue);
  const auto overdue = overdue_leases(*connection, now);
  ASSERT_OK(overdue);
  ASSERT_EQ(overdue->size(), 1u);
  EXPECT_EQ(overdue->front().lease, task.lease);
  Lease earlier = task.lease;
  ++earlier.nonce;
  EXPECT_EQ(take_overdue(*connection, {&earlier, 1}, default_rules(), now)->pending, 0) << "that one has ended";
  EXPECT_EQ(take_overdue(*connection, {&task.lease, 1}, default_rules(), now - 10 * kSecond)->pending, 0)
      << "its deadline was put right";
  EXPECT_EQ(take_overdue(*connection, {&task.lease, 1}, default_rules(), now)->pending, 1);
  EXPECT_EQ(field(id, "attempts"), 1);
  EXPECT_FAILS(Publication::begin(*connection, task.lease, now), "lease_lost");
}

TEST(OverdueWatch, CountsByItsOwnClockInLooksThatFollowEachOther) {
  const Lease a{.task = 1, .nonce = 11}, b{.task = 2, .nonce = 22}, again{.task = 1, .nonce = 12};
  const Liveness::Time start{};
  OverdueWatch watch(std::chrono::seconds(4));
  const auto at = [&](int second, const std::vector<Lease>& seen, std::int64_t deadline = 5) {
    std::vector<OverdueLease> leases;
    for (const Lease& lease : seen) leases.push_back({lease, deadline});
    return watch.observe(leases, start + std::chrono::seconds(second));
  };
  EXPECT_TRUE(at(0, {a}).empty());
  EXPECT_TRUE(at(3, {a, b}).empty());
  EXPECT_EQ(at(4, {a, b}), std::vector{a});
  EXPECT_TRUE(at(6, {again}).empty()) << "another lease of the same task";
  EXPECT_TRUE(at(7, {again, b}).empty()) << "b was in time between";
  EXPECT_EQ(at(10, {again, b}), std::vector{again});
  EXPECT_TRUE(at(12, {again}, 6).empty()) << "its deadline was put right, and passed again";
  EXPECT_EQ(at(16, {again}, 6), std::vector{again});
  watch.forget();
  EXPECT_TRUE(at(20, {again}).empty());
}

TEST_P(QueueRescue, ARetryDoesNotWaitForAClockThatWasSetBack) {
  const std::int64_t id = add({.kind = "k"});
  const std::int64_t later = add({.kind = "k", .delay = std::chrono::hours(5)});
  const Task task = claim_one();
  ASSERT_OK(fail_task(*connection, task.lease, {"broken", "it broke"}, {}, {}, now));
  EXPECT_EQ(*release_distant_retries(*connection, std::chrono::minutes(2), now), 0);
  EXPECT_EQ(*release_distant_retries(*connection, std::chrono::minutes(2), now - 7200 * kSecond), 1);
  EXPECT_EQ(field(id, "available_at"), 0);
  EXPECT_NE(field(later, "available_at"), 0) << "whoever made it wants it so";
}

TEST_P(QueueRescueOnPostgresql, ARescuerDoesNotWaitForAPublicationOnItsWay) {
  ASSERT_OK(register_node(*connection, {.boot = "n1"}, now));
  add({.kind = "k"});
  const Task task = claim_one();
  auto publication = Publication::begin(*connection, task.lease, now);
  ASSERT_OK(publication);
  const auto rescuer = database.connect();
  ASSERT_OK(rescuer->run("SET lock_timeout = '1s'"));
  EXPECT_EQ(rescue(*rescuer, "n1", 0, default_rules(), now)->pending, 0);
  ASSERT_OK(publication->commit());
  EXPECT_THAT(*unregistered_holders(*rescuer), IsEmpty());
}

TEST_P(QueueRescueOnPostgresql, SessionsOfADeadNodeAreEndedByTheirName) {
  auto zombie = db::connect(session_url(database.url(), "0193-dead"));
  ASSERT_OK(zombie);
  ASSERT_OK((*zombie)->run("BEGIN"));
  EXPECT_EQ(*end_sessions(*connection, "0193-other"), 0);
  EXPECT_EQ(*end_sessions(*connection, "0193-dead"), 1);
  EXPECT_FAILS((*zombie)->run("SELECT 1"), "db_lost");
}

TEST(SessionUrl, FitsEveryFormOfUrl) {
  EXPECT_EQ(session_url("sqlite:a.db", "b"), "sqlite:a.db");
  EXPECT_EQ(session_url("postgresql://h/d", "b"),
            "postgresql://h/d?application_name=lade%2Fb&options=-c%20idle_in_transaction_session_timeout%3D600000");
  EXPECT_EQ(session_url("postgresql://h/d?options=-cx%3D1", "b"),
            "postgresql://h/d?options=-cx%3D1&application_name=lade%2Fb");
  EXPECT_EQ(session_url("host=h", "b"),
            "host=h application_name=lade/b options='-c idle_in_transaction_session_timeout=600000'");
}

class LivenessTest : public ::testing::Test {
 protected:
  // One look at the nodes' beats; the names of the dead.
  std::vector<std::string> look(const std::vector<NodeRow>& nodes, int after_ms = 2000) {
    time += std::chrono::milliseconds(after_ms);
    std::vector<std::string> dead;
    for (const NodeRow& node : liveness.observe(nodes, time)) dead.push_back(node.boot);
    return dead;
  }
  Liveness liveness{Settings().silence()};
  Liveness::Time time{};
};

TEST_F(LivenessTest, FiveLooksAtTheSameBeatAreDeath) {
  for (int i = 0; i < 4; ++i) EXPECT_THAT(look({{.boot = "a", .beat = 7}, {.boot = "b", .beat = i}}), IsEmpty());
  EXPECT_THAT(look({{.boot = "a", .beat = 7}, {.boot = "b", .beat = 5}}), ElementsAre("a"));
  EXPECT_THAT(look({{.boot = "a", .beat = 7}}), ElementsAre("a"));
}

TEST_F(LivenessTest, ABeatStartsAnew) {
  for (int i = 0; i < 4; ++i) look({{.boot = "a", .beat = 7}});
  for (int i = 0; i < 4; ++i) EXPECT_THAT(look({{.boot = "a", .beat = 8}}), IsEmpty());
  EXPECT_THAT(look({{.boot = "a", .beat = 8}}), ElementsAre("a"));
}

TEST_F(LivenessTest, ManyLooksInAShortTimeProveNothing) {
  for (int i = 0; i < 50; ++i) EXPECT_THAT(look({{.boot = "a"}}, 100), IsEmpty());
}

TEST_F(LivenessTest, ALongPauseOfTheObserverProvesNothing) {
  look({{.boot = "a"}});
  EXPECT_THAT(look({{.boot = "a"}}, 3'600'000), IsEmpty());
}

TEST_F(LivenessTest, AnOutageForgetsEverything) {
  for (int i = 0; i < 4; ++i) look({{.boot = "a"}});
  liveness.forget();
  EXPECT_THAT(look({{.boot = "a"}}), IsEmpty());
}

TEST(SettingsTest, NamesOfTheSeedsAreRead) {
  const auto settings = read_settings({{"QUEUE_CONCURRENCY", "7"},
                                       {"QUEUE_VISIBILITY_MS", "30000"},
                                       {"QUEUE_HEARTBEAT_MS", "5000"},
                                       {"QUEUE_MAX_ATTEMPTS", "3"},
                                       {"BACKOFF_BASE", "500"},
                                       {"BACKOFF_FACTOR", "1.5"},
                                       {"BACKOFF_MAX_MS", "9000"},
                                       {"QUEUE_IDLE_MS", "100"},
                                       {"QUEUE_DLQ_RETENTION_DAYS", "7"},
                                       {"PATH", "/bin"}});
  ASSERT_OK(settings);
  EXPECT_EQ(settings->concurrency, 7U);
  EXPECT_EQ(settings->lease, std::chrono::seconds(30));
  EXPECT_EQ(settings->beat, std::chrono::seconds(5));
  EXPECT_EQ(settings->retry.max_attempts, 3);
  EXPECT_EQ(settings->retry.base, std::chrono::milliseconds(500));
  EXPECT_EQ(settings->retry.factor, 1.5);
  EXPECT_EQ(settings->retry.cap, std::chrono::seconds(9));
  EXPECT_EQ(settings->poll, std::chrono::milliseconds(100));
  EXPECT_EQ(settings->dead_letter_retention, std::chrono::hours(168));
  EXPECT_EQ(read_settings({{"IMPORT_WORKER_CONCURRENCY", "3"}})->concurrency, 3U);
}

TEST(SettingsTest, WhatMakesNoSenseIsRefused) {
  for (const char* text : {"", "x", "0", "-1", "4x", "1e9", "nan"})
    EXPECT_FAILS(read_settings({{"QUEUE_CONCURRENCY", text}}), "setting_invalid") << text;
  EXPECT_FAILS(read_settings({{"QUEUE_HEARTBEAT_MS", "10000"}}), "setting_invalid");
  EXPECT_FAILS(read_settings({{"BACKOFF_MAX_MS", "10"}}), "setting_invalid");
  const auto refused = read_settings({{"QUEUE_IDLE_MS", "soon"}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "QUEUE_IDLE_MS is 'soon'");
  EXPECT_EQ(refused.error().hint, "give a number from 1 to 60000");
}

}  // namespace
}  // namespace lade::queue
