#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "definition/parse.h"

namespace lade::definition {
namespace {

using ::testing::ElementsAre;

constexpr std::string_view kRegister = R"yaml(
lade: 1
definition: legal_units
mode: legal_unit
strategy: insert_or_replace
valid_time_from: source_columns
columns:
  remark:
  founded_by: {step: legal_unit, type: integer, purpose: internal}
steps:
  legal_unit:
    priority: 20
    name: 'Legal unit: core'
    kind: table
    key: []
    prefix: unit_
    set: {type: physical, level: 3, share: 1.50, active: True, code: "007", note: ~, empty: , more: [1, {a: b}]}
    columns:
      name: {required: true}
      birth_date: {type: date}
      sector_code:
      sector_id: {lookup: {table: sector, match: {sector_code: code}, take: id}}
    checks:
      - birth_date is blank or birth_date <= valid_from
  valid_time:
    priority: 10
    columns:
      valid_from: {type: date, infinity: true}
      valid_to: {type: date, infinity: true}
    checks: [{expr: valid_from <= valid_to, code: period}]
  external_idents: {priority: 15, types: external_ident_type, columns: {tax_ident: {identifying: true}}}
checks: [tax_ident is not blank]
)yaml";

// What an expansion writes.
constexpr std::string_view kExpanded = R"yaml(
lade: 1
definition: legal_units
mode: generic_unit
strategy: update_only
valid_time_from: job_provided
expanded: true
steps: {one: {priority: 1}, two: {priority: 2, kind: table}}
columns:
  unit_id: {type: integer, purpose: pk_id, step: one}
  type: {step: two}
  user: {value: $user_id, type: integer}
  first: {type: date}
  last: {type: date}
checks: [{expr: type is not blank, step: two}]
load:
  - {table: enterprise, for_new: unit_id, strategy: insert_only, step: one}
  - table: location
    key: [unit_id, kind]
    step: two
    with: [type]
    temporal: {from: since, until: till, valid_from: first, valid_to: last, id: id, ephemeral: [note], audit: [user]}
    columns: {unit_id: unit_id, type: code, kind: {value: $$x}, enterprise_id: {ref: enterprise.id}}
  - table: twice
    key: id
    temporal: {valid_from: first, valid_to: last}
    columns: {id: {from: unit_id}, unit_id: {from: unit_id}, type: {value: physical}, name: {from: type}}
)yaml";

Definition without_lines(Definition definition) {
  for (DataColumn& column : definition.columns) column.line = 0;
  for (Check& check : definition.checks) check.line = 0;
  for (LoadEntry& entry : definition.load) entry.line = 0;
  for (Step& step : definition.steps) step.line = 0;
  return definition;
}

std::vector<std::string> column_names(const Definition& definition) {
  std::vector<std::string> names;
  for (const DataColumn& column : definition.columns) names.push_back(column.name);
  return names;
}

TEST(Steps, AreReadInTheOrderOfTheirPriorities) {
  const Parsed parsed = parse_definition(kRegister);
  ASSERT_EQ(describe(parsed.faults, "register"), "");
  const Definition& d = parsed.definition;
  ASSERT_EQ(d.steps.size(), 3U);
  EXPECT_EQ(d.steps[0].code, "valid_time");
  EXPECT_EQ(d.steps[0].name, "valid_time");
  EXPECT_EQ(d.steps[0].kind, "valid_time");
  EXPECT_EQ(d.steps[1].code, "external_idents");
  EXPECT_EQ(d.steps[2].priority, 20);
  EXPECT_EQ(d.steps[2].kind, "table");
  EXPECT_EQ(d.steps[2].name, "Legal unit: core");
  EXPECT_THAT(column_names(d), ElementsAre("remark", "founded_by", "valid_from", "valid_to", "tax_ident", "name",
                                           "birth_date", "sector_code", "sector_id"));
  EXPECT_EQ(d.find("remark")->step, "");
  EXPECT_EQ(d.find("birth_date")->step, "legal_unit");
  EXPECT_TRUE(d.find("tax_ident")->identifying);
  EXPECT_TRUE(d.find("valid_to")->infinity);
  EXPECT_TRUE(d.find("founded_by")->from.empty());
  ASSERT_EQ(d.checks.size(), 3U);
  EXPECT_EQ(d.checks[0].step, "");
  EXPECT_EQ(d.checks[1].step, "valid_time");
  EXPECT_EQ(d.checks[2].step, "legal_unit");
  EXPECT_EQ(d.mode, Mode::legal_unit);
  EXPECT_EQ(d.strategy, Strategy::insert_or_replace);
  EXPECT_EQ(d.valid_time_from, ValidTimeFrom::source_columns);
}

