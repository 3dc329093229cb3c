#include "definition/fault_case_test.h"

namespace lade::definition {
namespace {

constexpr bool kSchema = true;
const std::string kColumns = "  a:";

std::vector<FaultCase> structure_cases() {
  return {
      {"unknown_key", document(kColumns, "load: [{table: t, key: a}]\npartitions: single"), "definition_unknown_key", 6,
       1, "definition: unknown key 'partitions'; did you mean 'partition'?", kSchema},
      {"unknown_key_far_from_all", document(kColumns, "load: [{table: t, key: a}]\nzzz: 1"), "definition_unknown_key",
       6, 1, "unknown key 'zzz'; known are lade, definition, name,", kSchema},
      {"duplicate_key", document(kColumns, "load: [{table: t, key: a}]\ndefinition: e"), "definition_duplicate_key", 6,
       1, "key 'definition' is given twice; the first is on line 2", kSchema},
      {"duplicate_column", document("  a:\n  a: B"), "definition_duplicate_key", 5, 3, "key 'a' is given twice",
       kSchema},
      {"key_is_a_list", document("  [a]: B\n  a:"), "definition_wrong_kind", 4, 3, "a key must be text, this is a list",
       kSchema},
      {"no_version", "definition: d\ncolumns: {a: A}\nload: [{table: t, key: a}]", "definition_missing_key", 1, 1,
       "key 'lade' is missing; write 'lade: 1'", kSchema},
      {"version_is_text", "lade: one\ndefinition: d\ncolumns: {a: A}\nload: [{table: t, key: a}]",
       "definition_wrong_kind", 1, 7, "lade: expected a whole number from 1 to 1000000, found 'one'", kSchema},
      {"no_slug", "lade: 1\ncolumns: {a: A}\nload: [{table: t, key: a}]", "definition_missing_key", 1, 1,
       "key 'definition' is missing", kSchema},
      {"bad_slug", "lade: 1\ndefinition: Price List\ncolumns: {a: A}\nload: [{table: t, key: a}]",
       "definition_bad_value", 2, 13,
       "definition: 'Price List' is not accepted; expected at most 63 lower-case letters", kSchema},
      {"no_columns", "lade: 1\ndefinition: d\nload: [{table: t, key: a}]", "definition_missing_key", 1, 1,
       "key 'columns' is missing", kSchema},
      {"empty_columns", "lade: 1\ndefinition: d\ncolumns: {}\nload: [{table: t, key: a}]", "definition_bad_value", 3,
       10, "columns: is empty", kSchema},
      {"columns_is_a_list", "lade: 1\ndefinition: d\ncolumns: [a, b]\nload: [{table: t, key: a}]",
       "definition_wrong_kind", 3, 10, "columns: expected a map of data columns, found a list", kSchema},
      {"no_load", "lade: 1\ndefinition: d\ncolumns: {a: A}", "definition_missing_key", 1, 1, "key 'load' is missing",
       kSchema},
      {"empty_load", document(kColumns, "load: []"), "definition_bad_value", 5, 7, "load: is empty", kSchema},
      {"load_is_a_map", document(kColumns, "load: {table: t, key: a}"), "definition_wrong_kind", 5, 7,
       "load: expected a list of target tables, found a map", kSchema},
      {"checks_is_text", document(kColumns, "checks: a > 1\nload: [{table: t, key: a}]"), "definition_wrong_kind", 5, 9,
       "checks: expected a list, found 'a > 1'", kSchema},
      {"name_is_empty", document(kColumns, "name:\nload: [{table: t, key: a}]"), "definition_wrong_kind", 5, 1,
       "name: expected text, found nothing", kSchema},
      {"partition_misspelt", document(kColumns, "partition: singel\nload: [{table: t, key: a}]"),
       "definition_bad_value", 5, 12,
       "partition: 'singel' is not accepted; expected one of range, hash, single; did you mean 'single'?", kSchema},
      {"commit_is_a_list", document(kColumns, "commit: [per_bucket]\nload: [{table: t, key: a}]"),
       "definition_wrong_kind", 5, 9, "commit: expected one of per_bucket, all_or_nothing, found a list", kSchema},
      {"fail_when_unknown", document(kColumns, "fail_when: sometimes\nload: [{table: t, key: a}]"),
       "definition_bad_value", 5, 12, "expected one of never, any_failed, all_failed", kSchema},
      {"review_unknown", document(kColumns, "review: maybe\nload: [{table: t, key: a}]"), "definition_bad_value", 5, 9,
       "review: 'maybe' is not accepted; expected one of never, always, on_issues", kSchema},
  };
}

std::vector<FaultCase> setting_cases() {
  const std::string load = "\nload: [{table: t, key: a}]";
  return {
      {"max_errors_negative", document(kColumns, "max_errors: -1" + load), "definition_bad_value", 5, 13,
       "max_errors: '-1' is out of range", kSchema},
      {"max_errors_words", document(kColumns, "max_errors: few" + load), "definition_wrong_kind", 5, 13,
       "expected a count such as 5, a share such as 5%, or {count: 5, percent: 1.5}, found 'few'", kSchema},
      {"max_errors_too_many_percent", document(kColumns, "max_errors: 101%" + load), "definition_bad_value", 5, 13,
       "'101%' is not accepted; expected a percentage from 0 to 100"},
      {"max_errors_unknown_part", document(kColumns, "max_errors: {counts: 1}" + load), "definition_unknown_key", 5, 14,
       "max_errors: unknown key 'counts'; did you mean 'count'?", kSchema},
      {"duplicates_unknown", document(kColumns, "duplicates: latest" + load), "definition_bad_value", 5, 13,
       "expected one of first, last, reject, merge", kSchema},
      {"duplicates_without_policy", document(kColumns, "duplicates: {aggregate: {}}" + load), "definition_missing_key",
       5, 13, "duplicates: key 'policy' is missing", kSchema},
      {"aggregate_without_merge", document("  a:\n  b: {type: integer}", "aggregate: {b: sum}" + load),
       "definition_bad_value", 6, 12, "aggregate: is for 'duplicates: merge', but duplicates is last"},
      {"aggregate_of_unknown_column", document(kColumns, "duplicates: merge\naggregate: {b: sum}" + load),
       "definition_unknown_column", 6, 13, "aggregate: unknown data column 'b'; known are a"},
      {"sum_of_text", document("  a:\n  b:", "duplicates: {policy: merge, aggregate: {b: sum}}" + load),
       "definition_bad_value", 6, 41, "aggregate.b: sum needs type integer or decimal(p,s), but the column is text"},
      {"join_of_integer", document("  a:\n  b: {type: integer}", "duplicates: merge\naggregate: {b: join}" + load),
       "definition_bad_value", 7, 13, "aggregate.b: join needs type text, but the column is integer"},
      {"unknown_aggregate", document("  a:\n  b:", "duplicates: merge\naggregate: {b: average}" + load),
       "definition_bad_value", 7, 16, "expected one of last, first, sum, min, max, count, join", kSchema},
      {"aggregate_of_the_key", document("  a: {type: integer}", "duplicates: merge\naggregate: {a: sum}" + load),
       "definition_bad_value", 7, 24, "aggregate.a: the column is part of the key"},
      {"duplicates_without_key", document(kColumns, "duplicates: last\nload: [{table: t, strategy: append}]"),
       "definition_no_effect", 5, 13, "the first load entry has no key"},
  };
}

std::vector<FaultCase> source_cases() {
  const auto source = [](std::string_view text) {
    return document(kColumns, "source: {" + std::string(text) + "}\nload: [{table: t, key: a}]");
  };
  return {
      {"delimiter_of_two", source("delimiter: '::'"), "definition_bad_value", 5, 21,
       "source.delimiter: '::' is not accepted; expected one ASCII character", kSchema},
      {"delimiter_not_ascii", source("delimiter: '→'"), "definition_bad_value", 5, 21, "source.delimiter: '→'",
       kSchema},
      {"quote_is_delimiter", source("delimiter: ';', quote: ';'"), "definition_bad_value", 5, 33,
       "source.quote: is the same character as the delimiter"},
      {"header_row_negative", source("header_row: -1"), "definition_bad_value", 5, 22, "source.header_row: '-1'",
       kSchema},
      {"header_row_quoted", source("header_row: '1'"), "definition_wrong_kind", 5, 22,
       "expected a whole number from 0 to 1000000, found '1'", kSchema},
      {"header_with_header_row", source("header: [a, b]"), "definition_bad_value", 5, 18, "say header_row: 0 as well"},
      {"header_twice_the_same", source("header_row: 0, header: [a, a]"), "definition_bad_value", 5, 37,
       "source.header: 'a' stands twice"},
      {"ragged_unknown", source("ragged: ignore"), "definition_bad_value", 5, 18, "expected one of error, pad",
       kSchema},
      {"unknown_format", source("format: cvs"), "definition_bad_value", 5, 18, "source.format: 'cvs'", kSchema},
      {"encoding_with_spaces", source("encoding: my own"), "definition_bad_value", 5, 20,
       "source.encoding: 'my own' is not accepted; expected a name such as utf-8 or windows-1252", kSchema},
      {"encoding_too_long", source("encoding: " + std::string(41, 'x')), "definition_bad_value", 5, 20,
       "source.encoding: 'xxx", kSchema},
      {"sheet_zero", source("sheet: 0"), "definition_bad_value", 5, 17,
       "source.sheet: '0' is not accepted; expected a sheet's name, or its place from 1 on"},
      {"sheet_is_a_list", source("sheet: [1, 2]"), "definition_wrong_kind", 5, 17,
       "source.sheet: expected text, found a list", kSchema},
      {"merged_unknown", source("merged: last"), "definition_bad_value", 5, 18,
       "source.merged: 'last' is not accepted; expected one of first, repeat", kSchema},
      {"comment_of_two", source("comment: '//'"), "definition_bad_value", 5, 19,
       "source.comment: '//' is not accepted; expected one ASCII character", kSchema},
      {"comment_is_delimiter", source("delimiter: ';', comment: ';'"), "definition_bad_value", 5, 35,
       "source.comment: is the same character as the delimiter"},
      {"comment_is_quote", source("comment: '\"'"), "definition_bad_value", 5, 19,
       "source.comment: is the same character as the quote"},
      {"sheet_of_csv", source("format: csv, sheet: 2"), "definition_no_effect", 5, 30,
       "source.sheet: has no effect on format csv; it is for xlsx"},
      {"delimiter_of_xlsx", source("format: xlsx, delimiter: ';'"), "definition_no_effect", 5, 35,
       "source.delimiter: has no effect on format xlsx; it is for csv"},
      {"null_values_of_source_is_text", source("null_values: NA"), "definition_wrong_kind", 5, 23,
       "source.null_values: expected a list of texts", kSchema},
      {"unknown_source_key", source("delimeter: ','"), "definition_unknown_key", 5, 10, "did you mean 'delimiter'?",
       kSchema},
  };
}

class Structure : public ::testing::TestWithParam<FaultCase> {};
TEST_P(Structure, IsReported) {
  expect_fault(GetParam());
}
INSTANTIATE_TEST_SUITE_P(Document, Structure, ::testing::ValuesIn(structure_cases()), case_name);
INSTANTIATE_TEST_SUITE_P(Settings, Structure, ::testing::ValuesIn(setting_cases()), case_name);
INSTANTIATE_TEST_SUITE_P(Source, Structure, ::testing::ValuesIn(source_cases()), case_name);

}  // namespace
}  // namespace lade::definition
