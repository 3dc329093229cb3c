// Headers of files against definitions: what is found, how surely, and what is left to people.
#include "definition/match.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "base/text_distance.h"
#include "definition/header_name.h"
#include "definition/parse.h"
#include "testing/results.h"

namespace lade::definition {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Le;

Definition definition() {
  const Parsed parsed = parse_definition(R"(
lade: 1
definition: components
columns:
  code:        {from: Component Code, required: true}
  description: {from: [Description, Text]}
  quantity:    {from: Quantity}
  unit_price:  {from: Unit Price}
  loaded_at:   {expression: now}
load:
  - {table: component, key: code}
)");
  EXPECT_TRUE(parsed.valid()) << describe(parsed.faults, "test");
  return parsed.definition;
}

std::vector<std::string> shown(const HeaderMatch& match) {
  std::vector<std::string> lines;
  for (const ColumnMatch& one : match.matches)
    lines.push_back(fmt::format("{} > {} {}", one.source_column, one.data_column, to_string(one.kind)));
  return lines;
}

TEST(Levenshtein, CountsEdits) {
  EXPECT_EQ(levenshtein("", ""), 0U);
  EXPECT_EQ(levenshtein("", "abc"), 3U);
  EXPECT_EQ(levenshtein("abc", ""), 3U);
  EXPECT_EQ(levenshtein("kitten", "sitting"), 3U);
  EXPECT_EQ(levenshtein("sitting", "kitten"), 3U);
  EXPECT_EQ(levenshtein("flaw", "lawn"), 2U);
  const std::string longest(64, 'x');
  EXPECT_EQ(levenshtein(longest, longest), 0U);
  EXPECT_EQ(levenshtein(longest, longest.substr(1) + "y"), 1U);
  EXPECT_EQ(levenshtein(longest + "abc", longest), 0U) << "what lies beyond is not compared";
}

// The table of distances, cell by cell.
std::size_t plain_levenshtein(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row.back();
}

TEST(Levenshtein, AgreesWithThePlainTable) {
  std::uint64_t state = 1;
  const auto random = [&](std::uint64_t below) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return (state >> 33) % below;
  };
  for (int i = 0; i < 2000; ++i) {
    std::string a, b;
    for (auto n = random(65); n > 0; --n) a.push_back(static_cast<char>('a' + random(4)));
    for (auto n = random(65); n > 0; --n) b.push_back(static_cast<char>('a' + random(4)));
    ASSERT_EQ(levenshtein(a, b), plain_levenshtein(a, b)) << a << " " << b;
  }
}

TEST(JaroWinkler, IsThatOfTheLiterature) {
  EXPECT_NEAR(jaro_winkler("martha", "marhta"), 0.961, 0.001);
  EXPECT_NEAR(jaro_winkler("dwayne", "duane"), 0.840, 0.001);
  EXPECT_NEAR(jaro_winkler("dixon", "dicksonx"), 0.813, 0.001);
  EXPECT_EQ(jaro_winkler("abc", "xyz"), 0);
  EXPECT_EQ(jaro_winkler("", ""), 1);
  EXPECT_EQ(jaro_winkler("a", ""), 0);
}

TEST(NameWords, AreCutAndPlain) {
  EXPECT_THAT(name_words("CustomerNo."), ElementsAre("customer", "number"));
  EXPECT_THAT(name_words("  unit_price (EUR)"), ElementsAre("unit", "price", "eur"));
  EXPECT_THAT(name_words("HTTPStatus2"), ElementsAre("http", "status", "2"));
  EXPECT_THAT(name_words("Gr\u00f6\u00dfe"), ElementsAre("grosse"));
  EXPECT_THAT(name_words("\u00c9TAT-civil"), ElementsAre("etat", "civil"));
  EXPECT_THAT(name_words("\u540d\u524d"), ElementsAre("\u540d\u524d"));
  EXPECT_THAT(name_words("\xff\xfe\xc3"), ::testing::SizeIs(Le(1U))) << "broken text does no harm";
  EXPECT_THAT(name_words(" -_ "), IsEmpty());
}

TEST(PlainName, IsWhatDatabasesLike) {
  EXPECT_EQ(plain_name("Customer No."), "customer_no");
  EXPECT_EQ(plain_name("2. Gr\u00f6\u00dfe"), "column_2_grosse");
  EXPECT_EQ(plain_name("unitPrice"), "unit_price");
  EXPECT_EQ(plain_name("\u540d\u524d"), "column");
  EXPECT_EQ(plain_name(std::string(100, 'x')).size(), 63U);
}

