// Statements, transactions and errors: what both databases promise in connection.h.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <limits>
#include <thread>

#include "testing/database_test.h"

namespace lade::db {
namespace {

using Conformance = testing::DatabaseTest;
LADE_ON_BOTH_DATABASES(Conformance);

constexpr std::int64_t kSmallest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();

TEST_P(Conformance, ValuesComeBackAsTheyWereGiven) {
  ASSERT_OK(connection->run("CREATE TABLE t (n bigint, r double precision, s text)"));
  const std::vector<Row> rows = {
      {kSmallest, 0.1, std::string("plain")},
      {kLargest, -1e300, std::string("quote ' and \" and \\ and $1 ; --\n\r\t")},
      {std::int64_t{0}, 5e-324, std::string("日本語 🚚 ü")},
      {std::monostate{}, std::monostate{}, std::monostate{}},
      {std::int64_t{1}, 1.0, std::string()},
  };
  for (const Row& row : rows) {
    const auto changed = connection->execute("INSERT INTO t (n, r, s) VALUES ($1, $2, $3)", row);
    ASSERT_OK(changed);
    EXPECT_EQ(*changed, 1);
    auto found = connection->query("SELECT n, r, s FROM t", {});
    ASSERT_OK(found);
    EXPECT_EQ(*found, std::vector<Row>{row});
    ASSERT_OK(connection->execute("DELETE FROM t"));
  }
}

TEST_P(Conformance, ParametersGoByNumber) {
  const auto rows = connection->query("SELECT $2 || $1 || $2", std::vector<Value>{std::string("a"), std::string("b")});
  ASSERT_OK(rows);
  EXPECT_EQ(std::get<std::string>(rows->front().front()), "bab");
  EXPECT_FALSE(connection->query("SELECT $1 || $2", std::vector<Value>{std::string("a")}));
  EXPECT_FALSE(connection->query("SELECT 1", std::vector<Value>{std::string("a")}));
  EXPECT_TRUE(connection->usable());
}

TEST_P(Conformance, BooleansAreZeroAndOne) {
  EXPECT_EQ(integer("SELECT 1 = 1"), 1);
  EXPECT_EQ(integer("SELECT 1 = 2"), 0);
}

TEST_P(Conformance, ExecuteCountsChangedRows) {
  EXPECT_EQ(*connection->execute("CREATE TABLE t (a integer)"), 0);
  EXPECT_EQ(*connection->execute("INSERT INTO t VALUES (1), (2), (3)"), 3);
  EXPECT_EQ(*connection->execute("UPDATE t SET a = a + 1 WHERE a > 1"), 2);
  EXPECT_EQ(*connection->execute("CREATE TABLE u (a integer)"), 0);
  EXPECT_EQ(*connection->execute("SELECT a FROM t"), 0);
  EXPECT_EQ(*connection->execute("INSERT INTO u SELECT a FROM t WHERE a > 100"), 0);
  EXPECT_EQ(*connection->execute("DELETE FROM t"), 3);
}

TEST_P(Conformance, ANulByteIsRefusedNotCut) {
  const std::string with_nul("a\0b", 3);
  EXPECT_FAILS(connection->query("SELECT $1 || ''", std::vector<Value>{with_nul}), "nul_in_text");
  EXPECT_FAILS(connection->run(with_nul), "nul_in_text");
  EXPECT_FAILS(connection->execute(with_nul), "nul_in_text");
}

TEST_P(Conformance, BytesMayHoldAnything) {
  ASSERT_OK(connection->run(pick("CREATE TABLE t (a blob)", "CREATE TABLE t (a bytea)")));
  std::string all;
  for (int i = 0; i < 256; ++i) all.push_back(static_cast<char>(i));
  for (const std::string& bytes : {std::string(), std::string("a\0b", 3), std::string("\\x00"), all}) {
    ASSERT_OK(connection->execute("DELETE FROM t"));
    ASSERT_OK(connection->execute("INSERT INTO t VALUES ($1)", std::vector<Value>{Bytes{bytes}}));
    std::string expected = bytes;
    if (!is_sqlite()) {
      expected = "\\x";
      for (const char byte : bytes) expected += fmt::format("{:02x}", static_cast<unsigned char>(byte));
    }
    EXPECT_EQ(value("SELECT a FROM t"), Value(expected));
    EXPECT_EQ(integer("SELECT length(a) FROM t"), static_cast<std::int64_t>(bytes.size()));
  }
}

TEST_P(Conformance, RunTakesSeveralStatementsOthersOne) {
  ASSERT_OK(connection->run("CREATE TABLE t (a integer); INSERT INTO t VALUES (1); INSERT INTO t VALUES (2);"));
  EXPECT_EQ(integer("SELECT count(*) FROM t"), 2);
  EXPECT_FAILS(connection->execute("INSERT INTO t VALUES (3); DELETE FROM t"), "db_error");
  EXPECT_EQ(connection->diagnosis().sqlstate, "42601");
  EXPECT_EQ(integer("SELECT count(*) FROM t"), 2);
  EXPECT_EQ(*connection->execute("INSERT INTO t VALUES (3);\n "), 1);
}

TEST_P(Conformance, ManyDifferentStatementsStayWithinTheCache) {
  for (int round = 0; round < 2; ++round)
    for (int i = 0; i < 200; ++i) EXPECT_EQ(integer(fmt::format("SELECT {}", i)), i);
  if (!is_sqlite()) {
    EXPECT_LE(integer("SELECT count(*) FROM pg_prepared_statements"), 65);
  }
}

TEST_P(Conformance, AStatementSurvivesAChangeOfItsTable) {
  ASSERT_OK(connection->run("CREATE TABLE t (a integer); INSERT INTO t VALUES (1)"));
  EXPECT_EQ(connection->query("SELECT * FROM t")->front().size(), 1U);
  ASSERT_OK(connection->run("ALTER TABLE t ADD COLUMN b text"));
  const auto rows = connection->query("SELECT * FROM t");
  ASSERT_OK(rows);
  EXPECT_EQ(rows->front().size(), 2U);
}

struct Refusal {
  std::string sql;
  std::string sqlstate;
  std::string code;
};

TEST_P(Conformance, ErrorsCarryTheirSqlstateAndTheDatabasesWords) {
  ASSERT_OK(
      connection->run("CREATE TABLE t (id integer PRIMARY KEY, a text NOT NULL, b integer CONSTRAINT positive "
                      "CHECK (b > 0)); INSERT INTO t VALUES (1, 'x', 1)"));
  const std::vector<Refusal> refusals = {
      {"INSERT INTO t VALUES (1, 'y', 1)", "23505", "db_refused"},
      {"INSERT INTO t VALUES (2, NULL, 1)", "23502", "db_refused"},
      {"INSERT INTO t VALUES (2, 'y', -1)", "23514", "db_refused"},
      {"SELEKT", "42601", "db_error"},
      {"SELECT * FROM missing", "42P01", "db_error"},
      {"SELECT missing FROM t", "42703", "db_error"},
      {"SELECT \"missing\" FROM t", "42703", "db_error"},
      {"INSERT INTO t (missing) VALUES (1)", "42703", "db_error"},
  };
  for (const Refusal& refusal : refusals) {
    const auto result = connection->execute(refusal.sql);
    ASSERT_FAILS(result, refusal.code) << refusal.sql;
    EXPECT_EQ(connection->diagnosis().sqlstate, refusal.sqlstate) << refusal.sql;
    EXPECT_NE(result.error().message.find(connection->diagnosis().message), std::string::npos);
    EXPECT_NE(result.error().message.find(refusal.sqlstate), std::string::npos);
    ASSERT_FAILS(connection->run(refusal.sql), refusal.code);
  }
}

TEST_P(Conformance, ATransactionIsAllOrNothing) {
  ASSERT_OK(connection->run("CREATE TABLE t (a integer)"));
  {
    auto transaction = Transaction::begin(*connection);
    ASSERT_OK(transaction);
    EXPECT_TRUE(connection->in_transaction());
    ASSERT_OK(connection->execute("INSERT INTO t VALUES (1)"));
  }
  EXPECT_FALSE(connection->in_transaction());
  EXPECT_EQ(integer("SELECT count(*) FROM t"), 0);
  {
    auto transaction = Transaction::begin(*connection);
    ASSERT_OK(connection->execute("INSERT INTO t VALUES (1)"));
    ASSERT_OK(transaction->commit());
  }
  EXPECT_EQ(integer("SELECT count(*) FROM t"), 1);
  auto transaction = Transaction::begin(*connection);
  ASSERT_OK(connection->execute("INSERT INTO t VALUES (2)"));
  ASSERT_OK(transaction->rollback());
  EXPECT_EQ(integer("SELECT count(*) FROM t"), 1);
}

TEST_P(Conformance, SavepointsNest) {
  ASSERT_OK(connection->run("CREATE TABLE t (a integer)"));
  auto transaction = Transaction::begin(*connection);
  ASSERT_OK(connection->execute("INSERT INTO t VALUES (1)"));
  auto outer = Savepoint::begin(*connection);
  ASSERT_OK(connection->execute("INSERT INTO t VALUES (2)"));
  {
    auto inner = Savepoint::begin(*connection);
    ASSERT_OK(connection->execute("INSERT INTO t VALUES (3)"));
    ASSERT_FALSE(connection->execute("INSERT INTO missing VALUES (3)"));
  }
  EXPECT_EQ(integer("SELECT count(*) FROM t"), 2);
  {
    auto inner = Savepoint::begin(*connection);
    ASSERT_OK(connection->execute("INSERT INTO t VALUES (4)"));
    ASSERT_OK(inner->release());
  }
  ASSERT_OK(outer->rollback());
  EXPECT_EQ(integer("SELECT count(*) FROM t"), 1);
  ASSERT_OK(transaction->commit());
  EXPECT_EQ(integer("SELECT sum(a) FROM t"), 1);
}

TEST_P(Conformance, ASnapshotDoesNotSeeLaterCommits) {
  ASSERT_OK(connection->run("CREATE TABLE t (a integer)"));
  const auto writer = database.connect();
  auto snapshot = Transaction::begin_snapshot(*connection);
  ASSERT_OK(snapshot);
  ASSERT_OK(writer->execute("INSERT INTO t VALUES (1)"));
  EXPECT_EQ(integer("SELECT count(*) FROM t"), 0);
  ASSERT_OK(snapshot->commit());
  EXPECT_EQ(integer("SELECT count(*) FROM t"), 1);
}

TEST_P(Conformance, ADeferredConstraintCanBeCheckedBeforeCommit) {
  ASSERT_OK(
      connection->run("CREATE TABLE p (id integer PRIMARY KEY);"
                      "CREATE TABLE c (p integer REFERENCES p (id) DEFERRABLE INITIALLY DEFERRED)"));
  auto transaction = Transaction::begin(*connection);
  auto savepoint = Savepoint::begin(*connection);
  ASSERT_OK(connection->execute("INSERT INTO c VALUES (7)"));
  ASSERT_FAILS(connection->check_deferred(), "db_refused");
  EXPECT_EQ(connection->diagnosis().sqlstate, "23503");
  ASSERT_OK(savepoint->rollback());
  ASSERT_OK(connection->check_deferred());
  ASSERT_OK(transaction->commit());
  EXPECT_EQ(integer("SELECT count(*) FROM c"), 0);
}

TEST_P(Conformance, AFailedCommitLeavesNothing) {
  ASSERT_OK(
      connection->run("CREATE TABLE p (id integer PRIMARY KEY);"
                      "CREATE TABLE c (p integer REFERENCES p (id) DEFERRABLE INITIALLY DEFERRED)"));
  {
    auto transaction = Transaction::begin(*connection);
    ASSERT_OK(connection->execute("INSERT INTO c VALUES (7)"));
    EXPECT_FAILS(transaction->commit(), "db_refused");
  }
  EXPECT_FALSE(connection->in_transaction());
  EXPECT_EQ(integer("SELECT count(*) FROM c"), 0);
}

TEST_P(Conformance, InterruptStopsARunningStatement) {
  const std::string endless =
      pick("WITH RECURSIVE r (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r",
           "SELECT pg_sleep(600)");
  std::atomic<bool> ended = false;
  std::jthread interrupter([&] {
    // An interrupt that comes before the statement is not kept by the database: ask until it has worked.
    while (!ended) connection->interrupt();
  });
  const auto result = connection->query(endless);
  ended = true;
  interrupter.join();
  ASSERT_FAILS(result, "db_interrupted");
  EXPECT_EQ(result.error().kind, ErrorKind::cancelled);
  EXPECT_EQ(connection->diagnosis().sqlstate, "57014");
}

TEST_P(Conformance, NamesAreQuoted) {
  EXPECT_EQ(Connection::quote_name("plain"), "\"plain\"");
  EXPECT_EQ(Connection::quote_name("a\"b; DROP"), "\"a\"\"b; DROP\"");
}

TEST_P(Conformance, WaitingEndsWithTheTimeOrADescriptor) {
  EXPECT_THAT(*connection->wait_notified(std::chrono::milliseconds(1)), ::testing::IsEmpty());
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  ASSERT_EQ(write(ends[1], "x", 1), 1);
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_THAT(*connection->wait_notified(std::chrono::minutes(1), ends[0]), ::testing::IsEmpty());
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
  close(ends[0]);
  close(ends[1]);
}

}  // namespace
}  // namespace lade::db
