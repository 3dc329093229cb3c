// Drafted definitions: that they are definitions, and say what the file or the schema says.
#include "drafting/draft.h"

#include <gmock/gmock.h>

#include <fstream>

#include "definition/parse.h"
#include "drafting/from_file.h"
#include "drafting/from_schema.h"
#include "drafting/schema_field.h"
#include "testing/results.h"
#include "testing/temporary_folder.h"

namespace lade::drafting {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

definition::Definition parsed(const std::string& yaml) {
  definition::Parsed found = definition::parse_definition(yaml);
  EXPECT_TRUE(found.valid()) << yaml << definition::describe(found.faults, "draft");
  EXPECT_TRUE(definition::check_schema(yaml).empty()) << yaml;
  return std::move(found.definition);
}

std::string drafted(const std::string& text, const std::string& name = "Order List 2024.csv",
                    const std::string& table = "") {
  testing::TemporaryFolder folder;
  const std::string path = (folder.path() / name).string();
  std::ofstream(path, std::ios::binary) << text;
  const auto input = source::open_input(path, folder.path(), 1 << 20);
  EXPECT_OK(input);
  const auto layout = source::recognise(*input, {});
  EXPECT_OK(layout);
  const auto columns = source::column_evidence(*input, *layout);
  EXPECT_OK(columns);
  return to_yaml(draft_from_file(*input, *layout, *columns, table));
}

TEST(DraftFromFile, SaysWhatTheColumnsShow) {
  const std::string yaml = drafted(
      "Order No.;Customer;Ordered On;Amount;Paid\n"
      "1001;Miller;13.04.2024;1.234,50;ja\n1002;Smith;14.04.2024;N/A;nein\n1003;Miller;01.05.2024;7,5;ja\n");
  const definition::Definition draft = parsed(yaml);
  EXPECT_EQ(draft.slug, "order_list_2024");
  EXPECT_EQ(draft.load.front().table, "order_list_2024");
  EXPECT_THAT(draft.load.front().key, ElementsAre("order_no"));
  ASSERT_NE(draft.find("order_no"), nullptr);
  EXPECT_TRUE(draft.find("order_no")->required);
  EXPECT_THAT(draft.find("order_no")->from, ElementsAre("Order No."));
  EXPECT_THAT(draft.find("ordered_on")->formats, ElementsAre("DD.MM.YYYY"));
  EXPECT_EQ(draft.find("amount")->locale, "de-DE");
  EXPECT_EQ(definition::to_string(draft.find("amount")->type), "decimal(14,2)");
  EXPECT_THAT(draft.find("amount")->null_values, ElementsAre("N/A"));
  EXPECT_THAT(draft.find("paid")->formats, ElementsAre("ja/nein"));
  EXPECT_THAT(yaml, HasSubstr("# 13.04.2024 in line 2: the first number is the day"));
  EXPECT_THAT(yaml, HasSubstr("# filled and different in every row: order_no, ordered_on;"));
}

TEST(DraftFromFile, LeavesToPeopleWhatNoCellTells) {
  const std::string yaml = drafted("id,day,amount\n1,03/04/2024,\"1,234\"\n2,05/06/2024,7\n");
  const definition::Definition draft = parsed(yaml);
  EXPECT_EQ(draft.find("day")->type.kind, definition::TypeKind::text);
  EXPECT_EQ(draft.find("amount")->type.kind, definition::TypeKind::text);
  EXPECT_THAT(yaml, HasSubstr("# decide: type: date, format: \"DD/MM/YYYY\"; or type: date"));
  EXPECT_THAT(yaml, HasSubstr("# decide: type: integer, locale: en-US; or type: \"decimal(14,3)\", locale: de-DE"));
}

TEST(DraftFromFile, AppendsWithoutAKey) {
  const std::string yaml = drafted("a,b\nx,1\nx,1\n", "x.csv", "target");
  EXPECT_EQ(parsed(yaml).load.front().strategy, definition::Strategy::append);
  EXPECT_EQ(parsed(yaml).load.front().table, "target");
  EXPECT_THAT(yaml, HasSubstr("no column is filled and different in every row"));
}

TEST(DraftFromFile, SurvivesAnyName) {
  const std::string yaml =
      drafted("a b,A-B,2nd,\"no: \"\"x\"\"\",\xC3\xA4,#,yes\n1,2,3,4,5,6,7\n1,2,3,4,5,6,8\n", "7.csv");
  const definition::Definition draft = parsed(yaml);
  std::vector<std::string> names;
  for (const auto& column : draft.columns) names.push_back(column.name);
  EXPECT_THAT(names, ElementsAre("a_b", "a_b_2", "column_2_nd", "no_x", "a", "column", "yes"));
  EXPECT_THAT(draft.find("no_x")->from, ElementsAre("no: \"x\""));
}

constexpr std::string_view kSchema = R"({
  "fields": [
    {"name": "Code", "type": "string", "constraints": {"required": true, "maxLength": 8, "pattern": "[A-Z]\\d+"}},
    {"name": "Born", "type": "date", "format": "%d/%m/%Y", "constraints": {"minimum": "1900-01-01"}},
    {"name": "When", "type": "datetime", "format": "any"},
    {"name": "Size", "type": "number", "decimalChar": ",", "groupChar": "."},
    {"name": "Count", "type": "integer", "constraints": {"minimum": 0, "maximum": 10}},
    {"name": "State", "constraints": {"enum": ["a", "b c"]}},
    {"name": "Paid", "type": "boolean", "trueValues": ["ja"], "falseValues": ["nein"]},
    {"name": "Month", "type": "yearmonth"},
    {"name": "Mail", "type": "string", "format": "email"},
    {"name": "More", "type": "object"}
  ],
  "missingValues": ["", "-"], "primaryKey": "Code"
})";

