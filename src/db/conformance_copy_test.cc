// Bulk copy in and out: every wire type, and what is known about a refused row.
#include <fmt/format.h>

#include <bit>

#include "db/wire.h"
#include "testing/database_test.h"

namespace lade::db {
namespace {

class ConformanceCopy : public testing::DatabaseTest {
 protected:
  std::string integer_field(std::int32_t value) const {
    std::string field;
    if (is_sqlite()) {
      append_sqlite_integer(field, value);
    } else {
      append_big_endian<std::int32_t>(field, sizeof value);
      append_big_endian(field, value);
    }
    return field;
  }
  std::string text_field(std::string_view text) const {
    std::string field;
    if (is_sqlite()) {
      append_sqlite_text(field, text);
    } else {
      append_field(field, text);
    }
    return field;
  }
  static std::string null_field() {
    std::string field;
    append_null(field);
    return field;
  }
  Result<std::int64_t> copy(const std::string& table, std::vector<std::string> columns, std::vector<std::string> rows) {
    testing::Tuples tuples(std::move(rows));
    return connection->copy_in(Connection::quote_name(table), columns, tuples);
  }
  std::vector<std::string> copied_out(std::string_view select) {
    std::vector<std::string> rows;
    EXPECT_OK(connection->copy_out(select, [&](std::string_view tuple) -> Result<void> {
      rows.emplace_back(tuple);
      return {};
    }));
    return rows;
  }
  // Copies (id, a) rows 1 … 10 into t, the seventh with `guilty` as a.
  Result<std::int64_t> copy_with_guilty_seventh(const std::string& guilty, std::int32_t guilty_id = 7) {
    std::vector<std::string> rows;
    for (std::int32_t id = 1; id <= 10; ++id)
      rows.push_back(id == 7 ? integer_field(guilty_id) + guilty : integer_field(id) + integer_field(id));
    return copy("t", {"id", "a"}, std::move(rows));
  }
};
LADE_ON_BOTH_DATABASES(ConformanceCopy);

std::string bytes_of(std::initializer_list<int> values) {
  std::string bytes;
  for (const int value : values) bytes.push_back(static_cast<char>(value));
  return bytes;
}

template <class Int>
std::string big_endian(Int value) {
  std::string bytes;
  append_big_endian(bytes, value);
  return bytes;
}

struct Sample {
  std::string type;
  std::string bytes;  // a field without its length; SQLite's with the tag
  Value value;        // as a query shows it
};

const std::string kDifficultText = "it's \"quoted\", \\ with\nnewline\r\n, tab\t, ü, 日本語, 🚚 and $1";

std::vector<Sample> postgresql_samples() {
  const std::string uuid =
      bytes_of({0x12, 0x3e, 0x45, 0x67, 0xe8, 0x9b, 0x12, 0xd3, 0xa4, 0x56, 0x42, 0x66, 0x14, 0x17, 0x40, 0});
  const std::string numeric = big_endian<std::int16_t>(2) + big_endian<std::int16_t>(0) +
                              big_endian<std::int16_t>(0x4000) + big_endian<std::int16_t>(4) +
                              big_endian<std::int16_t>(1234) + big_endian<std::int16_t>(5600);
  return {
      {"smallint", big_endian<std::int16_t>(-32768), std::int64_t{-32768}},
      {"integer", big_endian<std::int32_t>(2147483647), std::int64_t{2147483647}},
      {"bigint", big_endian(std::numeric_limits<std::int64_t>::min()), std::numeric_limits<std::int64_t>::min()},
      {"real", big_endian(std::bit_cast<std::int32_t>(1.5F)), 1.5},
      {"double precision", big_endian(std::bit_cast<std::int64_t>(0.1)), 0.1},
      {"numeric(14,4)", numeric, std::string("-1234.5600")},
      {"text", kDifficultText, kDifficultText},
      {"varchar(200)", kDifficultText, kDifficultText},
      {"char(3)", "ab ", std::string("ab ")},
      {"boolean", bytes_of({1}), std::int64_t{1}},
      {"date", big_endian<std::int32_t>(8890), std::string("2024-05-04")},
      {"timestamp", big_endian<std::int64_t>(8890 * 86'400'000'000LL + 1), std::string("2024-05-04 00:00:00.000001")},
      {"timestamptz", big_endian<std::int64_t>(-1), std::string("1999-12-31 23:59:59.999999+00")},
      {"uuid", uuid, std::string("123e4567-e89b-12d3-a456-426614174000")},
      {"json", "{\"a\": [1, \"ü\"]}", std::string("{\"a\": [1, \"ü\"]}")},
      {"jsonb", "\x01{\"a\": 1}", std::string("{\"a\": 1}")},
      {"bytea", bytes_of({0, 255, 10}), std::string("\\x00ff0a")},
  };
}

std::vector<Sample> sqlite_samples() {
  const std::int64_t smallest = std::numeric_limits<std::int64_t>::min();
  return {
      {"integer", "i" + big_endian(smallest), smallest},
      {"boolean", "i" + big_endian<std::int64_t>(1), std::int64_t{1}},
      {"real", "r" + big_endian(std::bit_cast<std::int64_t>(0.1)), 0.1},
      {"text", "t" + kDifficultText, kDifficultText},
      {"text", "t", std::string()},
      {"text", "t-1234.5600", std::string("-1234.5600")},
      {"date", "t2024-05-04", std::string("2024-05-04")},
      {"text", "t123e4567-e89b-12d3-a456-426614174000", std::string("123e4567-e89b-12d3-a456-426614174000")},
      {"blob", "b" + bytes_of({0, 255, 10}), bytes_of({0, 255, 10})},
      {"blob", "t1", std::string("1")},
      {"numeric", "i" + big_endian<std::int64_t>(5), std::int64_t{5}},
  };
}

TEST_P(ConformanceCopy, EveryTypeGoesInAndOutUnchanged) {
  const std::vector<Sample> samples = is_sqlite() ? sqlite_samples() : postgresql_samples();
  std::string columns_sql, tuple, nulls;
  std::vector<std::string> columns;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    columns.push_back(fmt::format("c{}", i));
    columns_sql += fmt::format("{}c{} {}", i == 0 ? "" : ", ", i, samples[i].type);
    append_field(tuple, samples[i].bytes);
    append_null(nulls);
  }
  ASSERT_OK(connection->run("CREATE TABLE t (" + columns_sql + ")"));
  const auto copied = copy("t", columns, {tuple, nulls, tuple});
  ASSERT_OK(copied);
  EXPECT_EQ(*copied, 3);
  const auto rows = connection->query("SELECT * FROM t WHERE c0 IS NOT NULL");
  ASSERT_OK(rows);
  ASSERT_EQ(rows->size(), 2U);
  for (std::size_t i = 0; i < samples.size(); ++i) EXPECT_EQ((*rows)[0][i], samples[i].value) << samples[i].type;
  EXPECT_EQ(copied_out("SELECT * FROM t ORDER BY c0 IS NULL"), (std::vector<std::string>{tuple, tuple, nulls}));
}

TEST_P(ConformanceCopy, NoRowsAndManyRows) {
  ASSERT_OK(connection->run("CREATE TABLE t (id integer, a text)"));
  EXPECT_EQ(*copy("t", {"id", "a"}, {}), 0);
  EXPECT_TRUE(copied_out("SELECT id FROM t").empty());
  std::vector<std::string> rows;
  const std::string long_text(3000, 'x');
  for (std::int32_t i = 0; i < 1000; ++i) rows.push_back(text_field(long_text) + integer_field(i));
  EXPECT_EQ(*copy("t", {"a", "id"}, rows), 1000);
  EXPECT_EQ(copied_out("SELECT a, id FROM t ORDER BY id"), rows);
  EXPECT_EQ(*copy("t", {"a", "id"}, rows), 1000);
  EXPECT_EQ(integer("SELECT count(*) FROM t"), 2000);
}

TEST_P(ConformanceCopy, ColumnsLeftOutTakeTheirDefault) {
  ASSERT_OK(connection->run("CREATE TABLE t (id integer, a integer DEFAULT 5)"));
  EXPECT_EQ(*copy("t", {"id"}, {integer_field(1), integer_field(2)}), 2);
  EXPECT_EQ(integer("SELECT sum(a) FROM t"), 10);
}

TEST_P(ConformanceCopy, ADuplicateNamesIndexAndRow) {
  ASSERT_OK(connection->run("CREATE TABLE t (id integer PRIMARY KEY, a integer); CREATE UNIQUE INDEX once ON t (a)"));
  ASSERT_FAILS(copy_with_guilty_seventh(integer_field(2)), "db_refused");
  EXPECT_EQ(connection->diagnosis().sqlstate, "23505");
  EXPECT_EQ(connection->diagnosis().constraint, "once");
  EXPECT_EQ(connection->diagnosis().table, "t");
  EXPECT_EQ(connection->diagnosis().copy_row, 7);
  ASSERT_FAILS(copy_with_guilty_seventh(integer_field(7), 3), "db_refused");
  const auto table = connection->describe("t");
  EXPECT_EQ(connection->diagnosis().constraint, (*table)->unique_indexes.front().name);
  EXPECT_TRUE((*table)->unique_indexes.front().primary);
  EXPECT_EQ(connection->diagnosis().copy_row, 7);
  EXPECT_EQ(integer("SELECT count(*) FROM t"), 0);
}

TEST_P(ConformanceCopy, AMissingValueNamesColumnAndRow) {
  ASSERT_OK(connection->run("CREATE TABLE t (id integer PRIMARY KEY, a integer NOT NULL)"));
  ASSERT_FAILS(copy_with_guilty_seventh(null_field()), "db_refused");
  EXPECT_EQ(connection->diagnosis().sqlstate, "23502");
  EXPECT_EQ(connection->diagnosis().column, "a");
  EXPECT_EQ(connection->diagnosis().table, "t");
  EXPECT_EQ(connection->diagnosis().copy_row, 7);
}

TEST_P(ConformanceCopy, AFailedCheckNamesConstraintAndRow) {
  ASSERT_OK(connection->run("CREATE TABLE t (id integer PRIMARY KEY, a integer CONSTRAINT positive CHECK (a > 0))"));
  ASSERT_FAILS(copy_with_guilty_seventh(integer_field(-1)), "db_refused");
  EXPECT_EQ(connection->diagnosis().sqlstate, "23514");
  EXPECT_EQ(connection->diagnosis().constraint, "positive");
  EXPECT_EQ(connection->diagnosis().copy_row, 7);
}

TEST_P(ConformanceCopy, AMissingParentIsAForeignKeyViolation) {
  ASSERT_OK(
      connection->run("CREATE TABLE p (id integer PRIMARY KEY); INSERT INTO p VALUES (1);"
                      "CREATE TABLE t (id integer PRIMARY KEY, a integer REFERENCES p (id))"));
  const std::string good = integer_field(1) + integer_field(1);
  const std::string bad = integer_field(2) + integer_field(9);
  ASSERT_FAILS(copy("t", {"id", "a"}, {good, bad}), "db_refused");
  EXPECT_EQ(connection->diagnosis().sqlstate, "23503");
  // Both databases check foreign keys after the last row: the row is not known.
  EXPECT_EQ(connection->diagnosis().copy_row, 0);
  EXPECT_EQ(integer("SELECT count(*) FROM t"), 0);
}

TEST_P(ConformanceCopy, ATriggerMayRefuse) {
  ASSERT_OK(connection->run("CREATE TABLE t (id integer PRIMARY KEY, a integer)"));
  ASSERT_OK(connection->run(
      pick("CREATE TRIGGER no BEFORE INSERT ON t WHEN NEW.a = 99 BEGIN SELECT raise(ABORT, 'not 99'); END",
           "CREATE FUNCTION no() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF NEW.a = 99 THEN RAISE EXCEPTION "
           "'not 99'; END IF; RETURN NEW; END $$; CREATE TRIGGER no BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION "
           "no()")));
  ASSERT_FAILS(copy_with_guilty_seventh(integer_field(99)), "db_refused");
  EXPECT_EQ(connection->diagnosis().sqlstate, "P0001");
  EXPECT_EQ(connection->diagnosis().message, "not 99");
  EXPECT_EQ(integer("SELECT count(*) FROM t"), 0);
}

TEST_P(ConformanceCopy, ARefusalInsideASavepointLeavesTheRest) {
  ASSERT_OK(connection->run("CREATE TABLE t (id integer PRIMARY KEY, a integer)"));
  auto transaction = Transaction::begin(*connection);
  ASSERT_OK(copy("t", {"id"}, {integer_field(100)}));
  {
    auto savepoint = Savepoint::begin(*connection);
    ASSERT_FAILS(copy("t", {"id"}, {integer_field(1), integer_field(100)}), "db_refused");
    EXPECT_EQ(connection->diagnosis().copy_row, 2);
  }
  ASSERT_OK(copy("t", {"id"}, {integer_field(2)}));
  ASSERT_OK(transaction->commit());
  EXPECT_EQ(integer("SELECT sum(id) FROM t"), 102);
}

TEST_P(ConformanceCopy, UnknownTablesAndColumnsAreRefused) {
  ASSERT_OK(connection->run("CREATE TABLE t (id integer)"));
  EXPECT_FAILS(copy("missing", {"id"}, {integer_field(1)}), "db_error");
  EXPECT_EQ(connection->diagnosis().sqlstate, "42P01");
  EXPECT_FAILS(copy("t", {"id", "missing"}, {integer_field(1) + integer_field(1)}), "db_error");
  EXPECT_EQ(connection->diagnosis().sqlstate, "42703");
  EXPECT_OK(copy("t", {"id"}, {integer_field(1)}));
}

TEST_P(ConformanceCopy, HostileNamesAreOnlyNames) {
  const std::string table = "t\"; DROP TABLE x; --, line 77";
  const std::string column = "a \"b\", $1 'ü' 名";
  ASSERT_OK(connection->run("CREATE TABLE " + Connection::quote_name(table) + " (" + Connection::quote_name(column) +
                            " integer UNIQUE)"));
  ASSERT_OK(copy(table, {column}, {integer_field(1)}));
  ASSERT_FAILS(copy(table, {column}, {integer_field(2), integer_field(3), integer_field(1)}), "db_refused");
  EXPECT_EQ(connection->diagnosis().copy_row, 3);
  EXPECT_EQ(connection->diagnosis().table, table);
  EXPECT_EQ(connection->diagnosis().constraint, connection->describe(table).value()->unique_indexes.front().name);
}

TEST_P(ConformanceCopy, TheConsumersErrorStopsTheCopy) {
  int rows = 0;
  const auto result =
      connection->copy_out(pick("WITH RECURSIVE r (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT n FROM r",
                                "SELECT generate_series(1, 1000000000)"),
                           [&](std::string_view) -> Result<void> {
                             if (++rows < 3) return {};
                             return fail("enough", "three rows are enough");
                           });
  EXPECT_FAILS(result, "enough");
  EXPECT_EQ(rows, 3);
  EXPECT_EQ(integer("SELECT 1"), 1);
}

TEST_P(ConformanceCopy, CopyOutOfAWrongStatementFails) {
  EXPECT_FAILS(connection->copy_out("SELECT missing", [](std::string_view) -> Result<void> { return {}; }), "db_error");
  EXPECT_EQ(integer("SELECT 1"), 1);
}

}  // namespace
}  // namespace lade::db
