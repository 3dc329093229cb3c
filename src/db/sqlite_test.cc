// What only SQLite does.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sqlite3.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <future>
#include <thread>

#include "db/url.h"
#include "testing/database.h"
#include "testing/results.h"

namespace lade::db {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class SqliteTest : public ::testing::Test {
 protected:
  const Table& describe(std::string_view name) {
    table_ = connection->describe(name).value().value();
    return table_;
  }
  Value value(std::string_view sql) { return connection->query(sql).value().at(0).at(0); }
  std::filesystem::path folder() const { return std::filesystem::path(database.url().substr(7)).parent_path(); }
  testing::FreshDatabase database{Backend::sqlite};
  std::unique_ptr<Connection> connection = database.connect();
  Table table_;
};

TEST_F(SqliteTest, TheSessionIsSetUp) {
  EXPECT_EQ(value("PRAGMA journal_mode"), Value(std::string("wal")));
  EXPECT_EQ(value("PRAGMA foreign_keys"), Value(std::int64_t{1}));
  EXPECT_EQ(value("PRAGMA synchronous"), Value(std::int64_t{2}));
  EXPECT_EQ(value("PRAGMA secure_delete"), Value(std::int64_t{0}));
}

TEST_F(SqliteTest, AFileKeepsItsJournal) {
  ASSERT_OK(connection->run("CREATE TABLE t (a); PRAGMA journal_mode = DELETE"));
  EXPECT_EQ(value("PRAGMA journal_mode"), Value(std::string("delete")));
  connection = database.connect();
  ASSERT_OK(connection->run("INSERT INTO t VALUES (1)"));
  EXPECT_EQ(value("PRAGMA journal_mode"), Value(std::string("delete")));
}

TEST_F(SqliteTest, DeclaredTypesFollowTheRulesOfAffinity) {
  ASSERT_OK(
      connection->run("CREATE TABLE t (a INT, b BIGINT, c VARCHAR(40), d CLOB, e REAL, f DOUBLE PRECISION, g FLOAT,"
                      " h NUMERIC(14,4), i DATE, j BOOLEAN, k BLOB, l, m POINT, n ANY)"));
  std::vector<WireType> wires;
  for (const Column& column : describe("t").columns) wires.push_back(column.wire);
  using enum WireType;
  EXPECT_THAT(wires, ElementsAre(sqlite_integer, sqlite_integer, sqlite_text, sqlite_text, sqlite_real, sqlite_real,
                                 sqlite_real, sqlite_numeric, sqlite_numeric, sqlite_numeric, sqlite_any, sqlite_any,
                                 sqlite_integer, sqlite_numeric));
}

TEST_F(SqliteTest, CollationsDecideOrderAndEquality) {
  ASSERT_OK(
      connection->run("CREATE TABLE t (a text, b text COLLATE NOCASE, c text COLLATE rtrim, d text COLLATE binary);"
                      "CREATE UNIQUE INDEX same ON t (b); CREATE UNIQUE INDEX other ON t (a COLLATE NOCASE)"));
  describe("t");
  EXPECT_TRUE(table_.columns[0].order_is_bytes);
  EXPECT_TRUE(table_.columns[1].folds_case);
  EXPECT_FALSE(table_.columns[1].order_is_bytes);
  EXPECT_FALSE(table_.columns[2].deterministic);
  EXPECT_TRUE(table_.columns[3].order_is_bytes);
  ASSERT_EQ(table_.unique_indexes.size(), 1U);
  EXPECT_EQ(table_.unique_indexes[0].name, "same");
}

TEST_F(SqliteTest, OnlyALoneIntegerPrimaryKeyIsTheRowid) {
  ASSERT_OK(
      connection->run("CREATE TABLE yes (id INTEGER PRIMARY KEY); CREATE TABLE also (id integer, PRIMARY KEY (id));"
                      "CREATE TABLE no1 (id INT PRIMARY KEY); CREATE TABLE no2 (id INTEGER PRIMARY KEY DESC);"
                      "CREATE TABLE no3 (id INTEGER PRIMARY KEY) WITHOUT ROWID; CREATE TABLE no4 (a INTEGER, b "
                      "INTEGER, PRIMARY KEY (a, b))"));
  for (const char* name : {"yes", "also"}) {
    EXPECT_EQ(describe(name).columns[0].sequence, "rowid") << name;
    EXPECT_EQ(table_.unique_indexes.size(), 1U) << name;
  }
  for (const char* name : {"no1", "no2", "no3", "no4"}) {
    EXPECT_EQ(describe(name).columns[0].sequence, "") << name;
    EXPECT_FALSE(table_.columns[0].has_default) << name;
    ASSERT_EQ(table_.unique_indexes.size(), 1U) << name;
    EXPECT_TRUE(table_.unique_indexes[0].primary) << name;
  }
  EXPECT_TRUE(describe("no3").columns[0].not_null);
}

TEST_F(SqliteTest, StrictTablesRefuseOtherTypes) {
  ASSERT_OK(connection->run("CREATE TABLE t (a INTEGER, b ANY) STRICT"));
  EXPECT_EQ(describe("t").columns[1].wire, WireType::sqlite_any);
  std::string tuple;
  append_sqlite_text(tuple, "word");
  testing::Tuples tuples({tuple});
  const std::vector<std::string> columns = {"a"};
  ASSERT_FAILS(connection->copy_in("t", columns, tuples), "db_refused");
  EXPECT_EQ(connection->diagnosis().sqlstate, "22000");
  EXPECT_EQ(connection->diagnosis().column, "a");
  EXPECT_EQ(connection->diagnosis().table, "t");
}

TEST_F(SqliteTest, ConstraintsAreNamedWhateverTheNames) {
  ASSERT_OK(
      connection->run("CREATE TABLE \"a.b\" (\"c, a.b.d\" text, \"d\" text NOT NULL, UNIQUE (\"c, a.b.d\"));"
                      "CREATE TABLE a (\"b.d\" text NOT NULL, b text);"
                      "CREATE UNIQUE INDEX \"by 'b'\" ON a (lower(b))"));
  ASSERT_OK(connection->run("INSERT INTO \"a.b\" VALUES ('x', 'y'); INSERT INTO a VALUES ('x', 'y')"));
  ASSERT_FALSE(connection->execute("INSERT INTO \"a.b\" VALUES ('x', 'z')"));
  EXPECT_EQ(connection->diagnosis().constraint, "sqlite_autoindex_a.b_1");
  EXPECT_EQ(connection->diagnosis().table, "a.b");
  ASSERT_FALSE(connection->execute("INSERT INTO a VALUES ('z', 'Y')"));
  EXPECT_EQ(connection->diagnosis().constraint, "by 'b'");
}

TEST_F(SqliteTest, TheVirtualTableIsOnlyForCopies) {
  ASSERT_OK(connection->run("CREATE TABLE t (a text)"));
  std::string tuple;
  append_sqlite_text(tuple, "x");
  testing::Tuples tuples({tuple});
  const std::vector<std::string> columns = {"a"};
  ASSERT_OK(connection->copy_in("t", columns, tuples));
  ASSERT_OK(connection->run("CREATE VIEW v AS SELECT * FROM lade_tuples_1"));
  EXPECT_FALSE(connection->query("SELECT * FROM v"));
  EXPECT_THAT(connection->table_names().value(), ElementsAre("t"));
}

TEST_F(SqliteTest, VirtualTablesAreNoTables) {
  ASSERT_OK(connection->run("CREATE VIRTUAL TABLE f USING fts5(a)"));
  EXPECT_FALSE(connection->describe("f").value().has_value());
  EXPECT_TRUE(connection->table_names().value().empty());
}

TEST_F(SqliteTest, ASecondWriterIsBusy) {
  const auto other = database.connect();
  ASSERT_OK(other->run("PRAGMA busy_timeout = 1"));
  auto transaction = Transaction::begin(*connection);
  ASSERT_FAILS(Transaction::begin(*other), "db_busy");
  EXPECT_EQ(other->diagnosis().sqlstate, "55P03");
}

// However slow that one is: on a slow disk commits take seconds.
TEST_F(SqliteTest, ASecondWriterWaitsForTheFirst) {
  const auto other = database.connect();
  auto transaction = Transaction::begin(*connection);
  ASSERT_OK(transaction);
  auto second = std::async(std::launch::async, [&] { return other->run("BEGIN IMMEDIATE; ROLLBACK"); });
  EXPECT_EQ(second.wait_for(std::chrono::seconds(7)), std::future_status::timeout);
  EXPECT_OK(transaction->rollback());
  EXPECT_OK(second.get());
}

TEST_F(SqliteTest, AReaderCannotWrite) {
  ASSERT_OK(connection->run("CREATE TABLE t (a integer)"));
  const auto reader = connect(database.url() + "?mode=ro");
  ASSERT_OK(reader);
  EXPECT_OK((*reader)->query("SELECT a FROM t"));
  EXPECT_FAILS((*reader)->execute("INSERT INTO t VALUES (1)"), "db_denied");
}

TEST_F(SqliteTest, AFullDatabaseSaysSo) {
  ASSERT_OK(connection->run("CREATE TABLE t (a text); PRAGMA max_page_count = 20"));
  auto transaction = Transaction::begin(*connection);
  const auto filled = connection->execute("INSERT INTO t VALUES ($1)", std::vector<Value>{std::string(200'000, 'x')});
  ASSERT_FAILS(filled, "db_full");
  EXPECT_OK(transaction->rollback());
  EXPECT_FAILS(Savepoint::begin(*connection), "db_error");
}

TEST_F(SqliteTest, ADamagedFileSaysSo) {
  ASSERT_OK(connection->run("CREATE TABLE t (a text); INSERT INTO t VALUES (hex(zeroblob(100000)))"));
  connection.reset();
  std::fstream file(parse_sqlite_url(database.url())->path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(4096);  // the page behind the first: the table's
  file << std::string(4096, '\xFF');
  file.close();
  connection = database.connect();
  ASSERT_FAILS(connection->query("SELECT a FROM t"), "db_corrupt");
  EXPECT_EQ(connection->diagnosis().sqlstate, "XX001");
}

TEST_F(SqliteTest, WhatCannotBeOpenedSaysWhy) {
  const std::string text = (folder() / "text.db").string();
  std::ofstream(text) << std::string(2000, 'x');
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"sqlite:" + folder().string(), "it is a folder"},
      {"sqlite:" + (folder() / "no/such.db").string(), "does not exist"},
      {"sqlite:" + (folder() / "missing.db").string() + "?mode=ro", "there is no such file"},
      {"sqlite:" + (folder() / "missing.db").string() + "?mode=rw", "there is no such file"},
      {"sqlite:" + text, "file is not a database"},
      {"sqlite:/dev/null", "not a regular file"},
  };
  for (const auto& [url, why] : cases) {
    const auto refused = connect(url);
    ASSERT_FAILS(refused, "cannot_connect") << url;
    EXPECT_EQ(refused.error().kind, ErrorKind::cannot_connect);
    EXPECT_THAT(refused.error().message, HasSubstr(why));
    EXPECT_FALSE(refused.error().hint.empty());
  }
  EXPECT_FALSE(std::filesystem::exists(folder() / "missing.db"));
}

TEST_F(SqliteTest, SeveralProgramsMayCreateTheFileAtOnce) {
  for (int round = 0; round < 20; ++round) {
    const std::string url = "sqlite:" + (folder() / fmt::format("new{}.db", round)).string();
    std::atomic<int> failures = 0;
    std::vector<std::jthread> programs;
    for (int i = 0; i < 4; ++i)
      programs.emplace_back([&] {
        const auto own = connect(url);
        if (!own || !(*own)->run("CREATE TABLE IF NOT EXISTS t (a integer)")) ++failures;
      });
    programs.clear();
    ASSERT_EQ(failures, 0) << "round " << round;
  }
}

TEST_F(SqliteTest, Utf16IsRefused) {
  const std::string path = (folder() / "utf16.db").string();
  sqlite3* database16 = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &database16), SQLITE_OK);
  sqlite3_exec(database16, "PRAGMA encoding = 'UTF-16'; CREATE TABLE t (a text)", nullptr, nullptr, nullptr);
  sqlite3_close(database16);
  const auto refused = connect("sqlite:" + path);
  ASSERT_FAILS(refused, "cannot_connect");
  EXPECT_THAT(refused.error().message, HasSubstr("UTF-16"));
}

TEST(Sqlite, ADatabaseInMemoryWorks) {
  const auto connection = connect("sqlite::memory:");
  ASSERT_OK(connection);
  ASSERT_OK((*connection)->run("CREATE TABLE t (a integer)"));
  EXPECT_TRUE((*connection)->describe("t").value().has_value());
}

}  // namespace
}  // namespace lade::db
