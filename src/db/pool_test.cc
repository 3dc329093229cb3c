#include "db/pool.h"

#include <gmock/gmock.h>

#include <atomic>
#include <thread>

#include "testing/database_test.h"

namespace lade::db {
namespace {

using PoolTest = testing::DatabaseTest;
LADE_ON_BOTH_DATABASES(PoolTest);

TEST_P(PoolTest, ThreadsShareABoundedNumberOfSessions) {
  ASSERT_OK(connection->run("CREATE TABLE t (a integer)"));
  Pool pool(database.url(), 3);
  std::atomic<int> in_use = 0, most = 0, failures = 0;
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 8; ++thread)
      threads.emplace_back([&] {
        for (int i = 0; i < 10; ++i) {
          auto lease = pool.acquire();
          const int now = ++in_use;
          for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) continue;
          if (!lease || !(*lease)->execute("INSERT INTO t VALUES (1)")) ++failures;
          --in_use;
        }
      });
  }
  EXPECT_EQ(failures, 0);
  EXPECT_LE(most, 3);
  EXPECT_EQ(integer("SELECT count(*) FROM t"), 80);
}

TEST_P(PoolTest, AnOpenTransactionEndsWithItsLease) {
  ASSERT_OK(connection->run("CREATE TABLE t (a integer)"));
  Pool pool(database.url(), 1);
  {
    auto lease = pool.acquire();
    ASSERT_OK(lease);
    ASSERT_OK((*lease)->run("BEGIN"));
    ASSERT_OK((*lease)->execute("INSERT INTO t VALUES (1)"));
  }
  auto lease = pool.acquire();
  ASSERT_OK(lease);
  EXPECT_FALSE((*lease)->in_transaction());
  EXPECT_EQ(integer("SELECT count(*) FROM t"), 0);
}

TEST_P(PoolTest, WaitingCanBeStopped) {
  Pool pool(database.url(), 1);
  const auto held = pool.acquire();
  ASSERT_OK(held);
  std::stop_source stop;
  std::jthread stopper([&] { stop.request_stop(); });
  EXPECT_FAILS(pool.acquire(stop.get_token()), "cancelled");
}

TEST(Pool, ASessionThatTheServerEndedIsReplaced) {
  const testing::FreshDatabase database(Backend::postgresql);
  Pool pool(database.url(), 1);
  Value ended;
  {
    auto lease = pool.acquire();
    ASSERT_OK(lease);
    ended = (*lease)->query("SELECT pg_backend_pid()").value().front().front();
  }
  const auto administrator = database.connect();
  ASSERT_OK(administrator->query("SELECT pg_terminate_backend($1, 10000)", std::vector<Value>{ended}));
  auto lease = pool.acquire();
  ASSERT_OK(lease);
  EXPECT_NE((*lease)->query("SELECT pg_backend_pid()").value().front().front(), ended);
}

TEST(Pool, AFailureToConnectDoesNotUseUpAPlace) {
  Pool pool("sqlite:/nowhere/at/all.db", 1);
  EXPECT_FAILS(pool.acquire(), "cannot_connect");
  EXPECT_FAILS(pool.acquire(), "cannot_connect");
}

TEST(Pool, ADatabaseInMemoryHasOneSession) {
  EXPECT_EQ(Pool("sqlite::memory:", 4).size(), 1U);
}

}  // namespace
}  // namespace lade::db
