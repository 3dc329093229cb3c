// What cells mean: words for blank, codes with labels, cells of workbooks, and the hints of what is refused.
#include <gmock/gmock.h>

#include "testing/analysed.h"
#include "testing/database_test.h"

namespace lade::analysis {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class ValuesTest : public testing::DatabaseTest {
 protected:
  ValuesTest() {
    EXPECT_OK(
        connection->run("CREATE TABLE item (code varchar(20) PRIMARY KEY, name varchar(40), amount numeric(12,2), "
                        "born date, kind_id integer)"));
    EXPECT_OK(connection->run("CREATE TABLE kind (id integer PRIMARY KEY, name varchar(40), area varchar(9))"));
    EXPECT_OK(
        connection->run("INSERT INTO kind VALUES (1, 'Retail', 'EU'), (2, 'Wholesale', 'EU'), (3, 'Retialxy', 'US')"));
  }
  testing::CollectingSink analysed(std::string_view yaml, std::string_view csv,
                                   testing::AnalyseSettings settings = {}) {
    const auto program = bind(testing::definition_of(yaml), testing::header_of(csv), *connection, {});
    EXPECT_OK(program);
    return testing::analyse(**program, csv, *connection, settings);
  }
  // The text of a field of a row, "null" where there is none.
  std::string field(const testing::CollectingSink& sink, std::size_t row, int index) {
    std::string_view tuple = sink.rows.at(row).tuple;
    db::WireField found = db::take_field(tuple);
    for (int i = 0; i < index; ++i) found = db::take_field(tuple);
    if (found.length < 0) return "null";
    return std::string(found.bytes().substr(is_sqlite() ? 1 : 0));
  }
  // The hint of the only issue.
  std::string hint(std::string_view column, std::string_view cell) {
    const auto sink = analysed("columns: {code: , " + std::string(column) + "}\n" + kLoad,
                               "code,value\na,\"" + std::string(cell) + "\"\n");
    EXPECT_EQ(sink.issues.size(), 1U) << cell;
    return sink.issues.empty() ? "" : sink.issues.front().issue.hint;
  }
  static inline const std::string kLoad = "load: [{table: item, key: code}]\n";
};
LADE_ON_BOTH_DATABASES(ValuesTest);

TEST_P(ValuesTest, TheSourcesNullWordsHoldWhereAColumnHasNone) {
  const auto sink = analysed(
      "source: {null_values: [n/a, ÜBER]}\ncolumns: {code: , name: , amount: {type: 'decimal(12,2)', "
      "null_values: ['-']}}\nload: [{table: item, key: code, strategy: insert_or_replace}]\n",
      "code,name,amount\na,N/A,-\nb,über,1\nc,x,n/a\n");
  EXPECT_THAT(sink.issue_texts(), ElementsAre("3 not_a_number amount (n/a)"));
  EXPECT_EQ(field(sink, 0, 1), "null");
  EXPECT_EQ(field(sink, 0, 2), "null");
  EXPECT_EQ(field(sink, 1, 1), "null");
}

TEST_P(ValuesTest, LabelsAreCutOff) {
  const auto sink = analysed(
      "columns: {code: {cut: '|'}, name: {cut: ' - ', values: {'1': one}}, amount: {cut: x, type: "
      "'decimal(12,2)'}}\n" +
          kLoad,
      "code,name,amount\na | Paper,1 - first,12x5\nb|x | y, 1 ,7\n|label,1,\n");
  EXPECT_THAT(sink.issue_texts(), ElementsAre("3 key_blank code"));
  EXPECT_EQ(field(sink, 0, 0), "a");
  EXPECT_EQ(field(sink, 0, 1), "one");
  EXPECT_EQ(field(sink, 1, 0), "b");
}

TEST_P(ValuesTest, WhatAWorkbookTypesIsReadPlainly) {
  csv::Dialect sheet;
  sheet.rows_are_lines = true;
  const std::string yaml =
      "columns: {code: , amount: {type: 'decimal(12,2)', locale: de-DE, null_values: ['#N/A']}, born: "
      "{type: date, format: [DD.MM.YYYY, DDMMYYYY]}, name: }\n" +
      kLoad;
  const std::string csv =
      "code,amount,born,name\n\"a\",1.5,2024-01-31,12\n\"b\",\"1.500\",\"31.01.2024\",\"#1\"\n"
      "\"c\",#N/A,31012024,x\n\"d\",\"1.5\",\"2024-01-31\",#DIV/0!\n";
  const auto sink = analysed(yaml, csv, {.dialect = sheet});
  EXPECT_THAT(sink.issue_texts(), ElementsAre("4 not_a_number amount (1.5)", "4 not_a_date born (2024-01-31)",
                                              "4 cell_error name (#DIV/0!)"));
  EXPECT_EQ(sink.issues.back().issue.code, "cell_error");
  // The same cells as text mean what the definition says.
  const auto text = analysed(yaml, csv);
  EXPECT_THAT(text.issue_texts(), ElementsAre("1 not_a_number amount (1.5)", "1 not_a_date born (2024-01-31)",
                                              "4 not_a_number amount (1.5)", "4 not_a_date born (2024-01-31)"));
  ASSERT_EQ(sink.rows.size(), 3U);
  ASSERT_EQ(text.rows.size(), 2U);
  EXPECT_NE(field(sink, 0, 1), field(sink, 1, 1)) << "1.5 and 1500";
  EXPECT_EQ(field(sink, 1, 1), field(text, 0, 1));
  EXPECT_EQ(field(sink, 0, 2), field(sink, 1, 2));
  EXPECT_EQ(field(sink, 2, 2), field(sink, 1, 2));
}

TEST_P(ValuesTest, ANumberCellThatDoesNotFitIsNotAnotherNumber) {
  csv::Dialect sheet;
  sheet.rows_are_lines = true;
  const auto sink =
      analysed("columns: {code: , amount: {type: 'decimal(12,2)', locale: de-DE}, name: }\n" + kLoad,
               "code,amount,name\n\"a\",1.234,\"x\"\n\"b\",-1.234,\"x\"\n\"c\",\"1.234\",\"x\"\n", {.dialect = sheet});
  EXPECT_THAT(sink.issue_texts(),
              ElementsAre("1 too_many_decimals amount (1.234)", "2 too_many_decimals amount (-1.234)"));
  const auto whole =
      analysed("columns: {code: , amount: {type: integer, locale: de-DE}, name: }\n" + kLoad,
               "code,amount,name\n\"a\",1.234,\"x\"\n\"b\",1234,\"x\"\n\"c\",\"1.234\",\"x\"\n", {.dialect = sheet});
  EXPECT_THAT(whole.issue_texts(), ElementsAre("1 not_an_integer amount (1.234)"));
}

TEST_P(ValuesTest, NumbersThatAreRefusedAreExplained) {
  const std::string decimal = "amount: {from: value, type: 'decimal(12,2)'}";
  const std::string german = "amount: {from: value, type: 'decimal(12,2)', locale: de-DE}";
  EXPECT_EQ(hint(decimal, "1,234"),
            "write it like 1234.5; it could be 1234 (en-US), 1.234 (de-DE): say which in the definition's locale");
  EXPECT_EQ(hint(decimal, "1.234,56"),
            "write it like 1234.5; it could be 1234.56 (de-DE): say which in the definition's locale");
  EXPECT_EQ(hint(german, "1,234.56"),
            "write it as in de-DE; it could be 1234.56 (en-US): say which in the definition's locale");
  EXPECT_EQ(hint(german, "€ 1.234,50"), "write it as in de-DE; for such cells say format: currency in the definition");
  EXPECT_EQ(hint(decimal, "(12.50)"), "write it like 1234.5; for such cells say format: accounting in the definition");
  EXPECT_EQ(hint(decimal, "19 %"), "write it like 1234.5; for such cells say format: percent in the definition");
  EXPECT_EQ(hint("amount: {from: value, type: 'decimal(12,2)', format: currency}", "($ 5)"),
            "write it like 1234.5; for such cells say format: [currency, accounting] in the definition");
  EXPECT_EQ(hint(decimal, "twelve"), "write it like 1234.5");
  EXPECT_EQ(hint("amount: {from: value, type: 'decimal(12,2)', sensitive: true}", "1,234"), "write it like 1234.5");
  EXPECT_EQ(hint("amount: {from: value, type: 'decimal(12,2)', format: currency(EUR)}", "$ 5"),
            "this column takes currency(EUR)");
}

TEST_P(ValuesTest, DatesThatAreRefusedAreExplained) {
  const std::string date = "born: {from: value, type: date}";
  EXPECT_EQ(hint(date, "31.12.2024"),
            "write it like 2024-12-31; it could be 2024-12-31 (D.M.YYYY): say which in the definition's format");
  EXPECT_EQ(hint(date, "1/2/2024"),
            "write it like 2024-12-31; it could be 2024-02-01 (D/M/YYYY), 2024-01-02 (M/D/YYYY): say which in the "
            "definition's format");
  EXPECT_EQ(hint(date, "45292"),
            "write it like 2024-12-31; it could be 2024-01-01 (excel): say which in the definition's format");
  EXPECT_EQ(hint(date, "soon"), "write it like 2024-12-31");
  EXPECT_EQ(hint("born: {from: value, type: date, locale: de-DE}", "soon"),
            "write a date such as 31.12.2024 or 2024-12-31");
  EXPECT_EQ(hint("born: {from: value, type: date, format: [DD.MM.YYYY, excel]}", "soon"),
            "write it like DD.MM.YYYY or excel");
  const auto sink = analysed("columns: {code: , born: {type: date, format: [D/M/YYYY, M/D/YYYY]}}\n" + kLoad,
                             "code,born\na,1/2/2024\n");
  ASSERT_THAT(sink.issue_texts(), ElementsAre("1 ambiguous_date born (1/2/2024)"));
  EXPECT_EQ(sink.issues[0].issue.message,
            "the formats read it as different dates: 2024-02-01 (D/M/YYYY), 2024-01-02 (M/D/YYYY)");
}

TEST_P(ValuesTest, ValuesThatAreRefusedHaveAProposal) {
  const std::string column = "name: {from: value, values: [Retail, Wholesale]";
  EXPECT_EQ(hint(column + "}", "Retial"), "did you mean 'Retail'? use one of: Retail, Wholesale");
  EXPECT_EQ(hint(column + "}", "Export"), "use one of: Retail, Wholesale");
  EXPECT_THAT(hint(column + ", sensitive: true}", "Retial"), Not(HasSubstr("mean")));
}

TEST_P(ValuesTest, LookupsThatFindNothingHaveAProposal) {
  const auto lookup_hint = [&](const std::string& lookup, std::int64_t lookup_rows) {
    const auto sink =
        analysed("columns: {code: , name: , kind_id: {lookup: {table: kind, take: id, " + lookup + "}}}\n" + kLoad,
                 "code,name\na,Retial\n", {.lookup_rows = lookup_rows});
    EXPECT_EQ(sink.issues.size(), 1U);
    return sink.issues.empty() ? "" : sink.issues.front().issue.hint;
  };
  EXPECT_EQ(lookup_hint("match: name", 100), "did you mean 'Retail'? correct the cell or add it to kind");
  EXPECT_EQ(lookup_hint("match: name", 0), "correct the cell or add it to kind") << "not of large tables";
  EXPECT_EQ(lookup_hint("match: name, where: {area: EU}", 100),
            "did you mean 'Retail'? correct the cell or add it to kind");
  EXPECT_EQ(lookup_hint("match: name, where: {area: US}", 100),
            "did you mean 'Retialxy'? correct the cell or add it to kind")
      << "only rows that the lookup may find";
}

}  // namespace
}  // namespace lade::analysis
