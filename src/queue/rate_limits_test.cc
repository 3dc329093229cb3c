// Token buckets that all nodes share.
#include "queue/rate_limits.h"

#include <thread>

#include "testing/queue_test.h"

namespace lade::queue {
namespace {

using lade::testing::kSecond;

class QueueRates : public lade::testing::QueueTest {
 protected:
  void SetUp() override {
    QueueTest::SetUp();
    ASSERT_OK(connection->run(std::string(rate_schema())));
    for (const char* node : {"n1", "n2"}) live(node);
  }
  void live(const std::string& node) {
    const db::Value values[] = {node};
    ASSERT_OK(connection->execute("INSERT INTO lade_node (boot, name, storage, started_at) VALUES ($1, 'test', '', 0)",
                                  values));
  }
  Permits take(std::int64_t wanted, const std::string& node = "n1", const std::string& key = "host") {
    const auto permits = take_permits(*connection, key, limit, node, wanted, now);
    EXPECT_OK(permits);
    return permits.value_or(Permits());
  }
  RateLimit limit{.per_second = 2, .burst = 3};
};
LADE_ON_BOTH_DATABASES(QueueRates);

TEST_P(QueueRates, ABurstAndThenAsManyAsComeBack) {
  EXPECT_EQ(take(5).granted, 3);
  const Permits none = take(1);
  EXPECT_EQ(none.granted, 0);
  EXPECT_EQ(none.wait, std::chrono::milliseconds(500)) << "half a second for a token";
  now += none.wait.count() - 1000;
  EXPECT_EQ(take(1).granted, 0);
  now += 1000;
  EXPECT_EQ(take(1).granted, 1);
  now += 100 * kSecond;
  EXPECT_EQ(take(10).granted, 3) << "a bucket holds no more";
}

TEST_P(QueueRates, EveryKeyHasItsOwn) {
  EXPECT_EQ(take(3, "n1", "a").granted, 3);
  EXPECT_EQ(take(3, "n2", "b").granted, 3);
  EXPECT_EQ(take(3, "n2", "a").granted, 0) << "whoever asks";
}

TEST_P(QueueRates, AClockThatGoesBackBringsNothing) {
  EXPECT_EQ(take(3).granted, 3);
  now -= 3600 * kSecond;
  EXPECT_EQ(take(1).granted, 0);
  now += 3600 * kSecond;
  EXPECT_EQ(take(1).granted, 0);
  now += kSecond;
  EXPECT_EQ(take(3).granted, 2);
}

TEST_P(QueueRates, OnlySoManyAtOnce) {
  limit = {.per_second = 100, .burst = 100, .at_once = 4};
  EXPECT_EQ(take(3, "n1").granted, 3);
  const Permits rest = take(3, "n2");
  EXPECT_EQ(rest.granted, 1);
  EXPECT_GT(rest.wait, Duration(0));
  ASSERT_OK(give_back_permits(*connection, "host", "n1", 2));
  EXPECT_EQ(take(3, "n2").granted, 2);
  ASSERT_OK(give_back_permits(*connection, "host", "n1", 50));
  EXPECT_EQ(take(3, "n2").granted, 1) << "nobody gives back more than there is";
}

TEST_P(QueueRates, WhatTheDeadHoldCountsNoMore) {
  limit = {.per_second = 100, .burst = 100, .at_once = 2};
  EXPECT_EQ(take(2, "n1").granted, 2);
  EXPECT_EQ(take(2, "n2").granted, 0);
  ASSERT_OK(connection->run("DELETE FROM lade_node WHERE boot = 'n1'"));
  EXPECT_EQ(take(2, "n2").granted, 2);
  ASSERT_OK(tidy_rates(*connection, now));
  EXPECT_EQ(integer("SELECT count(*) FROM lade_rate_use"), 1);
}

TEST_P(QueueRates, AServerCanAskForPeace) {
  ASSERT_OK(block_until(*connection, "host", std::chrono::seconds(60), now));
  ASSERT_OK(block_until(*connection, "host", std::chrono::seconds(10), now));
  EXPECT_EQ(take(1).granted, 0);
  EXPECT_EQ(take(1).wait, std::chrono::seconds(60)) << "the longest counts";
  now += 60 * kSecond;
  EXPECT_EQ(take(3).granted, 3);
  now += 2 * 86400 * kSecond;
  ASSERT_OK(give_back_permits(*connection, "host", "n1", 3));
  ASSERT_OK(tidy_rates(*connection, now));
  EXPECT_EQ(integer("SELECT count(*) FROM lade_rate"), 0);
}

TEST_P(QueueRates, LimitsThatLetNothingThrough) {
  for (const RateLimit& nothing : {RateLimit{.per_second = 0}, RateLimit{.burst = 0}, RateLimit{.at_once = -1}})
    EXPECT_FAILS(take_permits(*connection, "host", nothing, "n1", 1, now), "rate_limit_invalid");
}

// By the database's own clock, several sessions at once.
TEST_P(QueueRates, ManyTogetherGetNoMore) {
  limit = {.per_second = 50, .burst = 5, .at_once = 3};
  std::atomic<std::int64_t> granted = 0, used = 0, most = 0;
  const auto begin = std::chrono::steady_clock::now();
  const auto work = [&](const std::string& node) {
    const auto own = db::connect(database.url());
    ASSERT_OK(own);
    while (std::chrono::steady_clock::now() - begin < std::chrono::seconds(1)) {
      const auto permits = take_permits(**own, "host", limit, node, 2);
      if (!permits && permits.error().code == "db_busy") continue;
      ASSERT_OK(permits);
      granted += permits->granted;
      const std::int64_t now_used = used += permits->granted;
      for (std::int64_t seen = most; now_used > seen && !most.compare_exchange_weak(seen, now_used);) continue;
      if (permits->granted > 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
      used -= permits->granted;
      while (permits->granted > 0 && !give_back_permits(**own, "host", node, permits->granted))
        std::this_thread::yield();
      std::this_thread::sleep_for(std::min<Duration>(permits->wait, std::chrono::milliseconds(20)));
    }
  };
  { std::jthread first(work, "n1"), second(work, "n2"), third(work, "n1"); }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  EXPECT_LE(static_cast<double>(granted), 5 + 50 * seconds + 1);
  EXPECT_GE(static_cast<double>(granted), 20);
  EXPECT_LE(most, 3);
}

}  // namespace
}  // namespace lade::queue
