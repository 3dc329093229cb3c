// Failed rows that are corrected and sent again.
#include "jobs/fix.h"

#include <random>

#include "jobs/fetch_results.h"
#include "jobs/job.h"
#include "load/journal.h"
#include "storage/folder.h"
#include "store/files.h"
#include "store/job_changes.h"
#include "store/job_ends.h"
#include "store/journal.h"
#include "store/row_list.h"
#include "testing/durable.h"

namespace lade::jobs {
namespace {

using model::Outcome;
using Strings = std::vector<std::string>;

class FixTest : public testing::DurableTest {
 protected:
  Result<store::JobRecord> fix(const std::string& job, const std::vector<Fix>& fixes) {
    const auto storage = storage::Folder::open(storage_path(options));
    refused.clear();
    return fix_rows(*connection, {*storage, options}, {job, "ada"}, fixes, refused);
  }
  // The corrected failed file, as text.
  Result<store::JobRecord> fix_by_file(const std::string& job, const std::string& text) {
    const auto storage = storage::Folder::open(storage_path(options));
    auto file = File::open(write("corrected.csv", text));
    EXPECT_OK(file);
    LADE_ASSIGN(const auto fixes,
                read_fixes(*connection, {*storage, options}, record(job), std::move(*file), "corrected.csv"));
    return fix(job, fixes);
  }
  // As it was given back.
  std::string failed_file(const std::string& job) {
    const auto storage = storage::Folder::open(storage_path(options));
    const auto files = fetch_results(*connection, *storage, record(job), folder / "results");
    EXPECT_OK(files);
    return files && !files->failed.empty() ? text_of(files->failed) : "";
  }
  void finish(const std::string& job, const std::string& outcome = "succeeded") {
    run_worker();
    EXPECT_EQ(status(job), outcome) << record(job).error;
    if (outcome != "waiting_for_review") {
      EXPECT_TRUE(record(job).rows.conserved());
    }
  }
  std::string ended(const std::string& rows, const std::string& rules = "", const std::string& outcome = "succeeded") {
    const std::string job = submit("code,name,amount\n" + rows, kItems + rules);
    finish(job, outcome);
    return job;
  }
  // "row code" of all failed rows.
  Strings failed(const std::string& job) {
    Strings rows;
    EXPECT_OK(store::list_rows(*connection, record(job), {.limit = 0}, [&](const store::ListedRow& row) {
      rows.push_back(fmt::format("{} {}", row.row_id, row.issue.code));
    }));
    return rows;
  }
  static std::string told(const model::RowCounts& rows) {
    return fmt::format("inserted {} updated {} unchanged {} failed {} skipped {} unprocessed {}",
                       rows[Outcome::inserted], rows[Outcome::updated], rows[Outcome::unchanged], rows[Outcome::failed],
                       rows[Outcome::skipped], rows[Outcome::unprocessed]);
  }
  std::vector<RefusedFix> refused;
};
LADE_ON_BOTH_DATABASES(FixTest);

TEST_P(FixTest, OnlyTheFixedRowsAreLoaded) {
  const std::string job = ended("1,one,bad\n2,two,2\n3,three,worse\n");
  EXPECT_EQ(failed(job), (Strings{"1 not_an_integer", "3 not_an_integer"}));
  ASSERT_OK(connection->run("UPDATE item SET name = 'by hand' WHERE code = 2"));
  const auto fixed = fix(job, {{1, {{"amount", "10"}}}});
  ASSERT_OK(fixed);
  EXPECT_EQ(fixed->status(), "running");
  finish(job);
  EXPECT_EQ(items(), (Strings{"1|one|10", "2|by hand|2"}));
  EXPECT_EQ(told(record(job).rows), "inserted 2 updated 0 unchanged 0 failed 1 skipped 0 unprocessed 0");
  EXPECT_EQ(failed(job), Strings{"3 not_an_integer"});
  EXPECT_EQ(record(job).issues, R"([{"code":"not_an_integer","column":"amount","count":1}])");
  EXPECT_EQ(failed_file(job).find("one"), std::string::npos);
  EXPECT_NE(failed_file(job).find("3,three,worse,3,"), std::string::npos);
  ASSERT_OK(fix(job, {{3, {{"amount", "x"}}}}));
  finish(job);
  EXPECT_NE(failed_file(job).find("3,three,x,3,"), std::string::npos);
  ASSERT_OK(fix(job, {{3, {{"amount", "30"}}}}));
  finish(job);
  EXPECT_EQ(items(), (Strings{"1|one|10", "2|by hand|2", "3|three|30"}));
  EXPECT_EQ(failed_file(job), "");
  EXPECT_EQ(integer("SELECT count(*) FROM lade_segment"), 0) << "nothing is left to be fixed";
  EXPECT_EQ(content("SELECT row_id, version, changes, created_by FROM lade_row_version"),
            (Strings{"1|0|{}|ada", R"(1|1|{"amount":"10"}|ada)", "3|0|{}|ada", R"(3|1|{"amount":"x"}|ada)",
                     R"(3|2|{"amount":"30"}|ada)"}));
  const Strings happened = events(job);
  EXPECT_EQ(std::ranges::count(happened, "fixed"), 3);
  EXPECT_EQ(happened.back(), "completed");
}

TEST_P(FixTest, TheCorrectedFailedFileIsTaken) {
  const std::string job = ended("1,\"=1+1\",bad\n2,two,2\n3,three,worse\n4,\"fo\"\"ur, really\",none\n");
  std::string text = failed_file(job);
  EXPECT_NE(text.find("'=1+1"), std::string::npos) << text;
  const auto replace = [&](const std::string& from, const std::string& to) {
    ASSERT_NE(text.find(from), std::string::npos) << text;
    text.replace(text.find(from), from.size(), to);
  };
  replace("bad", "10");
  replace("none", "40");
  text.erase(text.find("3,three"), text.find("4,\"fo") - text.find("3,three"));
  ASSERT_OK(fix_by_file(job, text));
  finish(job);
  EXPECT_EQ(items(), (Strings{"1|=1+1|10", "2|two|2", "4|fo\"ur, really|40"}));
  EXPECT_EQ(failed(job), Strings{"3 not_an_integer"}) << "a row that is left out stays failed";
  EXPECT_EQ(content("SELECT row_id, changes FROM lade_row_version WHERE version = 1"),
            (Strings{R"(1|{"amount":"10"})", R"(4|{"amount":"40"})"}))
      << "what stays as it was is no change";
}

TEST_P(FixTest, AFileWithRowsThatCannotBeFixedChangesNothing) {
  const std::string job = ended("1,one,bad\n2,two,2\n3,three,worse\n");
  const std::string header = "code,name,amount,_row,_code,_message\n";
  EXPECT_FAILS(fix_by_file(job, header + "1,one,1,1,,\n2,two,2,2,,\n1,one,5,1,,\n9,nine,9,9,,\n"), "fixes_invalid");
  ASSERT_EQ(refused.size(), 3u);
  EXPECT_EQ(refused[0].code + " " + refused[1].code + " " + refused[2].code,
            "row_repeated row_not_failed row_not_found");
  EXPECT_FAILS(fix_by_file(job, "code,name,amount\n1,one,1\n"), "fixes_invalid");
  EXPECT_FAILS(fix_by_file(job, "code,name,amount,_row\n1,one,1,first\n"), "fixes_invalid");
  EXPECT_FAILS(fix_by_file(job, "code,name,price,_row\n1,one,1,1\n"), "source_column_unknown");
  EXPECT_FAILS(fix(job, {{1, {{"price", "1"}}}}), "source_column_unknown");
  EXPECT_FAILS(fix("nothing", {}), "job_not_found");
  EXPECT_EQ(status(job), "succeeded");
  EXPECT_EQ(record(job).review_revision, 0);
  EXPECT_EQ(integer("SELECT count(*) FROM lade_row_version"), 0);
  EXPECT_EQ(failed(job).size(), 2u);
}

TEST_P(FixTest, AJobTakesOneFixAfterTheOther) {
  const std::string job = ended("1,one,bad\n2,two,worse\n");
  ASSERT_OK(fix(job, {{1, {{"amount", "10"}}}}));
  EXPECT_FAILS(fix(job, {{2, {{"amount", "20"}}}}), "transition_refused");
  finish(job);
  ASSERT_OK(fix(job, {{2, {{"amount", "20"}}}}));
  finish(job);
  EXPECT_EQ(items(), (Strings{"1|one|10", "2|two|20"}));
}

TEST_P(FixTest, AJobThatFailedForTooManyErrorsSucceeds) {
  for (const char* commit : {"", "commit: all_or_nothing\n"}) {
    SCOPED_TRACE(commit);
    ASSERT_OK(connection->run("DELETE FROM item"));
    options.force = true;
    const std::string job =
        ended("1,one,bad\n2,two,2\n3,three,worse\n4,four,4\n", std::string("max_errors: 1\n") + commit, "failed");
    EXPECT_EQ(items(), Strings{});
    EXPECT_EQ(record(job).rows[Outcome::unprocessed], 2);
    ASSERT_OK(fix(job, {{1, {{"amount", "still bad"}}}}));
    finish(job, "failed");
    ASSERT_OK(fix(job, {{1, {{"amount", "1"}}}}));
    finish(job);
    EXPECT_EQ(items(), (Strings{"1|one|1", "2|two|2", "4|four|4"}));
    ASSERT_OK(fix(job, {{3, {{"amount", "3"}}}}));
    finish(job);
    EXPECT_EQ(items().size(), 4u);
    EXPECT_EQ(told(record(job).rows), "inserted 4 updated 0 unchanged 0 failed 0 skipped 0 unprocessed 0");
  }
}

TEST_P(FixTest, RowsThatTheDatabaseRefusedAreFixed) {
  ASSERT_OK(
      connection->run("DROP TABLE item; CREATE TABLE item (code integer PRIMARY KEY, name text, "
                      "amount integer CHECK (amount > 0))"));
  const std::string job = ended("1,one,1\n2,two,0\n3,three,0\n", "max_errors: 1\n", "failed");
  EXPECT_EQ(failed(job), (Strings{"2 check_violation", "3 check_violation"}));
  ASSERT_OK(fix(job, {{3, {{"amount", "3"}}}}));
  finish(job);
  EXPECT_EQ(items(), (Strings{"1|one|1", "3|three|3"}));
  EXPECT_EQ(failed(job), Strings{"2 check_violation"});
  ASSERT_OK(connection->run("DELETE FROM item WHERE code = 3"));
  ASSERT_OK(fix(job, {{2, {{"code", "7"}, {"amount", "-7"}}}}));
  finish(job);
  EXPECT_EQ(failed(job), Strings{"2 check_violation"}) << "it fails again";
  ASSERT_OK(fix(job, {{2, {{"amount", "7"}}}}));
  finish(job);
  EXPECT_EQ(items(), (Strings{"1|one|1", "7|two|7"})) << "a row that is in is not loaded again";
  EXPECT_EQ(told(record(job).rows), "inserted 3 updated 0 unchanged 0 failed 0 skipped 0 unprocessed 0");
}

TEST_P(FixTest, RowsThatALaterJobHasWrittenStay) {
  const std::string job = ended("1,one,bad\n2,two,2\n3,three,worse\n");
  ended("1,later,1\n");
  ASSERT_OK(fix(job, {{1, {{"amount", "10"}}}, {3, {{"amount", "30"}}}}));
  finish(job);
  EXPECT_EQ(items(), (Strings{"1|later|1", "2|two|2", "3|three|30"}));
  EXPECT_EQ(told(record(job).rows), "inserted 2 updated 0 unchanged 0 failed 0 skipped 1 unprocessed 0");
  EXPECT_EQ(content("SELECT row_id, code FROM lade_issue"), Strings{"1|superseded"});
}

TEST_P(FixTest, AJobInReviewTakesThemAsOneRevision) {
  const std::string job =
      ended("1,one,bad\n2,two,2\n2,zwei,2\n", "review: always\nduplicates: reject\n", "waiting_for_review");
  EXPECT_EQ(failed(job).size(), 3u);
  ASSERT_OK(fix(job, {{1, {{"amount", "1"}}}, {3, {{"code", "3"}}}}));
  EXPECT_EQ(record(job).review_revision, 1);
  EXPECT_EQ(failed(job), Strings{});
  ASSERT_OK(approve_job(*connection, {job, "ada"}, 1));
  finish(job);
  EXPECT_EQ(items(), (Strings{"1|one|1", "2|two|2", "3|zwei|2"}));
}

TEST_P(FixTest, WhatIsReviewedIsReviewedAgain) {
  const std::string job = ended("1,one,bad\n2,two,2\n", "review: always\n", "waiting_for_review");
  ASSERT_OK(approve_job(*connection, {job, "ada"}, 0));
  finish(job);
  ASSERT_OK(fix(job, {{1, {{"amount", "x"}}}}));
  finish(job, "waiting_for_review");
  ASSERT_OK(fix(job, {{1, {{"amount", "1"}}}}));
  ASSERT_OK(approve_job(*connection, {job, "ada"}, 2));
  finish(job);
  EXPECT_EQ(items(), (Strings{"1|one|1", "2|two|2"}));
  EXPECT_EQ(told(record(job).rows), "inserted 2 updated 0 unchanged 0 failed 0 skipped 0 unprocessed 0");
}

TEST_P(FixTest, WhatWasTidiedAwayCannotBeFixed) {
  const std::string job = ended("1,one,bad\n");
  ASSERT_OK(connection->run(is_sqlite() ? "UPDATE lade_job SET finished_at = '2020-01-01T00:00:00.000Z'"
                                        : "UPDATE lade_job SET finished_at = '2020-01-01'"));
  EXPECT_GT(store::expire_segments(*connection, 30).value(), 0);
  EXPECT_FAILS(fix(job, {{1, {{"amount", "1"}}}}), "staging_gone");
  EXPECT_EQ(status(job), "succeeded");
}

TEST_P(FixTest, ARowThatWaitedForItsParentComesWithIt) {
  ASSERT_OK(
      connection->run("DROP TABLE item; CREATE TABLE item (code integer PRIMARY KEY, name text, "
                      "amount integer REFERENCES item (code))"));
  std::string rows = "500,grandparent,x\n1,child,400\n400,parent,500\n";
  for (int i = 600; i < 2'000; ++i) rows += fmt::format("{},other,\n", i);
  const std::string job = ended(rows);
  ASSERT_GT(record(job).buckets, 1);
  EXPECT_EQ(failed(job), (Strings{"1 not_an_integer", "2 foreign_key_violation", "3 foreign_key_violation"}));
  ASSERT_OK(fix(job, {{1, {{"amount", ""}}}, {2, {}}, {3, {}}}));
  finish(job);
  EXPECT_EQ(failed(job), Strings{});
  EXPECT_EQ(integer("SELECT count(*) FROM item"), 1403);
}

TEST_P(FixTest, TablesThatKeepHistoryAndSeveralTablesAreFixedToo) {
  const char* const day = is_sqlite() ? "text" : "date";
  ASSERT_OK(connection->run(
      fmt::format("CREATE TABLE price (item text, amount integer, valid_from {0}, valid_until {0}, "
                  "PRIMARY KEY (item, valid_from)); CREATE TABLE label (code integer PRIMARY KEY, name text)",
                  day)));
  const std::string history =
      "columns: {item: {required: true}, amount: {type: integer}, first: {type: date}, last: {type: date}}\n"
      "load: [{table: price, key: item, strategy: insert_or_replace, columns: [item, amount], "
      "temporal: {valid_from: first, valid_to: last}}]\n";
  const std::string two =
      "columns: {code: {type: integer}, name: , amount: {type: integer}}\n"
      "load: [{table: item, key: code}, {table: label, key: code, columns: [code, name]}]\nduplicates: last\n";
  const auto compare = [&](const std::string& yaml, const std::string& wrong, const std::string& right,
                           const std::vector<Fix>& fixes, const std::string& tables) {
    options.force = true;
    EXPECT_EQ(status([&] {
                const std::string whole = submit(right, yaml);
                run_worker();
                return whole;
              }()),
              "succeeded");
    const Strings expected = content(tables);
    ASSERT_OK(connection->run("DELETE FROM price; DELETE FROM item; DELETE FROM label"));
    const std::string job = submit(wrong, yaml);
    run_worker();
    ASSERT_EQ(record(job).rows[Outcome::failed], static_cast<std::int64_t>(fixes.size())) << record(job).error;
    ASSERT_OK(fix(job, fixes));
    finish(job);
    EXPECT_EQ(content(tables), expected);
    EXPECT_EQ(record(job).rows[Outcome::failed], 0);
    ASSERT_OK(connection->run("DELETE FROM price; DELETE FROM item; DELETE FROM label"));
  };
  compare(history,
          "item,amount,first,last\na,1,2024-01-01,2024-12-31\na,bad,2024-03-01,2024-09-30\na,3,2024-06-01,2024-06-30\n"
          "b,bad,2024-01-01,2024-02-01\n",
          "item,amount,first,last\na,1,2024-01-01,2024-12-31\na,2,2024-03-01,2024-09-30\na,3,2024-06-01,2024-06-30\n"
          "b,4,2024-01-01,2024-02-01\n",
          {{2, {{"amount", "2"}}}, {4, {{"amount", "4"}}}}, "SELECT item, amount, valid_from, valid_until FROM price");
  compare(two, "code,name,amount\n1,one,1\n1,uno,bad\n2,two,bad\n", "code,name,amount\n1,one,1\n1,uno,\n2,two,2\n",
          {{2, {{"amount", ""}}}, {3, {{"amount", "2"}}}},
          "SELECT i.code, i.name, i.amount, l.name FROM item i JOIN label l ON l.code = i.code");
}

TEST_P(FixTest, WholeSetsAndTooManyRowsAreRefused) {
  const std::string job = ended("1,one,bad\n");
  std::string many = "code,_row\n";
  for (int i = 0; i < 500'001; ++i) many += "1,1\n";
  EXPECT_FAILS(fix_by_file(job, many), "fixes_too_many");
  auto definition = testing::definition_of(kItems);
  definition.load.front().strategy = definition::Strategy::replace_set;
  definition.load.front().set.emplace();
  definition.commit = definition::Commit::all_or_nothing;
  ASSERT_OK(store::set_job_snapshot(*connection, record(job).id, definition::to_json(definition)));
  EXPECT_FAILS(fix(job, {{1, {{"amount", "1"}}}}), "fix_not_possible");
}

#ifdef LADE_FAILPOINTS
TEST_P(FixTest, ACrashInTheMiddleLeavesOneFix) {
  ASSERT_OK(connection->run("INSERT INTO item VALUES (2, 'old', 1)"));
  for (const char* at : {"load=error:broken", "conclude=error:broken", "results=error:broken"}) {
    SCOPED_TRACE(at);
    ASSERT_OK(connection->run("DELETE FROM item; INSERT INTO item VALUES (2, 'old', 1)"));
    options.force = true;
    const std::string job = ended("1,one,bad\n2,two,2\n2,zwei,worse\n3,three,3\n");
    ASSERT_OK(fix(job, {{1, {{"amount", "10"}}}, {3, {{"amount", "22"}}}}));
    ASSERT_OK(arm_failpoints(at));
    run_worker();
    ASSERT_OK(arm_failpoints(""));
    if (status(job) == "failed") {
      EXPECT_TRUE(record(job).rows.conserved());
      ASSERT_OK(retry_job(*connection, {job, "ada"}));
    }
    finish(job);
    EXPECT_EQ(items(), (Strings{"1|one|10", "2|zwei|22", "3|three|3"}));
    EXPECT_EQ(told(record(job).rows), "inserted 2 updated 1 unchanged 0 failed 0 skipped 1 unprocessed 0");
  }
}
#endif

// Random files: fixing all failed rows comes to the same as importing the corrected file.
TEST_P(FixTest, FixedRowsComeToTheSameAsTheCorrectedFile) {
  std::mt19937 random(20261116);
  const auto below = [&](unsigned limit) { return static_cast<int>(random() % limit); };
  ASSERT_OK(
      connection->run("DROP TABLE item; CREATE TABLE item (code integer PRIMARY KEY, name text, "
                      "amount integer CHECK (amount <> 99))"));
  options.force = true;
  options.bucket_bytes = 1000;
  options.chunk_bytes = 1500;
  const std::pair<const char*, std::vector<const char*>> kinds[] = {
      {"duplicates: first\n", {"insert_or_update", "insert_only"}},
      {"duplicates: last\n", {"insert_or_update", "insert_or_replace", "update_only"}},
      {"duplicates: reject\n", {"insert_or_update", "insert_only"}},
      {"duplicates: merge\naggregate: {amount: sum}\n", {"insert_or_update", "insert_or_replace"}},
      {"duplicates: last\ncommit: all_or_nothing\nmax_errors: 100%\n", {"insert_or_update"}},
      {"duplicates: first\nmax_errors: 100%\n", {"insert_or_replace"}}};
  for (const auto& [rules, strategies] : kinds) {
    const bool merges = std::string_view(rules).find("merge") != std::string_view::npos;
    for (const char* strategy : strategies) {
      SCOPED_TRACE(fmt::format("{} {}", rules, strategy));
      const std::string yaml = fmt::format(
          "columns: {{code: {{type: integer}}, name: , amount: {{type: integer}}}}\n"
          "load: [{{table: item, key: code, strategy: {}}}]\n{}",
          strategy, rules);
      std::string wrong = "code,name,amount\n", right = wrong;
      std::vector<std::pair<int, std::string>> corrections;  // of the amounts of all rows that may fail
      for (int row = 1; row <= 150; ++row) {
        const std::string code = std::to_string(below(120)), name = below(4) == 0 ? "" : fmt::format("n{}", below(9));
        const std::string amount = below(6) == 0 ? "" : std::to_string(below(40));
        const int fault = below(8);
        // Of merged rows only the last one is told to be refused by the database, whichever is to blame.
        const std::string bad = fault == 0 ? "bad" : fault == 1 && !merges ? "99" : amount;
        wrong += fmt::format("{},{},{}\n", code, name, bad);
        right += fmt::format("{},{},{}\n", code, name, amount);
        corrections.emplace_back(row, amount);
      }
      const std::string stored =
          "DELETE FROM item; INSERT INTO item VALUES (1, 'old', 1), (5, 'old', 5), (30, 'n1', 7), (77, 'old', NULL), "
          "(118, 'old', 80)";
      ASSERT_OK(connection->run(stored));
      const std::string whole = submit(right, yaml);
      run_worker();
      const Strings expected = items();
      ASSERT_OK(connection->run(stored));
      const std::string job = submit(wrong, yaml);
      run_worker();
      ASSERT_EQ(status(job), "succeeded") << record(job).error;
      // In two rounds, so that rows of one entity are not fixed together.
      for (int round = 0; round < 8; ++round) {
        std::set<std::int64_t> wanted;
        EXPECT_OK(store::list_rows(*connection, record(job), {.limit = 0},
                                   [&](const store::ListedRow& row) { wanted.insert(row.row_id); }));
        std::vector<Fix> fixes;
        for (const auto& [row, amount] : corrections)
          if (wanted.contains(row) && (round > 0 || row % 2 == 0)) fixes.push_back({row, {{"amount", amount}}});
        if (fixes.empty()) continue;
        ASSERT_OK(fix(job, fixes));
        run_worker();
        ASSERT_EQ(status(job), "succeeded") << record(job).error;
        ASSERT_TRUE(record(job).rows.conserved());
        if (round > 1) break;
      }
      EXPECT_EQ(items(), expected);
      EXPECT_EQ(told(record(job).rows), told(record(whole).rows));
      EXPECT_EQ(record(job).issues, record(whole).issues);
    }
  }
}

}  // namespace
}  // namespace lade::jobs
