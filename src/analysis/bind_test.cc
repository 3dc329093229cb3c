// What does not fit together is refused before a row is read, all of it at once.
#include "analysis/program.h"
#include "testing/analysed.h"
#include "testing/database_test.h"

namespace lade::analysis {
namespace {

class Bind : public testing::DatabaseTest {
 protected:
  Bind() {
    EXPECT_OK(connection->run(pick(
        "CREATE TABLE item (code TEXT PRIMARY KEY, name VARCHAR(10), price NUMERIC(10,2), amount INTEGER, born TEXT,"
        "  total INTEGER GENERATED ALWAYS AS (amount * 2) STORED, UNIQUE (name, amount));"
        "CREATE TABLE place (id INTEGER PRIMARY KEY, code TEXT UNIQUE, label TEXT, note TEXT);"
        "CREATE TABLE lade_own (code TEXT PRIMARY KEY)",
        "CREATE TABLE item (code text PRIMARY KEY, name varchar(10), price numeric(10,2), amount integer, born date,"
        "  total integer GENERATED ALWAYS AS (amount * 2) STORED, UNIQUE (name, amount));"
        "CREATE TABLE place (id serial PRIMARY KEY, code text UNIQUE, label text, note text);"
        "CREATE TABLE lade_own (code text PRIMARY KEY)")));
  }

