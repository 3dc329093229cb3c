// Values of data columns as bytes of the database: written, stored and read back as the database itself would.
#include "analysis/wire_codec.h"

#include <fmt/format.h>

#include "analysis/convert.h"
#include "testing/database_test.h"

namespace lade::analysis {
namespace {

using definition::Type;
using definition::TypeKind;

const Type kText{TypeKind::text}, kInteger{TypeKind::integer}, kBoolean{TypeKind::boolean}, kDate{TypeKind::date},
    kTimestamp{TypeKind::timestamp}, kUuid{TypeKind::uuid}, kJson{TypeKind::json};
Type decimal(int precision, int scale) {
  return {TypeKind::decimal, precision, scale};
}

// A cell of plain text; `text` outlives it.
Cell cell_of(std::string_view text, const Type& type) {
  ColumnProgram column;
  column.type = type;
  Cell cell;
  const CastFault fault = cast_text(column, text, cell);
  EXPECT_FALSE(fault) << text << " as " << to_string(type) << ": " << fault.code;
  return cell;
}

struct Pair {
  Type type;
  std::string column;  // its declaration
  std::vector<std::string> values;
  // The database may keep another spelling of the same value (padding, JSON); only same_value() must see through it.
  bool respelled = false;
};

const std::vector<std::string> kDecimals = {"0",      "-0.0001",    "0.0001",    "9999.9999",     "10000",
                                            "-10000", "12345678.9", "100000000", "0.1",           "-1",
                                            "1234.5", "1000.5",     "99.99",     "-99999999.9999"};
const std::vector<std::string> kTexts = {
    "a",   "Zürich", "日本語 😀", "a'b\"c\\d", "line\nbreak\ttab",    "  spaces  ", "NULL", "\\N", "-",
    "123", "1e5",    "0x1F",     "'=1+1",     std::string(5000, 'x')};
const std::vector<std::string> kDates = {"0001-01-01", "1582-10-15", "1969-12-31", "1970-01-01",
                                         "1999-12-31", "2000-01-01", "2024-02-29", "9999-12-31"};
const std::vector<std::string> kTimestamps = {"0001-01-01T00:00:00Z",     "1969-12-31T23:59:59.999999Z",
                                              "1970-01-01T00:00:00Z",     "2000-01-01T00:00:00.000001Z",
                                              "2024-02-29T12:34:56.789Z", "9999-12-31T23:59:59.999999Z"};
const std::vector<std::string> kUuids = {"00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff",
                                         "123e4567-e89b-12d3-a456-426614174000"};
const std::vector<std::string> kIntegers = {"0", "1", "-1", "255", "256", "-256", "32767", "-32768"};
const std::vector<std::string> kLongs = {
    "0", "-1", "100000", "10000000000000000", "9223372036854775807", "-9223372036854775808"};

std::vector<Pair> postgresql_pairs() {
  return {{kInteger, "smallint", kIntegers},
          {kInteger, "integer", {"0", "-1", "2147483647", "-2147483648"}},
          {kInteger, "bigint", kLongs},
          {kInteger, "numeric", kLongs},
          {kInteger, "numeric(24,4)", kLongs},
          {kInteger, "text", kLongs},
          {kInteger, "real", {"0", "-1", "100000", "16777216"}},
          {kInteger, "double precision", {"0", "-1", "100000", "1000000", "9007199254740992"}},
          {decimal(14, 4), "numeric(14,4)", kDecimals},
          {decimal(14, 4), "numeric(20,6)", kDecimals},
          {decimal(14, 4), "numeric", kDecimals},
          {decimal(14, 4), "text", kDecimals},
          {decimal(14, 4), "double precision", kDecimals},
          {decimal(10, 2), "real", {"0", "0.1", "-0.25", "1234.5", "100000", "0.07"}},
          {decimal(38, 0),
           "numeric(38,0)",
           {"0", "99999999999999999999999999999999999999", "-99999999999999999999999999999999999999",
            "100000000000000000000"}},
          {decimal(38, 38),
           "numeric(38,38)",
           {"0", "0.00000000000000000000000000000000000001", "-0.99999999999999999999999999999999999999"}},
          {decimal(38, 19),
           "numeric(38,19)",
           {"0.0000000000000000001", "1234567890123456789.0123456789012345678", "-1", "10000"}},
          {decimal(3, 1), "numeric(3,1)", {"0.1", "99.9", "-10"}},
          {decimal(5, 3), "numeric(5,3)", {"0.001", "99.999", "10", "1.1"}},
          {kBoolean, "boolean", {"true", "false"}},
          {kBoolean, "smallint", {"true", "false"}},
          {kBoolean, "bigint", {"true", "false"}},
          {kDate, "date", kDates},
          {kDate, "text", kDates},
          {kDate, "timestamp", kDates},
          {kDate, "timestamptz", kDates},
          {kTimestamp, "timestamp", kTimestamps},
          {kTimestamp, "timestamptz", kTimestamps},
          {kTimestamp, "text", kTimestamps},
          {kTimestamp,
           "timestamp(0)",
           {"2024-02-29T12:34:56.789Z", "1999-12-31T23:59:59.5Z", "1969-12-31T23:59:58.5Z", "2000-01-01T00:00:00Z"},
           true},
          {kTimestamp,
           "timestamptz(3)",
           {"2024-02-29T12:34:56.789999Z", "1999-12-31T23:59:59.000499Z", "2001-01-01T00:00:00.0005Z"},
           true},
          {kUuid, "uuid", kUuids},
          {kUuid, "text", kUuids},
          {kUuid, "varchar(36)", kUuids},
          {kText, "text", kTexts},
          {kText, "varchar(6000)", kTexts},
          {kText, "char(10)", {"a", "Zürich", "exactly10c", "1", "a b"}, true},
          {kJson, "text", {"{\"b\": 1, \"a\": [1, 2.50, null]}"}},
          {kJson, "json", {"{\"b\": 1, \"a\": [1, 2.50, null]}", "7", "\"\\u00e4\""}},
          {kJson,
           "jsonb",
           {"{\"b\":1,  \"a\": [1, 2.5, null, true]}", "7", "\"\\u00e4\"", "[]", "{\"a\": 1, \"a\": 2}"},
           true}};
}

std::vector<Pair> sqlite_pairs() {
  return {{kInteger, "INTEGER", kLongs},
          {kInteger, "NUMERIC", kLongs},
          {kInteger, "REAL", {"0", "-1", "100000", "9007199254740992"}},
          {kInteger, "TEXT", kLongs},
          {decimal(14, 4), "TEXT", kDecimals},
          {decimal(14, 4), "REAL", kDecimals},
          {decimal(14, 4), "NUMERIC", kDecimals},
          {decimal(14, 4), "INTEGER", kDecimals},
          {decimal(14, 4), "BLOB", kDecimals},
          {decimal(38, 0), "NUMERIC", {"100000000000000000000", "9223372036854775807", "9223372036854775808"}},
          {kBoolean, "BOOLEAN", {"1", "0"}},
          {kBoolean, "INTEGER", {"1", "0"}},
          {kBoolean, "REAL", {"1", "0"}},
          {kDate, "TEXT", kDates},
          {kDate, "DATE", kDates},
          {kDate, "BLOB", kDates},
          {kTimestamp, "TEXT", kTimestamps},
          {kTimestamp, "DATETIME", kTimestamps},
          {kUuid, "TEXT", kUuids},
          {kUuid, "UUID", kUuids},
          {kText, "TEXT", kTexts},
          {kText, "VARCHAR(10)", kTexts},
          {kText, "", kTexts},
          {kText, "TEXT COLLATE NOCASE", kTexts},
          {kJson, "TEXT", {"{\"b\": 1,  \"a\": [1, 2.50, null]}", "7"}},
          {kJson, "", {"[]", "7"}}};
}

class WireCodec : public testing::DatabaseTest {
 protected:
  // The bytes of t.v in the row `id`, as copy_out gives them.
  std::string stored_field(int id) {
    std::string field;
    EXPECT_OK(connection->copy_out(fmt::format("SELECT v FROM t WHERE id = {}", id),
                                   [&](std::string_view tuple) -> Result<void> {
                                     field = tuple;
                                     return {};
                                   }));
    return field;
  }
  db::Column make_table(const std::string& declaration) {
    EXPECT_OK(connection->run("DROP TABLE IF EXISTS t; CREATE TABLE t (id integer, v " + declaration + ")"));
    auto table = connection->describe("t");
    EXPECT_OK(table);
    return (*table)->columns[1];
  }
  // Row 1: by lade's bytes.
  void copy(const std::string& field) {
    std::string id;
    if (is_sqlite()) {
      db::append_sqlite_integer(id, 1);
    } else {
      db::append_big_endian<std::int32_t>(id, 4);
      db::append_big_endian<std::int32_t>(id, 1);
    }
    testing::Tuples tuples({id + field});
    const std::vector<std::string> columns{"id", "v"};
    EXPECT_OK(connection->copy_in("t", columns, tuples));
  }
  // Row 2: the same value by plain SQL, converted by the database.
  void insert(const std::string& text, const std::string& declaration) {
    const std::vector<db::Value> parameters{text};
    const std::string value = is_sqlite() ? "$1" : "CAST($1::text AS " + declaration + ")";
    EXPECT_OK(connection->execute("INSERT INTO t (id, v) VALUES (2, " + value + ")", parameters));
  }
  void check(const Pair& pair, const std::string& text);
};
LADE_ON_BOTH_DATABASES(WireCodec);

void WireCodec::check(const Pair& pair, const std::string& text) {
  SCOPED_TRACE(fmt::format("{} as {} into '{}'", text.substr(0, 60), to_string(pair.type), pair.column));
  const db::Column column = make_table(pair.column);
  const auto form = wire_form(pair.type, column);
  ASSERT_TRUE(form);
  const Cell cell = cell_of(text, pair.type);
  std::string field;
  ASSERT_TRUE(append_value(field, cell, pair.type, *form));
  copy(field);
  const bool number_of_boolean = pair.type.kind == TypeKind::boolean && column.wire != db::WireType::boolean;
  insert(number_of_boolean ? std::to_string(static_cast<int>(cell.number)) : to_text(cell, pair.type), pair.column);

  const auto shown = connection->query("SELECT CAST(v AS text) FROM t ORDER BY id");
  ASSERT_OK(shown);
  EXPECT_EQ((*shown)[0][0], (*shown)[1][0]);

  std::string by_lade = stored_field(1), by_database = stored_field(2);
  EXPECT_EQ(by_lade, by_database);
  if (!pair.respelled) {
    EXPECT_EQ(field, by_database);
  }
  EXPECT_TRUE(field == by_database || !is_stored_as_written(column));
  std::string_view rest = field, stored = by_database;
  const db::WireField written = db::take_field(rest), read = db::take_field(stored);
  EXPECT_TRUE(rest.empty());
  EXPECT_TRUE(same_value(written, read, column)) << "a stored row would never be unchanged";
  TextArena arena;
  Cell decoded;
  ASSERT_TRUE(decode_value(read, column.wire, pair.type, arena, decoded));
  if (!pair.respelled) {
    EXPECT_EQ(to_text(decoded, pair.type), to_text(cell, pair.type));
  }
}

TEST_P(WireCodec, WritesWhatTheDatabaseItselfWouldStoreAndReadsItBack) {
  for (const Pair& pair : is_sqlite() ? sqlite_pairs() : postgresql_pairs())
    for (const std::string& text : pair.values) check(pair, text);
}

TEST_P(WireCodec, RefusesPairsThatCannotHoldTheValues) {
  struct Case {
    Type type;
    const char* sqlite;
    const char* postgresql;
  };
  const Case cases[] = {{kText, "INTEGER", "integer"},
                        {kText, "NUMERIC", "numeric"},
                        {kText, "REAL", "date"},
                        {kText, "DATE", "uuid"},
                        {kDate, "INTEGER", "integer"},
                        {kDate, "REAL", "boolean"},
                        {kTimestamp, "INTEGER", "date"},
                        {kUuid, "INTEGER", "bigint"},
                        {kJson, "INTEGER", "integer"},
                        {kBoolean, "TEXT", "text"},
                        {kInteger, nullptr, "boolean"},
                        {kInteger, nullptr, "date"},
                        {decimal(5, 2), nullptr, "bigint"},
                        {decimal(5, 3), nullptr, "numeric(10,2)"},
                        {kText, nullptr, "bytea"}};
  for (const Case& pair : cases) {
    const char* declaration = is_sqlite() ? pair.sqlite : pair.postgresql;
    if (declaration == nullptr) continue;
    EXPECT_FALSE(wire_form(pair.type, make_table(declaration))) << to_string(pair.type) << " into " << declaration;
  }
}

TEST(WireCodecRange, ValuesThatDoNotFitTheColumnAreNotWritten) {
  for (const auto& [wire, text] : {std::pair(db::WireType::int2, "32768"),
                                   {db::WireType::int2, "-32769"},
                                   {db::WireType::int4, "2147483648"},
                                   {db::WireType::int4, "-2147483649"}}) {
    std::string field;
    EXPECT_FALSE(append_value(field, cell_of(text, kInteger), kInteger, {wire})) << text;
  }
}

// Numbers that other programs stored and that no cell of lade can hold: told apart, never misread.
TEST(WireCodecNumeric, StoredNumbersBeyondTheTypeAreNotDecoded) {
  testing::FreshDatabase database(db::Backend::postgresql);
  const auto connection = database.connect();
  const auto decodes = [&](const std::string& number, const Type& type) {
    bool decoded = false;
    EXPECT_OK(connection->copy_out("SELECT " + number + "::numeric", [&](std::string_view tuple) -> Result<void> {
      TextArena arena;
      Cell cell;
      decoded = decode_value(db::take_field(tuple), db::WireType::numeric, type, arena, cell);
      return {};
    }));
    return decoded;
  };
  EXPECT_TRUE(decodes("12345678901234567890123456789012345678", decimal(38, 0)));
  EXPECT_TRUE(decodes("1.50000000000", decimal(38, 1)));
  for (const char* number : {"1e38", "1e39", "1e40", "1e200", "-1e39", "9999e36", "'NaN'", "'Infinity'", "1e-50", "1.5",
                             "1e-200", "0.00001"})
    EXPECT_FALSE(decodes(number, decimal(38, 0))) << number;
  EXPECT_FALSE(decodes("1e30", decimal(38, 19)));
}

}  // namespace
}  // namespace lade::analysis
