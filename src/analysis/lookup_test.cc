// Lookups: a map in memory and a probe of the table find the same.
#include "analysis/lookup.h"

#include <fmt/format.h>

#include "testing/analysed.h"
#include "testing/database_test.h"

namespace lade::analysis {
namespace {

using Texts = std::vector<std::string>;

class LookupTest : public testing::DatabaseTest {
 protected:
  LookupTest() {
    EXPECT_OK(connection->run("CREATE TABLE item (code varchar(20) PRIMARY KEY, place_id integer, label text)"));
  }

  // Each row as "code=value", or its issues: by a map, which must agree with a probe.
  Texts found(const std::string& columns, const std::string& csv, const std::string& written = "place_id") {
    const std::string yaml =
        "columns: {code: , " + columns +
        "}\nload: [{table: item, key: code, strategy: insert_or_replace, columns: {code: , filled: " + written +
        "}}]\n";
    auto program = bind(testing::definition_of(yaml), testing::header_of(csv), *connection, {{"company", "1"}});
    EXPECT_OK(program);
    if (!program) return {};
    const Texts mapped = shown(testing::analyse(**program, csv, *connection));
    EXPECT_EQ(shown(testing::analyse(**program, csv, *connection, {.lookup_rows = 0})), mapped)
        << "a probe finds something else";
    EXPECT_EQ(shown(testing::analyse(**program, csv, *connection, {.batch_rows = 1, .lookup_rows = 0})), mapped);
    return mapped;
  }
  Texts shown(const testing::CollectingSink& sink) {
    Texts texts;
    for (const auto& row : sink.rows) {
      std::string_view tuple = row.tuple;
      const std::string code(db::take_field(tuple).bytes().substr(is_sqlite() ? 1 : 0));
      const db::WireField value = db::take_field(tuple);
      std::string text = "null";
      if (value.length >= 0) {
        const bool number = is_sqlite() ? *value.data == 'i' : value.length == 4 && value.data[0] == '\0';
        text = std::string(value.bytes().substr(is_sqlite() ? 1 : 0));
        if (number)
          text = std::to_string(is_sqlite() ? db::read_big_endian<std::int64_t>(value.data + 1)
                                            : db::read_big_endian<std::int32_t>(value.data));
      }
      texts.push_back(code + "=" + text);
    }
    for (const std::string& issue : sink.issue_texts()) texts.push_back(issue);
    return texts;
  }
};
LADE_ON_BOTH_DATABASES(LookupTest);

TEST_P(LookupTest, FindsByOneAndSeveralColumns) {
  ASSERT_OK(
      connection->run("CREATE TABLE place (id integer, country text, city text);"
                      "INSERT INTO place VALUES (1, 'DE', 'Berlin'), (2, 'DE', 'Bonn'), (3, 'AT', 'Berlin'), (4, 'CH', "
                      "'x'), (5, NULL, 'Oslo')"));
  EXPECT_EQ(found("city: , country: , filled: {lookup: {table: place, match: [country, city], take: id}}",
                  "code,country,city\na,DE,Bonn\nb,AT,Berlin\nc,AT,Bonn\nd,,Oslo\ne,DE,\nf,DE, Bonn \n"),
            (Texts{"a=2", "b=3", "d=null", "e=null", "f=2", "3 lookup_missing country (AT, Bonn)",
                   "3 lookup_missing city (AT, Bonn)"}));
}

TEST_P(LookupTest, PoliciesForNoneAndMany) {
  ASSERT_OK(
      connection->run("CREATE TABLE place (id integer, city text); INSERT INTO place VALUES (1, 'one'), (2, 'two'), "
                      "(2, 'two'), (7, 'nulls'), (NULL, 'null')"));
  const std::string csv = "code,city\na,one\nb,two\nc,none\nd,null\n";
  const auto with = [&](const std::string& policies) {
    return found("city: , filled: {lookup: {table: place, match: [city], take: id" + policies + "}}", csv);
  };
  EXPECT_EQ(with(""), (Texts{"a=1", "d=null", "2 lookup_many city (two)", "3 lookup_missing city (none)"}));
  EXPECT_EQ(with(", missing: warning, many: warning"),
            (Texts{"a=1", "b=null", "c=null", "d=null", "2 warning lookup_many city (two)",
                   "3 warning lookup_missing city (none)"}));
  EXPECT_EQ(with(", missing: \"null\", many: first"), (Texts{"a=1", "b=2", "c=null", "d=null"}));
}

TEST_P(LookupTest, RequiredMeansThatAValueIsFound) {
  ASSERT_OK(connection->run(
      "CREATE TABLE place (id integer, city text); INSERT INTO place VALUES (1, 'one'), (NULL, 'null')"));
  EXPECT_EQ(
      found("city: , filled: {required: true, lookup: {table: place, match: [city], take: id, missing: \"null\"}}",
            "code,city\na,one\nb,null\nc,none\nd,\n"),
      (Texts{"a=1", "2 required filled", "3 required filled", "4 required filled"}));
}

TEST_P(LookupTest, ARowThatFailedAlreadyGetsNoFalseIssue) {
  ASSERT_OK(connection->run("CREATE TABLE place (id integer, city text); INSERT INTO place VALUES (1, 'one')"));
  EXPECT_EQ(found("city: {max_length: 4}, n: {type: integer, min: 5}, filled: {lookup: {table: place, match: [city], "
                  "take: id}}",
                  "code,city,n\na,one,1\nb,toolong,7\nc,none,x\n"),
            (Texts{"1 below_min n (1)", "2 too_long city (toolong)", "3 not_an_integer n (x)",
                   "3 lookup_missing city (none)"}));
}

TEST_P(LookupTest, ConstantsNarrowTheSearch) {
  ASSERT_OK(connection->run(
      pick("CREATE TABLE place (id integer, city text, company integer, valid_on TEXT, active BOOLEAN);",
           "CREATE TABLE place (id integer, city text, company integer, valid_on date, active boolean);") +
      "INSERT INTO place VALUES (1, 'c', 1, '2024-01-01', true), (2, 'c', 2, '2024-01-01', true), (3, 'c', 1, "
      "'2025-01-01', true), (4, 'c', 1, '2024-01-01', false)"));
  const auto with = [&](const std::string& where) {
    return found("city: , filled: {lookup: {table: place, match: [city], take: id, where: " + where + "}}",
                 "code,city\na,c\n");
  };
  EXPECT_EQ(with("{company: $company, valid_on: 2024-01-01, active: true}"), (Texts{"a=1"}));
  EXPECT_EQ(with("{company: 2}"), (Texts{"a=2"}));
  EXPECT_EQ(with("{valid_on: 2025-01-01}"), (Texts{"a=3"}));
  EXPECT_EQ(with("{active: false}"), (Texts{"a=4"}));
  EXPECT_EQ(with("{company: 9}"), (Texts{"1 lookup_missing city (c)"}));
}

TEST_P(LookupTest, EqualityIsThatOfTheReferenceTable) {
  if (!is_sqlite()) {
    ASSERT_OK(connection->run("CREATE EXTENSION citext"));
  }
  ASSERT_OK(connection->run(
      pick("CREATE TABLE place (id integer, folded text COLLATE NOCASE, exact text, padded character(8));",
           "CREATE TABLE place (id integer, folded citext, exact text, padded character(8));") +
      "INSERT INTO place VALUES (1, 'BoNn', 'BoNn', 'Bonn')"));
  const auto by = [&](const std::string& column, const std::string& cell) {
    return found("city: {trim: false}, filled: {lookup: {table: place, match: {city: " + column +
                     "}, take: id, missing: \"null\"}}",
                 "code,city\na," + cell + "\n")
        .at(0);
  };
  EXPECT_EQ(by("folded", "bOnN"), "a=1");
  EXPECT_EQ(by("exact", "bOnN"), "a=null");
  EXPECT_EQ(by("exact", "BoNn"), "a=1");
  EXPECT_EQ(by("padded", "Bonn"), "a=1");
  EXPECT_EQ(by("padded", "Bonn  "), is_sqlite() ? "a=null" : "a=1");
  EXPECT_EQ(by("padded", " Bonn"), "a=null");
}

// The text '007' is not the number 7 to the database, so it is not to a map either.
TEST_P(LookupTest, NumbersInTextColumnsCompareAsTheDatabaseCompares) {
  ASSERT_OK(
      connection->run("CREATE TABLE place (id integer, number text, padded character(8));"
                      "INSERT INTO place VALUES (1, '007', '007'), (2, '8', '8'), (3, ' 9', ' 9')"));
  for (const std::string column : {"number", "padded"})
    EXPECT_EQ(found("n: {type: integer}, filled: {lookup: {table: place, match: {n: " + column +
                        "}, take: id, missing: \"null\"}}",
                    "code,n\na,7\nb,8\nc,008\nd,9\n"),
              (Texts{"a=null", "b=2", "c=2", "d=null"}));
}

TEST_P(LookupTest, NumbersCompareByValue) {
  ASSERT_OK(connection->run(pick("CREATE TABLE place (id integer, n NUMERIC, r REAL);",
                                 "CREATE TABLE place (id integer, n numeric, r double precision);") +
                            "INSERT INTO place VALUES (1, 1.50, 100000), (2, 20, 0.1), (3, 0.001, 3)"));
  EXPECT_EQ(
      found("n: {type: \"decimal(10,3)\"}, filled: {lookup: {table: place, match: [n], take: id, missing: \"null\"}}",
            "code,n\na,1.5\nb,20.000\nc,0.001\nd,0.002\n"),
      (Texts{"a=1", "b=2", "c=3", "d=null"}));
  EXPECT_EQ(
      found("r: {type: \"decimal(10,3)\"}, filled: {lookup: {table: place, match: [r], take: id, missing: \"null\"}}",
            "code,r\na,100000\nb,0.1\nc,3.0\nd,0.2\n"),
      (Texts{"a=1", "b=2", "c=3", "d=null"}));
}

TEST_P(LookupTest, TakesValuesOfEveryType) {
  ASSERT_OK(connection->run(
      pick("CREATE TABLE place (city text, t text, j text, n NUMERIC(8,2), w NUMERIC, d DATE, b BOOLEAN);",
           "CREATE TABLE place (city text, t text, j jsonb, n numeric(8,2), w numeric, d date, b boolean);") +
      "INSERT INTO place VALUES ('c', 'a text of some length, kept while it is used', '{\"a\": 1}', "
      "2.5, 1.5, '2024-02-29', true)"));
  const std::string csv = "code,city\na,c\nb,c\n";
  const auto taken = [&](const std::string& take, const std::string& type) {
    const std::string yaml = "columns: {code: , city: , filled: {" + type +
                             "lookup: {table: place, match: [city], take: " + take +
                             "}}}\nchecks: [{expr: \"filled is blank\", columns: [filled]}]\n"
                             "load: [{table: item, key: code, columns: [code]}]\n";
    auto program = bind(testing::definition_of(yaml), testing::header_of(csv), *connection, {});
    EXPECT_OK(program);
    const auto mapped = testing::analyse(**program, csv, *connection).issue_texts();
    EXPECT_EQ(testing::analyse(**program, csv, *connection, {.lookup_rows = 0}).issue_texts(), mapped);
    return mapped.empty() ? std::string("blank") : mapped.at(0);
  };
  EXPECT_EQ(taken("t", ""), "1 check_failed filled (a text of some length, kept while it is used)");
  EXPECT_EQ(taken("j", ""), "1 check_failed filled ({\"a\": 1})");
  EXPECT_EQ(taken("d", ""), "1 check_failed filled (2024-02-29)");
  EXPECT_EQ(taken("b", ""), "1 check_failed filled (true)");
  EXPECT_EQ(taken("w", ""), "1 check_failed filled (1.5000000000)") << "a scale that nobody declared costs no decimals";
  EXPECT_EQ(taken("n", "type: \"decimal(8,2)\", "), "1 check_failed filled (2.50)");
}

TEST_P(LookupTest, ManyKeysOfOneBatch) {
  ASSERT_OK(connection->run("CREATE TABLE place (id integer, city text)"));
  std::string csv = "code,city\n", rows;
  Texts expected;
  for (int i = 0; i < 3000; ++i) {
    if (i % 3 == 0) rows += fmt::format("{}({}, 'city {}')", rows.empty() ? "" : ", ", i, i);
    csv += fmt::format("k{},city {}\n", i, i);
    expected.push_back(fmt::format("k{}={}", i, i % 3 == 0 ? std::to_string(i) : "null"));
  }
  ASSERT_OK(connection->run("INSERT INTO place VALUES " + rows));
  const std::string yaml =
      "columns: {code: , city: , filled: {lookup: {table: place, match: [city], take: id, missing: \"null\"}}}\nload: "
      "[{table: item, key: code, strategy: insert_or_replace, columns: {code: , filled: place_id}}]\n";
  auto program = bind(testing::definition_of(yaml), testing::header_of(csv), *connection, {});
  ASSERT_OK(program);
  EXPECT_EQ(shown(testing::analyse(**program, csv, *connection)), expected);
  EXPECT_EQ(shown(testing::analyse(**program, csv, *connection, {.lookup_rows = 0})), expected);
}

// What cannot be in the reference table is not found there; the rest of the rows is none the worse.
TEST_P(LookupTest, KeysThatTheReferenceTableCannotHoldAreMissing) {
  ASSERT_OK(
      connection->run("CREATE TABLE place (id integer, code3 varchar(3), n numeric(4,2), small smallint); INSERT INTO "
                      "place VALUES (1, 'abc', 1.25, 7)"));
  const auto by = [&](const std::string& type, const std::string& column, const std::string& cells) {
    return found("city: {type: \"" + type + "\"}, filled: {lookup: {table: place, match: {city: " + column +
                     "}, take: id, missing: \"null\"}}",
                 "code,city\n" + cells);
  };
  EXPECT_EQ(by("text", "code3", "a,abc\nb,abcd\nc,xyz\n"), (Texts{"a=1", "b=null", "c=null"}));
  EXPECT_EQ(by("decimal(14,2)", "n", "a,1.25\nb,123456.78\n"), (Texts{"a=1", "b=null"}));
  EXPECT_EQ(by("integer", "small", "a,7\nb,70000\n"), (Texts{"a=1", "b=null"}));
  EXPECT_EQ(found("city: {type: integer}, filled: {lookup: {table: place, match: {city: small}, take: id}}",
                  "code,city\na,7\nb,70000\n"),
            (Texts{"a=1", "2 lookup_missing city (70000)"}));
}

TEST_P(LookupTest, SensitiveKeysStayHidden) {
  ASSERT_OK(connection->run("CREATE TABLE place (id integer, city text)"));
  EXPECT_EQ(found("city: {sensitive: true}, filled: {lookup: {table: place, match: [city], take: id}}",
                  "code,city\na,secret\n"),
            (Texts{"1 lookup_missing city (***)"}));
}

}  // namespace
}  // namespace lade::analysis
