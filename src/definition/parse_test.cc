#include "definition/parse.h"
#include "definition/match.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "definition/match.h"

namespace lade::definition {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

std::filesystem::path source_folder() {
  const char* folder = std::getenv("LADE_SOURCE_DIR");
  return folder == nullptr ? std::filesystem::current_path() : std::filesystem::path(folder);
}

std::string file_text(const std::filesystem::path& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file) << path;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// Uses every setting that has a place in the canonical form.
constexpr std::string_view kEverything = R"yaml(
lade: 1
definition: everything
name: 'Everything: at once'
note: "Quotes \" and ünïcode, and a
  second line"
source: {format: csv, delimiter: tab, quote: "'", escape: \, comment: "#", encoding: UTF8, header_row: 0, header: [a, b], skip_rows: 2, ragged: pad, null_values: [n/a, null]}
columns:
  plain:
  short: Short header
  code: {from: [Code, "Code, old"], required: true, blank: null, null_values: [NA, null, '-'], trim: false, length: 3}
  quantity: {type: "decimal(14, 4)", locale: de-CH-1996-u-nu-latn, format: [currency(CHF), accounting], min: -1.5, max: 1000, severity: warning}
  day: {type: date, format: [DD.MM.YYYY, excel], null_values: [], min: 2020-01-01, default: 01.01.2020}
  moment: {type: timestamp, timezone: Europe/Berlin, blank: error}
  active: {type: boolean, format: ja/nein, blank: clear}
  kind: {cut: " | ", values: {J: yes, N: no, "-": unknown}, default: J, sensitive: true}
  size: {values: [S, M, L], min_length: 1, max_length: 1, pattern: '[SML]'}
  company: {value: $company}
  price: {value: $$5}
  one: {value: 1, type: integer}
  loaded: {expression: now}
  region: {expression: default, default: EU}
  unit_id:
    lookup: {table: ref.unit, match: {code: unit_code, kind: kind}, take: id, where: {company_id: $company, active: true}, missing: null, many: first}
checks:
  - quantity > 0 or quantity is blank
  - {expr: "day >= '2020-01-01'", columns: [day, code], severity: warning, message: "Too old", code: too_old}
load:
  - {table: thing, key: [code, kind], strategy: insert_or_replace, columns: {code: , kind: , quantity: amount}}
  - {table: thing_log, key: [thing_id, day], columns: {thing_id: {ref: thing.id}, day: day}}
  - {table: audit, strategy: append}
duplicates: {policy: merge, aggregate: {quantity: sum, day: max, size: join}}
partition: hash
commit: all_or_nothing
max_errors: {count: 10, percent: 2.5%}
fail_when: any_failed
review: on_issues
lock: target
queue: prices
)yaml";

Definition without_lines(Definition definition) {
  for (DataColumn& column : definition.columns) column.line = 0;
  for (Check& check : definition.checks) check.line = 0;
  for (LoadEntry& entry : definition.load) entry.line = 0;
  for (Step& step : definition.steps) step.line = 0;
  return definition;
}

TEST(ParseDefinition, ReadsEveryColumnSetting) {
  const Parsed parsed = parse_definition(kEverything);
  ASSERT_TRUE(parsed.valid()) << describe(parsed.faults, "everything.yaml");
  const Definition& d = parsed.definition;
  EXPECT_EQ(d.columns.size(), 15U);
  EXPECT_THAT(d.find("plain")->from, ElementsAre("plain"));
  EXPECT_THAT(d.find("short")->from, ElementsAre("Short header"));
  EXPECT_THAT(d.find("code")->from, ElementsAre("Code", "Code, old"));
  EXPECT_TRUE(d.find("code")->required);
  EXPECT_TRUE(d.find("code")->blank_given);
  EXPECT_EQ(d.find("code")->blank, BlankPolicy::null);
  EXPECT_THAT(d.find("code")->null_values, ElementsAre("NA", "null", "-"));
  EXPECT_FALSE(d.find("code")->trim);
  EXPECT_EQ(d.find("code")->min_length, 3);
  EXPECT_EQ(d.find("code")->max_length, 3);
  EXPECT_EQ(d.find("quantity")->type, (Type{TypeKind::decimal, 14, 4}));
  EXPECT_EQ(d.find("quantity")->min, "-1.5");
  EXPECT_EQ(d.find("quantity")->severity, Severity::warning);
  EXPECT_FALSE(d.find("quantity")->blank_given);
  EXPECT_EQ(d.find("active")->blank, BlankPolicy::clear);
  EXPECT_THAT(d.find("quantity")->formats, ElementsAre("currency(CHF)", "accounting"));
  EXPECT_THAT(d.find("day")->formats, ElementsAre("DD.MM.YYYY", "excel"));
  EXPECT_THAT(d.find("active")->formats, ElementsAre("ja/nein"));
  EXPECT_TRUE(d.find("day")->null_values_given);
  EXPECT_FALSE(d.find("moment")->null_values_given);
  EXPECT_EQ(d.find("kind")->cut, " | ");
  EXPECT_THAT(d.find("kind")->values, ElementsAre(Pair("J", "yes"), Pair("N", "no"), Pair("-", "unknown")));
  EXPECT_THAT(d.find("size")->values, ElementsAre(Pair("S", "S"), Pair("M", "M"), Pair("L", "L")));
  EXPECT_EQ(d.find("company")->value, (FixedValue{"company", true}));
  EXPECT_EQ(d.find("price")->value, (FixedValue{"$5", false}));
  EXPECT_EQ(d.find("loaded")->type.kind, TypeKind::timestamp);
  EXPECT_EQ(d.find("nothing"), nullptr);
  EXPECT_EQ(d.find("code")->line, 11);
}

