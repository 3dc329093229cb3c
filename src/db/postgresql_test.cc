// What only PostgreSQL does.
#include <gmock/gmock.h>

#include "testing/database.h"
#include "testing/postgresql.h"
#include "testing/results.h"

namespace lade::db {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class PostgresqlTest : public ::testing::Test {
 protected:
  const Table& describe(std::string_view name) {
    table_ = connection->describe(name).value().value();
    return table_;
  }
  testing::FreshDatabase database{Backend::postgresql};
  std::unique_ptr<Connection> connection = database.connect();
  Table table_;
};

TEST_F(PostgresqlTest, TheSessionIsSetUp) {
  const auto rows = connection->query(
      "SELECT current_setting('client_encoding'), current_setting('TimeZone'), current_setting('DateStyle'), "
      "current_setting('application_name'), current_setting('client_min_messages')");
  ASSERT_OK(rows);
  const std::vector<std::string> expected = {"UTF8", "UTC", "ISO, YMD", "lade", "warning"};
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(std::get<std::string>((*rows)[0][i]), expected[i]);
}

TEST_F(PostgresqlTest, EveryTypeHasItsWireType) {
  ASSERT_OK(connection->run(
      "CREATE TYPE mood AS ENUM ('sad', 'ok');"
      "CREATE TABLE t (a smallint, b integer, c bigint, d real, e double precision, f numeric, g text, h varchar(7),"
      " i char(3), j boolean, k date, l timestamp(3), m timestamptz, n uuid, o json, p jsonb, q bytea, r mood, s name,"
      " u integer[], v inet, w interval, x time, y numeric(6,-2), z \"char\")"));
  std::vector<WireType> wires;
  for (const Column& column : describe("t").columns) wires.push_back(column.wire);
  using enum WireType;
  EXPECT_THAT(wires, ElementsAre(int2, int4, int8, float4, float8, numeric, text, text, text, boolean, date, timestamp,
                                 timestamptz, uuid, json, jsonb, bytea, text, text, unsupported, unsupported,
                                 unsupported, unsupported, numeric, unsupported));
  EXPECT_EQ(table_.find("h")->length, 7);
  EXPECT_EQ(table_.find("i")->length, 3);
  EXPECT_EQ(table_.find("g")->length, 0);
  EXPECT_EQ(table_.find("f")->precision, 0);
  EXPECT_EQ(table_.find("y")->precision, 6);
  EXPECT_EQ(table_.find("y")->scale, -2);
  EXPECT_EQ(table_.find("l")->scale, 3);
  EXPECT_EQ(table_.find("m")->scale, 6);
  EXPECT_EQ(table_.find("h")->type, "character varying(7)");
}

TEST_F(PostgresqlTest, DomainsAreTheirBaseType) {
  ASSERT_OK(
      connection->run("CREATE DOMAIN money_amount AS numeric(14,4) NOT NULL DEFAULT 0;"
                      "CREATE DOMAIN price AS money_amount CHECK (VALUE >= 0);"
                      "CREATE TABLE t (a price)"));
  const Column& column = describe("t").columns[0];
  EXPECT_EQ(column.type, "numeric(14,4)");
  EXPECT_EQ(column.wire, WireType::numeric);
  EXPECT_EQ(column.precision, 14);
  EXPECT_EQ(column.scale, 4);
  EXPECT_TRUE(column.not_null);
  EXPECT_TRUE(column.has_default);
}

TEST_F(PostgresqlTest, CollationsDecideOrderAndEquality) {
  ASSERT_OK(connection->run(
      "CREATE EXTENSION IF NOT EXISTS citext; CREATE TYPE mood AS ENUM ('sad', 'ok');"
      "CREATE COLLATION blind (provider = icu, locale = 'und-u-ks-level2', deterministic = false);"
      "CREATE TABLE t (a text, b text COLLATE \"C\", c text COLLATE \"POSIX\", d text COLLATE \"ucs_basic\","
      " e text COLLATE \"und-x-icu\", f text COLLATE blind, g citext, h mood, i char(3), j varchar(3), k integer)"));
  std::string bytes, folding, nondeterministic;
  for (const Column& column : describe("t").columns) {
    if (column.order_is_bytes) bytes += column.name;
    if (column.folds_case) folding += column.name;
    if (!column.deterministic) nondeterministic += column.name;
  }
  EXPECT_EQ(bytes, "abcdj");
  EXPECT_EQ(folding, "g");
  EXPECT_EQ(nondeterministic, "f");
}

TEST_F(PostgresqlTest, TheDatabasesCollationCounts) {
  ASSERT_OK(connection->run("CREATE DATABASE lade_icu TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'de'"));
  std::string url = database.url();
  const std::size_t query = url.find('?');
  const std::size_t slash = url.rfind('/', query);
  url.replace(slash + 1, std::min(query, url.size()) - slash - 1, "lade_icu");
  {
    const auto german = connect(url);
    ASSERT_OK(german);
    ASSERT_OK((*german)->run("CREATE TABLE t (a text)"));
    EXPECT_FALSE((*german)->describe("t").value()->columns[0].order_is_bytes);
  }
  EXPECT_OK(connection->run("DROP DATABASE lade_icu"));
}

TEST_F(PostgresqlTest, SchemasAndTheSearchPath) {
  ASSERT_OK(
      connection->run("CREATE SCHEMA register; CREATE TABLE register.unit (a integer); CREATE TABLE unit (b integer);"
                      "CREATE TABLE register.other (id serial)"));
  EXPECT_EQ(describe("unit").schema, "public");
  EXPECT_EQ(describe("register.unit").quoted, "\"register\".\"unit\"");
  EXPECT_FALSE(connection->describe("other").value().has_value());
  EXPECT_EQ(describe("register.other").columns[0].sequence, "register.other_id_seq");
  EXPECT_THAT(connection->table_names().value(), ElementsAre("register.other", "register.unit", "unit"));
  ASSERT_OK(connection->run("SET search_path = register"));
  EXPECT_EQ(describe("unit").schema, "register");
}

TEST_F(PostgresqlTest, ATemporaryTableHidesItsNamesake) {
  ASSERT_OK(connection->run("CREATE TABLE t (a integer); CREATE TEMP TABLE t (b integer)"));
  EXPECT_FALSE(connection->describe("t").value().has_value());
  EXPECT_EQ(describe("public.t").columns[0].name, "a");
}

TEST_F(PostgresqlTest, IndexesThatDoNotGuardTheColumnsEqualityAreLeftOut) {
  ASSERT_OK(
      connection->run("CREATE TABLE t (a text, b text, c text, UNIQUE (a) DEFERRABLE);"
                      "CREATE UNIQUE INDEX other_collation ON t (b COLLATE \"und-x-icu\");"
                      "CREATE UNIQUE INDEX including ON t (c) INCLUDE (a)"));
  ASSERT_EQ(describe("t").unique_indexes.size(), 1U);
  EXPECT_EQ(table_.unique_indexes[0].name, "including");
  EXPECT_THAT(table_.unique_indexes[0].columns, ElementsAre("c"));
}

TEST_F(PostgresqlTest, PartitionedTablesAreTables) {
  ASSERT_OK(
      connection->run("CREATE TABLE t (a integer PRIMARY KEY) PARTITION BY RANGE (a);"
                      "CREATE TABLE t1 PARTITION OF t FOR VALUES FROM (0) TO (10)"));
  EXPECT_THAT(describe("t").unique_indexes.front().columns, ElementsAre("a"));
}

TEST_F(PostgresqlTest, ABadValueInACopyNamesTheRow) {
  ASSERT_OK(connection->run("CREATE TABLE t (a varchar(3))"));
  std::string good, bad;
  append_field(good, "abc");
  append_field(bad, "abcd");
  testing::Tuples tuples({good, good, bad, good});
  const std::vector<std::string> columns = {"a"};
  ASSERT_FAILS(connection->copy_in("t", columns, tuples), "db_refused");
  EXPECT_EQ(connection->diagnosis().sqlstate, "22001");
  EXPECT_EQ(connection->diagnosis().copy_row, 3);
}

// Gives `row` again and again, and does something before one of them.
class Disturbed final : public TupleSource {
 public:
  Disturbed(std::string row, int rows, int before, std::function<void()> disturb)
      : row_(std::move(row)), rows_(rows), before_(before), disturb_(std::move(disturb)) {}
  std::optional<std::string_view> next() override {
    if (given_ == rows_) return std::nullopt;
    if (++given_ == before_) disturb_();
    return row_;
  }

