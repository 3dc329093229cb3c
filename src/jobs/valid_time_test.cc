// S16: for which time the rows of a job hold, and who says so.
#include "jobs/valid_time.h"

#include "testing/analysed.h"
#include "testing/database_test.h"

namespace lade::jobs {
namespace {

definition::Definition with_time(std::string_view valid_time_from) {
  return testing::definition_of("mode: legal_unit\nstrategy: insert_only\nvalid_time_from: " +
                                std::string(valid_time_from) + "\nsteps: {valid_time: {priority: 10}}\n");
}

ImportOptions given(std::string context, std::string from, std::string to) {
  ImportOptions options;
  options.time_context_ident = std::move(context);
  options.default_valid_from = std::move(from);
  options.default_valid_to = std::move(to);
  return options;
}

std::string refusal(const definition::Definition& definition, const ImportOptions& options) {
  const auto checked = check_valid_time(definition, options);
  return checked ? "" : checked.error().code;
}

TEST(ValidTime, OfTheJobIsAContextOrBothDates) {
  const auto definition = with_time("job_provided");
  EXPECT_EQ(refusal(definition, given("2024", "", "")), "");
  EXPECT_EQ(refusal(definition, given("", "2024-01-01", "2024-12-31")), "");
  EXPECT_EQ(refusal(definition, given("", "2024-01-01", "2024-01-01")), "");
  EXPECT_EQ(refusal(definition, given("", "2024-01-01", "infinity")), "");
  EXPECT_EQ(refusal(definition, given("", "", "")), "valid_time_missing");
  EXPECT_EQ(refusal(definition, given("", "2024-01-01", "")), "valid_time_missing");
  EXPECT_EQ(refusal(definition, given("", "", "2024-01-01")), "valid_time_missing");
  EXPECT_EQ(refusal(definition, given("2024", "2024-01-01", "2024-12-31")), "valid_time_ambiguous");
  EXPECT_EQ(refusal(definition, given("2024", "", "2024-12-31")), "valid_time_ambiguous");
  EXPECT_EQ(refusal(definition, given("", "2024-02-01", "2024-01-31")), "valid_time_invalid");
  for (const char* day : {"2024-02-30", "01.02.2024", "2024", "infinity", "-infinity", "2024-1-1", "2024-01-01T00:00"})
    EXPECT_EQ(refusal(definition, given("", day, "infinity")), "valid_time_invalid") << day;
}

TEST(ValidTime, OfTheFileIsNotGivenByTheJob) {
  for (const auto& definition :
       {with_time("source_columns"), testing::definition_of("columns: {a: A}\nload: [{table: t, key: a}]\n")}) {
    EXPECT_EQ(refusal(definition, given("", "", "")), "");
    EXPECT_EQ(refusal(definition, given("2024", "", "")), "valid_time_unexpected");
    EXPECT_EQ(refusal(definition, given("", "2024-01-01", "")), "valid_time_unexpected");
    EXPECT_EQ(refusal(definition, given("", "", "2024-01-01")), "valid_time_unexpected");
  }
}

class TimeContexts : public testing::DatabaseTest {};
LADE_ON_BOTH_DATABASES(TimeContexts);

TEST_P(TimeContexts, AreFoundByTheirIdent) {
  const auto definition = with_time("job_provided");
  const auto without_table = valid_time_of(*connection, definition, given("2024", "", ""));
  ASSERT_FALSE(without_table);
  EXPECT_EQ(without_table.error().code, "time_context_not_found");
  ASSERT_OK(connection->run("CREATE TABLE time_context (ident text, name text, valid_from date, valid_to date)"));
  ASSERT_OK(connection->run("INSERT INTO time_context VALUES ('2024', 'The year', '2024-01-01', '2024-12-31')"));
  ASSERT_OK(connection->run("INSERT INTO time_context VALUES ('open', 'Since', '2024-01-01', 'infinity')"));
  const auto found = valid_time_of(*connection, definition, given("2024", "", ""));
  ASSERT_OK(found);
  ASSERT_TRUE(*found);
  EXPECT_EQ((*found)->ident, "2024");
  EXPECT_EQ((*found)->name, "The year");
  EXPECT_EQ((*found)->valid_from, "2024-01-01");
  EXPECT_EQ((*found)->valid_to, "2024-12-31");
  const auto open = find_time_context(*connection, "open");
  ASSERT_OK(open);
  EXPECT_EQ(open->valid_to, "infinity");
  const auto unknown = find_time_context(*connection, "2025");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, "time_context_not_found");
}

TEST_P(TimeContexts, AreNotAskedForWhenDatesAreGiven) {
  const auto dates = valid_time_of(*connection, with_time("job_provided"), given("", "2024-01-01", "infinity"));
  ASSERT_OK(dates);
  ASSERT_TRUE(*dates);
  EXPECT_EQ((*dates)->ident, "");
  EXPECT_EQ((*dates)->valid_to, "infinity");
  const auto none = valid_time_of(*connection, with_time("source_columns"), given("", "", ""));
  ASSERT_OK(none);
  EXPECT_FALSE(*none);
}

}  // namespace
}  // namespace lade::jobs
