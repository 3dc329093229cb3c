// What people have said of files' columns, per company, definition and header.
#include "store/column_matches.h"

#include <gmock/gmock.h>

#include "store/definitions.h"
#include "store/schema.h"
#include "testing/database_test.h"

namespace lade::store {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ColumnMatches : public testing::DatabaseTest {
 protected:
  void save(const std::string& definition, const std::string& signature,
            const std::vector<std::pair<std::string, std::string>>& pairs, std::int64_t company = kDefaultCompany) {
    MatchesToSave saved{company, definition, signature, {}, "ada"};
    for (const auto& [source, data] : pairs) saved.matches.push_back({signature, source, data});
    EXPECT_OK(save_column_matches(*connection, saved));
  }
  std::vector<std::string> found(const std::string& definition, std::int64_t company = kDefaultCompany) {
    const auto matches = column_matches(*connection, company, definition);
    EXPECT_OK(matches);
    std::vector<std::string> lines;
    if (!matches) return lines;
    for (const SavedMatch& match : *matches)
      lines.push_back(match.signature + ": " + match.source_column + " > " + match.data_column);
    return lines;
  }
};
LADE_ON_BOTH_DATABASES(ColumnMatches);

TEST_P(ColumnMatches, AreTheNewestFirstAndReplaceThoseOfTheSameHeader) {
  ASSERT_OK(migrate(*connection));
  save("prices", "one", {{"Artikel", "code"}, {"Menge", "quantity"}});
  save("prices", "two", {{"Art.", "code"}});
  EXPECT_THAT(found("prices"), ElementsAre("two: Art. > code", "one: Menge > quantity", "one: Artikel > code"));
  save("prices", "one", {{"Nummer", "code"}});
  EXPECT_THAT(found("prices"), ElementsAre("one: Nummer > code", "two: Art. > code"));
  const auto matches = column_matches(*connection, kDefaultCompany, "prices");
  ASSERT_OK(matches);
  EXPECT_EQ(matches->front().saved_by, "ada");
  EXPECT_EQ(matches->front().saved_at.size(), std::string("2024-12-31T23:59:59.999Z").size());
}

TEST_P(ColumnMatches, BelongToACompanyAndADefinition) {
  ASSERT_OK(migrate(*connection));
  ASSERT_OK(
      connection->run(pick("INSERT INTO lade_company (id, name, slug, created_at) VALUES (2, 'other', 'other', '2024')",
                           "INSERT INTO lade_company (id, name, slug) VALUES (2, 'other', 'other')")));
  save("prices", "one", {{"A", "code"}});
  save("prices", "one", {{"B", "code"}}, 2);
  save("things", "one", {{"C", "code"}});
  EXPECT_THAT(found("prices"), ElementsAre("one: A > code"));
  EXPECT_THAT(found("prices", 2), ElementsAre("one: B > code"));
  EXPECT_THAT(*definitions_matched(*connection, kDefaultCompany, "one"), ElementsAre("things", "prices"));
  EXPECT_THAT(*definitions_matched(*connection, 2, "one"), ElementsAre("prices"));
  EXPECT_THAT(*definitions_matched(*connection, 2, "two"), IsEmpty());
}

TEST_P(ColumnMatches, AreNoneBeforeTheirTableIsThere) {
  EXPECT_THAT(found("prices"), IsEmpty());
  EXPECT_THAT(*definitions_matched(*connection, kDefaultCompany, "one"), IsEmpty());
}

}  // namespace
}  // namespace lade::store
