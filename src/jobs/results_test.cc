// Result files: exactly the input's rows, each once, and the corrected ones go back in as they are.
#include <fmt/format.h>

#include <random>

#include "jobs/import.h"
#include "testing/imported.h"

namespace lade::jobs {
namespace {

using Fields = std::vector<std::string>;

class ResultFiles : public testing::ImportTest {
 protected:
  ResultFiles() {
    EXPECT_OK(connection->run(
        "CREATE TABLE item (code varchar(20) PRIMARY KEY, name text, amount integer CHECK (amount < 1000))"));
    options.results = Results::all;
  }
  // What a result file's guard put before a formula, taken away.
  static std::string unguarded(const std::string& text) {
    const auto first = text.find_first_not_of('\'');
    if (first == 0 || first == std::string::npos) return text;
    return std::string("=+-@\t\r").find(text[first]) == std::string::npos ? text : text.substr(1);
  }
};
LADE_ON_BOTH_DATABASES(ResultFiles);

const std::string kItems =
    "columns: {code: {required: true}, name: , amount: {type: integer}}\nload: [{table: item, key: code}]\n";

const char* const kNames[] = {"plain",
                              "=1+1",
                              "'=1+1",
                              "''@x",
                              "+x",
                              "-5",
                              "-x",
                              "@cmd",
                              "\"a, b\"",
                              "\"two\nlines\"",
                              "\"say \"\"hi\"\"\"",
                              "\"\tTab\"",
                              "'",
                              "''",
                              "'plain",
                              "\" spaces \"",
                              "ünïcödé",
                              "\"'\"\"'\""};

std::string random_file(std::uint64_t seed, int rows) {
  std::mt19937_64 random(seed);
  std::string csv = "code,name,unused,amount\r\n";
  for (int i = 0; i < rows; ++i)
    csv += fmt::format("{},{},u{},{}\r\n",
                       random() % 12 == 0 ? "" : fmt::format("k{}", random() % static_cast<std::uint64_t>(rows)),
                       kNames[random() % std::size(kNames)], i,
                       random() % 6 == 0   ? "x"
                       : random() % 9 == 0 ? "5000"
                                           : "7");
  return csv;
}

TEST_P(ResultFiles, TogetherAreTheInputEachRowOnce) {
  for (const char* rule : {"", "duplicates: reject\n", "max_errors: 0\n", "commit: all_or_nothing\nmax_errors: 90\n"}) {
    SCOPED_TRACE(rule);
    const std::string csv = random_file(5, 400);
    options.chunk_bytes = 1500;
    options.bucket_bytes = 900;
    const Summary summary = import(csv, kItems + rule);
    const auto failed = records(summary.failed_file), succeeded = records(summary.succeeded_file),
               unprocessed = records(summary.unprocessed_file);
    using model::Outcome;
    EXPECT_EQ(static_cast<std::int64_t>(failed.size()), summary.rows[Outcome::failed]);
    EXPECT_EQ(static_cast<std::int64_t>(unprocessed.size()), summary.rows[Outcome::unprocessed]);
    EXPECT_EQ(static_cast<std::int64_t>(failed.size() + succeeded.size() + unprocessed.size()), summary.rows.read);
    const auto input = testing::read_naively(csv, {}).records;
    ASSERT_EQ(static_cast<std::int64_t>(input.size()) - 1, summary.rows.read);
    for (std::int64_t row = 1; row <= summary.rows.read; ++row) {
      ASSERT_EQ(failed.count(row) + succeeded.count(row) + unprocessed.count(row), 1u) << row;
      const Fields& written = failed.contains(row)      ? failed.at(row)
                              : succeeded.contains(row) ? succeeded.at(row)
                                                        : unprocessed.at(row);
      ASSERT_EQ(written.size(), 4u);
      for (std::size_t column = 0; column < 4; ++column)
        EXPECT_EQ(unguarded(written[column]), input[static_cast<std::size_t>(row)].fields[column].text) << row;
    }
    ASSERT_OK(connection->run("DELETE FROM item"));
  }
}

TEST_P(ResultFiles, NoCellStartsAFormula) {
  const Summary summary = import(random_file(6, 200), kItems);
  for (const std::string& path : {summary.failed_file, summary.succeeded_file})
    for (const auto& [row, fields] : records(path))
      for (const std::string& field : fields)
        if (!field.empty() && field != "-5") {
          EXPECT_EQ(std::string("=+-@\t\r").find(field[0]), std::string::npos) << field;
        }
}

TEST_P(ResultFiles, FailedRowsGoBackInAsTheyAreOnceCorrected) {
  std::string csv = "code,name,unused,amount\n", expected_csv = csv;
  for (std::size_t i = 0; i < std::size(kNames); ++i) {
    csv += fmt::format("k{},{},u,bad\n", i, kNames[i]);
    expected_csv += fmt::format("k{},{},u,7\n", i, kNames[i]);
  }
  const Summary first = import(csv, kItems);
  EXPECT_EQ(counts(first), fmt::format("read {0} failed {0}", std::size(kNames)));
  std::string corrected = text_of(first.failed_file);
  for (auto at = corrected.find(",bad,"); at != std::string::npos; at = corrected.find(",bad,"))
    corrected.replace(at, 5, ",7,");
  EXPECT_EQ(counts(import(corrected, kItems)), fmt::format("read {0} inserted {0}", std::size(kNames)));
  const auto back = content("SELECT code, name, amount FROM item");
  ASSERT_OK(connection->run("DELETE FROM item"));
  import(expected_csv, kItems);
  EXPECT_EQ(back, content("SELECT code, name, amount FROM item"));
}

TEST_P(ResultFiles, AFailedFileThatFailsAgainKeepsItsShape) {
  const Summary first = import("code,name,unused,amount\na,=x,u,bad\n", kItems);
  const std::string before = text_of(first.failed_file);
  const Summary second = import(before, kItems);
  EXPECT_EQ(text_of(second.failed_file), before) << "neither guards nor lade's own columns pile up";
}

TEST_P(ResultFiles, EveryReasonOfARowIsTold) {
  const Summary summary = import("code,name,unused,amount\n,x,u,bad\n", kItems);
  const auto file = testing::read_naively(text_of(summary.failed_file), {});
  ASSERT_EQ(file.records.size(), 2u);
  Fields header, fields;
  for (const auto& field : file.records[0].fields) header.push_back(field.text);
  for (const auto& field : file.records[1].fields) fields.push_back(field.text);
  EXPECT_EQ(header, (Fields{"code", "name", "unused", "amount", "_row", "_code", "_message"}));
  EXPECT_EQ(fields[4], "1");
  EXPECT_EQ(fields[5], "required not_an_integer");
  EXPECT_NE(fields[6].find("code: "), std::string::npos);
  EXPECT_NE(fields[6].find("amount: "), std::string::npos);
  EXPECT_NE(fields[6].find("'bad'"), std::string::npos);
}

// A code that is part of another is told all the same.
TEST_P(ResultFiles, CodesAreToldWhole) {
  const Summary summary = import("code,name,unused,amount\na,,u,bad\n",
                                 "columns: {code: , name: , amount: {type: integer}}\nchecks: [{expr: \"name is not "
                                 "blank\", columns: [name], code: integer}]\nload: [{table: item, key: code}]\n");
  EXPECT_EQ(testing::read_naively(text_of(summary.failed_file), {}).records.at(1).fields.at(5).text,
            "not_an_integer integer");
}

TEST_P(ResultFiles, KeepTheDialectOfTheSource) {
  const Summary summary = import("code;name;amount\na;\"x;y\";bad\nb;z;bad\n", kItems);
  EXPECT_TRUE(text_of(summary.failed_file).starts_with("code;name;amount;_row;_code;_message\r\na;\"x;y\";bad;1;"))
      << text_of(summary.failed_file);
  EXPECT_EQ(counts(import(text_of(summary.failed_file), kItems)), "read 2 failed 2");
}

// Without quotes nothing can be quoted: the file must still have one record per row.
TEST_P(ResultFiles, OfAFileWithoutQuotesCanBeReadBack) {
  const std::string yaml = kItems + "source: {quote: none}\n";
  const Summary summary = import("code,name,amount\na,\"x,bad\nb,y,1\n", yaml);
  EXPECT_EQ(counts(summary), "read 2 inserted 1 failed 1");
  EXPECT_EQ(counts(import(text_of(summary.failed_file), yaml)), "read 1 failed 1");
}

TEST_P(ResultFiles, RowsWithTooManyFieldsAreNotCutSilently) {
  const Summary summary = import("code,name,amount\na,x,1,surplus\n", kItems);
  EXPECT_EQ(counts(summary), "read 1 failed 1");
  EXPECT_NE(text_of(summary.failed_file).find("surplus"), std::string::npos) << text_of(summary.failed_file);
}

TEST_P(ResultFiles, AreNotMadeWhenThereIsNothingToTell) {
  options.results = Results::failed;
  const Summary summary = import("code,name,amount\na,x,1\n", kItems);
  EXPECT_TRUE(summary.failed_file.empty());
  EXPECT_FALSE(std::filesystem::exists(folder / "results" / "failed.csv"));
  options.results = Results::none;
  const Summary none = import("code,name,amount\nb,x,bad\n", kItems);
  EXPECT_EQ(counts(none), "read 1 failed 1");
  EXPECT_TRUE(none.failed_file.empty());
}

TEST_P(ResultFiles, AFolderThatCannotBeMadeIsRefusedBeforeAnythingIsWritten) {
  write("occupied", "a file, no folder");
  options.results_folder = folder / "occupied" / "results";
  const auto parsed = definition::parse_definition("lade: 1\ndefinition: test\n" + kItems);
  Progress progress;
  EXPECT_FAILS(
      run_import(write("input.csv", "code,name,amount\na,x,1\n"), parsed.definition, "text", options, progress, {}),
      "results_folder");
  EXPECT_EQ(integer("SELECT count(*) FROM item"), 0);
}

}  // namespace
}  // namespace lade::jobs