  Result<std::shared_ptr<const Program>> bound(std::string_view yaml,
                                               std::string_view header = "code,name,price,amount,born") {
    return bind(testing::definition_of(yaml), testing::header_of(header), *connection,
                {{"now", "2024-01-01T00:00:00Z"}, {"company", "1"}});
  }
  void expect_fault(std::string_view yaml, const std::string& code, std::initializer_list<std::string_view> words,
                    std::string_view header = "code,name,price,amount,born") {
    const auto program = bound(yaml, header);
    ASSERT_FAILS(program, code) << yaml;
    EXPECT_EQ(program.error().kind, ErrorKind::invalid);
    for (const std::string_view word : words)
      EXPECT_NE(program.error().message.find(word), std::string::npos) << word << " in: " << program.error().message;
  }
};
LADE_ON_BOTH_DATABASES(Bind);

TEST_P(Bind, AFittingDefinitionHasNoFault) {
  const auto program = bound("columns: {code: , name: , amount: {type: integer}}\nload: [{table: item, key: code}]");
  ASSERT_OK(program);
  EXPECT_EQ((*program)->unmapped, (std::vector<std::string>{"price", "born"}));
  EXPECT_TRUE((*program)->absent.empty());
  EXPECT_FALSE((*program)->resubmitted);
  EXPECT_TRUE((*program)->entries.front().tuple_is_row);
}

TEST_P(Bind, EachFaultIsNamedWithWhatWouldBeAccepted) {
  expect_fault(
      "columns: {code: , title: {from: Nmae, required: true}}\nload: [{table: item, key: code, columns: {code: , "
      "title: name}}]",
      "header_mismatch",
      {"'Nmae'", "wanted by 'title'", "similar: 'name' (0.7",
       "the header has: 'code', 'name', 'price', 'amount', 'born'"});
  expect_fault("columns: {code: {from: kode}, name: }\nload: [{table: item, key: code}]", "header_mismatch",
               {"'kode'", "similar: 'code' (0.79); if that is it: lade match FILE -d"});
  expect_fault("columns: {code: , name: }\nload: [{table: item, key: code}]", "header_mismatch",
               {"none of the definition's columns is in the file", "'x', 'y'"}, "x,y");
  expect_fault("columns: {code: , name: }\nload: [{table: item, key: code}]", "header_ambiguous", {"'name'", "2 times"},
               "code,name,name");
  expect_fault("columns: {code: }\nload: [{table: itme, key: code}]", "table_not_found",
               {"'itme'", "did you mean 'item'"});
  expect_fault("columns: {code: , name: }\nload: [{table: item, key: code, columns: {code: , name: title}}]",
               "column_not_found", {"'item'", "'title'", "code, name, price, amount, born"});
  expect_fault(
      "columns: {code: , amount: {type: integer}}\nload: [{table: item, key: code, columns: {code: , amount: total}}]",
      "column_generated", {"item.total"});
  expect_fault("columns: {code: , amount: }\nload: [{table: item, key: code}]", "type_mismatch",
               {"'amount'", "text", "item.amount"});
  expect_fault("columns: {code: , nothing: {from: name}}\nload: [{table: item, key: nothing}]", "column_not_found",
               {"'nothing'", "'item'"});
  expect_fault("columns: {code: , name: }\nload: [{table: item, key: name}]", "key_not_unique", {"'item'", "(name)"});
  expect_fault("columns: {code: , name: }\nload: [{table: item, key: [code, name]}]", "key_not_unique",
               {"(code, name)"});
  expect_fault("columns: {other: {from: code}}\nload: [{table: item, strategy: append}]", "nothing_to_write",
               {"'item'", "code, name"});
  expect_fault("columns: {code: , amount: {type: integer, locale: xx-YY}}\nload: [{table: item, key: code}]",
               "locale_unknown", {"'amount'", "xx-YY"});
  expect_fault("columns: {code: , born: {type: date, format: QQQ}}\nload: [{table: item, key: code}]", "format_invalid",
               {"'born'"});
  expect_fault(
      "columns: {code: , t: {from: born, type: timestamp, timezone: Europe/Nowhere}}\nload: [{table: item, key: code, "
      "columns: {code: , t: name}}]",
      "timezone_unknown", {"'t'", "Europe/Nowhere"});
}

// The definition's own validation refuses them first; a definition made otherwise gets no further than here.
TEST_P(Bind, TablesOfLadeAndOfTheDatabaseAreNeverBound) {
  const auto definition = testing::definition_of(
      "columns: {code: , name: {lookup: {table: place, match: [code], take: label}}}\nload: [{table: item, key: "
      "code}]");
  for (const char* table :
       {"lade_own", "sqlite_master", "pg_catalog.pg_class", "pg_class", "information_schema.tables", "main.lade_own"}) {
    definition::Definition target = definition, reference = definition;
    target.load[0].table = table;
    EXPECT_FAILS(bind(target, {"code"}, *connection, {}), "table_not_allowed");
    reference.columns[1].lookup->table = table;
    EXPECT_FAILS(bind(reference, {"code"}, *connection, {}), "table_not_allowed");
  }
}

TEST_P(Bind, EveryPartOfAKeyNeedsAValue) {
  auto definition = testing::definition_of("columns: {code: , name: }\nload: [{table: item, key: code}]");
  definition.load[0].key = {"amount"};
  EXPECT_FAILS(bind(definition, {"code", "name"}, *connection, {}), "key_not_mapped");
}

TEST_P(Bind, LookupsAreBoundToTablesThatExist) {
  const auto lookup = [](std::string_view rest) {
    return "columns: {code: , name: {lookup: {" + std::string(rest) + "}}}\nload: [{table: item, key: code}]";
  };
  expect_fault(lookup("table: plaec, match: [code], take: label"), "table_not_found",
               {"'plaec'", "did you mean 'place'"});
  expect_fault(lookup("table: place, match: {code: kode}, take: label"), "column_not_found", {"'place'", "'kode'"});
  expect_fault(lookup("table: place, match: [code], take: labl"), "column_not_found", {"'place'", "'labl'"});
  expect_fault(lookup("table: place, match: {code: id}, take: label"), "type_mismatch", {"place.id"});
  expect_fault(lookup("table: place, match: [code], take: label, where: {id: x}"), "definition_bad_value",
               {"'x'", "place.id"});
  EXPECT_OK(bound(lookup("table: place, match: [code], take: label, where: {id: 3}")));
}

TEST_P(Bind, ReferencesNeedAValueToReferTo) {
  const std::string head =
      "columns: {code: , name: }\npartition: single\nload:\n  - {table: place, key: code, columns: [code]}\n";
  expect_fault(head + "  - {table: item, key: code, columns: {code: , name: {ref: place.note}}}", "reference_not_drawn",
               {"place.note"});
  expect_fault(head + "  - {table: item, key: code, columns: {code: , name: {ref: place.id}}}", "type_mismatch",
               {"item.name", "place.id"});
  expect_fault(head + "  - {table: item, key: code, columns: {code: , name: {ref: place.nothing}}}", "column_not_found",
               {"'nothing'"});
  EXPECT_OK(bound(head + "  - {table: item, key: code, columns: {code: , amount: {ref: place.id}}}"));
}

TEST_P(Bind, AllFaultsAreToldAtOnce) {
  const auto program = bound(
      "columns: {code: , title: {from: Titel, required: true}, price: , amount: {type: integer, locale: zz}}\n"
      "load: [{table: item, key: nowhere, columns: {code: nowhere, price: , amount: }}, {table: missing_table, key: "
      "code}]\npartition: single",
      "code,name,price,amount");
  ASSERT_FALSE(program);
  for (const char* code : {"header_mismatch", "locale_unknown", "column_not_found", "type_mismatch",
                           "key column 'nowhere'", "table_not_found"})
    EXPECT_NE((program.error().code + program.error().message).find(code), std::string::npos)
        << code << " in:\n"
        << program.error().message;
}

TEST_P(Bind, HeadersAreFoundByAnySpelling) {
  const auto program =
      bound("columns: {code: {from: [Kode, 'Item  Code']}, name: {from: NAME}}\nload: [{table: item, key: code}]",
            " item code ,Name,x");
  ASSERT_OK(program);
  EXPECT_EQ((*program)->columns[0].source, 0);
  EXPECT_EQ((*program)->columns[1].source, 1);
  EXPECT_EQ((*program)->unmapped, (std::vector<std::string>{"x"}));
}

TEST_P(Bind, AnExactHeaderWinsOverOneThatOnlyLooksAlike) {
  const auto program = bound("columns: {code: , name: }\nload: [{table: item, key: code}]", "CODE,code,Name");
  ASSERT_OK(program);
  EXPECT_EQ((*program)->columns[0].source, 1);
}

TEST_P(Bind, ResultFilesOfLadeAreRecognised) {
  const auto program =
      bound("columns: {code: , name: }\nload: [{table: item, key: code}]", "code,name,_row,_code,_message");
  ASSERT_OK(program);
  EXPECT_TRUE((*program)->resubmitted);
  EXPECT_TRUE((*program)->unmapped.empty());
}

TEST_P(Bind, OptionalColumnsThatTheFileLacksAreListed) {
  const auto program =
      bound("columns: {code: , name: , amount: {type: integer, default: 7}}\nload: [{table: item, key: code}]", "code");
  ASSERT_OK(program);
  EXPECT_EQ((*program)->absent, (std::vector<std::string>{"name", "amount"}));
}

TEST(BindCollation, NondeterministicKeysNeedOnePartition) {
  testing::FreshDatabase database(db::Backend::postgresql);
  const auto connection = database.connect();
  ASSERT_OK(
      connection->run("CREATE COLLATION loose (provider = icu, locale = 'und-u-ks-level2', deterministic = false);"
                      "CREATE TABLE item (code text COLLATE loose PRIMARY KEY, name text)"));
  const std::string yaml = "columns: {code: , name: }\nload: [{table: item, key: code}]\n";
  EXPECT_FAILS(bind(testing::definition_of(yaml), {"code", "name"}, *connection, {}), "collation_nondeterministic");
  EXPECT_OK(bind(testing::definition_of(yaml + "partition: single"), {"code", "name"}, *connection, {}));
}

}  // namespace
}  // namespace lade::analysis
