#include "definition/patch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "definition/parse.h"

namespace lade::definition {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kText =
    "lade: 1 # with a comment\ndefinition: d\ncolumns: {a: A, b: {required: true}}\nload: [{table: t, key: a}]\n";

Definition patched(std::string_view text, std::string_view patch) {
  const auto result = patched_text(text, patch);
  EXPECT_TRUE(result) << (result ? "" : result.error().message);
  const Parsed parsed = parse_definition(result.value_or(""));
  EXPECT_EQ(describe(parsed.faults, "d"), "") << result.value_or("");
  return parsed.definition;
}

// The examples of RFC 7386 that concern objects.
TEST(Patch, ChangesAddsAndRemoves) {
  const Definition d = patched(
      kText,
      R"({"columns": {"a": {"type": "integer"}, "b": null, "c": {}}, "review": "always", "load": [{"table": "u", "key": "c"}]})");
  EXPECT_EQ(d.find("a")->type.kind, TypeKind::integer);
  EXPECT_EQ(d.find("a")->from, std::vector<std::string>{"A"}) << "what the patch does not name stays";
  EXPECT_EQ(d.find("b"), nullptr);
  EXPECT_NE(d.find("c"), nullptr);
  EXPECT_EQ(d.review, Review::always);
  ASSERT_EQ(d.load.size(), 1U);
  EXPECT_EQ(d.load[0].table, "u") << "lists are replaced as a whole";
}

TEST(Patch, OfNothingIsTheSameDefinition) {
  const Definition before = parse_definition(kText).definition;
  EXPECT_EQ(to_json(patched(kText, "{}")), to_json(before));
}

TEST(Patch, HealsATextWithFaults) {
  const Definition d = patched("lade: 1\ndefinition: d\ncolumns: {a: {type: numbr}}\nload: [{table: t, key: a}]",
                               R"({"columns": {"a": {"type": "integer"}}})");
  EXPECT_EQ(d.find("a")->type.kind, TypeKind::integer);
}

TEST(Patch, GivesFaultsALineOfTheirOwn) {
  const auto text = patched_text(kText, R"({"columns": {"b": {"type": "numbr"}}})");
  ASSERT_TRUE(text);
  const Parsed parsed = parse_definition(*text);
  ASSERT_EQ(parsed.faults.size(), 1U) << describe(parsed.faults, "d");
  EXPECT_GT(parsed.faults[0].line, 5) << *text;
}

TEST(Patch, IsRefusedWhenItIsNone) {
  for (const std::string_view patch : {"[1]", "3", "{", "", "null"}) {
    const auto result = patched_text(kText, patch);
    ASSERT_FALSE(result) << patch;
    EXPECT_EQ(result.error().code, "patch_invalid") << patch;
  }
  const auto hopeless = patched_text("a: [", "{}");
  ASSERT_FALSE(hopeless);
  EXPECT_EQ(hopeless.error().code, "definition_invalid");
}

TEST(PatchOf, SettingsByTheirPaths) {
  const auto patch = patch_of({"steps.legal_unit.priority=20", "steps.legal_unit.name=Legal unit", "review=always",
                               "note=a=b", "columns.b=null", "max_errors={\"count\": 5}"});
  ASSERT_TRUE(patch);
  EXPECT_EQ(*patch, R"({"steps":{"legal_unit":{"priority":20,"name":"Legal unit"}},"review":"always","note":"a=b",)"
                    R"("columns":{"b":null},"max_errors":{"count":5}})");
  for (const std::string wrong : {"review", "=1", "columns.=1"}) {
    const auto refused = patch_of({wrong});
    ASSERT_FALSE(refused) << wrong;
    EXPECT_EQ(refused.error().code, "patch_invalid");
    EXPECT_THAT(refused.error().message, HasSubstr(wrong));
  }
}

}  // namespace
}  // namespace lade::definition
