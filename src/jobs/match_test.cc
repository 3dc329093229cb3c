// What people have said about columns, as imports follow it.
#include "jobs/match.h"

#include <gmock/gmock.h>

#include "jobs/plan.h"
#include "store/schema.h"
#include "testing/imported.h"

namespace lade::jobs {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::string kItems = "columns: {code: {required: true}, name: }\nload: [{table: item, key: code}]\n";

class Matches : public testing::ImportTest {
 protected:
  Matches() {
    EXPECT_OK(connection->run("CREATE TABLE item (code varchar(20) PRIMARY KEY, name text)"));
    EXPECT_OK(store::migrate(*connection));
  }
  void say(const std::vector<std::string>& header, const std::vector<std::string>& given,
           std::int64_t company = store::kDefaultCompany) {
    const definition::Definition definition = testing::definition_of(kItems);
    definition::HeaderMatch match = definition::match_header(definition, header);
    ASSERT_OK(definition::give_matches(match, definition, header, given));
    ASSERT_OK(keep_matches(*connection, {company, definition.slug, header, match, "ada"}));
  }
  std::vector<std::string> items() { return content("SELECT code, name FROM item"); }
};
LADE_ON_BOTH_DATABASES(Matches);

TEST_P(Matches, AreFollowedAndTold) {
  say({"Artikel", "Text", "name"}, {"Artikel=code", "Text=name"});
  const Summary summary = import("ARTIKEL,text,name\na,first,other\n", kItems);
  EXPECT_EQ(counts(summary), "read 1 inserted 1");
  EXPECT_THAT(items(), ElementsAre("a|first")) << "what was said of this header beats the definition";
  EXPECT_THAT(summary.remembered_columns, ElementsAre("ARTIKEL=code", "text=name"));
  EXPECT_THAT(summary.unmapped_columns, ElementsAre("name"));
}

TEST_P(Matches, OfOtherHeadersFillOnlyGaps) {
  say({"Artikel", "Text"}, {"Artikel=code", "Text=name"});
  const Summary summary = import("Text,name,Artikel\nx,own,a\n", kItems);
  EXPECT_THAT(items(), ElementsAre("a|own"));
  EXPECT_THAT(summary.remembered_columns, ElementsAre("Artikel=code"));
}

TEST_P(Matches, AreUnknownWhereNobodySaidThem) {
  jobs::Progress progress;
  EXPECT_FAILS(run_import(write("input.csv", "Artikel\na\n"), testing::definition_of(kItems), kItems, options, progress,
                          std::stop_token()),
               "header_mismatch");
  EXPECT_THAT(items(), IsEmpty());
}

TEST(Plan, KeepsTheMatchesItFollows) {
  Plan plan;
  plan.matches = {{"Artikel \"x\"", "code"}, {"Text", "name"}};
  const auto read = read_plan(to_text(plan));
  ASSERT_OK(read);
  ASSERT_EQ(read->matches.size(), 2U);
  EXPECT_EQ(read->matches[0].source_column, "Artikel \"x\"");
  EXPECT_EQ(read->matches[0].data_column, "code");
}

}  // namespace
}  // namespace lade::jobs