 private:
  std::string row_;
  int rows_;
  int before_;
  int given_ = 0;
  std::function<void()> disturb_;
};

TEST_F(PostgresqlTest, ALongCopyAfterARefusedRowStillEnds) {
  ASSERT_OK(connection->run("CREATE TABLE t (a varchar(3))"));
  std::string bad;
  append_field(bad, std::string(1000, 'x'));
  Disturbed rows(bad, 20'000, 0, [] {});
  const std::vector<std::string> columns = {"a"};
  ASSERT_FAILS(connection->copy_in("t", columns, rows), "db_refused");
  EXPECT_EQ(connection->diagnosis().copy_row, 1);
  EXPECT_OK(connection->query("SELECT 1"));
}

TEST_F(PostgresqlTest, ASessionThatIsEndedDuringACopyIsLost) {
  ASSERT_OK(connection->run("CREATE TABLE t (a text)"));
  const auto administrator = database.connect();
  const std::vector<Value> session = {connection->query("SELECT pg_backend_pid()").value()[0][0]};
  std::string row;
  append_field(row, std::string(1000, 'x'));
  Disturbed rows(row, 20'000, 10'000,
                 [&] { EXPECT_OK(administrator->query("SELECT pg_terminate_backend($1, 10000)", session)); });
  const std::vector<std::string> columns = {"a"};
  auto transaction = Transaction::begin(*connection);
  ASSERT_FAILS(connection->copy_in("t", columns, rows), "db_lost");
  EXPECT_FAILS(Savepoint::begin(*connection), "db_lost");
  EXPECT_FALSE(connection->usable());
  EXPECT_EQ(administrator->query("SELECT count(*) FROM t").value()[0][0], Value(std::int64_t{0}));
}

TEST_F(PostgresqlTest, CommitOfASpoiltTransactionIsAnError) {
  auto transaction = Transaction::begin(*connection);
  ASSERT_FALSE(connection->execute("SELECT 1 / 0"));
  EXPECT_FAILS(transaction->commit(), "db_error");
  EXPECT_FALSE(connection->in_transaction());
}

TEST_F(PostgresqlTest, ASessionThatIsEndedIsLost) {
  const auto administrator = database.connect();
  const Value session = connection->query("SELECT pg_backend_pid()").value()[0][0];
  ASSERT_OK(administrator->query("SELECT pg_terminate_backend($1, 10000)", std::vector<Value>{session}));
  EXPECT_FAILS(connection->query("SELECT 1"), "db_lost");
  EXPECT_FALSE(connection->usable());
  EXPECT_FALSE(connection->in_transaction());
  EXPECT_FAILS(connection->run("SELECT 1"), "db_lost");
}

TEST_F(PostgresqlTest, TwoWritersThatBlockEachOtherAreBusy) {
  ASSERT_OK(connection->run("CREATE TABLE t (a integer); INSERT INTO t VALUES (1)"));
  const auto other = database.connect();
  auto transaction = Transaction::begin(*connection);
  ASSERT_OK(connection->execute("UPDATE t SET a = 2"));
  ASSERT_FAILS(other->query("SELECT a FROM t FOR UPDATE NOWAIT"), "db_busy");
  EXPECT_EQ(other->diagnosis().sqlstate, "55P03");
}

TEST(PostgresqlConnect, FailuresSayWhatWasTriedAndWhatToDo) {
  const auto refused = connect("postgresql://ann:s3cret@127.0.0.1:1/shop");
  ASSERT_FAILS(refused, "cannot_connect");
  EXPECT_EQ(refused.error().kind, ErrorKind::cannot_connect);
  EXPECT_THAT(refused.error().message, HasSubstr("postgresql://ann@127.0.0.1:1/shop"));
  EXPECT_THAT(refused.error().message, HasSubstr("Connection refused"));
  EXPECT_THAT(refused.error().message, Not(HasSubstr("s3cret")));
  EXPECT_THAT(refused.error().hint, HasSubstr("start the server"));
  EXPECT_FAILS(connect("postgresql://ann@/shop?host=/nowhere"), "cannot_connect");
}

TEST(PostgresqlConnect, AMissingDatabaseIsToBeCreated) {
  std::string url = testing::PostgreSQL::shared().url();
  const std::size_t query = std::min(url.find('?'), url.size());
  const std::size_t slash = url.rfind('/', query);
  const auto missing = connect(url.substr(0, slash + 1) + "no_such_database" + url.substr(query));
  ASSERT_FAILS(missing, "cannot_connect");
  EXPECT_THAT(missing.error().message, HasSubstr("\"no_such_database\" does not exist"));
  EXPECT_THAT(missing.error().hint, HasSubstr("create the database"));
}

TEST_F(PostgresqlTest, NotificationsWakeAListener) {
  ASSERT_OK(connection->run("LISTEN one; LISTEN two"));
  const auto other = database.connect();
  ASSERT_OK(other->run("NOTIFY two; NOTIFY two; NOTIFY three"));
  EXPECT_THAT(*connection->wait_notified(std::chrono::minutes(1)), ElementsAre("two"));
  ASSERT_OK(other->run("NOTIFY one"));
  // Comes with the answer to a statement, too.
  ASSERT_OK(connection->query("SELECT 1"));
  EXPECT_THAT(*connection->wait_notified(std::chrono::minutes(1)), ElementsAre("one"));
  EXPECT_THAT(*connection->wait_notified(std::chrono::milliseconds(1)), ::testing::IsEmpty());
}

TEST_F(PostgresqlTest, AListenerHearsOfTheEndOfItsSession) {
  const auto pid = std::get<std::int64_t>(connection->query("SELECT pg_backend_pid()")->front().front());
  ASSERT_OK(database.connect()->query("SELECT pg_terminate_backend($1)", std::vector<Value>{pid}));
  EXPECT_FAILS(connection->wait_notified(std::chrono::minutes(1)), "db_lost");
}

}  // namespace
}  // namespace lade::db