TEST(ParseDefinition, ReadsLookupsChecksAndLoad) {
  const Definition d = parse_definition(kEverything).definition;
  const Lookup& lookup = d.find("unit_id")->lookup.value();
  EXPECT_EQ(lookup.table, "ref.unit");
  EXPECT_THAT(lookup.match, ElementsAre(Pair("code", "unit_code"), Pair("kind", "kind")));
  EXPECT_THAT(lookup.where,
              ElementsAre(Pair("company_id", FixedValue{"company", true}), Pair("active", FixedValue{"true", false})));
  EXPECT_EQ(lookup.missing, MissingPolicy::null);
  EXPECT_EQ(lookup.many, ManyPolicy::first);
  ASSERT_EQ(d.checks.size(), 2U);
  EXPECT_THAT(d.checks[0].columns, ElementsAre("quantity"));
  EXPECT_EQ(d.checks[0].code, "check_failed");
  EXPECT_THAT(d.checks[1].columns, ElementsAre("day", "code"));
  EXPECT_EQ(d.checks[1].code, "too_old");
  ASSERT_EQ(d.load.size(), 3U);
  EXPECT_EQ(d.load[0].columns[2], (TargetColumn{"amount", "quantity", "", ""}));
  EXPECT_EQ(d.load[1].columns[0], (TargetColumn{"thing_id", "", "thing", "id"}));
  EXPECT_EQ(d.load[1].strategy, Strategy::insert_or_update);
  EXPECT_FALSE(d.load[2].columns_given);
}

TEST(ParseDefinition, ReadsSourceAndSettings) {
  const Definition d = parse_definition(kEverything).definition;
  EXPECT_EQ(d.source.delimiter, '\t');
  EXPECT_EQ(d.source.quote, '\'');
  EXPECT_EQ(d.source.escape, '\\');
  EXPECT_EQ(d.source.format, "csv");
  EXPECT_EQ(d.source.comment, '#');
  EXPECT_EQ(d.source.encoding, "utf-8");
  EXPECT_EQ(d.source.header_row, 0);
  EXPECT_THAT(d.source.header, ElementsAre("a", "b"));
  EXPECT_EQ(d.source.skip_rows, 2);
  EXPECT_EQ(d.source.ragged, RaggedPolicy::pad);
  EXPECT_THAT(d.source.null_values, ElementsAre("n/a", "null"));
  EXPECT_EQ(d.duplicates, DuplicatePolicy::merge);
  EXPECT_THAT(d.aggregate, ElementsAre(Pair("day", Aggregate::max), Pair("quantity", Aggregate::sum),
                                       Pair("size", Aggregate::join)));
  EXPECT_EQ(d.partition, Partition::hash);
  EXPECT_EQ(d.commit, Commit::all_or_nothing);
  EXPECT_EQ(d.max_errors, (MaxErrors{10, 2.5}));
  EXPECT_EQ(d.fail_when, FailWhen::any_failed);
  EXPECT_EQ(d.review, Review::on_issues);
  EXPECT_EQ(d.lock, Lock::target);
  EXPECT_EQ(d.queue, "prices");
}

