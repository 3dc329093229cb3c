// Text that nobody writes by accident: each must be refused with a place, quickly and without harm.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "definition/parse.h"

namespace lade::definition {
namespace {

using ::testing::HasSubstr;

Fault only_fault(const std::string& yaml) {
  const Parsed parsed = parse_definition(yaml);
  EXPECT_EQ(parsed.faults.size(), 1U) << describe(parsed.faults, "hostile.yaml");
  EXPECT_FALSE(parsed.valid());
  EXPECT_FALSE(check_schema(yaml).empty());
  return parsed.faults.empty() ? Fault{} : parsed.faults.front();
}

void expect_fault(const std::string& yaml, std::string_view code, int line, int column, const std::string& message) {
  const Fault fault = only_fault(yaml);
  EXPECT_EQ(fault.code, code);
  EXPECT_EQ(fault.line, line) << fault.message;
  EXPECT_EQ(fault.column, column) << fault.message;
  EXPECT_THAT(fault.message, HasSubstr(message));
}

TEST(HostileYaml, Syntax) {
  expect_fault("lade: 1\ncolumns: {a: [b\n", "definition_syntax", 2, 16, "not YAML");
  expect_fault("lade: 1\n\tname: x\n", "definition_syntax", 2, 1, "not YAML");
  expect_fault("lade: 1\nname: 'x\n", "definition_syntax", 2, 9, "not YAML: illegal EOF in scalar");
  expect_fault("lade: *nowhere\n", "definition_syntax", 1, 7, "not YAML");
  expect_fault("lade: !!python/object x\n", "definition_syntax", 1, 7, "has no meaning in a definition");
}

TEST(HostileYaml, NothingInIt) {
  expect_fault("", "definition_syntax", 1, 1, "the definition is empty");
  expect_fault("# only a comment\n", "definition_syntax", 1, 1, "the definition is empty");
  expect_fault("- a\n- b\n", "definition_wrong_kind", 1, 1, "definition: expected a map, found a list");
  expect_fault("price list", "definition_wrong_kind", 1, 1, "expected a map, found 'price list'");
}

TEST(HostileYaml, TwoDocuments) {
  const Parsed parsed =
      parse_definition("lade: 1\ndefinition: d\ncolumns: {a: A}\nload: [{table: t, key: a}]\n---\nlade: 1\n");
  ASSERT_EQ(parsed.faults.size(), 1U);
  EXPECT_THAT(parsed.faults[0].message, HasSubstr("more than one document"));
}

TEST(HostileYaml, BytesThatAreNotText) {
  expect_fault("lade: 1\nname: \xff\n", "definition_syntax", 2, 7, "byte 0xff is not UTF-8 text");
  expect_fault(std::string("lade: 1\nna\0me: x\n", 17), "definition_syntax", 2, 3, "byte 0x00");
  expect_fault("name: \xed\xa0\x80", "definition_syntax", 1, 7, "byte 0xed");
  expect_fault("name: \xc3", "definition_syntax", 1, 7, "byte 0xc3");
}

TEST(HostileYaml, TooLarge) {
  expect_fault(std::string((1U << 20U) + 1, '#'), "definition_too_large", 0, 0, "at most 1048576 are read");
  std::string many = "[";
  for (int i = 0; i < 200'000; ++i) many += "a,";
  expect_fault(many + "a]", "definition_too_large", 1, 199'998 + 2, "more than 100000 values");
}

TEST(HostileYaml, TooDeep) {
  EXPECT_EQ(only_fault(std::string(33, '[') + std::string(33, ']')).code, "definition_too_large");
  EXPECT_EQ(only_fault(std::string(100'000, '[')).code, "definition_too_large");
  EXPECT_EQ(only_fault(std::string(100'000, '{')).code, "definition_too_large");
  std::string dashes;
  for (int i = 0; i < 40'000; ++i) dashes += "- ";
  EXPECT_EQ(only_fault(dashes + "a").code, "definition_too_large");
}

TEST(HostileYaml, AliasBomb) {
  std::string bomb = "a: &a [x, x, x, x, x, x, x, x, x, x]\n";
  for (char name = 'b'; name <= 'z'; ++name) {
    const std::string before(1, static_cast<char>(name - 1));
    bomb += std::string(1, name) + ": &" + name + " [";
    for (int i = 0; i < 10; ++i) bomb += "*" + before + (i < 9 ? ", " : "]\n");
  }
  const Fault fault = only_fault(bomb);
  EXPECT_EQ(fault.code, "definition_too_large");
  EXPECT_EQ(fault.line, 5);
}

TEST(HostileYaml, AliasOfItself) {
  const Fault fault = only_fault("lade: 1\ncolumns: &a {b: *a}\n");
  EXPECT_EQ(fault.code, "definition_syntax");
  EXPECT_EQ(fault.line, 2);
}

TEST(HostileYaml, TooManyColumns) {
  std::string yaml = "lade: 1\ndefinition: d\nload: [{table: t, key: c0}]\ncolumns:\n";
  for (int i = 0; i < 4096; ++i) yaml += "  c" + std::to_string(i) + ":\n";
  EXPECT_TRUE(parse_definition(yaml).valid());
  const Fault fault = only_fault(yaml + "  one_more:\n");
  EXPECT_EQ(fault.code, "definition_too_large");
  EXPECT_THAT(fault.message, HasSubstr("columns: 4097 columns; at most 4096 are read"));
}

TEST(HostileYaml, LongTextIsCutInMessages) {
  const Fault fault = only_fault("lade: 1\ndefinition: d\ncolumns: {a: {type: " + std::string(500'000, 'x') +
                                 "}}\nload: [{table: t, key: a}]\n");
  EXPECT_EQ(fault.code, "definition_bad_value");
  EXPECT_LT(fault.message.size(), 300U);
}

TEST(HostileYaml, ManyFaultsAreCapped) {
  std::string yaml = "lade: 1\n";
  for (int i = 0; i < 20'000; ++i) yaml += "k" + std::to_string(i) + ": 1\n";
  EXPECT_LE(parse_definition(yaml).faults.size(), 1000U);
}

TEST(HostileYaml, ManyWarningsDoNotHideAnError) {
  std::string yaml = "lade: 1\ndefinition: d\nload: [{table: t, key: nowhere, columns: [c0]}]\ncolumns:\n";
  for (int i = 0; i < 4000; ++i) yaml += "  c" + std::to_string(i) + ": {locale: de-DE}\n";
  EXPECT_FALSE(parse_definition(yaml).valid());
}

TEST(HostileYaml, LongChainOfLookups) {
  std::string yaml = "lade: 1\ndefinition: d\nload: [{table: t, key: c0}]\ncolumns:\n  c0:\n";
  for (int i = 1; i < 4000; ++i)
    yaml += "  c" + std::to_string(i) + ": {lookup: {table: t, match: c" + std::to_string(i - 1) + ", take: id}}\n";
  const Parsed parsed = parse_definition(yaml);
  ASSERT_TRUE(parsed.valid()) << describe(parsed.faults, "chain");
  EXPECT_EQ(evaluation_order(parsed.definition).back(), 3999U);
}

}  // namespace
}  // namespace lade::definition
