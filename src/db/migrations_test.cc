#include "db/migrations.h"

#include <gmock/gmock.h>

#include <thread>

#include "testing/database_test.h"

namespace lade::db {
namespace {

using ::testing::ElementsAre;
using MigrationsTest = testing::DatabaseTest;
LADE_ON_BOTH_DATABASES(MigrationsTest);

constexpr Migration kFirst{1, "people", "CREATE TABLE person (id integer); INSERT INTO person VALUES (1)",
                           "CREATE TABLE person (id integer); INSERT INTO person VALUES (1)"};
constexpr Migration kSecond{2, "names", "ALTER TABLE person ADD COLUMN name text",
                            "ALTER TABLE person ADD COLUMN name text"};
constexpr Migration kThird{3, "double", "UPDATE person SET id = id * 2", "UPDATE person SET id = id * 2"};
constexpr Migration kAll[] = {kFirst, kSecond, kThird};

TEST_P(MigrationsTest, MissingOnesRunInOrderOnce) {
  const auto before = schema_state(*connection, kAll);
  ASSERT_OK(before);
  EXPECT_EQ(before->version, 0);
  EXPECT_EQ(before->known, 3);
  EXPECT_THAT(before->missing, ElementsAre("people", "names", "double"));
  EXPECT_THAT(connection->table_names().value(), ElementsAre());

  EXPECT_EQ(migrate(*connection, std::span(kAll).first(1)).value(), 1);
  EXPECT_EQ(migrate(*connection, kAll).value(), 2);
  EXPECT_EQ(migrate(*connection, kAll).value(), 0);
  EXPECT_EQ(integer("SELECT id FROM person"), 2);
  EXPECT_TRUE(schema_state(*connection, kAll).value().is_current());
  const auto lines = connection->query("SELECT version, name FROM lade_schema_version ORDER BY version");
  ASSERT_OK(lines);
  EXPECT_EQ(*lines, (std::vector<Row>{{std::int64_t{1}, std::string("people")},
                                      {std::int64_t{2}, std::string("names")},
                                      {std::int64_t{3}, std::string("double")}}));
}

TEST_P(MigrationsTest, ANewerDatabaseIsRefused) {
  ASSERT_OK(migrate(*connection, kAll));
  const auto refused = migrate(*connection, std::span(kAll).first(2));
  ASSERT_FAILS(refused, "schema_too_new");
  EXPECT_EQ(refused.error().kind, ErrorKind::invalid);
  EXPECT_THAT(refused.error().message, ::testing::HasSubstr("version 3, this one knows 2"));
  EXPECT_FAILS(schema_state(*connection, std::span(kAll).first(2)), "schema_too_new");
}

TEST_P(MigrationsTest, AChangedMigrationIsRefused) {
  ASSERT_OK(migrate(*connection, std::span(kAll).first(2)));
  const Migration changed[] = {kFirst, {2, "names", "SELECT 1", "SELECT 1"}, kThird};
  EXPECT_FAILS(migrate(*connection, changed), "schema_changed");
  EXPECT_EQ(integer("SELECT id FROM person"), 1);
}

TEST_P(MigrationsTest, AFailingOneLeavesNothingOfItself) {
  const Migration failing[] = {kFirst,
                               {2, "broken", "CREATE TABLE extra (a integer); INSERT INTO missing VALUES (1)",
                                "CREATE TABLE extra (a integer); INSERT INTO missing VALUES (1)"}};
  const auto failed = migrate(*connection, failing);
  ASSERT_FAILS(failed, "db_error");
  EXPECT_THAT(failed.error().message, ::testing::StartsWith("migration 2 (broken): "));
  EXPECT_EQ(schema_state(*connection, kAll).value().version, 1);
  EXPECT_FALSE(connection->describe("extra").value().has_value());
  EXPECT_FALSE(connection->in_transaction());
}

TEST_P(MigrationsTest, SeveralProgramsAtOnceRunEachOnce) {
  std::atomic<int> ran = 0, failures = 0;
  {
    std::vector<std::jthread> programs;
    for (int i = 0; i < 4; ++i)
      programs.emplace_back([&] {
        const auto own = database.connect();
        const auto count = migrate(*own, kAll);
        if (count) {
          ran += *count;
        } else {
          ++failures;
        }
      });
  }
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(ran, 3);
  EXPECT_EQ(integer("SELECT id FROM person"), 2);
}

TEST_P(MigrationsTest, TheTableMayHaveAnotherName) {
  ASSERT_OK(migrate(*connection, kAll, "other \"versions\""));
  EXPECT_TRUE(schema_state(*connection, kAll, "other \"versions\"").value().is_current());
  EXPECT_EQ(schema_state(*connection, kAll).value().version, 0);
}

}  // namespace
}  // namespace lade::db