TEST(ParseDefinition, ReadsTheSourceOfAWorkbook) {
  const auto with_source = [](std::string_view source) {
    return "lade: 1\ndefinition: d\ncolumns: {a: A}\nload: [{table: t, key: a}]\nsource: " + std::string(source);
  };
  const std::string yaml = with_source("{format: xlsx, sheet: 2, merged: repeat}");
  const Parsed parsed = parse_definition(yaml);
  EXPECT_TRUE(parsed.faults.empty()) << describe(parsed.faults, "d");
  EXPECT_EQ(parsed.definition.source.format, "xlsx");
  EXPECT_EQ(parsed.definition.source.sheet, "2");
  EXPECT_EQ(parsed.definition.source.merged, MergedPolicy::repeat);
  EXPECT_TRUE(check_schema(yaml).empty()) << describe(check_schema(yaml), "d");
  const Parsed again = parse_definition(to_json(parsed.definition));
  EXPECT_EQ(again.definition.source, parsed.definition.source) << to_json(parsed.definition);

  const Parsed open = parse_definition(with_source("{encoding: ISO_8859-1:1987}"));
  EXPECT_TRUE(open.faults.empty()) << describe(open.faults, "d");
  EXPECT_EQ(open.definition.source.format, "");
  EXPECT_EQ(open.definition.source.encoding, "ISO_8859-1:1987");
  EXPECT_EQ(parse_definition(to_json(open.definition)).definition.source, open.definition.source);
}

TEST(ParseDefinition, MaxErrorsHasThreeSpellings) {
  const auto max_errors = [](std::string_view text) {
    const Parsed parsed = parse_definition(
        "lade: 1\ndefinition: d\ncolumns: {a: A}\nload: [{table: t, key: a}]\nmax_errors: " + std::string(text));
    EXPECT_TRUE(parsed.valid()) << describe(parsed.faults, "d");
    return parsed.definition.max_errors;
  };
  EXPECT_EQ(max_errors("0"), (MaxErrors{0, std::nullopt}));
  EXPECT_EQ(max_errors("5%"), (MaxErrors{std::nullopt, 5}));
  EXPECT_EQ(max_errors("{percent: 0.5}"), (MaxErrors{std::nullopt, 0.5}));
  EXPECT_FALSE(parse_definition("lade: 1").definition.max_errors.given());
}

TEST(ParseDefinition, CanonicalJsonGivesTheSameDefinition) {
  const Parsed parsed = parse_definition(kEverything);
  const std::string json = to_json(parsed.definition);
  const Parsed again = parse_definition(json);
  EXPECT_TRUE(again.faults.empty()) << describe(again.faults, "json") << json;
  EXPECT_EQ(without_lines(again.definition), without_lines(parsed.definition));
  EXPECT_EQ(to_json(again.definition), json);
  EXPECT_TRUE(check_schema(json).empty()) << describe(check_schema(json), "json") << json;
}

TEST(ParseDefinition, SchemaAcceptsWhatIsValid) {
  EXPECT_TRUE(check_schema(kEverything).empty()) << describe(check_schema(kEverything), "everything");
}

TEST(ParseDefinition, CodesThatAreEqualAsNumbersAreDifferentTexts) {
  const std::string yaml = "lade: 1\ndefinition: d\ncolumns: {a: {values: [1, 01, 1.0]}}\nload: [{table: t, key: a}]\n";
  const Parsed parsed = parse_definition(yaml);
  ASSERT_TRUE(parsed.valid()) << describe(parsed.faults, "d");
  EXPECT_THAT(parsed.definition.columns[0].values, ElementsAre(Pair("1", "1"), Pair("01", "01"), Pair("1.0", "1.0")));
  EXPECT_TRUE(check_schema(yaml).empty()) << describe(check_schema(yaml), "d");
}

TEST(ParseDefinition, EveryFaultIsReportedInOrder) {
  const Parsed parsed =
      parse_definition("lade: 1\nnaem: x\ncolumns:\n  a: {typ: date}\n  b: {min: 1}\nload:\n  - {tabel: t}\n");
  std::vector<std::pair<int, std::string>> found;
  for (const Fault& fault : parsed.faults) found.emplace_back(fault.line, fault.code);
  EXPECT_THAT(found, ElementsAre(Pair(1, "definition_missing_key"), Pair(2, "definition_unknown_key"),
                                 Pair(4, "definition_unknown_key"), Pair(5, "definition_bad_value"),
                                 Pair(7, "definition_missing_key"), Pair(7, "definition_missing_key"),
                                 Pair(7, "definition_unknown_key")))
      << describe(parsed.faults, "d.yaml");
  EXPECT_FALSE(parsed.valid());
  EXPECT_THAT(
      describe(parsed.faults, "d.yaml"),
      HasSubstr("d.yaml:4:7: error definition_unknown_key: columns.a: unknown key 'typ'; did you mean 'type'?\n"));
}

