// Which unit a row is about.
#include <fmt/format.h>

#include "analysis/entity_key.h"
#include "steps/expand.h"
#include "steps/given_idents.h"
#include "testing/analysed.h"
#include "testing/database_test.h"

namespace lade::steps {
namespace {

using Texts = std::vector<std::string>;

class ExternalIdentsTest : public testing::DatabaseTest {
 protected:
  ExternalIdentsTest() {
    EXPECT_OK(connection->run(
        "CREATE TABLE external_ident_type (id integer PRIMARY KEY, code text, priority integer, shape text, labels "
        "text);"
        "INSERT INTO external_ident_type VALUES (7, 'tax_ident', 1, 'regular', NULL), (8, 'stat_ident', 2, 'regular', "
        "NULL), "
        "(9, 'census', 3, 'hierarchical', 'year.place');"
        "CREATE TABLE external_ident (type_id integer, ident text, legal_unit_id integer, establishment_id integer, "
        "PRIMARY KEY (type_id, ident));"
        "INSERT INTO external_ident VALUES (7, 'T1', 1, NULL), (8, 'S1', 1, NULL), (7, 'T2', 2, NULL), "
        "(7, 'E1', NULL, 1), (9, '2024.north', 3, NULL);"
        "CREATE TABLE legal_unit (id integer PRIMARY KEY, name text);"));
  }

  std::string yaml(std::string_view mode = "legal_unit") const {
    return fmt::format(
        "mode: {}\nstrategy: insert_or_replace\nvalid_time_from: job_provided\n"
        "steps:\n"
        "  external_idents: {{priority: 15}}\n"
        "  legal_unit: {{kind: table, priority: 20, temporal: false, columns: {{name: {{max_length: 5}}}}}}\n",
        mode);
  }