TEST(DraftFromSchema, KeepsTypesFormatsAndConstraints) {
  const auto draft = draft_from_schema(kSchema, "people.csv", "person");
  ASSERT_OK(draft);
  const std::string yaml = to_yaml(*draft);
  const definition::Definition found = parsed(yaml);
  EXPECT_EQ(found.slug, "people");
  EXPECT_EQ(found.load.front().table, "person");
  EXPECT_THAT(found.load.front().key, ElementsAre("code"));
  EXPECT_EQ(found.duplicates, definition::DuplicatePolicy::reject);
  EXPECT_TRUE(found.find("code")->required);
  EXPECT_EQ(found.find("code")->max_length, 8);
  EXPECT_EQ(found.find("code")->pattern, "[A-Z]\\d+");
  EXPECT_THAT(found.find("code")->null_values, ElementsAre("-"));
  EXPECT_THAT(found.find("born")->formats, ElementsAre("D/M/YYYY"));
  EXPECT_EQ(found.find("born")->min, "1900-01-01");
  EXPECT_EQ(found.find("when")->type.kind, definition::TypeKind::text);
  EXPECT_THAT(yaml, HasSubstr("decide: a date in the format 'any'"));
  EXPECT_EQ(found.find("size")->locale, "de-DE");
  EXPECT_EQ(found.find("count")->max, "10");
  EXPECT_EQ(found.find("state")->values.size(), 2U);
  EXPECT_THAT(found.find("paid")->formats, ElementsAre("ja/nein"));
  EXPECT_EQ(found.find("month")->pattern, "-?[0-9]{4}-(0[1-9]|1[0-2])");
  EXPECT_THAT(found.find("mail")->pattern, Not(::testing::IsEmpty()));
  EXPECT_EQ(found.find("more")->type.kind, definition::TypeKind::json);
}

TEST(DraftFromSchema, FindsTheFileInAPackage) {
  const std::string package = R"({"name": "p", "resources": [
    {"name": "one", "path": "data/one.csv", "schema": {"fields": [{"name": "a"}]}},
    {"name": "two", "path": "two.csv", "encoding": "iso-8859-1", "dialect": {"delimiter": "\t"},
     "schema": {"fields": [{"name": "b"}]}}]})";
  const auto two = draft_from_schema(package, "/somewhere/two.csv", "");
  ASSERT_OK(two);
  EXPECT_EQ(two->slug, "two");
  EXPECT_EQ(two->columns.front().from, "b");
  EXPECT_EQ(parsed(to_yaml(*two)).source.delimiter, '\t');
  EXPECT_FAILS(draft_from_schema(package, "three.csv", ""), "schema_invalid");
}

TEST(DraftFromSchema, RefusesWhatIsNoSchema) {
  for (const char* wrong :
       {"", "{'a': 1}", "[]", "{}", R"({"fields": []})", R"({"fields": [1]})", R"({"fields": [{"type": "string"}]})",
        R"({"fields": [{"name": "a", "type": "colour"}]})", R"({"fields": [{"name": "a"}], "primaryKey": "b"})",
        R"({"resources": []})", R"({"resources": [{"name": "x", "path": "x.csv"}]})"})
    EXPECT_FAILS(draft_from_schema(wrong, "x.csv", ""), "schema_invalid") << wrong;
}

TEST(DateFormat, IsThatOfStrptime) {
  EXPECT_EQ(date_format("%d/%m/%y"), "D/M/YY");
  EXPECT_EQ(date_format("%Y%m%d"), "YYYYMMDD");
  EXPECT_EQ(date_format("%Y-%m-%dT%H:%M:%S%z"), "YYYY-M-DTH:m:ssZ");
  EXPECT_EQ(date_format("%b %d, %Y %I:%M %p"), "MMM D, YYYY h:m a");
  EXPECT_EQ(date_format("%j"), "");
  EXPECT_EQ(date_format("any"), "");
  EXPECT_EQ(date_format("%"), "");
}

}  // namespace
}  // namespace lade::drafting
