// Result files as they lie in the storage: where, since when, in which format, and what is said in them.
#include <boost/json.hpp>
#include <set>

#include "base/sha256.h"
#include "jobs/fetch_results.h"
#include "jobs/job.h"
#include "store/files.h"
#include "store/row_list.h"
#include "testing/durable.h"

namespace lade::jobs {
namespace {

namespace fs = std::filesystem;
using model::Outcome;

class StoredResults : public testing::DurableTest {
 protected:
  StoredResults() { options.results = Results::all; }

  fs::path place(const std::string& job, const std::string& prefix = "uploads/imports/") const {
    return storage_path(options) / prefix / job;
  }
  // The files of a job, relative to its folder.
  std::set<std::string> names(const std::string& job) const {
    std::set<std::string> found;
    if (!fs::exists(place(job))) return found;
    for (const auto& entry : fs::recursive_directory_iterator(place(job)))
      if (entry.is_regular_file()) found.insert(entry.path().lexically_relative(place(job)).string());
    return found;
  }
  std::vector<store::FileRecord> results(const std::string& job) {
    auto files = store::results_of(*connection, record(job).id);
    EXPECT_OK(files);
    return files.value_or(std::vector<store::FileRecord>());
  }
  std::int64_t rows_in(const std::string& job, const std::string& name) const {
    const fs::path path = place(job) / name;
    return fs::exists(path) ? static_cast<std::int64_t>(records(path).size()) : 0;
  }
  // Exactly what was counted, and exactly what is recorded.
  void expect_true_files(const std::string& job, const std::string& below = "") {
    const model::RowCounts rows = record(job).rows;
    EXPECT_TRUE(rows.conserved());
    EXPECT_EQ(rows_in(job, below + "failed.csv"), rows[Outcome::failed]);
    EXPECT_EQ(rows_in(job, below + "unprocessed.csv"), rows[Outcome::unprocessed]);
    EXPECT_EQ(rows_in(job, below + "succeeded.csv"), rows.read - rows[Outcome::failed] - rows[Outcome::unprocessed]);
    std::set<std::string> recorded;
    for (const store::FileRecord& file : results(job)) {
      recorded.insert(file.path);
      EXPECT_NE(file.uuid, file.path);
      const std::string bytes = text_of(storage_path(options) / file.path);
      EXPECT_EQ(static_cast<std::int64_t>(bytes.size()), file.bytes) << file.path;
      Sha256 sum;
      sum.add(bytes);
      EXPECT_EQ(sum.finish(), file.sha256);
    }
    std::set<std::string> there;
    for (const std::string& name : names(job)) there.insert("uploads/imports/" + job + "/" + name);
    EXPECT_EQ(there, recorded);
  }
};
LADE_ON_BOTH_DATABASES(StoredResults);

TEST_P(StoredResults, LieInTheFolderOfTheirJob) {
  const std::string job = submit(file(300));
  run_worker();
  EXPECT_EQ(status(job), "succeeded");
  EXPECT_EQ(names(job), (std::set<std::string>{"failed.csv", "succeeded.csv"}));
  expect_true_files(job);
}

#ifdef LADE_FAILPOINTS
TEST_P(StoredResults, AJobThatFailsHalfWayHasThem) {
  work.settings.concurrency = 1;
  const std::string job = submit(file(3000));
  ASSERT_OK(arm_failpoints("load=error:broken@3"));
  run_worker();
  ASSERT_OK(arm_failpoints(""));
  EXPECT_EQ(status(job), "failed");
  EXPECT_GT(record(job).rows[Outcome::unprocessed], 0);
  EXPECT_GT(record(job).rows[Outcome::inserted], 0);
  EXPECT_EQ(names(job), (std::set<std::string>{"failed.csv", "succeeded.csv", "unprocessed.csv"}));
  expect_true_files(job);
}

// The attempt after one that was cut off leaves exactly the files that it has recorded.
TEST_P(StoredResults, AnAttemptThatEndsHalfWayLeavesNothingInSight) {
  work.settings.retry.base = std::chrono::milliseconds(1);
  const std::string job = submit(file(300));
  ASSERT_OK(arm_failpoints("conclude=error:db_busy@1"));
  run_worker();
  EXPECT_EQ(status(job), "succeeded");
  EXPECT_EQ(names(job), (std::set<std::string>{"failed.csv", "succeeded.csv"}));
  expect_true_files(job);
  for (const auto& entry : fs::recursive_directory_iterator(storage_path(options)))
    EXPECT_NE(entry.path().extension(), ".part") << entry.path();
}

TEST_P(StoredResults, OnesThatCannotBeWrittenAreNotThereAtAll) {
  const std::string job = submit(file(300));
  ASSERT_OK(arm_failpoints("results=error:broken"));
  run_worker();
  EXPECT_EQ(status(job), "succeeded");
  EXPECT_NE(record(job).results_error, "");
  EXPECT_TRUE(names(job).empty());
  EXPECT_TRUE(results(job).empty());
}
#endif

TEST_P(StoredResults, WhatARetriedJobHadBeforeIsReplaced) {
  const std::string job = submit(file(300), kItems + "max_errors: 5\n");
  run_worker();
  ASSERT_EQ(status(job), "failed");
  EXPECT_EQ(names(job), (std::set<std::string>{"failed.csv", "unprocessed.csv"}));
  expect_true_files(job);
  for (const std::string& below : {std::string("1/"), std::string("2/")}) {
    const bool last = below[0] == '2';
    ASSERT_OK(retry_job(*connection, {job}, {.limits = {.max_errors = last ? "10%" : ""}}));
    run_worker();
    ASSERT_EQ(status(job), last ? "succeeded" : "failed");
    EXPECT_TRUE(names(job).contains(below + "failed.csv"));
    EXPECT_FALSE(names(job).contains("failed.csv"));
    EXPECT_EQ(results(job).size(), 2u);
  }
  EXPECT_EQ(names(job), (std::set<std::string>{"2/failed.csv", "succeeded.csv"}));
  EXPECT_EQ(rows_in(job, "2/failed.csv"), record(job).rows[Outcome::failed]);
}

TEST_P(StoredResults, DeletingTheJobNamesThemForRemoval) {
  const std::string job = submit(file(300));
  run_worker();
  const auto deleted = delete_job(*connection, {job});
  ASSERT_OK(deleted);
  std::set<std::string> unwanted;
  for (const store::UnwantedFile& one : deleted->files) unwanted.insert(one.uuid);
  for (const char* name : {"failed.csv", "succeeded.csv"})
    EXPECT_TRUE(unwanted.contains("uploads/imports/" + job + "/" + name)) << name;
  const auto storage = open_storage(options);
  ASSERT_OK(storage);
  EXPECT_EQ((*storage)
                ->remove_orphans(std::chrono::hours(-1),
                                 [&](const std::string& name) { return store::is_file_wanted(*connection, name); })
                .value(),
            static_cast<std::int64_t>(unwanted.size()))
      << "also when who deleted the job has died";
  EXPECT_FALSE(fs::exists(place(job)));
}

TEST_P(StoredResults, WhatTheJobSaysCountsWhateverTheWorkerIsSetTo) {
  options.result_file_prefix = "hr-2024.";
  options.results_path = "elsewhere/";
  options.result_bom = true;
  const std::string job = submit(file(300));
  options.results_path = "uploads/imports/";
  run_worker();
  EXPECT_EQ(status(job), "succeeded");
  const fs::path there = place(job, "elsewhere/");
  for (const char* name : {"hr-2024.failed.csv", "hr-2024.succeeded.csv"})
    EXPECT_TRUE(text_of(there / name)
                    .starts_with("\xEF\xBB\xBF"
                                 "code,name,amount,_row"))
        << name;
  EXPECT_EQ(results(job)[0].name, "hr-2024.failed.csv");
  EXPECT_FALSE(fs::exists(place(job)));
  const auto fetched = fetch_results(*connection, **open_storage(options), record(job), (folder / "fetched"));
  ASSERT_OK(fetched);
  EXPECT_EQ(fetched->failed, ((folder / "fetched") / "hr-2024.failed.csv").string());
}

TEST_P(StoredResults, AFileWithAByteOrderMarkIsReadLikeAnyOther) {
  const std::string job = submit(
      "\xEF\xBB\xBF"
      "code,name,amount\n1,one,1\n2,two,bad\n");
  run_worker();
  EXPECT_EQ(items(), (std::vector<std::string>{"1|one|1"}));
  EXPECT_TRUE(text_of(place(job) / "failed.csv")
                  .starts_with("\xEF\xBB\xBF"
                               "code,name,amount,_row"));
}

TEST_P(StoredResults, NoneAreStoredWhenNobodyWantsThem) {
  options.store_results = false;
  const std::string job = submit(file(300));
  run_worker();
  EXPECT_EQ(status(job), "succeeded");
  EXPECT_TRUE(names(job).empty());
  EXPECT_TRUE(results(job).empty());
  EXPECT_EQ(record(job).results_error, "");
  const auto made = make_results(*connection, **open_storage(options), record(job), options, (folder / "made"));
  ASSERT_OK(made);
  EXPECT_EQ(static_cast<std::int64_t>(records(made->failed).size()), record(job).rows[Outcome::failed]);
}

TEST_P(StoredResults, HaveTheFormatThatIsAskedFor) {
  options.output_format = "xlsx";
  const std::string csv = "code;name;amount\n007;\"=x; y\";1\n8;8;2\n9;nine;bad\n";
  Summary first = import(csv, kItems);
  EXPECT_EQ(counts(first), "read 3 inserted 2 failed 1");
  EXPECT_TRUE(first.succeeded_file.ends_with("/succeeded.xlsx"));
  EXPECT_TRUE(text_of(first.succeeded_file).starts_with("PK"));
  EXPECT_EQ(items(), (std::vector<std::string>{"7|=x; y|1", "8|8|2"}));
  // A workbook gives CSV, and both are what a source may be.
  options.output_format = "csv";
  ASSERT_OK(connection->run("DELETE FROM item"));
  Progress progress;
  const auto second = run_import(first.succeeded_file, testing::definition_of(kItems), kItems, options, progress, {});
  ASSERT_OK(second);
  EXPECT_EQ(counts(*second), "read 2 inserted 2");
  EXPECT_EQ(items(), (std::vector<std::string>{"7|=x; y|1", "8|8|2"}));
  EXPECT_EQ(text_of(second->succeeded_file),
            "code,name,amount,_row,_code,_message\r\n007,'=x; y,1,1,,\r\n8,8,2,2,,\r\n");
}

TEST_P(StoredResults, TheSameRowsGiveTheSameWorkbook) {
  options.output_format = "xlsx";
  const std::string csv = "code,name,amount\n1,one,1\n";
  const std::string first = text_of(import(csv, kItems).succeeded_file);
  ASSERT_OK(connection->run("DELETE FROM item"));
  EXPECT_EQ(text_of(import(csv, kItems).succeeded_file), first);
}

TEST_P(StoredResults, WhatADatabaseSaysIsOneLineOfAtMost500Characters) {
  const std::string said = "first\nsecond\r\n\tthird " + std::string(2000, 'x') + "ä";
  const std::string quoted = is_sqlite() ? said : "'" + said + "'";
  ASSERT_OK(connection->run(
      is_sqlite() ? "CREATE TRIGGER picky BEFORE INSERT ON item WHEN new.code = 2 BEGIN SELECT RAISE(ABORT, '" + said +
                        "'); END"
                  : "CREATE FUNCTION picky() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF new.code = 2 THEN RAISE "
                    "EXCEPTION USING MESSAGE = " +
                        quoted + ", HINT = " + quoted +
                        "; END IF; RETURN new; END $$; CREATE TRIGGER picky BEFORE INSERT ON item FOR EACH ROW EXECUTE "
                        "FUNCTION picky()"));
  const std::string job = submit("code,name,amount\n1,one,1\n2,two,1\n3,three,1\n");
  run_worker();
  ASSERT_EQ(record(job).rows[Outcome::failed], 1) << record(job).error;
  const auto characters = [](const std::string& text) {
    return std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
  };
  const auto is_line = [](const std::string& text) {
    return std::ranges::none_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20; });
  };
  const auto file = testing::read_naively(text_of(place(job) / "failed.csv"), {});
  ASSERT_EQ(file.records.size(), 2u);
  const std::string message = file.records[1].fields.back().text;
  EXPECT_NE(message.find("first second"), std::string::npos) << message;
  EXPECT_EQ(characters(message), 500);
  EXPECT_TRUE(is_line(message));
  int issues = 0;
  ASSERT_OK(store::list_rows(*connection, record(job), {.wanted = Outcome::failed, .limit = 10},
                             [&](const store::ListedRow& row) {
                               ++issues;
                               EXPECT_NE(row.issue.message.find("first second"), std::string::npos);
                               EXPECT_LE(characters(row.issue.message), 500);
                               EXPECT_LE(characters(row.issue.hint), 500);
                               EXPECT_TRUE(is_line(row.issue.message + row.issue.hint));
                             }));
  EXPECT_EQ(issues, 1);
}

TEST(ResultOptions, AreCheckedStrictly) {
  const auto valid = [](const std::string& format, const std::string& prefix) {
    ImportOptions options;
    options.output_format = format;
    options.result_file_prefix = prefix;
    return options.validate_results();
  };
  for (const char* format : {"", "csv", "xlsx"}) EXPECT_OK(valid(format, "")) << format;
  for (const char* format : {"CSV", "xls", "csv ", "pdf"}) EXPECT_FAILS(valid(format, ""), "option_invalid") << format;
  for (const char* prefix : {"a", "hr-2024_", "v1.2.", "7"}) EXPECT_OK(valid("", prefix)) << prefix;
  EXPECT_OK(valid("", std::string(100, 'a')));
  for (const std::string& prefix : std::initializer_list<std::string>{"a/", "../", "..", ".", ".a", "a..b", "a\\b",
                                                                      "a b", "ä", "a\n", "a:", std::string(101, 'a')})
    EXPECT_FAILS(valid("", prefix), "option_invalid") << prefix;
}

}  // namespace
}  // namespace lade::jobs
