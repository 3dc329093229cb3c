// Whole imports: what is written, what is counted, what stops them.
#include "jobs/import.h"

#include <fmt/format.h>
#include <boost/json.hpp>

#include <random>

#include "jobs/job.h"
#include "testing/imported.h"

namespace lade::jobs {
namespace {

using model::Outcome;

class Import : public testing::ImportTest {
 protected:
  void make_items() {
    ASSERT_OK(
        connection->run("CREATE TABLE item (code varchar(20) PRIMARY KEY, name text, amount integer CHECK (amount < "
                        "1000), extra text)"));
  }
};
LADE_ON_BOTH_DATABASES(Import);

const std::string kItems =
    "columns: {code: {required: true}, name: , amount: {type: integer}}\nload: [{table: item, key: code}]\n";

TEST_P(Import, LoadsCountsAndRecordsAJob) {
  make_items();
  ASSERT_OK(connection->run("INSERT INTO item VALUES ('b', 'old', 1, 'mine'), ('c', 'same', 3, 'mine')"));
  const Summary summary = import(
      "code,name,amount,unused\na,new,1,x\nb,changed,2,x\nc,same,3,x\n,none,4,x\nd,bad,x,x\ne,refused,5000,x\na,again,"
      "9,x\n",
      kItems);
  EXPECT_EQ(summary.outcome, "succeeded");
  EXPECT_EQ(counts(summary), "read 7 inserted 1 updated 1 unchanged 1 skipped 1 failed 3");
  EXPECT_EQ(exit_code(summary), 2);
  EXPECT_EQ(content("SELECT code, name, amount, extra FROM item"),
            (std::vector<std::string>{"a|again|9|NULL", "b|changed|2|mine", "c|same|3|mine"}));
  EXPECT_EQ(summary.unmapped_columns, (std::vector<std::string>{"unused"}));
  EXPECT_EQ(content("SELECT state, outcome, rows_read, rows_inserted, rows_updated, rows_unchanged, rows_failed, "
                    "rows_skipped FROM lade_job"),
            (std::vector<std::string>{"finished|succeeded|7|1|1|1|3|1"}));
  EXPECT_EQ(content("SELECT row_id, severity, code, column_name, value FROM lade_issue"),
            (std::vector<std::string>{"1|warning|duplicate_in_file||", "4|error|required|code|",
                                      "5|error|not_an_integer|amount|x", "6|error|check_violation||"}));
  EXPECT_EQ(summary.issues, (staging::IssueCounts{{{"check_violation", ""}, 1},
                                                  {{"duplicate_in_file", ""}, 1},
                                                  {{"not_an_integer", "amount"}, 1},
                                                  {{"required", "code"}, 1}}));
}

TEST_P(Import, ADryRunDecidesTheSameAndWritesNothing) {
  make_items();
  ASSERT_OK(connection->run("INSERT INTO item VALUES ('b', 'old', 1, 'mine')"));
  const std::string csv = "code,name,amount\na,new,1\nb,changed,2\nd,bad,x\na,again,9\n";
  options.dry_run = true;
  const Summary planned = import(csv, kItems);
  EXPECT_TRUE(planned.dry_run);
  EXPECT_EQ(content("SELECT code, name FROM item"), (std::vector<std::string>{"b|old"}));
  const auto tables = connection->table_names();
  ASSERT_OK(tables);
  EXPECT_EQ(*tables, (std::vector<std::string>{"item"})) << "not even lade's own tables";
  options.dry_run = false;
  const Summary loaded = import(csv, kItems);
  EXPECT_EQ(counts(planned), counts(loaded));
  EXPECT_EQ(planned.issues, loaded.issues);
}

TEST_P(Import, AllOrNothingIsTakenBackWholeAndListsEveryRefusedRow) {
  make_items();
  ASSERT_OK(connection->run("INSERT INTO item VALUES ('k5', 'old', 1, 'mine')"));
  std::string csv = "code,name,amount\n";
  for (int i = 0; i < 500; ++i) csv += fmt::format("k{},n,{}\n", i, i == 77 || i == 300 ? 5000 : 1);
  options.bucket_bytes = 1000;
  options.chunk_bytes = 700;
  options.results = Results::all;
  const Summary summary = import(csv, kItems + "commit: all_or_nothing\n");
  EXPECT_EQ(summary.outcome, "failed");
  EXPECT_EQ(summary.error.code, "too_many_errors");
  EXPECT_EQ(counts(summary), "read 500 failed 2 unprocessed 498");
  EXPECT_EQ(exit_code(summary), 3);
  EXPECT_EQ(content("SELECT code, name FROM item"), (std::vector<std::string>{"k5|old"}));
  EXPECT_EQ(records(summary.failed_file).size(), 2u);
  EXPECT_TRUE(records(summary.failed_file).contains(78) && records(summary.failed_file).contains(301));
  EXPECT_EQ(records(summary.unprocessed_file).size(), 498u);
  EXPECT_TRUE(summary.succeeded_file.empty());

  const Summary allowed = import(csv, kItems + "commit: all_or_nothing\nmax_errors: 2\n");
  EXPECT_EQ(counts(allowed), "read 500 inserted 497 updated 1 failed 2");
  EXPECT_EQ(integer("SELECT count(*) FROM item"), 498);
}

TEST_P(Import, ErrorsFoundBeforeLoadingStopItBeforeAnythingIsWritten) {
  make_items();
  const std::string csv = "code,name,amount\na,n,1\nb,n,x\nc,n,2\nd,n,3\nd,n,4\n";
  for (const char* rule : {"max_errors: 0", "max_errors: 19%", "fail_when: any_failed", "commit: all_or_nothing",
                           "max_errors: 2\nduplicates: reject", "max_errors: 59%\nduplicates: reject"}) {
    SCOPED_TRACE(rule);
    const Summary summary = import(csv, kItems + rule + "\n");
    EXPECT_EQ(summary.outcome, "failed");
    EXPECT_EQ(summary.error.code, "too_many_errors");
    EXPECT_EQ(integer("SELECT count(*) FROM item"), 0);
    EXPECT_EQ(counts(summary), std::string(rule).find("reject") == std::string::npos ? "read 5 failed 1 unprocessed 4"
                                                                                     : "read 5 failed 3 unprocessed 2");
  }
  for (const char* rule : {"max_errors: 1", "max_errors: 20%", "fail_when: all_failed", "fail_when: never",
                           "max_errors: 3\nduplicates: reject"}) {
    SCOPED_TRACE(rule);
    ASSERT_OK(connection->run("DELETE FROM item"));
    EXPECT_EQ(import(csv, kItems + rule + "\n").outcome, "succeeded");
    EXPECT_GT(integer("SELECT count(*) FROM item"), 0);
  }
}

TEST(TooManyErrors, FollowsTheDefinition) {
  struct Case {
    const char* rule;
    std::int64_t failed, read;
    bool stops;
  };
  const Case cases[] = {{"", 9, 10, false},
                        {"", 10, 10, false},
                        {"max_errors: 0", 0, 10, false},
                        {"max_errors: 0", 1, 10, true},
                        {"max_errors: 3", 3, 10, false},
                        {"max_errors: 3", 4, 10, true},
                        {"max_errors: 5%", 5, 100, false},
                        {"max_errors: 5%", 6, 100, true},
                        {"max_errors: 5%", 1, 19, true},
                        {"max_errors: 5%", 1, 20, false},
                        {"max_errors: 0.1%", 1, 1000, false},
                        {"max_errors: 0.1%", 1, 999, true},
                        {"max_errors: 5%", 0, 0, false},
                        {"max_errors: {count: 10, percent: 5}", 6, 100, true},
                        {"max_errors: {count: 3, percent: 50}", 4, 100, true},
                        {"max_errors: {count: 10, percent: 50}", 10, 20, false},
                        {"fail_when: any_failed", 1, 10, true},
                        {"fail_when: any_failed", 0, 10, false},
                        {"fail_when: all_failed", 9, 10, false},
                        {"fail_when: all_failed", 10, 10, true},
                        {"fail_when: all_failed", 0, 0, false},
                        {"commit: all_or_nothing", 1, 10, true},
                        {"commit: all_or_nothing", 0, 10, false},
                        {"commit: all_or_nothing\nmax_errors: 2", 2, 10, false}};
  for (const Case& rule : cases) {
    const auto definition = testing::definition_of(kItems + rule.rule + "\n");
    const auto error = too_many_errors(definition, rule.failed, rule.read);
    EXPECT_EQ(error.has_value(), rule.stops) << rule.rule << ": " << rule.failed << " of " << rule.read;
    if (error) {
      EXPECT_EQ(error->code, "too_many_errors");
    }
  }
}

TEST(ImportOptionsTest, AreCompletedOrRefused) {
  ImportOptions fine;
  EXPECT_OK(fine.validate());
  EXPECT_GE(fine.workers, 1u);
  for (const auto& change : std::vector<std::function<void(ImportOptions&)>>{
           [](auto& o) { o.workers = 257; }, [](auto& o) { o.block_bytes = 0; }, [](auto& o) { o.batch_rows = 0; },
           [](auto& o) { o.chunk_bytes = 0; }, [](auto& o) { o.bucket_bytes = 0; }}) {
    ImportOptions options;
    change(options);
    const auto refused = options.validate();
    EXPECT_FAILS(refused, "option_invalid");
    EXPECT_EQ(refused.error().kind, ErrorKind::usage);
  }
}

// Random rows with everything that goes wrong: the same tables, counts, findings and files, whatever the settings.
std::string random_file(std::uint64_t seed, int rows) {
  std::mt19937_64 random(seed);
  std::string csv = "code,name,amount\n";
  for (int i = 0; i < rows; ++i) {
    const auto amount = random() % 15 == 0 ? "x" : random() % 40 == 0 ? "5000" : std::to_string(random() % 1000);
    const auto name = random() % 9 == 0    ? "\"two\nlines, \"\"quoted\"\"\""
                      : random() % 30 == 0 ? "=formula"
                                           : fmt::format("näme {}", random() % 5);
    csv += fmt::format("{},{},{}{}\n", random() % 50 == 0 ? "" : fmt::format("k{}", random() % 400), name, amount,
                       random() % 60 == 0 ? ",extra" : "");
  }
  return csv;
}

TEST_P(Import, WorkersChunksAndBucketsChangeNothing) {
  const std::string csv = random_file(7, 1500);
  struct Run {
    std::vector<std::string> table, issues;
    std::string counted, failed;
    bool operator==(const Run&) const = default;
  };
  for (const char* policy : {"last", "first", "reject", "merge"})
    for (const char* partition : {"range", "hash"}) {
      SCOPED_TRACE(fmt::format("{} {}", policy, partition));
      const auto run = [&](unsigned workers, std::uint64_t chunk, std::uint64_t bucket, std::size_t batch) {
        EXPECT_OK(connection->run("DROP TABLE IF EXISTS item"));
        make_items();
        EXPECT_OK(connection->run("INSERT INTO item VALUES ('k1', 'old', 1, 'mine'), ('k2', 'näme 1', 2, 'mine')"));
        options.workers = workers;
        options.chunk_bytes = chunk;
        options.bucket_bytes = bucket;
        options.batch_rows = batch;
        options.issues_file = folder / "issues.ndjson";
        const Summary summary = import(csv, kItems + "duplicates: " + policy + "\npartition: " + partition + "\n");
        EXPECT_EQ(summary.outcome, "succeeded");
        Run result{content("SELECT * FROM item"), {}, counts(summary), text_of(summary.failed_file)};
        std::ifstream in(options.issues_file);
        for (std::string line; std::getline(in, line);) result.issues.push_back(line);
        return result;
      };
      const Run one = run(1, 1 << 23, 1 << 23, 4096);
      EXPECT_GT(one.issues.size(), 100u);
      const Run four = run(4, 3000, 2500, 7);
      EXPECT_EQ(four.table, one.table);
      EXPECT_EQ(four.issues, one.issues);
      EXPECT_EQ(four.counted, one.counted);
      EXPECT_EQ(four.failed, one.failed);
    }
}

TEST_P(Import, FilesWithoutRowsSucceedWithNothing) {
  make_items();
  const Summary summary = import("code,name,amount\n", kItems);
  EXPECT_EQ(counts(summary), "read 0");
  EXPECT_EQ(summary.outcome, "succeeded");
  EXPECT_EQ(exit_code(summary), 0);
}

TEST_P(Import, WhatCannotStartIsAnErrorAndLeavesNoJob) {
  make_items();
  Progress progress;
  const auto attempt = [&](const std::string& file, const std::string& yaml) {
    return run_import(file, testing::definition_of(yaml), yaml, options, progress, {});
  };
  EXPECT_FALSE(attempt((folder / "missing.csv").string(), kItems));
  EXPECT_FAILS(attempt(write("empty.csv", ""), kItems), "file_empty");
  EXPECT_FAILS(attempt(write("wrong.csv", "a,b\n1,2\n"), kItems), "header_mismatch");
  EXPECT_FAILS(attempt(write("fine.csv", "code\n1\n"), "columns: {code: }\nload: [{table: itme, key: code}]\n"),
               "table_not_found");
  const auto tables = connection->table_names();
  ASSERT_OK(tables);
  EXPECT_EQ(*tables, (std::vector<std::string>{"item"}));
}

TEST_P(Import, TheSummaryAsJsonHasEveryPromisedField) {
  make_items();
  const Summary summary = import("code,name,amount\na,n,1\nb,n,x\n", kItems);
  const auto json = boost::json::parse(to_json(summary)).as_object();
  EXPECT_EQ(json.at("job_id").as_string(), summary.job_id);
  EXPECT_EQ(json.at("definition").as_string(), "test");
  EXPECT_EQ(json.at("status").as_string(), "succeeded");
  EXPECT_EQ(json.at("outcome").as_string(), "succeeded");
  const auto& rows = json.at("rows").as_object();
  for (const auto& [name, count] : {std::pair("read", 2),
                                    {"inserted", 1},
                                    {"updated", 0},
                                    {"unchanged", 0},
                                    {"failed", 1},
                                    {"skipped", 0},
                                    {"unprocessed", 0},
                                    {"deleted", 0}})
    EXPECT_EQ(rows.at(name).as_int64(), count) << name;
  ASSERT_EQ(json.at("issues").as_array().size(), 1u);
  const auto& issue = json.at("issues").as_array()[0].as_object();
  EXPECT_EQ(issue.at("code").as_string(), "not_an_integer");
  EXPECT_EQ(issue.at("column").as_string(), "amount");
  EXPECT_EQ(issue.at("count").as_int64(), 1);
  const auto& files = json.at("files").as_object();
  EXPECT_EQ(files.at("failed").as_string(), summary.failed_file);
  EXPECT_TRUE(files.at("succeeded").is_null());
  EXPECT_TRUE(files.at("unprocessed").is_null());
  for (const char* name : {"seconds", "rows_per_second", "peak_rss_bytes"})
    EXPECT_TRUE(json.at(name).is_number()) << name;
  EXPECT_FALSE(json.contains("error"));
}

}  // namespace
}  // namespace lade::jobs