TEST(NameSimilarity, OrdersWhatPeopleMean) {
  EXPECT_EQ(name_similarity("Component Code", " component  CODE"), 1);
  EXPECT_EQ(name_similarity("Component Code", "component_code"), 0.99);
  EXPECT_EQ(name_similarity("Component Code", "ComponentCode"), 0.99);
  EXPECT_EQ(name_similarity("Price per Unit", "unit price per"), 0.95);
  EXPECT_EQ(name_similarity("Qty", "Quantity"), 0.99);
  EXPECT_THAT(name_similarity("Component Code", "Componet Code"), AllOf(Ge(0.9), Le(0.94)));
  EXPECT_LT(name_similarity("Invoice Date", "Invoice Number"), 0.8);
  EXPECT_LT(name_similarity("Net Amount", "Gross Amount"), 0.8);
  EXPECT_LT(name_similarity("Name", "Date"), 0.7);
  EXPECT_EQ(name_similarity("", "x"), 0);
  std::string novel;
  for (int i = 0; i < 200'000; ++i) novel += "a b ";
  EXPECT_LT(name_similarity(novel, novel + "c"), 1) << "and that soon";
}

TEST(HeaderSignature, IgnoresCaseAndSpacesOnly) {
  EXPECT_EQ(header_signature({"Code", "Unit  Price"}), header_signature({"code ", "unit price"}));
  EXPECT_NE(header_signature({"a", "b"}), header_signature({"b", "a"}));
  EXPECT_NE(header_signature({"a", "b"}), header_signature({"a b"}));
  EXPECT_EQ(header_signature({"a"}).size(), 64U);
}

TEST(MatchHeader, TakesExactNamesAndProposesSimilarOnes) {
  const HeaderMatch match = match_header(definition(), {"Componet Code", "TEXT", "Qty", "Remarks"});
  EXPECT_THAT(shown(match),
              ElementsAre("Componet Code > code similar", "TEXT > description exact", "Qty > quantity similar"));
  EXPECT_THAT(match.unmapped, ElementsAre("Remarks"));
  ASSERT_EQ(match.missing.size(), 1U);
  EXPECT_EQ(match.missing.front().data_column, "unit_price");
  EXPECT_TRUE(match.is_complete());
}

TEST(MatchHeader, NamesWhatIsMissing) {
  const HeaderMatch match = match_header(definition(), {"Quantity", "Remarks"});
  ASSERT_FALSE(match.missing.empty());
  EXPECT_EQ(match.missing.front().data_column, "code");
  EXPECT_TRUE(match.missing.front().required);
  EXPECT_FALSE(match.is_complete());
}

TEST(MatchHeader, TakesNoneOfTwoThatAreNearlyEqual) {
  const HeaderMatch match = match_header(definition(), {"Component Code 1", "Component Code 2"});
  EXPECT_THAT(shown(match), IsEmpty());
  ASSERT_EQ(match.missing.front().data_column, "code");
  EXPECT_EQ(match.missing.front().similar.size(), 2U);
}

TEST(MatchHeader, GivesEachColumnOnceBestFirst) {
  const HeaderMatch match = match_header(definition(), {"unit_price", "Unit Prices"});
  EXPECT_THAT(shown(match), ElementsAre("unit_price > unit_price similar"));
  EXPECT_THAT(match.unmapped, ElementsAre("Unit Prices"));
}

TEST(MatchHeader, RemembersWhatWasSaid) {
  const std::vector<std::string> header = {"Artikel", "Description", "Menge"};
  const std::vector<KnownMatch> known = {{"artikel", "code", false}, {"Menge", "description", false}};
  EXPECT_THAT(shown(match_header(definition(), header, known)),
              ElementsAre("Artikel > code remembered", "Description > description exact"))
      << "what the definition finds itself beats what was said of other files";
  EXPECT_THAT(shown(match_header(definition(), header, {{"Menge", "description", true}})),
              ElementsAre("Menge > description remembered"))
      << "what was said of this header beats the definition";
}

TEST(MatchHeader, FollowsOnlyWhatAnImportMay) {
  const std::vector<std::string> header = {"Artikel", "Description", "Qty"};
  const std::vector<KnownMatch> known = {
      {"Artikel", "code", false}, {"Description", "quantity", false}, {"X", "unit_price", true}};
  const auto followed = matches_to_follow(definition(), header, known);
  ASSERT_EQ(followed.size(), 2U);
  EXPECT_EQ(followed[0].source_column, "Artikel");
  EXPECT_EQ(followed[1].source_column, "Description");
  const Definition changed = with_matches(definition(), followed);
  EXPECT_THAT(changed.find("code")->from, ElementsAre("Artikel", "Component Code"));
  EXPECT_THAT(changed.find("unit_price")->from, ElementsAre("Unit Price"));
}

TEST(GiveMatches, PutsPeopleFirst) {
  const std::vector<std::string> header = {"Qty", "A=B", "Description"};
  HeaderMatch match = match_header(definition(), header);
  ASSERT_OK(give_matches(match, definition(), header, {"a=b=code", "Qty=unit_price"}));
  EXPECT_THAT(shown(match),
              ElementsAre("A=B > code given", "Description > description exact", "Qty > unit_price given"));
  EXPECT_THAT(match.unmapped, IsEmpty());
  for (const char* wrong : {"Qty", "Nothing=code", "Qty=nothing", "Qty=loaded_at"})
    EXPECT_FAILS(give_matches(match, definition(), header, {wrong}), "match_invalid") << wrong;
}

}  // namespace
}  // namespace lade::definition