  testing::CollectingSink analysed(const std::string& csv) {
    const auto whole = expand(testing::definition_of(yaml()), *connection, {});
    EXPECT_OK(whole);
    const auto program = analysis::bind(*whole, testing::header_of(csv), *connection, {}, step_maker());
    EXPECT_OK(program);
    return program ? testing::analyse(**program, csv, *connection, {.batch_rows = 2}) : testing::CollectingSink();
  }
};
LADE_ON_BOTH_DATABASES(ExternalIdentsTest);

TEST_P(ExternalIdentsTest, GeneratesColumnsAndTables) {
  const auto whole = expand(testing::definition_of(yaml()), *connection, {});
  ASSERT_OK(whole);
  EXPECT_TRUE(whole->expanded);
  Texts columns, tables;
  for (const auto& column : whole->columns)
    if (column.purpose == definition::DataColumn::Purpose::source_input) columns.push_back(column.name);
  for (const auto& entry : whole->load) tables.push_back(entry.table);
  EXPECT_EQ(columns, (Texts{"name", "tax_ident", "stat_ident", "census_year", "census_place"}));
  EXPECT_EQ(tables, (Texts{"legal_unit", "external_ident", "external_ident", "external_ident"}));
  EXPECT_TRUE(whole->find("tax_ident")->identifying);
  // What the job keeps is the same when it is read again.
  const auto again = definition::parse_definition(definition::to_json(*whole));
  EXPECT_TRUE(again.valid()) << definition::describe(again.faults, "snapshot");
  EXPECT_EQ(definition::to_json(again.definition), definition::to_json(*whole));
}

TEST_P(ExternalIdentsTest, FindsUnitsAndNamesNewOnes) {
  const auto sink = analysed("tax_ident,stat_ident,name\nT1,S1,a\nT9,,b\nT9,,c\nT9,S9,d\nT2,S2,e\n");
  EXPECT_EQ(sink.issue_texts(), Texts());
  ASSERT_EQ(sink.rows.size(), 5);
  const auto entity = [&](std::size_t row) {
    return sink.rows[row].key.substr(0, analysis::entity_bytes(sink.rows[row].key));
  };
  EXPECT_EQ(entity(0), std::string("\0\0\0\0\0\0\0\0\0\1", 10));
  EXPECT_EQ(entity(1), entity(2)) << "the same identifiers name the same new unit";
  EXPECT_NE(entity(1), entity(3)) << "with another one beside them they do not";
  EXPECT_TRUE(analysis::is_new_entity(entity(3)));
  EXPECT_EQ(entity(4), std::string("\0\0\0\0\0\0\0\0\0\2", 10));
  Texts claims;
  for (const auto& note : sink.notes) claims.push_back(fmt::format("{}: {}", note.row_id, note.key.substr(3)));
  EXPECT_EQ(claims, (Texts{"2: T9", "3: T9", "4: T9", "4: S9", "5: S2"})) << "what is stored already is not claimed";
}

TEST_P(ExternalIdentsTest, RefusesWhatDoesNotFit) {
  const auto sink = analysed(
      "tax_ident,stat_ident,census_year,census_place,name\n"
      ",,,,none\nT2,S1,,,two\nT2,S1,2024,north,three\nE1,,,,kind\nT1,E1,,,a\nT1,S7,,,other\n"
      "T9,,2024,,half\nT9,,20 24,x,odd\nE1,S1,,,both\n");
  EXPECT_EQ(
      sink.issue_texts(),
      (Texts{"1 identifier_missing tax_ident", "1 identifier_missing stat_ident", "1 identifier_missing census_year",
             "1 identifier_missing census_place", "2 identifiers_disagree tax_ident (T2)",
             "2 identifiers_disagree stat_ident (S1)", "3 identifiers_disagree tax_ident (T2)",
             "3 identifiers_disagree stat_ident (S1)", "3 identifiers_disagree census_year (2024)",
             "3 identifiers_disagree census_place (north)", "4 identifier_wrong_kind tax_ident (E1)",
             "5 identifier_unstable stat_ident (E1)", "6 identifier_unstable stat_ident (S7)",
             "7 identifier_incomplete census_place", "8 identifier_characters census_year (20 24)",
             "9 identifiers_of_two_kinds tax_ident (E1)", "9 identifiers_of_two_kinds stat_ident (S1)"}));
  EXPECT_TRUE(sink.rows.empty());
}

TEST_P(ExternalIdentsTest, AFailedRowStandsForItsSiblings) {
  const auto sink = analysed("tax_ident,name\nT9,too long a name\nT9,b\nT1,too long again\n");
  ASSERT_EQ(sink.rows.size(), 1);
  ASSERT_EQ(sink.notes.size(), 1)
      << "one identifier in the file: there is nothing to claim; of stored units nothing is told";
  EXPECT_EQ(sink.notes.front().row_id, 1);
  EXPECT_TRUE(sink.notes.front().tuple.empty());
  EXPECT_TRUE(sink.rows.front().key.starts_with(sink.notes.front().key));
}

TEST_P(ExternalIdentsTest, AProbeFindsWhatTheMapFinds) {
  const auto table = connection->describe("external_ident");
  ASSERT_OK(table);
  const IdentTable idents{**table, {"legal_unit", "establishment"}};
  const auto map = IdentMap::load(idents, *connection, 100);
  const auto probe = IdentMap::load(idents, *connection, 0);
  ASSERT_OK(map);
  ASSERT_OK(probe);
  const std::vector<Ident> asked{{7, "T1"}, {8, "T1"}, {7, "E1"}, {9, "2024.north"}, {7, ""}};
  const auto found = map->find(asked, *connection);
  ASSERT_OK(found);
  EXPECT_EQ((*found)[0], (Unit{0, 1}));
  EXPECT_EQ((*found)[1], std::nullopt);
  EXPECT_EQ((*found)[2], (Unit{1, 1}));
  EXPECT_EQ(*probe->find(asked, *connection), *found);
}

TEST_P(ExternalIdentsTest, WantsAnIdentifierInTheHeader) {
  const auto whole = expand(testing::definition_of(yaml()), *connection, {});
  ASSERT_OK(whole);
  const auto program = analysis::bind(*whole, {"name"}, *connection, {}, step_maker());
  ASSERT_FALSE(program);
  EXPECT_EQ(program.error().code, "header_mismatch");
}

}  // namespace
}  // namespace lade::steps
