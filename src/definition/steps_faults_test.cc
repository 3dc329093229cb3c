#include "definition/fault_case_test.h"

namespace lade::definition {
namespace {

constexpr bool kSchema = true;

// The first step stands on line 4 at column 3.
std::string steps(std::string_view text, std::string_view rest = "") {
  return "lade: 1\ndefinition: d\nsteps:\n" + std::string(text) + "\n" + std::string(rest);
}

std::vector<FaultCase> step_cases() {
  return {
      {"steps_is_a_list", "lade: 1\ndefinition: d\nsteps: [one]", "definition_wrong_kind", 3, 8,
       "steps: expected a map of steps, found a list", kSchema},
      {"steps_is_empty", "lade: 1\ndefinition: d\nsteps: {}", "definition_bad_value", 3, 8,
       "steps: is empty; at least one step is needed", kSchema},
      {"step_is_text", steps("  one: two"), "definition_wrong_kind", 4, 8,
       "steps.one: expected a map with at least 'priority', found 'two'", kSchema},
      {"code_is_no_code", steps("  One-two: {priority: 1}"), "definition_bad_value", 4, 3,
       "steps: 'One-two' is not accepted; expected at most 63 lower-case letters", kSchema},
      {"no_priority", steps("  one: {name: One}"), "definition_missing_key", 4, 3,
       "steps.one: key 'priority' is missing; steps run in its order", kSchema},
      {"priority_zero", steps("  one: {priority: 0}"), "definition_bad_value", 4, 19,
       "steps.one.priority: '0' is out of range; expected a whole number from 1 to 10000", kSchema},
      {"priority_is_text", steps("  one: {priority: first}"), "definition_wrong_kind", 4, 19,
       "steps.one.priority: expected a whole number", kSchema},
      {"priority_twice", steps("  two: {priority: 7}\n  one: {priority: 7}"), "definition_bad_value", 5, 19,
       "steps.one.priority: 7 is the priority of step 'two' as well"},
      {"kind_is_a_list", steps("  one: {priority: 1, kind: [a]}"), "definition_wrong_kind", 4, 28,
       "steps.one.kind: expected text, found a list", kSchema},
      {"columns_of_a_step_empty", steps("  one: {priority: 1, columns: {}}"), "definition_bad_value", 4, 31,
       "steps.one.columns: is empty", kSchema},
      {"checks_of_a_step_are_text", steps("  one: {priority: 1, checks: x}"), "definition_wrong_kind", 4, 30,
       "steps.one.checks: expected a list, found 'x'", kSchema},
      {"column_of_a_step", steps("  one: {priority: 1, columns: {a: {typ: date}}}"), "definition_unknown_key", 4, 36,
       "steps.one.columns.a: unknown key 'typ'; did you mean 'type'?", kSchema},
      {"column_in_two_steps", steps("  one: {priority: 1, columns: {a: }}\n  two: {priority: 2, columns: {a: }}"),
       "definition_duplicate_key", 5, 32, "steps.two.columns: column 'a' is given twice; the first is on line 4"},
      {"column_in_a_step_and_outside", steps("  one: {priority: 1, columns: {a: }}", "columns: {a: A}"),
       "definition_duplicate_key", 4, 32, "steps.one.columns: column 'a' is given twice; the first is on line 5"},
      {"column_of_another_step", steps("  one: {priority: 1, columns: {a: {step: two}}}\n  two: {priority: 2}"),
       "definition_bad_value", 4, 42, "steps.one.columns.a.step: this belongs to step 'one', in which it stands"},
      {"column_of_unknown_step", steps("  one: {priority: 1}", "columns: {a: {step: oen}}"), "definition_unknown_step",
       5, 21, "columns.a.step: unknown step 'oen'; did you mean 'one'?"},
      {"check_of_unknown_step", steps("  one: {priority: 1}", "checks: [{expr: a > 1, step: two}]"),
       "definition_unknown_step", 5, 30, "checks[1].step: unknown step 'two'; known are one"},
      {"cycle_in_a_step", steps("  one:\n    priority: 1\n    columns: {a: {lookup: {table: t, match: a, take: id}}}"),
       "definition_cycle", 6, 45, "steps.one.columns.a.lookup.match: the lookup depends on itself: a → a"},
      {"not_a_condition", steps("  one: {priority: 1, checks: [{expr: a + 1}]}"), "expression_invalid", 4, 38,
       "steps.one.checks[1].expr: 'a + 1' is not a condition"},
  };
}

std::vector<FaultCase> unit_cases() {
  const std::string step = "  external_idents: {priority: 1}";
  return {
      {"no_mode", steps(step, "strategy: insert_only\nvalid_time_from: job_provided"), "definition_missing_key", 1, 1,
       "definition: key 'mode' is missing; step 'external_idents' needs it"},
      {"no_strategy",
       steps("  when: {priority: 1, kind: valid_time}", "mode: legal_unit\nvalid_time_from: job_provided"),
       "definition_missing_key", 1, 1, "definition: key 'strategy' is missing; step 'when' needs it"},
      {"no_valid_time_from", steps(step, "mode: legal_unit\nstrategy: insert_only"), "definition_missing_key", 1, 1,
       "definition: key 'valid_time_from' is missing"},
      {"mode_unknown", steps("  one: {priority: 1}", "mode: enterprise"), "definition_bad_value", 5, 7,
       "mode: 'enterprise' is not accepted; expected one of legal_unit, establishment_formal", kSchema},
      {"valid_time_from_unknown", steps("  one: {priority: 1}", "valid_time_from: file"), "definition_bad_value", 5, 18,
       "expected one of job_provided, source_columns", kSchema},
      {"strategy_append", steps("  one: {priority: 1}", "strategy: append"), "definition_bad_value", 5, 11,
       "strategy: 'append' is not accepted; steps write to units that are found by their identifiers", kSchema},
      {"strategy_replace_set", steps("  one: {priority: 1}", "strategy: replace_set"), "definition_bad_value", 5, 11,
       "strategy: 'replace_set' is not accepted; steps write to units", kSchema},
      {"mode_without_steps", document("  a:", "mode: legal_unit\nload: [{table: t, key: a}]"), "definition_no_effect",
       5, 1, "mode: has no effect without steps"},
  };
}

std::vector<FaultCase> column_cases() {
  return {
      {"infinity_of_text", document("  a: {infinity: true}"), "definition_no_effect", 4, 17,
       "columns.a.infinity: has no effect on type text; it is for date"},
      {"purpose_unknown", document("  a: {purpose: metadata}"), "definition_bad_value", 4, 16,
       "columns.a.purpose: 'metadata' is not accepted; expected one of source_input, internal, pk_id", kSchema},
      {"internal_with_origin", document("  a:\n  b: {from: B, purpose: internal}"), "definition_bad_value", 5, 25,
       "columns.b.purpose: a column that is internal does not come from the file"},
      {"identifying_internal", document("  a:\n  b: {identifying: true, purpose: pk_id}"), "definition_bad_value", 5,
       20, "columns.b.identifying: rows of the file are told apart by what stands in it"},
      {"identifying_lookup", document("  a:\n  b: {identifying: true, lookup: {table: t, match: a, take: id}}"),
       "definition_bad_value", 5, 20, "it is for columns of purpose source_input"},
  };
}

// What is a fault unless a step may still add the column.
std::vector<FaultCase> expanded_cases() {
  const std::string one = "  one: {priority: 1, columns: {a: {lookup: {table: t, match: b, take: id}}}}";
  return {
      {"expanded_lookup", steps(one, "expanded: true"), "definition_unknown_column", 4, 62,
       "steps.one.columns.a.lookup.match: unknown data column 'b'"},
      {"expanded_check", steps("  one: {priority: 1, checks: [b > 1]}", "expanded: true"), "definition_unknown_column",
       4, 31, "steps.one.checks[1].expr: unknown data column 'b'"},
      {"expanded_load", steps("  one: {priority: 1}", "expanded: true\nload: [{table: t, key: k, columns: {b: k}}]"),
       "definition_unknown_column", 6, 37, "load[1].columns: unknown data column 'b'"},
  };
}

class Steps : public ::testing::TestWithParam<FaultCase> {};
TEST_P(Steps, FaultIsReported) {
  expect_fault(GetParam());
}
INSTANTIATE_TEST_SUITE_P(Each, Steps, ::testing::ValuesIn(step_cases()), case_name);
INSTANTIATE_TEST_SUITE_P(Units, Steps, ::testing::ValuesIn(unit_cases()), case_name);
INSTANTIATE_TEST_SUITE_P(Columns, Steps, ::testing::ValuesIn(column_cases()), case_name);
INSTANTIATE_TEST_SUITE_P(Expanded, Steps, ::testing::ValuesIn(expanded_cases()), case_name);

TEST(UnexpandedSteps, MayAddTheColumnsThatAreNamed) {
  for (const FaultCase& expanded : expanded_cases()) {
    std::string yaml = expanded.yaml;
    yaml.replace(yaml.find("expanded: true"), 14, "note: none    ");
    EXPECT_EQ(describe(parse_definition(yaml).faults, "d"), "") << expanded.name;
  }
}

}  // namespace
}  // namespace lade::definition
