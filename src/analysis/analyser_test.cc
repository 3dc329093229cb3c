// Rows through analysis: every issue of a row, hard and soft, with its place; the same whatever the batches.
#include "analysis/analyser.h"

#include <fmt/format.h>

#include <random>

#include "testing/analysed.h"
#include "testing/database_test.h"

namespace lade::analysis {
namespace {

using Texts = std::vector<std::string>;

class AnalyserTest : public testing::DatabaseTest {
 protected:
  AnalyserTest() {
    EXPECT_OK(
        connection->run(pick("CREATE TABLE item (code TEXT PRIMARY KEY, name TEXT, amount INTEGER, small INTEGER, "
                             "price NUMERIC(10,2), born TEXT, extra TEXT)",
                             "CREATE TABLE item (code text PRIMARY KEY, name varchar(12), amount integer, small "
                             "smallint, price numeric(10,2), born date, extra text)")));
  }
  std::shared_ptr<const Program> bound(std::string_view yaml, std::string_view csv) {
    auto program =
        bind(testing::definition_of(yaml), testing::header_of(csv), *connection, {{"now", "2024-01-01T00:00:00Z"}});
    EXPECT_OK(program);
    return *program;
  }
  testing::CollectingSink analysed(std::string_view yaml, std::string_view csv,
                                   testing::AnalyseSettings settings = {}) {
    return testing::analyse(*bound(yaml, csv), csv, *connection, settings);
  }
  Texts issues(std::string_view yaml, std::string_view csv) { return analysed(yaml, csv).issue_texts(); }
};
LADE_ON_BOTH_DATABASES(AnalyserTest);

const std::string kLoad = "load: [{table: item, key: code}]\n";

TEST_P(AnalyserTest, TellsEveryIssueOfARow) {
  const std::string yaml =
      "columns: {code: {required: true}, name: {max_length: 5, pattern: '[a-z]+'}, amount: {type: integer, min: 1}, "
      "born: {type: date}}\n"
      "checks: ['name != code']\n" +
      kLoad;
  EXPECT_EQ(issues(yaml, "code,name,amount,born\n,ABCDEFG,x,1.1.2020\nok,ok,0,2024-01-01\n"),
            (Texts{"1 required code", "1 too_long name (ABCDEFG)", "1 pattern_mismatch name (ABCDEFG)",
                   "1 not_an_integer amount (x)", "1 not_a_date born (1.1.2020)", "2 below_min amount (0)",
                   "2 check_failed name (ok)", "2 check_failed code (ok)"}));
}

TEST_P(AnalyserTest, SoftIssuesBlankTheValueAndTheRowGoesOn) {
  const std::string yaml =
      "columns: {code: , amount: {type: integer, severity: warning, max: 9}, name: }\nchecks: [{expr: 'name is not "
      "blank', severity: warning}]\n" +
      kLoad;
  const std::string csv = "code,amount,name\na,x,n\nb,10,n\nc,3,\n";
  const auto sink = analysed(yaml, csv);
  EXPECT_EQ(sink.issue_texts(), (Texts{"1 warning not_an_integer amount (x)", "2 warning above_max amount (10)",
                                       "3 warning check_failed name"}));
  ASSERT_EQ(sink.rows.size(), 3u);
  EXPECT_EQ(sink.failed, 0);
  std::string_view tuple = sink.rows[1].tuple;
  db::take_field(tuple);
  EXPECT_EQ(db::take_field(tuple).length, kKeep) << "a value with a warning is not written";
}

TEST_P(AnalyserTest, BlankCellsFollowTheirPolicy) {
  const auto field = [&](const std::string& options, const std::string& cell, const std::string& strategy) {
    const auto sink = analysed(
        "columns: {code: , name: {" + options + "}}\nload: [{table: item, key: code, strategy: " + strategy + "}]\n",
        "code,name\nk,\"" + cell + "\"\n");
    if (sink.rows.empty()) return "refused: " + sink.issue_texts().at(0);
    std::string_view tuple = sink.rows[0].tuple;
    db::take_field(tuple);
    const db::WireField name = db::take_field(tuple);
    if (name.length < 0) return std::string(name.length == kKeep ? "keep" : "null");
    return std::string(name.bytes().substr(is_sqlite() ? 1 : 0));
  };
  EXPECT_EQ(field("", "", "insert_or_replace"), "null");
  EXPECT_EQ(field("", "", "insert_or_update"), "keep");
  EXPECT_EQ(field("", "  \t ", "insert_or_update"), "keep");
  EXPECT_EQ(field("blank: keep", "", "insert_or_replace"), "keep");
  EXPECT_EQ(field("blank: clear", "", "insert_or_update"), "null");
  EXPECT_EQ(field("blank: error", "", "insert_or_update"), "refused: 1 blank name");
  EXPECT_EQ(field("null_values: ['n/a', '-']", " N/A ", "insert_or_replace"), "null");
  EXPECT_EQ(field("null_values: ['n/a']", "n/a.", "insert_or_replace"), "n/a.");
  EXPECT_EQ(field("default: dflt", " ", "insert_or_replace"), "dflt");
  EXPECT_EQ(field("default: dflt, required: true", "", "insert_or_replace"), "dflt");
  EXPECT_EQ(field("required: true", "", "insert_or_replace"), "refused: 1 required name");
  EXPECT_EQ(field("trim: false", " x ", "insert_or_replace"), " x ");
  EXPECT_EQ(field("", " x ", "insert_or_replace"), "x");
  EXPECT_EQ(field("values: {O: open, S: shipped}", "S", "insert_or_replace"), "shipped");
  EXPECT_EQ(field("values: {O: open, S: shipped}", "s", "insert_or_replace"), "refused: 1 value_not_allowed name (s)");
  EXPECT_EQ(field("", "say \"\"hi\"\"", "insert_or_replace"), "say \"hi\"");
}

TEST_P(AnalyserTest, SensitiveValuesNeverAppear) {
  const std::string yaml =
      "columns: {code: , name: {sensitive: true, max_length: 3}, amount: {type: integer, sensitive: true}}\nchecks: "
      "[{expr: 'name = code', columns: [name, code]}]\n" +
      kLoad;
  const auto sink = analysed(yaml, "code,name,amount\na,secret,secret\nb,sec,1\n");
  EXPECT_EQ(sink.issue_texts(), (Texts{"1 too_long name (***)", "1 not_an_integer amount (***)",
                                       "2 check_failed name (***)", "2 check_failed code (b)"}));
  for (const auto& found : sink.issues)
    EXPECT_EQ((found.issue.message + found.issue.hint).find("sec"), std::string::npos) << found.issue.message;
}

TEST_P(AnalyserTest, LongValuesAreShownShortAndWhole) {
  const auto sink = analysed("columns: {code: , amount: {type: integer}}\n" + kLoad,
                             "code,amount\na," + std::string(59, 'x') + "äöü" + std::string(5000, 'x') + "\n");
  ASSERT_EQ(sink.issues.size(), 1u);
  EXPECT_LT(sink.issues[0].issue.value.size(), 200u);
  EXPECT_TRUE(sink.issues[0].issue.value.ends_with("…"));
}

TEST_P(AnalyserTest, BrokenRecordsAreSaidToBeBrokenAndNothingElse) {
  const std::string yaml = "columns: {code: , amount: {type: integer}}\n" + kLoad;
  EXPECT_EQ(issues(yaml, "code,amount\na\nb,1,2\nc,\"1\" x\nd,1\"2\ne,x\nf,\"1\n"),
            (Texts{"1 ragged_row", "2 ragged_row", "3 text_after_quote", "4 stray_quote", "5 not_an_integer amount (x)",
                   "6 unterminated_quote"}));
  const std::string padded = yaml + "source: {ragged: pad}\n";
  EXPECT_EQ(issues(padded, "code,amount\na\nb,1,2\n"), (Texts{"2 ragged_row"}));
}

TEST_P(AnalyserTest, BytesThatAreNoTextAreNamedWithTheirOffset) {
  const std::string head = "code,name\n";
  struct Case {
    std::string record;
    std::size_t at;
    const char* code;
  };
  const Case cases[] = {{"a,x\xFF", 3, "invalid_utf8"},
                        {"ä,\xC3", 3, "invalid_utf8"},
                        {"äöü,日本\xFFx", 13, "invalid_utf8"},
                        {"😀😀😀😀😀,ä\xE2\x82", 23, "invalid_utf8"},
                        {"\xFF,a", 0, "invalid_utf8"},
                        {"a,\xED\xA0\x80", 2, "invalid_utf8"},
                        {std::string("a,ä\0b", 6), 4, "nul_byte"},
                        {std::string("\0,a", 3), 0, "nul_byte"}};
  for (const Case& bad : cases) {
    const std::string before = "ok,äöü\n";
    const auto sink = analysed("columns: {code: , name: }\n" + kLoad, head + before + bad.record + "\nfine,日本\n");
    ASSERT_EQ(sink.issues.size(), 1u) << bad.record;
    const auto& found = sink.issues[0];
    EXPECT_EQ(testing::to_string(found), fmt::format("2 {}", bad.code));
    EXPECT_EQ(found.line, 3);
    EXPECT_EQ(found.offset, head.size() + before.size());
    EXPECT_NE(found.issue.message.find(fmt::format("offset {} ", head.size() + before.size() + bad.at)),
              std::string::npos)
        << bad.at << ": " << found.issue.message;
    EXPECT_EQ(sink.rows.size(), 2u);
  }
}

TEST_P(AnalyserTest, BlankKeysFailTheRow) {
  EXPECT_EQ(issues("columns: {code: , name: }\n" + kLoad, "code,name\n,x\n  ,y\nz,\n"),
            (Texts{"1 key_blank code", "2 key_blank code"}));
  EXPECT_EQ(issues("columns: {code: {blank: keep}, name: }\n" + kLoad, "code,name\n,x\n"), (Texts{"1 key_blank code"}));
}

TEST_P(AnalyserTest, ValuesTooLargeForTheTargetAreToldPerColumn) {
  if (is_sqlite()) return;  // its columns have no range
  const auto sink = analysed("columns: {code: , amount: {type: integer}, small: {type: integer}, name: }\n" + kLoad,
                             "code,amount,small,name\na,3000000000,40000,n\nb,1,-32768,n\nc,1,1,thirteen chars\n");
  EXPECT_EQ(sink.issue_texts(), (Texts{"1 out_of_range amount (3000000000)", "1 out_of_range small (40000)",
                                       "3 too_long name (thirteen chars)"}));
  EXPECT_EQ(sink.failed, 2);
}

TEST_P(AnalyserTest, FormulaGuardsOfResultFilesAreTakenAway) {
  const std::string yaml = "columns: {code: , name: }\n" + kLoad;
  const auto names = [&](const std::string& header) {
    std::vector<std::string> texts;
    for (const auto& row :
         analysed(yaml, header + "a,'=1+1,,,\nb,''=1,,,\nc,'plain,,,\nd,'-5,,,\ne,-5,,,\nf,',,,\n").rows) {
      std::string_view tuple = row.tuple;
      db::take_field(tuple);
      texts.emplace_back(db::take_field(tuple).bytes().substr(is_sqlite() ? 1 : 0));
    }
    return texts;
  };
  EXPECT_EQ(names("code,name,_row,_code,_message\n"), (Texts{"=1+1", "'=1", "'plain", "-5", "-5", "'"}));
  EXPECT_EQ(names("code,name,x,y,z\n"), (Texts{"'=1+1", "''=1", "'plain", "'-5", "-5", "'"}));
}

TEST_P(AnalyserTest, BatchesAndBlocksChangeNothing) {
  const std::string yaml =
      "columns: {code: , name: {severity: warning, max_length: 4}, amount: {type: integer}, price: {type: "
      "\"decimal(10,2)\"}, born: {type: date}}\n"
      "checks: ['amount < 90 or price > 1']\nsource: {ragged: pad}\n" +
      kLoad;
  std::mt19937_64 random(42);
  std::string csv = "code,name,amount,price,born\n";
  const std::vector<std::string> hostile{"\"a \"\"q\"\", b\"", "x",    "",      "2024-02-30", "99", "ünï",
                                         "\"two\nlines\"",     "\xFF", "lo\"ng"};
  const std::vector<std::string> fine{"", "\"q\"\"\"", "7", "1.25", "2024-02-29"};
  for (int row = 0; row < 700; ++row) {
    const std::size_t fields = random() % 20 == 0 ? 1 + random() % 7 : 5;
    csv += fmt::format("k{}", random() % 300);
    for (std::size_t i = 1; i < fields; ++i)
      csv += "," + (i < 5 && random() % 8 != 0 ? fine[i] : hostile[random() % hostile.size()]);
    csv += random() % 3 == 0 ? "\r\n" : "\n";
  }
  const auto expected = analysed(yaml, csv);
  EXPECT_GT(expected.rows.size(), 200u);
  EXPECT_GT(expected.issues.size(), 200u);
  for (const testing::AnalyseSettings& settings : {testing::AnalyseSettings{.batch_rows = 1},
                                                   {.batch_rows = 7},
                                                   {.batch_rows = 4096, .block_bytes = 1},
                                                   {.batch_rows = 3, .block_bytes = 64}}) {
    const auto sink = analysed(yaml, csv, settings);
    EXPECT_EQ(sink.rows, expected.rows);
    EXPECT_EQ(sink.issue_texts(), expected.issue_texts());
    EXPECT_EQ(sink.failed, expected.failed);
    for (std::size_t i = 0; i < std::min(sink.issues.size(), expected.issues.size()); ++i) {
      EXPECT_EQ(sink.issues[i].line, expected.issues[i].line);
      EXPECT_EQ(sink.issues[i].offset, expected.issues[i].offset);
    }
  }
}

}  // namespace
}  // namespace lade::analysis
