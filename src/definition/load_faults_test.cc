#include "definition/fault_case_test.h"

namespace lade::definition {
namespace {

constexpr bool kSchema = true;

// The first load entry stands on line 7.
std::string load(std::string_view entries, std::string_view rest = "") {
  return document("  a:\n  b:", "load:\n" + std::string(entries) + "\n" + std::string(rest));
}

std::vector<FaultCase> entry_cases() {
  return {
      {"no_table", load("  - {key: a}"), "definition_missing_key", 7, 5, "load[1]: key 'table' is missing", kSchema},
      {"entry_is_text", load("  - t"), "definition_wrong_kind", 7, 5, "load[1]: expected a map, found 't'", kSchema},
      {"lade_table", load("  - {table: main.lade_job, key: a}"), "definition_reserved_table", 7, 13,
       "table 'main.lade_job' belongs to lade"},
      {"no_key", load("  - {table: t}"), "definition_missing_key", 7, 5,
       "key 'key' is missing; strategy insert_or_update finds rows by it", kSchema},
      {"update_without_key", load("  - {table: t, strategy: update_only}"), "definition_missing_key", 7, 5,
       "strategy update_only finds rows by it", kSchema},
      {"empty_key", load("  - {table: t, key: []}"), "definition_bad_value", 7, 21, "load[1].key: the list is empty",
       kSchema},
      {"misspelt_strategy", load("  - {table: t, key: a, strategy: insert_or_updte}"), "definition_bad_value", 7, 34,
       "did you mean 'insert_or_update'?", kSchema},
      {"key_not_a_column", load("  - {table: t, key: [a, cc]}"), "definition_key_not_mapped", 7, 25,
       "load[1].key: no data column goes to key column 'cc'"},
      {"key_not_among_columns", load("  - {table: t, key: a, columns: {a: id, b: bee}}"), "definition_key_not_mapped",
       7, 21, "no data column goes to key column 'a'; known are id, bee"},
      {"unknown_column", load("  - {table: t, key: a, columns: [a, b, bbb]}"), "definition_unknown_column", 7, 40,
       "load[1].columns: unknown data column 'bbb'"},
      {"unknown_column_in_map", load("  - {table: t, key: a, columns: {a: , b: , bbb: x}}"),
       "definition_unknown_column", 7, 44, "unknown data column 'bbb'"},
      {"target_twice", load("  - {table: t, key: x, columns: {a: x, b: x}}"), "definition_bad_value", 7, 40,
       "two values go to target column 'x'"},
      {"columns_is_empty",
       load("  - {table: t, strategy: append, columns: {}}\n  - {table: u, key: a}", "partition: single"),
       "definition_bad_value", 7, 43, "load[1].columns: the map is empty"},
      {"unused_column", load("  - {table: t, key: a, columns: [a]}"), "definition_unused_column", 5, 3,
       "columns.b: no load entry, lookup or check uses this column"},
  };
}

std::vector<FaultCase> temporal_cases() {
  // The load entry stands on line 8.
  const auto temporal = [](std::string_view entry) {
    return document("  a:\n  day: {type: date}\n  last: {type: date}",
                    "load:\n  - {table: t, " + std::string(entry) + "}");
  };
  return {
      {"temporal_without_days", temporal("key: a, temporal: {from: since, valid_to: last}"), "definition_missing_key",
       8, 34, "load[1].temporal: key 'valid_from' is missing", kSchema},
      {"temporal_is_text", temporal("key: a, temporal: yes"), "definition_wrong_kind", 8, 34,
       "load[1].temporal: expected a map, found 'yes'", kSchema},
      {"temporal_unknown_key", temporal("key: a, temporal: {valid_from: day, valid_to: last, til: x}"),
       "definition_unknown_key", 8, 68, "unknown key 'til'; known are from, until, valid_from", kSchema},
      {"temporal_unknown_column", temporal("key: a, temporal: {valid_from: dya, valid_to: last}"),
       "definition_unknown_column", 8, 47,
       "load[1].temporal.valid_from: unknown data column 'dya'; did you mean 'day'?"},
      {"temporal_not_a_date", temporal("key: a, temporal: {valid_from: day, valid_to: a}"), "definition_bad_value", 8,
       62, "load[1].temporal.valid_to: column 'a' is text; a period needs type date"},
      {"temporal_append", temporal("strategy: append, temporal: {valid_from: day, valid_to: last}"),
       "definition_bad_value", 8, 44, "strategy append lays nothing over what is stored; use insert_or_update"},
      {"temporal_bound_in_key", temporal("key: [a, since], temporal: {from: since, valid_from: day, valid_to: last}"),
       "definition_bad_value", 8, 25,
       "load[1].key: 'since' belongs to the period; the key names the entity without it"},
      {"temporal_bound_is_mapped",
       temporal("key: a, temporal: {valid_from: day, valid_to: last}, columns: {a: , day: valid_until}"),
       "definition_bad_value", 8, 78, "load[1].columns: target column 'valid_until' belongs to the period"},
  };
}

std::vector<FaultCase> concern_cases() {
  return {
      {"with_unknown", load("  - {table: t, key: a, with: [b, c]}"), "definition_unknown_column", 7, 34,
       "load[1].with: unknown data column 'c'"},
      {"with_is_a_map", load("  - {table: t, key: a, with: {b: 1}}"), "definition_wrong_kind", 7, 30,
       "load[1].with: expected a text or a list of texts", kSchema},
      {"for_new_unknown", load("  - {table: t, for_new: c}"), "definition_unknown_column", 7, 25,
       "load[1].for_new: unknown data column 'c'"},
      {"step_unknown", load("  - {table: t, key: a, step: one}"), "definition_unknown_step", 7, 30,
       "load[1].step: unknown step 'one'"},
      {"two_origins", load("  - {table: t, key: a, columns: {a: , b: , c: {value: 1, from: b}}}"),
       "definition_bad_value", 7, 47, "load[1].columns.c: keep one of ref, value and from", kSchema},
      {"no_origin", load("  - {table: t, key: a, columns: {a: , b: , c: {}}}"), "definition_missing_key", 7, 47,
       "write {ref: table.column}, {value: text} or {from: data_column}", kSchema},
      {"from_unknown", load("  - {table: t, key: a, columns: {a: , b: , c: {from: d}}}"), "definition_unknown_column",
       7, 44, "load[1].columns: unknown data column 'd'"},
      {"value_without_meaning", load("  - {table: t, key: a, columns: {a: , b: , c: {value: $who}}}"),
       "definition_bad_value", 7, 55, "load[1].columns.c.value: unknown context value '$who'", kSchema},
  };
}

std::vector<FaultCase> handler_cases() {
  return {
      {"handler_and_table", load("  - {handler: h, table: t}"), "definition_bad_value", 7, 18,
       "load[1].table: belongs to a table, but the target is a handler"},
      {"handler_with_a_key", load("  - {handler: h, key: a}"), "definition_bad_value", 7, 18,
       "load[1].key: belongs to a table, but the target is a handler"},
      {"options_of_a_table", load("  - {table: t, key: a, options: {x: 1}}"), "definition_bad_value", 7, 33,
       "load[1].options: belongs to a handler, but the target is a table"},
      {"handler_options_no_map", load("  - {handler: h, options: [1]}"), "definition_wrong_kind", 7, 27,
       "load[1].options: expected a map", kSchema},
      {"handler_batch_too_large", load("  - {handler: h, batch_size: 100001}"), "definition_bad_value", 7, 30, "100000",
       kSchema},
      {"handler_gets_a_constant", load("  - {handler: h, columns: {a: , b: , c: {value: 1}}}"), "definition_bad_value",
       7, 38, "load[1].columns.c: a handler gets data columns only"},
      {"handler_not_alone", load("  - {table: t, strategy: append}\n  - {handler: h}"), "definition_bad_value", 8, 5,
       "load[2].handler: a handler stands alone"},
      {"handler_all_or_nothing", load("  - {handler: h}", "commit: all_or_nothing"), "definition_bad_value", 8, 9,
       "commit: what a handler has done cannot be taken back"},
  };
}

std::vector<FaultCase> reference_cases() {
  const std::string root = "  - {table: unit, key: a, columns: [a, b]}\n";
  return {
      {"reference_without_table", load(root + "  - {table: u, strategy: append, columns: {unit_id: {ref: id}}}"),
       "definition_bad_value", 8, 59, "'id' is not accepted; expected table.column", kSchema},
      {"reference_misspelt", load(root + "  - {table: u, strategy: append, columns: {unit_id: {rev: unit.id}, a: }}"),
       "definition_unknown_key", 8, 54, "unknown key 'rev'; did you mean 'ref'?", kSchema},
      {"reference_to_unknown_table",
       load(root + "  - {table: u, strategy: append, columns: {unit_id: {ref: unti.id}}}"),
       "definition_unknown_reference", 8, 44, "table 'unti' is not loaded by this definition; did you mean 'unit'?"},
      {"reference_to_later_table",
       load("  - {table: u, strategy: append, columns: {b: , unit_id: {ref: unit.id}}}\n  - {table: unit, key: a}",
            "partition: single"),
       "definition_unknown_reference", 7, 49, "table 'unit' is not loaded before this entry; put it first"},
      {"reference_to_itself", load("  - {table: u, key: a, columns: {a: , b: , parent: {ref: u.id}}}"),
       "definition_unknown_reference", 7, 44, "table 'u' is not loaded before this entry"},
      {"key_apart_from_the_root", load("  - {table: unit, key: a}\n  - {table: region, key: b}"),
       "definition_needs_single_partition", 8, 26,
       "load[2].key: contains neither the key of 'unit' nor a reference to it; say 'partition: single'"},
      {"root_without_key", load("  - {table: log, strategy: append}\n  - {table: region, key: b}"),
       "definition_needs_single_partition", 8, 26,
       "the first entry, 'log', has no key to part the rows by; say 'partition: single'"},
      {"reference_to_another_than_the_root",
       load(root + "  - {table: u, key: [a, b]}\n  - {table: v, key: [u_id], columns: {u_id: {ref: u.id}}}"),
       "definition_needs_single_partition", 9, 21, "contains neither the key of 'unit'"},
  };
}

std::vector<FaultCase> set_cases() {
  const std::string set = "  - {table: t, key: a, strategy: replace_set";
  return {
      {"scope_without_set", load("  - {table: t, key: a, scope: {x: {active: y}}}"), "definition_bad_value", 7, 31,
       "load[1].scope: belongs to strategy replace_set, but the strategy is insert_or_update"},
      {"version_without_set", load("  - {table: t, key: a, version: {column: x, table: y}}"), "definition_bad_value", 7,
       33, "load[1].version: belongs to strategy replace_set"},
      {"scope_is_a_list", load(set + ", scope: [x]}"), "definition_wrong_kind", 7, 54,
       "load[1].scope: expected a map column: value", kSchema},
      {"scope_misspelt", load(set + ", scope: {x: {active: y, flag: z}}}"), "definition_unknown_key", 7, 70,
       "unknown key 'flag'", kSchema},
      {"active_without_table", load(set + ", scope: {x: {active: {flag: f}}}}"), "definition_missing_key", 7, 67,
       "table", kSchema},
      {"version_without_column", load(set + ", version: {table: v}}"), "definition_missing_key", 7, 56, "column",
       kSchema},
      {"scope_is_mapped_too", load(set + ", scope: {b: 1}}"), "definition_bad_value", 7, 54,
       "target column 'b' gets its value from scope, nothing else may go there"},
      {"version_is_mapped_too", load(set + ", version: {column: b, table: v}}"), "definition_bad_value", 7, 56,
       "target column 'b' gets its value from version"},
      {"set_beside_another_table", load(set + "}\n  - {table: u, key: [a, b]}"), "definition_bad_value", 7, 34,
       "replace_set stands alone; give each set a definition of its own"},
      {"set_per_bucket", load(set + "}", "commit: per_bucket"), "definition_bad_value", 8, 9,
       "a set without 'version' is replaced in one transaction"},
      {"version_with_errors", load(set + ", version: {column: v, table: v}}", "max_errors: 5"), "definition_bad_value",
       8, 13, "a version of a set is whole or not at all"},
      {"delete_unknown", load("  - {table: t, key: a, delete: gone}"), "definition_unknown_column", 7, 32,
       "load[1].delete: unknown data column 'gone'"},
      {"delete_not_boolean", load("  - {table: t, key: a, delete: b}"), "definition_bad_value", 7, 32,
       "load[1].delete: column 'b' is text; it must be boolean"},
      {"delete_while_appending", load("  - {table: t, strategy: append, delete: a}"), "definition_bad_value", 7, 42,
       "rows are deleted by their key"},
  };
}

std::vector<FaultCase> unsupported_cases() {
  std::vector<FaultCase> cases = {
      {"type_code", document("  a: {type: code}"), "unsupported", 4, 13, "'code' is not supported yet; use text",
       kSchema},
      {"handler_column", document("  a: {handler: x.lua}"), "unsupported", 4, 7, "'handler' is not supported yet",
       kSchema},
      {"xls", load("  - {table: t, key: a}", "source: {format: xls}"), "unsupported", 8, 18,
       "source.format: 'xls' is not supported yet; save the file as csv or xlsx", kSchema},
      {"format_2", "lade: 2\ndefinition: d\ncolumns: {a: A}\nload: [{table: t, key: a}]", "unsupported", 1, 7,
       "this program reads version 1", kSchema},
  };
  for (const std::string_view key : {"keep", "staging", "handler", "fetch", "extract", "resolve", "scope", "version"}) {
    static std::vector<std::string> names;
    names.reserve(32);
    names.push_back("top_" + std::string(key));
    cases.push_back({names.back(), load("  - {table: t, key: a}", std::string(key) + ": {x: 1}"), "unsupported", 8, 1,
                     "is not supported yet; ", kSchema});
  }
  return cases;
}

class Load : public ::testing::TestWithParam<FaultCase> {};
TEST_P(Load, FaultIsReported) {
  expect_fault(GetParam());
}
INSTANTIATE_TEST_SUITE_P(Entries, Load, ::testing::ValuesIn(entry_cases()), case_name);
INSTANTIATE_TEST_SUITE_P(Temporal, Load, ::testing::ValuesIn(temporal_cases()), case_name);
INSTANTIATE_TEST_SUITE_P(Concern, Load, ::testing::ValuesIn(concern_cases()), case_name);
INSTANTIATE_TEST_SUITE_P(Handlers, Load, ::testing::ValuesIn(handler_cases()), case_name);
INSTANTIATE_TEST_SUITE_P(References, Load, ::testing::ValuesIn(reference_cases()), case_name);
INSTANTIATE_TEST_SUITE_P(Sets, Load, ::testing::ValuesIn(set_cases()), case_name);
INSTANTIATE_TEST_SUITE_P(Unsupported, Load, ::testing::ValuesIn(unsupported_cases()), case_name);

}  // namespace
}  // namespace lade::definition
