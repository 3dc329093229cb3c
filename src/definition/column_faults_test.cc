#include "definition/fault_case_test.h"

namespace lade::definition {
namespace {

constexpr bool kSchema = true;

// Column b stands on line 5, its settings from column 7 on.
std::string column(std::string_view settings) {
  return document("  a:\n  b: {" + std::string(settings) + "}");
}

std::vector<FaultCase> setting_cases() {
  return {
      {"misspelt_key", column("requird: true"), "definition_unknown_key", 5, 7,
       "columns.b: unknown key 'requird'; did you mean 'required'?", kSchema},
      {"column_is_a_list", document("  a:\n  b: [B]"), "definition_wrong_kind", 5, 6,
       "columns.b: expected a map, found a list", kSchema},
      {"required_is_text", column("required: yes"), "definition_wrong_kind", 5, 17,
       "columns.b.required: expected true or false, found 'yes'", kSchema},
      {"required_in_odd_case", column("required: TRue"), "definition_wrong_kind", 5, 17, "expected true or false",
       kSchema},
      {"from_is_a_map", column("from: {x: y}"), "definition_wrong_kind", 5, 13,
       "columns.b.from: expected a text or a list of texts, found a map", kSchema},
      {"from_is_empty", column("from: []"), "definition_bad_value", 5, 13, "columns.b.from: the list is empty",
       kSchema},
      {"from_has_empty_text", column("from: ['']"), "definition_bad_value", 5, 14, "columns.b.from: a text is empty",
       kSchema},
      {"from_twice_the_same", column("from: [B, B]"), "definition_bad_value", 5, 17, "'B' stands twice"},
      {"two_origins", column("from: B, value: x"), "definition_bad_value", 5, 23,
       "columns.b.value: 'from' says already where the value comes from", kSchema},
      {"unknown_context", column("value: $compny"), "definition_bad_value", 5, 14,
       "unknown context value '$compny'; did you mean 'company'?", kSchema},
      {"unknown_expression", column("expression: today"), "definition_bad_value", 5, 19, "expected one of now, default",
       kSchema},
      {"default_expression_without_default", column("expression: default"), "definition_missing_key", 5, 19,
       "columns.b: key 'default' is missing"},
      {"now_as_integer", column("expression: now, type: integer"), "definition_bad_value", 5, 30,
       "now cannot be 'integer'; use timestamp, date or text"},
      {"blank_unknown", column("blank: ignore"), "definition_bad_value", 5, 14,
       "expected one of null, keep, clear, error", kSchema},
      {"cut_is_empty", column("cut: ''"), "definition_bad_value", 5, 12, "columns.b.cut: the text is empty", kSchema},
      {"null_values_is_text", column("null_values: NA"), "definition_wrong_kind", 5, 20, "expected a list of texts",
       kSchema},
      {"default_is_a_list", column("default: [1]"), "definition_wrong_kind", 5, 16, "columns.b.default: expected text",
       kSchema},
      {"default_not_in_values", column("values: {J: ja, N: nein}, default: x"), "definition_bad_value", 5, 42,
       "columns.b.default: 'x' is not one of values"},
      {"default_and_value_of_the_empty_cell", column("values: {J: ja, '': nein}, default: J"), "definition_bad_value",
       5, 43, "columns.b.default: 'values' says already what an empty cell means"},
      {"values_is_text", column("values: x"), "definition_wrong_kind", 5, 15, "a list of texts or a map cell: value",
       kSchema},
      {"values_to_nothing", column("values: {J: }"), "definition_wrong_kind", 5, 16, "columns.b.values: expected text",
       kSchema},
      {"severity_unknown", column("severity: info"), "definition_bad_value", 5, 17, "expected one of error, warning",
       kSchema},
      {"pattern_does_not_compile", column("pattern: '[a-'"), "definition_bad_value", 5, 16,
       "columns.b.pattern: '[a-' is not an RE2 pattern: missing ]: [a-"},
      {"length_negative", column("max_length: -1"), "definition_bad_value", 5, 19, "columns.b.max_length: '-1'",
       kSchema},
      {"length_and_max_length", column("length: 3, max_length: 4"), "definition_bad_value", 5, 15,
       "stands for min_length and max_length together", kSchema},
      {"lengths_crossed", column("min_length: 5, max_length: 4"), "definition_bad_value", 5, 19,
       "columns.b.min_length: 5 is more than max_length 4"},
      {"column_name_with_line_break", document("  a:\n  \"b\\nc\":"), "definition_bad_value", 5, 3,
       "'b\\x0ac' is not a column's name"},
  };
}

std::vector<FaultCase> type_cases() {
  return {
      {"foreign_type", column("type: string"), "definition_bad_value", 5, 13,
       "columns.b.type: unknown type 'string'; expected one of text, integer, decimal(p,s), boolean, date, timestamp, "
       "uuid, json; did you mean 'text'?",
       kSchema},
      {"foreign_sized_type", column("type: 'varchar(40)'"), "definition_bad_value", 5, 13, "did you mean 'text'?",
       kSchema},
      {"misspelt_type", column("type: intger"), "definition_bad_value", 5, 13, "did you mean 'integer'?", kSchema},
      {"decimal_without_size", column("type: decimal"), "definition_bad_value", 5, 13, "write decimal(14,4)", kSchema},
      {"decimal_too_wide", column("type: 'decimal(39,2)'"), "definition_bad_value", 5, 13,
       "'decimal(39,2)' is out of range; the precision is 1 to 38, the scale 0 to the precision"},
      {"decimal_scale_too_large", column("type: 'decimal(4,5)'"), "definition_bad_value", 5, 13, "is out of range"},
      {"decimal_zero", column("type: 'decimal(0,0)'"), "definition_bad_value", 5, 13, "is out of range"},
      {"locale_shape", column("type: integer, locale: 'german!'"), "definition_bad_value", 5, 30,
       "'german!' is not accepted; expected a locale such as de-DE", kSchema},
      {"timezone_shape", column("type: timestamp, timezone: 'Europe Berlin'"), "definition_bad_value", 5, 34,
       "expected a zone such as Europe/Berlin", kSchema},
      {"format_is_empty", column("type: date, format: ''"), "definition_bad_value", 5, 27, "a text is empty", kSchema},
      {"locale_of_text", column("locale: de-DE"), "definition_no_effect", 5, 15,
       "columns.b.locale: has no effect on type text; it is for integer, decimal, date or timestamp"},
      {"locale_extension_shape", column("type: integer, locale: 'de-'"), "definition_bad_value", 5, 30,
       "'de-' is not accepted; expected a locale such as de-DE", kSchema},
      {"format_of_text", column("format: 'DD.MM.YYYY'"), "definition_no_effect", 5, 15,
       "it is for integer, decimal, date, timestamp or boolean"},
      {"format_of_integer", column("type: integer, format: [currency, 'DD.MM.YYYY']"), "definition_bad_value", 5, 41,
       "'DD.MM.YYYY' is not accepted; a number takes currency, currency(EUR), percent or accounting"},
      {"currency_in_small_letters", column("type: integer, format: currency(eur)"), "definition_bad_value", 5, 30,
       "'currency(eur)' is not accepted"},
      {"percent_of_integer", column("type: integer, format: percent"), "definition_bad_value", 5, 30,
       "19 % is 0.19; percent needs type decimal(p,s)"},
      {"two_formats_of_boolean", column("type: boolean, format: [ja/nein, oui/non]"), "definition_bad_value", 5, 30,
       "2 formats; type boolean takes at most 1"},
      {"format_twice", column("type: date, format: [iso, iso]"), "definition_bad_value", 5, 33, "'iso' stands twice"},
      {"timezone_of_date", column("type: date, timezone: UTC"), "definition_no_effect", 5, 29, "it is for timestamp"},
      {"min_of_text", column("min: 1"), "definition_bad_value", 5, 12, "columns.b.min: type text has no order"},
      {"min_not_an_integer", column("type: integer, min: 1.5"), "definition_bad_value", 5, 27,
       "'1.5' is not a value of type integer; expected a whole number such as 12"},
      {"max_too_precise", column("type: 'decimal(4,1)', max: 1.25"), "definition_bad_value", 5, 34,
       "'1.25' is not a value of type decimal(4,1)"},
      {"max_too_large", column("type: 'decimal(4,1)', max: 1000"), "definition_bad_value", 5, 34,
       "'1000' is not a value"},
      {"max_not_a_date", column("type: date, max: 2023-02-29"), "definition_bad_value", 5, 24,
       "'2023-02-29' is not a value of type date; expected a date such as 2024-12-31"},
      {"max_not_a_time", column("type: timestamp, max: '2024-01-01T25:00'"), "definition_bad_value", 5, 29,
       "expected a time such as 2024-12-31T23:59:59Z"},
      {"bounds_crossed", column("type: 'decimal(6,2)', min: 10, max: 9.99"), "definition_bad_value", 5, 34,
       "columns.b.min: 10 is more than max 9.99"},
      {"dates_crossed", column("type: date, min: 2024-01-02, max: 2024-01-01"), "definition_bad_value", 5, 24,
       "2024-01-02 is more than max 2024-01-01"},
      {"times_crossed", column("type: timestamp, min: '2024-01-01T00:00Z', max: '2024-01-01 00:30+01:00'"),
       "definition_bad_value", 5, 29, "is more than max"},
  };
}

std::vector<FaultCase> lookup_cases() {
  const auto lookup = [](std::string_view text) { return column("lookup: {" + std::string(text) + "}"); };
  return {
      {"lookup_without_table", lookup("match: a, take: id"), "definition_missing_key", 5, 15,
       "columns.b.lookup: key 'table' is missing", kSchema},
      {"lookup_without_match", lookup("table: t, take: id"), "definition_missing_key", 5, 15, "key 'match' is missing",
       kSchema},
      {"lookup_without_take", lookup("table: t, match: a"), "definition_missing_key", 5, 15, "key 'take' is missing",
       kSchema},
      {"lookup_is_text", column("lookup: t"), "definition_wrong_kind", 5, 15, "columns.b.lookup: expected a map",
       kSchema},
      {"match_unknown_column", lookup("table: t, match: [a, cc], take: id"), "definition_unknown_column", 5, 37,
       "columns.b.lookup.match: unknown data column 'cc'"},
      {"match_map_unknown_column", lookup("table: t, match: {A1: a}, take: id"), "definition_unknown_column", 5, 34,
       "unknown data column 'A1'"},
      {"missing_unknown", lookup("table: t, match: a, take: id, missing: skip"), "definition_bad_value", 5, 55,
       "expected one of error, warning, null", kSchema},
      {"many_unknown", lookup("table: t, match: a, take: id, many: last"), "definition_bad_value", 5, 52,
       "expected one of error, warning, first", kSchema},
      {"where_is_a_list", lookup("table: t, match: a, take: id, where: [x]"), "definition_wrong_kind", 5, 53,
       "expected a map column: value", kSchema},
      {"lade_table", lookup("table: lade_job, match: a, take: id"), "definition_reserved_table", 5, 23,
       "table 'lade_job' belongs to lade or to the database"},
      {"catalogue_table", lookup("table: PG_Catalog.pg_class, match: a, take: id"), "definition_reserved_table", 5, 23,
       "belongs to lade or to the database"},
      {"table_with_three_parts", lookup("table: x.y.z, match: a, take: id"), "definition_bad_value", 5, 23,
       "'x.y.z' is not a table's name; expected table or schema.table", kSchema},
      {"lookup_matches_itself", lookup("table: t, match: b, take: id"), "definition_cycle", 5, 33,
       "columns.b.lookup.match: the lookup depends on itself: b → b"},
      {"lookups_in_a_circle",
       document(
           "  a:\n  b: {lookup: {table: t, match: c, take: id}}\n  c: {lookup: {table: t, match: [a, b], take: id}}"),
       "definition_cycle", 6, 37, "depends on itself: b → c → b"},
  };
}

std::vector<FaultCase> check_cases() {
  const auto check = [](std::string_view text) {
    return document("  a:\n  b: {type: integer}", "checks:\n  - " + std::string(text) + "\nload: [{table: t, key: a}]");
  };
  return {
      {"check_syntax", check("{expr: 'b >'}"), "expression_invalid", 7, 12,
       "checks[1].expr: the expression ends where a column, a number or a text is expected, at position 4 in 'b >'"},
      {"check_unknown_column", check("{expr: 'c > 1'}"), "definition_unknown_column", 7, 12,
       "checks[1].expr: unknown data column 'c'"},
      {"check_names_unknown_column", check("{expr: 'b > 1', columns: [a, d]}"), "definition_unknown_column", 7, 34,
       "checks[1].columns: unknown data column 'd'"},
      {"check_without_expr", check("{severity: warning}"), "definition_missing_key", 7, 5, "key 'expr' is missing",
       kSchema},
      {"check_is_no_condition", check("b + 1"), "expression_invalid", 7, 5, "'b + 1' is not a condition"},
      {"check_joins_no_condition", check("b > 1 and b"), "expression_invalid", 7, 5, "is not a condition"},
      {"check_is_a_list", check("[b]"), "definition_wrong_kind", 7, 5, "checks[1]: expected a map, found a list",
       kSchema},
      {"check_code", check("{expr: b > 1, code: Too Big}"), "definition_bad_value", 7, 25, "checks[1].code: 'Too Big'",
       kSchema},
  };
}

class Column : public ::testing::TestWithParam<FaultCase> {};
TEST_P(Column, FaultIsReported) {
  expect_fault(GetParam());
}
INSTANTIATE_TEST_SUITE_P(Settings, Column, ::testing::ValuesIn(setting_cases()), case_name);
INSTANTIATE_TEST_SUITE_P(Types, Column, ::testing::ValuesIn(type_cases()), case_name);
INSTANTIATE_TEST_SUITE_P(Lookups, Column, ::testing::ValuesIn(lookup_cases()), case_name);
INSTANTIATE_TEST_SUITE_P(Checks, Column, ::testing::ValuesIn(check_cases()), case_name);

}  // namespace
}  // namespace lade::definition
