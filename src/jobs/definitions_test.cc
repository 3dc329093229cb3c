// A definition in the form of its tables (S7, S9, S10).
#include "jobs/definitions.h"

#include "testing/analysed.h"

namespace lade::jobs {
namespace {

using Mapping = store::StoredDefinition::Mapping;

std::string shown(const Mapping& mapping) {
  if (mapping.source_column) return "column " + *mapping.source_column + " -> " + mapping.data_column;
  if (mapping.source_value) return "value " + *mapping.source_value + " -> " + mapping.data_column;
  if (mapping.source_expression) return "expression " + *mapping.source_expression + " -> " + mapping.data_column;
  return "nothing -> " + mapping.data_column;
}

TEST(StoredForm, HasSourceColumnsDataColumnsAndMappings) {
  const auto definition = testing::definition_of(
      "name: Prices\n"
      "columns: {code: {from: [Code, Item], required: true}, price: {type: \"decimal(10,2)\", default: \"0\"}, kind: "
      "{value: retail}, company: {value: $company},"
      " seen: {expression: now}, state: {expression: default, default: open}, copy: {from: Code}, item_id: {lookup: "
      "{table: item, match: [code], take: id}}}\n"
      "load: [{table: price, key: [item_code, kind], strategy: insert_or_replace, columns: {code: item_code, kind: , "
      "price: , company: , seen: , state: , copy: , item_id: }}]\n");
  const store::StoredDefinition stored = to_stored(definition, "text");
  EXPECT_EQ(stored.slug, "test");
  EXPECT_EQ(stored.name, "Prices");
  EXPECT_EQ(stored.strategy, "insert_or_replace");
  EXPECT_EQ(stored.source_text, "text");
  EXPECT_TRUE(stored.valid);
  EXPECT_EQ(definition::to_json(definition::parse_definition(stored.snapshot).definition),
            definition::to_json(definition))
      << "the snapshot is the definition";
  EXPECT_EQ(stored.source_columns, (std::vector<std::string>{"Code", "Item", "price"}))
      << "each spelling once, in order";
  std::vector<std::string> mappings;
  for (const Mapping& mapping : stored.mappings) mappings.push_back(shown(mapping));
  EXPECT_EQ(mappings,
            (std::vector<std::string>{"column Code -> code", "column Item -> code", "column price -> price",
                                      "value retail -> kind", "value $company -> company", "expression now -> seen",
                                      "expression default -> state", "column Code -> copy"}));
  ASSERT_EQ(stored.data_columns.size(), 8u);
  std::vector<std::string> identifying, internal;
  for (const auto& column : stored.data_columns) {
    if (column.identifying) identifying.push_back(column.name);
    if (column.purpose == "internal") internal.push_back(column.name);
  }
  EXPECT_EQ(identifying, (std::vector<std::string>{"code", "kind"}));
  EXPECT_EQ(internal, (std::vector<std::string>{"item_id"}));
  EXPECT_FALSE(stored.data_columns[0].nullable);
  EXPECT_EQ(stored.data_columns[1].type, "decimal(10,2)");
  EXPECT_EQ(stored.data_columns[1].default_value, "0");
}

// S8, S13: what a row of the file becomes, column by column, each with its step.
TEST(StoredForm, OfStepsDeclaresEveryStagingColumn) {
  const auto definition = testing::definition_of(
      "mode: legal_unit\nstrategy: insert_or_update\nvalid_time_from: source_columns\n"
      "steps:\n"
      "  valid_time: {priority: 10, columns: {valid_from: {type: date}, valid_to: {type: date}}}\n"
      "  external_idents: {priority: 15, columns: {tax_ident: {identifying: true, required: true}, legal_unit_id: "
      "{purpose: pk_id, type: integer}, operation: {purpose: internal}}}\n"
      "  legal_unit: {priority: 20, kind: table, columns: {birth_date: {from: [birth_date, Born], type: date}, "
      "sector_code: , sector_id: {lookup: {table: sector, match: sector_code, take: id}}, kind: {value: x}}}\n"
      "  edit_info: {priority: 100, columns: {edit_at: {expression: now}}}\n"
      "  own: {priority: 105, kind: sql, analyse_procedure: admin.look, columns: {paid: {type: \"decimal(9,2)\"}}}\n");
  const store::StoredDefinition stored = to_stored(definition, "text");
  std::vector<std::string> columns, mappings;
  for (const auto& column : stored.data_columns)
    columns.push_back(column.name + " " + column.type + " " + column.purpose + " " + column.step +
                      (column.identifying ? " identifying" : ""));
  EXPECT_EQ(columns, (std::vector<std::string>{
                         "valid_from TEXT source_input valid_time", "derived_valid_from DATE internal valid_time",
                         "valid_to TEXT source_input valid_time", "derived_valid_to DATE internal valid_time",
                         "tax_ident TEXT source_input external_idents identifying",
                         "legal_unit_id INTEGER pk_id external_idents", "operation TEXT internal external_idents",
                         "birth_date TEXT source_input legal_unit", "typed_birth_date DATE internal legal_unit",
                         "sector_code TEXT source_input legal_unit", "sector_id INTEGER internal legal_unit",
                         "kind TEXT source_input legal_unit", "edit_at TIMESTAMPTZ internal edit_info",
                         "paid TEXT source_input own", "typed_paid NUMERIC(9,2) internal own", "state TEXT metadata ",
                         "error JSONB metadata ", "invalid_codes JSONB metadata ",
                         "last_completed_priority INTEGER metadata "}));
  for (const Mapping& mapping : stored.mappings) mappings.push_back(shown(mapping));
  EXPECT_EQ(mappings, (std::vector<std::string>{"column valid_from -> valid_from", "column valid_to -> valid_to",
                                                "column tax_ident -> tax_ident", "column birth_date -> birth_date",
                                                "column Born -> birth_date", "column sector_code -> sector_code",
                                                "value x -> kind", "column paid -> paid"}));
  EXPECT_EQ(stored.mode, "legal_unit");
  EXPECT_EQ(stored.valid_time_from, "source_columns");
  EXPECT_EQ(stored.strategy, "insert_or_update");
  ASSERT_EQ(stored.steps.size(), 5u);
  EXPECT_EQ(stored.steps[2].kind, "table");
  EXPECT_EQ(stored.steps[4].analyse_procedure, "admin.look");
  EXPECT_EQ(stored.steps[4].process_procedure, std::nullopt);
  EXPECT_EQ(stored.steps[4].options, R"({"analyse_procedure":"admin.look"})");
}

}  // namespace
}  // namespace lade::jobs