TEST(Steps, KeepTheOptionsOfTheirKind) {
  const Definition d = parse_definition(kRegister).definition;
  const Node& options = d.steps[2].options;
  ASSERT_TRUE(options.is_map());
  EXPECT_EQ(options.size(), 3U);
  EXPECT_EQ(options.find("prefix")->text, "unit_");
  EXPECT_EQ(options.find("prefix")->place.line, 16);
  EXPECT_TRUE(options.find("key")->is_list());
  const Node& set = *options.find("set");
  EXPECT_EQ(set.find("active")->boolean(), true);
  EXPECT_EQ(set.find("share")->text, "1.50");
  EXPECT_EQ(set.find("level")->text, "3");
  EXPECT_TRUE(set.find("level")->plain);
  EXPECT_EQ(set.find("code")->text, "007");
  EXPECT_TRUE(set.find("empty")->is_null());
  EXPECT_TRUE(d.steps[0].options.is_map());
  EXPECT_EQ(d.steps[0].options.size(), 0U);
}

TEST(Steps, CanonicalJsonGivesTheSameDefinition) {
  for (const std::string_view yaml : {kRegister, kExpanded}) {
    const Parsed parsed = parse_definition(yaml);
    ASSERT_EQ(describe(parsed.faults, "yaml"), "");
    EXPECT_EQ(describe(check_schema(yaml), "yaml"), "");
    const std::string json = to_json(parsed.definition);
    const Parsed again = parse_definition(json);
    EXPECT_EQ(describe(again.faults, "json"), "") << json;
    EXPECT_EQ(describe(check_schema(json), "json"), "") << json;
    EXPECT_EQ(without_lines(again.definition), without_lines(parsed.definition)) << json;
    EXPECT_EQ(to_json(again.definition), json);
  }
}

TEST(LoadEntry, ReadsHistoryAndWhatItConcerns) {
  const Parsed parsed = parse_definition(kExpanded);
  ASSERT_EQ(describe(parsed.faults, "expanded"), "");
  const Definition& d = parsed.definition;
  EXPECT_TRUE(d.expanded);
  ASSERT_EQ(d.load.size(), 3U);
  EXPECT_EQ(d.load[0].for_new, "unit_id");
  EXPECT_EQ(d.load[0].step, "one");
  EXPECT_THAT(d.load[1].with, ElementsAre("type"));
  EXPECT_EQ(d.load[1].temporal, (Temporal{"since", "till", "first", "last", "id", {"note"}, {"user"}}));
  EXPECT_EQ(d.load[1].columns[2], (TargetColumn{"kind", "", "", "", FixedValue{"$x", false}}));
  EXPECT_EQ(d.load[2].temporal, (Temporal{"valid_from", "valid_until", "first", "last", "", {}, {}}));
  EXPECT_EQ(d.load[2].columns[1], (TargetColumn{"unit_id", "unit_id", "", ""}));
  EXPECT_EQ(d.find("user")->value, (FixedValue{"user_id", true}));
}

TEST(Lock, IsOnTheTargetByDefaultWhereHistoryIsKept) {
  const auto lock_of = [](std::string_view rest) {
    const Parsed parsed =
        parse_definition("lade: 1\ndefinition: d\ncolumns: {a: A, d: {type: date}}\n" + std::string(rest));
    EXPECT_TRUE(parsed.valid()) << describe(parsed.faults, "d");
    return parsed.definition.lock;
  };
  const std::string temporal = "load: [{table: t, key: a, temporal: {valid_from: d, valid_to: d}}]\n";
  EXPECT_EQ(lock_of(temporal), Lock::target);
  EXPECT_EQ(lock_of(temporal + "lock: none"), Lock::none);
  EXPECT_EQ(lock_of("steps: {one: {priority: 1}}"), Lock::target);
  EXPECT_EQ(lock_of("load: [{table: t, key: a}]"), Lock::none);
}

}  // namespace
}  // namespace lade::definition
