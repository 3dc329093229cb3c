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

}  // namespace
}  // namespace lade::jobs
