// What the kinds of steps want of a definition and of the database.
#include <fmt/format.h>

#include "steps/expand.h"
#include "testing/analysed.h"
#include "testing/database_test.h"

namespace lade::steps {
namespace {

using Texts = std::vector<std::string>;

class KindsTest : public testing::DatabaseTest {
 protected:
  KindsTest() {
    EXPECT_OK(connection->run(
        "CREATE TABLE external_ident_type (id integer PRIMARY KEY, code text, priority integer);"
        "CREATE TABLE external_ident (type_id integer, ident text, legal_unit_id integer, establishment_id integer, "
        "PRIMARY KEY (type_id, ident));"
        "CREATE TABLE establishment (id integer PRIMARY KEY, legal_unit_id integer, primary_for_legal_unit boolean, "
        "name text);"
        "CREATE TABLE stat_definition (id integer, code text, type text);"
        "INSERT INTO external_ident VALUES (1, 'T1', 1, NULL), (2, 'S2', 2, NULL), (1, 'E1', NULL, 1);"));
  }
  void make_types() {
    ASSERT_OK(connection->run("INSERT INTO external_ident_type VALUES (1, 'tax', 1), (2, 'stat', 2)"));
  }
  // The code of the refusal, or "expanded".
  std::string expanded(const std::string& steps) {
    const auto whole = expand(testing::definition_of(kHead + ("steps: {" + steps + "}\n")), *connection, {});
    return whole ? "expanded" : whole.error().code;
  }
  const std::string kHead = "mode: establishment_formal\nstrategy: insert_or_replace\nvalid_time_from: job_provided\n";
};
LADE_ON_BOTH_DATABASES(KindsTest);

TEST_P(KindsTest, MissesAreNamed) {
  EXPECT_EQ(expanded("external_idents: {priority: 1}"), "ident_types_unusable");
  make_types();
  EXPECT_EQ(expanded("edit_info: {priority: 1}"), "definition_no_table");
  EXPECT_EQ(expanded("own: {kind: table, priority: 1, table: nowhere}"), "table_not_found");
  EXPECT_EQ(expanded("own: {kind: table, priority: 1, table: stat_definition}"), "column_not_found");
  ASSERT_OK(connection->run("INSERT INTO stat_definition VALUES (1, 'employees', 'complex')"));
  EXPECT_EQ(expanded("statistical_variables: {priority: 1}"), "stat_type_unknown");
  EXPECT_EQ(expanded("own: {kind: sql, priority: 1, analyse_procedure: nothing}"),
            is_sqlite() ? "sql_step_needs_postgresql" : "procedure_not_found");
  EXPECT_EQ(expanded("own: {kind: link, priority: 1}"), "definition_invalid");
  EXPECT_EQ(expanded("own: {kind: table, priority: 1, tabel: x}"), "definition_invalid");
}

// What a job keeps is read by other processes, and by other versions.
TEST_P(KindsTest, WhatIsExpandedCanBeReadAgain) {
  make_types();
  ASSERT_OK(
      connection->run("CREATE TABLE tag (id integer PRIMARY KEY, path text); CREATE TABLE tag_for_unit (id integer);"
                      "CREATE TABLE stat_for_unit (id integer); CREATE TABLE enterprise (id integer PRIMARY KEY);"
                      "INSERT INTO stat_definition VALUES (1, 'employees', 'int'), (2, 'turnover', 'float')"));
  const auto whole =
      expand(testing::definition_of(
                 "mode: establishment_informal\nstrategy: insert_or_update\nvalid_time_from: source_columns\nsteps:\n"
                 "  valid_time: {priority: 10, formats: [DD.MM.YYYY], source_period: period}\n  external_idents: "
                 "{priority: 15}\n"
                 "  own: {kind: link, priority: 18, table: enterprise, primary: primary_for_enterprise}\n"
                 "  establishment: {kind: table, priority: 20, set: {kind: x}, ephemeral: [name], columns: {name: }}\n"
                 "  statistical_variables: {priority: 80}\n  tags: {priority: 90}\n  edit_info: {priority: 100}\n"
                 "  metadata: {priority: 110}\n"),
             *connection, {});
  ASSERT_OK(whole);
  const std::string text = definition::to_json(*whole);
  const auto again = definition::parse_definition(text);
  EXPECT_TRUE(again.faults.empty()) << definition::describe(again.faults, "snapshot");
  EXPECT_EQ(definition::to_json(again.definition), text);
  const auto schema = definition::check_schema(text);
  EXPECT_TRUE(schema.empty()) << definition::describe(schema, "snapshot");
  EXPECT_TRUE(check_steps(again.definition).empty());
}

TEST_P(KindsTest, AKindOfAnotherVersionIsRefused) {
  const auto made = step_maker()({.code = "own", .kind = "unheard"}, {}, *connection);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, "step_unknown");
}

TEST_P(KindsTest, LinksFindTheirUnits) {
  make_types();
  const auto whole = expand(
      testing::definition_of(kHead +
                             "steps:\n  external_idents: {priority: 15}\n"
                             "  legal: {kind: link, priority: 18, unit: legal_unit, primary: primary_for_legal_unit}\n"
                             "  establishment: {kind: table, priority: 20, temporal: false, columns: {name: }}\n"),
      *connection, {});
  ASSERT_OK(whole);
  const std::string csv =
      "tax,name,legal_unit_tax,legal_unit_stat\nA,a,T1,\nB,b,,\nC,c,T7,\nD,d,E1,\nE,e,T1,S2\nF,f,T1,\nE1,g,,S2\n";
  const auto program = analysis::bind(*whole, testing::header_of(csv), *connection, {}, step_maker());
  ASSERT_OK(program);
  const auto sink = testing::analyse(**program, csv, *connection);
  Texts codes;
  for (const auto& found : sink.issues) codes.push_back(fmt::format("{} {}", found.row_id, found.issue.column));
  EXPECT_EQ(codes, (Texts{"2 legal_unit_tax", "2 legal_unit_stat", "3 legal_unit_tax", "4 legal_unit_tax",
                          "5 legal_unit_tax", "5 legal_unit_stat"}));
  EXPECT_EQ(sink.issues[0].issue.code, "link_missing");
  EXPECT_EQ(sink.issues[2].issue.code, "link_not_found");
  EXPECT_EQ(sink.issues[3].issue.code, "link_not_found") << "it is of another kind";
  EXPECT_EQ(sink.issues[4].issue.code, "identifiers_disagree");
  Texts asked;  // of new establishments; what is stored stays
  for (const auto& note : sink.notes)
    if (!note.tuple.empty() && note.key.substr(3) == "1") asked.push_back(std::to_string(note.row_id));
  EXPECT_EQ(asked, (Texts{"1", "6"}));
}

}  // namespace
}  // namespace lade::steps
