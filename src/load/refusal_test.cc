// Rows that the database refuses: exactly these fail, everything else goes in.
#include <fmt/format.h>

#include <random>
#include <set>

#include "testing/database_test.h"
#include "testing/staged.h"

namespace lade::load {
namespace {

using model::Outcome;

class Refusal : public testing::DatabaseTest {
 protected:
  std::shared_ptr<const analysis::Program> bound(const std::string& yaml, const std::string& csv) {
    auto program = analysis::bind(testing::definition_of(yaml), testing::header_of(csv), *connection, {});
    EXPECT_OK(program);
    return *program;
  }
  testing::Loaded loaded(const std::string& yaml, const std::string& csv, std::size_t slice_bytes = 1 << 20) {
    const auto program = bound(yaml, csv);
    return testing::load_all(*program, testing::analyse(*program, csv, *connection).rows, *connection, slice_bytes);
  }
  std::set<std::int64_t> stored_keys(const std::string& table = "item") {
    auto rows = connection->query("SELECT k FROM " + table);
    EXPECT_OK(rows);
    std::set<std::int64_t> keys;
    for (const db::Row& row : *rows) keys.insert(std::get<std::int64_t>(row[0]));
    return keys;
  }
};
LADE_ON_BOTH_DATABASES(Refusal);

const std::string kYaml =
    "columns: {k: {type: integer}, u: , fk: {type: integer}, c: {type: integer}, n: , r: }\nload: [{table: item, key: "
    "k}]\n";

// Each way a database refuses a row, and how a row provokes it.
struct Fault {
  const char* code;
  const char* cells;  // u, fk, c, n, r
};
const Fault kFaults[] = {{"unique_violation", "taken,1,1,x,x"},
                         {"foreign_key_violation", "{0},99,1,x,x"},
                         {"check_violation", "{0},1,-1,x,x"},
                         {"not_null", "{0},1,1,,x"},
                         {"database_refused", "{0},1,1,x,raise"}};

TEST_P(Refusal, ExactlyTheGuiltyRowsFail) {
  ASSERT_OK(connection->run(
      "CREATE TABLE other (id integer PRIMARY KEY); INSERT INTO other VALUES (1);"
      "CREATE TABLE item (k integer PRIMARY KEY, u text UNIQUE, fk integer REFERENCES other, c integer CHECK (c >= 0), "
      "n text NOT NULL, r text);"
      "INSERT INTO item VALUES (-1, 'taken', 1, 1, 'x', 'x');" +
      pick(
          "CREATE TRIGGER t BEFORE INSERT ON item WHEN NEW.r = 'raise' BEGIN SELECT RAISE(ABORT, 'not this one'); END;",
          "CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF NEW.r = 'raise' THEN RAISE 'not this "
          "one'; END IF; RETURN NEW; END $$;"
          "CREATE TRIGGER t BEFORE INSERT ON item FOR EACH ROW EXECUTE FUNCTION f();")));
  std::mt19937_64 random(3);
  for (const std::size_t slice_bytes : {std::size_t{1}, std::size_t{3000}, std::size_t{1} << 20}) {
    SCOPED_TRACE(slice_bytes);
    ASSERT_OK(connection->run("DELETE FROM item WHERE k >= 0"));
    std::string csv = "k,u,fk,c,n,r\n";
    std::map<std::int64_t, std::string> expected;
    std::set<std::int64_t> keys{-1};
    for (int row = 1; row <= 300; ++row) {
      if (random() % 25 == 0) {
        const Fault& fault = kFaults[random() % std::size(kFaults)];
        expected[row] = fault.code;
        csv += fmt::format("{},{}\n", 1000 - row, fmt::format(fmt::runtime(fault.cells), fmt::format("u{}", row)));
      } else {
        keys.insert(1000 - row);
        csv += fmt::format("{},u{},1,1,x,x\n", 1000 - row, row);
      }
    }
    ASSERT_GE(expected.size(), 6u);
    const testing::Loaded result = loaded(kYaml, csv, slice_bytes);
    EXPECT_EQ(result.findings, expected);
    EXPECT_EQ(result.counts[Outcome::failed], static_cast<std::int64_t>(expected.size()));
    EXPECT_EQ(result.counts[Outcome::inserted], 300 - static_cast<std::int64_t>(expected.size()));
    EXPECT_EQ(stored_keys(), keys);
  }
}

TEST_P(Refusal, UpdatesAreRefusedRowByRowToo) {
  ASSERT_OK(connection->run(
      "CREATE TABLE item (k integer PRIMARY KEY, u text UNIQUE, c integer CHECK (c >= 0), n text NOT NULL)"));
  std::string csv = "k,u,c,n\n";
  for (int k = 0; k < 32; ++k) {
    ASSERT_OK(connection->run(fmt::format("INSERT INTO item VALUES ({}, 'u{}', 1, 'old')", k, k)));
    csv += k == 10   ? "10,u31,2,new\n"
           : k == 20 ? "20,u20,-2,new\n"
           : k == 30 ? "30,u30,2,\n"
                     : fmt::format("{},u{},2,new\n", k, k);
  }
  const auto result = loaded(
      "columns: {k: {type: integer}, u: , c: {type: integer}, n: }\nload: [{table: item, key: k, strategy: "
      "insert_or_replace}]\n",
      csv);
  EXPECT_EQ(result.findings, (std::map<std::int64_t, std::string>{
                                 {11, "unique_violation"}, {21, "check_violation"}, {31, "not_null_violation"}}));
  EXPECT_EQ(result.counts[Outcome::updated], 29);
  EXPECT_EQ(integer("SELECT count(*) FROM item WHERE n = 'new' AND c = 2"), 29);
  EXPECT_EQ(integer("SELECT count(*) FROM item WHERE n = 'old' AND c = 1"), 3);
}

// A value or a key that not even a temporary table of the same columns takes costs its row, not the bucket.
TEST(RefusalOnPostgresql, ValuesBeyondTheColumnsRangeCostTheirRow) {
  testing::FreshDatabase database(db::Backend::postgresql);
  const auto connection = database.connect();
  ASSERT_OK(connection->run(
      "CREATE TYPE size AS ENUM ('s', 'm'); CREATE TABLE item (k numeric(6,2) PRIMARY KEY, n numeric(6,2), e size);"
      "INSERT INTO item VALUES (3, 1, 's'), (5, 1, 'm')"));
  const std::string csv = "k,n,e\n1,1,s\n2,12345.67,s\n3,2,m\n4,2,huge\n98765.43,2,m\n5,99999.99,s\n6,1,m\n";
  for (const std::string partition : {"range", "hash"}) {
    auto program =
        analysis::bind(testing::definition_of("columns: {k: {type: \"decimal(14,2)\"}, n: {type: \"decimal(14,2)\"}, "
                                              "e: }\nload: [{table: item, key: k}]\npartition: " +
                                              partition + "\n"),
                       testing::header_of(csv), *connection, {});
    ASSERT_OK(program);
    const auto result = testing::load_all(**program, testing::analyse(**program, csv, *connection).rows, *connection);
    EXPECT_EQ(result.findings,
              (std::map<std::int64_t, std::string>{
                  {2, "database_refused"}, {4, "database_refused"}, {5, "database_refused"}, {6, "database_refused"}}))
        << partition;
    const auto stored = connection->query("SELECT string_agg(k || e::text, ' ' ORDER BY k) FROM item");
    ASSERT_OK(stored);
    EXPECT_EQ(stored->front().front(), db::Value("1.00s 3.00m 5.00m 6.00m"));
    ASSERT_OK(connection->run("DELETE FROM item WHERE k IN (1, 6); UPDATE item SET n = 1, e = 's' WHERE k = 3"));
  }
}

// Of two rows that want the same unique value one goes in, whichever; the other fails.
TEST_P(Refusal, RowsThatExcludeEachOther) {
  ASSERT_OK(connection->run("CREATE TABLE item (k integer PRIMARY KEY, u text UNIQUE)"));
  std::string csv = "k,u\n";
  for (int k = 0; k < 100; ++k) csv += fmt::format("{},u{}\n", k, k % 90);
  const auto result = loaded("columns: {k: {type: integer}, u: }\nload: [{table: item, key: k}]\n", csv);
  EXPECT_EQ(result.counts[Outcome::inserted], 90);
  EXPECT_EQ(result.counts[Outcome::failed], 10);
  EXPECT_EQ(integer("SELECT count(DISTINCT u) FROM item"), 90);
}

TEST_P(Refusal, DeferredForeignKeysCannotEscape) {
  ASSERT_OK(
      connection->run("CREATE TABLE other (id integer PRIMARY KEY); INSERT INTO other VALUES (1);"
                      "CREATE TABLE item (k integer PRIMARY KEY, fk integer REFERENCES other DEFERRABLE INITIALLY "
                      "DEFERRED, parent integer REFERENCES item DEFERRABLE INITIALLY DEFERRED)"));
  std::string csv = "k,fk,parent\n";
  for (int k = 0; k < 50; ++k)
    csv += fmt::format("{},{},{}\n", k, k == 7 || k == 33 ? 5 : 1,
                       k == 20                       ? "777"
                       : k < 49 && k != 6 && k != 32 ? std::to_string(k + 1)
                                                     : "");
  // Row k refers to row k + 1, which stands behind it: allowed only because the check is deferred.
  const auto result = loaded(
      "columns: {k: {type: integer}, fk: {type: integer}, parent: {type: integer}}\nload: [{table: item, key: k}]\n",
      csv);
  EXPECT_TRUE(result.findings.contains(8) && result.findings.contains(34) && result.findings.contains(21));
  for (const auto& [row, code] : result.findings) EXPECT_EQ(code, "foreign_key_violation") << row;
  EXPECT_EQ(result.counts[Outcome::failed], static_cast<std::int64_t>(result.findings.size()));
  EXPECT_EQ(integer("SELECT count(*) FROM item"), 50 - result.counts[Outcome::failed]);
}

// Tables with foreign keys are filled in portions: the refused row is found in whichever it stands.
TEST_P(Refusal, OneBadRowOfManyCostsOneRowWhereForeignKeysAreChecked) {
  ASSERT_OK(connection->run(
      "CREATE TABLE other (id integer PRIMARY KEY); INSERT INTO other VALUES (1);"
      "CREATE TABLE item (k integer PRIMARY KEY, fk integer REFERENCES other, n integer CHECK (n > 0))"));
  std::string csv = "k,fk,n\n";
  for (int k = 1; k <= 1200; ++k) csv += fmt::format("{},{},{}\n", k, k == 900 ? 5 : 1, k == 850 ? 0 : 1);
  const auto result = loaded(
      "columns: {k: {type: integer}, fk: {type: integer}, n: {type: integer}}\nload: [{table: item, key: k}]\n", csv);
  EXPECT_EQ(result.findings,
            (std::map<std::int64_t, std::string>{{850, "check_violation"}, {900, "foreign_key_violation"}}));
  EXPECT_EQ(integer("SELECT count(*) FROM item"), 1198);
}

// Row k refers to row k + 1, far behind it: one statement holds both.
TEST_P(Refusal, RowsMayReferToLaterOnesOfTheirTable) {
  ASSERT_OK(connection->run("CREATE TABLE item (k integer PRIMARY KEY, parent integer REFERENCES item)"));
  std::string csv = "k,parent\n";
  for (int k = 1; k <= 1200; ++k) csv += fmt::format("{},{}\n", k, k + 600 <= 1200 ? std::to_string(k + 600) : "");
  const auto result =
      loaded("columns: {k: {type: integer}, parent: {type: integer}}\nload: [{table: item, key: k}]\n", csv);
  EXPECT_TRUE(result.findings.empty());
  EXPECT_EQ(integer("SELECT count(*) FROM item"), 1200);
}

TEST_P(Refusal, TheReasonNamesColumnAndConstraint) {
  ASSERT_OK(
      connection->run("CREATE TABLE item (k integer PRIMARY KEY, c integer CONSTRAINT not_negative CHECK (c >= 0))"));
  const std::string csv = "k,c\n1,-5\n";
  const auto program = bound("columns: {k: {type: integer}, c: {type: integer}}\nload: [{table: item, key: k}]\n", csv);
  testing::StagedRows staged(testing::analyse(*program, csv, *connection).rows, 1);
  Settler settler = staged.settler(*program);
  Loader loader(*program, *connection);
  ASSERT_OK(loader.prepare());
  auto transaction = db::Transaction::begin(*connection);
  ASSERT_OK(transaction);
  staging::IssueWriter writer(staged.log);
  Slice slice;
  model::RowCounts counts;
  ASSERT_OK(settler.next(slice, writer, counts));
  ASSERT_OK(loader.load(slice, writer, counts));
  staging::IssueCounts ignored;
  ASSERT_OK(writer.publish(ignored));
  staging::IssueReader reader(staged.log);
  staging::Finding finding;
  ASSERT_OK(reader.next(finding));
  EXPECT_EQ(finding.issue.code, "check_violation");
  EXPECT_NE(finding.issue.hint.find("not_negative"), std::string::npos) << finding.issue.hint;
  EXPECT_EQ(finding.place.row_id, 1u);
}

// Several tables, the second refers to ids that the first draws.
const std::string kFamily =
    "columns: {tax: , name: , city: , n: {type: integer}}\n"
    "load:\n  - {table: unit, key: tax, columns: [tax, name]}\n"
    "  - {table: address, key: [unit_id, n], columns: {unit_id: {ref: unit.id}, n: , city: }}\n";

TEST_P(Refusal, ReferencesFollowTheirRowsAndAllTablesOrNoneAreWritten) {
  ASSERT_OK(connection->run(pick("CREATE TABLE unit (id INTEGER PRIMARY KEY, tax TEXT UNIQUE, name TEXT NOT NULL);",
                                 "CREATE TABLE unit (id serial PRIMARY KEY, tax text UNIQUE, name text NOT NULL);") +
                            "CREATE TABLE address (id2 integer, unit_id integer NOT NULL REFERENCES unit (id), n "
                            "integer NOT NULL, city text CHECK (city <> 'nowhere'), PRIMARY KEY (unit_id, n));"
                            "INSERT INTO unit (id, tax, name) VALUES (100, 't5', 'old five')"));
  if (!is_sqlite()) {
    ASSERT_OK(connection->run("SELECT setval(pg_get_serial_sequence('unit', 'id'), 100)"));
  }
  std::string csv = "tax,name,city,n\n";
  for (int i = 0; i < 30; ++i)
    csv += fmt::format("t{},name {},{},{}\n", i % 10, i % 10, i == 13 ? "nowhere" : fmt::format("city {}", i), i / 10);
  csv += "lonely,name,nowhere,1\n,no key,x,1\n";
  for (const std::string partition : {"range", "hash"}) {
    SCOPED_TRACE(partition);
    ASSERT_OK(
        connection->run("DELETE FROM address; DELETE FROM unit WHERE id <> 100; UPDATE unit SET name = 'old five'"));
    const auto result = loaded(kFamily + "partition: " + partition + "\n", csv, 500);
    EXPECT_EQ(result.findings, (std::map<std::int64_t, std::string>{{14, "check_violation"}, {31, "check_violation"}}));
    EXPECT_EQ(result.counts[Outcome::failed], 2);
    EXPECT_EQ(integer("SELECT count(*) FROM unit"), 10) << "the unit of a refused row alone is not written";
    EXPECT_EQ(integer("SELECT count(*) FROM address"), 29);
    EXPECT_EQ(integer("SELECT count(*) FROM unit u JOIN address a ON a.unit_id = u.id WHERE u.name = 'name ' || "
                      "substr(u.tax, 2)"),
              29);
    EXPECT_EQ(integer("SELECT count(*) FROM address WHERE unit_id = 100"), 3) << "a stored unit keeps its id";
    const auto again = loaded(kFamily + "partition: " + partition + "\n", csv);
    EXPECT_EQ(again.counts[Outcome::unchanged], 29);
    EXPECT_EQ(again.counts[Outcome::inserted] + again.counts[Outcome::updated], 0);
  }
}

}  // namespace
}  // namespace lade::load