TEST(ParseDefinition, AliasesStandForWhatTheyName) {
  const Parsed parsed = parse_definition(
      "lade: 1\ndefinition: d\ncolumns:\n  a: &money {type: 'decimal(9,2)'}\n  b: *money\nload: [{table: t, key: "
      "a}]\n");
  ASSERT_TRUE(parsed.valid()) << describe(parsed.faults, "d");
  EXPECT_EQ(parsed.definition.columns[1].type, (Type{TypeKind::decimal, 9, 2}));
}

TEST(EvaluationOrder, LookupsFollowWhatTheyMatch) {
  const Parsed parsed = parse_definition(
      "lade: 1\ndefinition: d\ncolumns:\n"
      "  third: {lookup: {table: t, match: [second, code], take: id}}\n"
      "  second: {lookup: {table: t, match: code, take: id}}\n"
      "  code:\n  name:\nload: [{table: t, key: code}]\n");
  ASSERT_TRUE(parsed.valid()) << describe(parsed.faults, "d");
  EXPECT_THAT(evaluation_order(parsed.definition), ElementsAre(2U, 3U, 1U, 0U));
}

TEST(Schema, IsTheShippedFile) {
  EXPECT_EQ(json_schema(), file_text(source_folder() / "docs/lade-definition.schema.json"));
}

TEST(Schema, FaultsHaveAPlace) {
  const auto faults =
      check_schema("lade: 1\ndefinition: d\ncolumns: {a: A}\nload: [{table: t, key: a}]\npartition: all\n");
  ASSERT_EQ(faults.size(), 1U) << describe(faults, "d");
  EXPECT_EQ(faults[0].code, "definition_schema");
  EXPECT_EQ(faults[0].line, 5);
  EXPECT_EQ(faults[0].column, 12);
}

void expect_valid(const std::string& yaml, const std::string& name) {
  const Parsed parsed = parse_definition(yaml);
  EXPECT_TRUE(parsed.faults.empty()) << describe(parsed.faults, name) << yaml;
  EXPECT_TRUE(check_schema(yaml).empty()) << describe(check_schema(yaml), name);
  const Parsed again = parse_definition(to_json(parsed.definition));
  EXPECT_EQ(without_lines(again.definition), without_lines(parsed.definition)) << name;
}

TEST(Handler, IsATargetOfItsOwn) {
  expect_valid("lade: 1\ndefinition: d\nload: [{handler: h}]\n", "without columns");
  const std::string yaml =
      "lade: 1\ndefinition: d\ncolumns: {a: , b: }\n"
      "load: [{handler: h, options: {x: 1, y: 'no'}, batch_size: 5, columns: {b: name}}]\n"
      "checks: [\"a <> 'x'\"]\n";
  expect_valid(yaml, "with all");
  Definition definition = parse_definition(yaml).definition;
  ASSERT_TRUE(override_handler(definition, {"other", R"({"y": true, "z": [1]})", 7}));
  EXPECT_EQ(definition.handler()->name, "other");
  EXPECT_EQ(definition.handler()->batch_size, 7);
  EXPECT_THAT(to_json(definition), ::testing::HasSubstr(R"("options":{"x":1,"y":true,"z":[1]})"));
  definition.columns.clear();
  EXPECT_EQ(with_all_columns(definition, {"A", "b c"}).columns.at(1).name, "b c");
}

TEST(ExamplesAndPacks, AreValid) {
  int count = 0;
  for (const char* folder : {"examples", "packs"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(source_folder() / folder)) {
      if (entry.path().extension() != ".yaml" || entry.path().filename() == "pack.yaml" ||
          entry.path().filename() == "handlers.yaml")
        continue;
      expect_valid(file_text(entry.path()), entry.path().filename());
      ++count;
    }
  }
  EXPECT_GE(count, 5);
}

TEST(Documentation, EveryDefinitionInItIsValid) {
  std::istringstream lines(file_text(source_folder() / "docs/definitions.md"));
  int count = 0;
  bool inside = false;
  std::string block;
  for (std::string line; std::getline(lines, line);) {
    if (inside && line == "```") {
      if (block.starts_with("lade: 1\n")) expect_valid(block, "docs/definitions.md"), ++count;
      block.clear();
      inside = false;
    } else if (inside) {
      block += line + "\n";
    } else {
      inside = line == "```yaml";
    }
  }
  EXPECT_GE(count, 3);
}

}  // namespace
}  // namespace lade::definition
