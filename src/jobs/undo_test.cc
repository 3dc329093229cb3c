// Jobs that are taken back: exactly, once, and only where nobody else has been since.
#include "jobs/undo.h"

#include <boost/json.hpp>

#include "jobs/run_undo.h"
#include "store/job_ends.h"
#include "store/journal.h"
#include "store/row_list.h"
#include "testing/durable.h"

namespace lade::jobs {
namespace {

using model::Outcome;
using Lines = std::vector<std::string>;

class UndoTest : public testing::DurableTest {
 protected:
  // Makes the undo, lets a worker do it, and gives its UUID.
  std::string undo(const std::string& job) {
    const auto made = undo_job(*connection, {job, "ada"});
    EXPECT_OK(made);
    if (!made) return "";
    run_worker();
    // A job whose end was given up has not added up.
    EXPECT_TRUE(status(made->uuid) != "succeeded" || record(made->uuid).rows.conserved());
    return made->uuid;
  }
  // The issues of an undo: code, line, table and key.
  Lines issues(const std::string& job) {
    return content(
        fmt::format("SELECT code, line, column_name, value FROM lade_issue WHERE job_id = {}", record(job).id));
  }
  static std::string named(int first, int rows, const std::string& name) {
    std::string csv = "code,name,amount\n";
    for (int i = first; i < first + rows; ++i) csv += fmt::format("{},{},{}\n", i, name, i % 7);
    return csv;
  }
  Summary import_items(const std::string& csv) { return import(csv, kItems); }
  void tables(const char* sql) { ASSERT_OK(connection->run(sql)); }
};
LADE_ON_BOTH_DATABASES(UndoTest);

TEST_P(UndoTest, WhatWasLoadedIsTakenBackAndCanBeRedone) {
  tables("INSERT INTO item VALUES (1, 'old', 1), (2, 'same', 2), (5000, 'other', 1)");
  const Lines before = items();
  const Summary summary = import_items(named(0, 1000, "new"));
  const Lines after = items();
  const std::string undone = undo(summary.job_id);
  EXPECT_EQ(items(), before);
  EXPECT_EQ(status(summary.job_id), "undone");
  EXPECT_EQ(status(undone), "succeeded");
  EXPECT_EQ(record(undone).rows.read, 1000);
  EXPECT_EQ(record(undone).rows[Outcome::updated], 2);
  EXPECT_EQ(record(undone).rows[Outcome::deleted], 998);
  EXPECT_EQ(record(undone).undoes, record(summary.job_id).slug);
  EXPECT_EQ(record(summary.job_id).undone_by, record(undone).slug);
  EXPECT_EQ(events(undone), (Lines{"created", "processing_started", "completed"}));
  EXPECT_EQ(events(summary.job_id).back(), "undone");
  EXPECT_FAILS(undo_job(*connection, {summary.job_id}), "transition_refused");
  EXPECT_FAILS(clone_job(*connection, {undone}), "not_an_import");

  const std::string redone = undo(undone);
  EXPECT_EQ(items(), after);
  EXPECT_EQ(status(summary.job_id), "succeeded");
  EXPECT_EQ(status(undone), "undone");
  EXPECT_EQ(events(summary.job_id).back(), "redone");
  EXPECT_EQ(record(redone).rows[Outcome::inserted], 998);

  undo(redone);
  EXPECT_EQ(items(), before);
  EXPECT_EQ(status(summary.job_id), "undone");
  EXPECT_EQ(status(undone), "succeeded");
  EXPECT_EQ(status(redone), "undone");
}

TEST_P(UndoTest, TheSameFileCanBeImportedAgain) {
  const std::string job = submit(named(0, 10, "new"));
  run_worker();
  undo(job);
  const std::string again = submit(named(0, 10, "new"));
  run_worker();
  EXPECT_EQ(record(again).rows[Outcome::inserted], 10);
}

TEST_P(UndoTest, RowsThatOthersHaveChangedStayAndAreListed) {
  tables("INSERT INTO item VALUES (1, 'old', 1), (2, 'old', 1)");
  const Summary first = import_items(named(0, 10, "first"));
  tables("UPDATE item SET name = 'by hand' WHERE code = 1; DELETE FROM item WHERE code = 3");
  const Summary second = import_items(named(5, 2, "second"));
  const auto preview = preview_undo(*connection, record(first.job_id));
  ASSERT_OK(preview);
  EXPECT_EQ(preview->restored, 1);
  EXPECT_EQ(preview->removed, 5);
  EXPECT_EQ(preview->left, 4);
  ASSERT_EQ(preview->examples.size(), 4u);
  const std::string undone = undo(first.job_id);
  EXPECT_EQ(items(), (Lines{"1|by hand|1", "2|old|1", "5|second|5", "6|second|6"}));
  EXPECT_EQ(issues(undone), (Lines{"changed_since|3|item|code=1", "changed_since|5|item|code=3",
                                   "changed_since|7|item|code=5", "changed_since|8|item|code=6"}));
  EXPECT_EQ(record(undone).rows[Outcome::skipped], 4);
  std::vector<std::int64_t> listed;
  ASSERT_OK(store::list_rows(*connection, record(undone), {.wanted = Outcome::skipped},
                             [&](const store::ListedRow& row) { listed.push_back(row.row_id); }));
  EXPECT_EQ(listed.size(), 4u);
  undo(second.job_id);
  EXPECT_EQ(items(), (Lines{"1|by hand|1", "2|old|1", "5|first|5", "6|first|6"}));
}

TEST_P(UndoTest, ARetryDoesNotGiveWayToWhatWasUndone) {
  ASSERT_OK(arm_failpoints("load=error:broken@2"));
  const std::string job = submit(named(0, 600, "first"));
  run_worker();
  ASSERT_EQ(status(job), "failed");
  ASSERT_OK(arm_failpoints(""));
  const Summary later = import_items(named(0, 600, "later"));
  undo(later.job_id);
  ASSERT_OK(retry_job(*connection, {job}));
  run_worker();
  EXPECT_EQ(status(job), "succeeded");
  EXPECT_EQ(record(job).rows[Outcome::skipped], 0);
  EXPECT_EQ(integer("SELECT count(*) FROM item WHERE name = 'first'"), 600);
}

TEST_P(UndoTest, WhatAnUndoHasNotDoneIsDoneByItsRetry) {
  const Lines before = items();
  const Summary summary = import_items(named(0, 1000, "new"));
  const Lines after = items();
  work.settings.concurrency = 1;
  for (const char* place : {"undo=error:broken@2", "undone=error:broken@1", "undo_end=error:broken"}) {
    SCOPED_TRACE(place);
    ASSERT_OK(arm_failpoints(place));
    const std::string broken = undo(summary.job_id);
    ASSERT_OK(arm_failpoints(""));
    EXPECT_EQ(status(broken), "failed");
    EXPECT_EQ(record(broken).error_code, "broken");
    EXPECT_EQ(status(summary.job_id), "succeeded");
    EXPECT_FAILS(undo_job(*connection, {summary.job_id}), "being_undone");
    EXPECT_FAILS(delete_job(*connection, {summary.job_id}), "being_undone");
    ASSERT_OK(retry_job(*connection, {broken}));
    run_worker();
    EXPECT_EQ(status(broken), "succeeded") << record(broken).error;
    EXPECT_EQ(record(broken).rows[Outcome::deleted], 1000);
    EXPECT_EQ(items(), before);
    undo(broken);
    EXPECT_EQ(items(), after);
  }
}

TEST_P(UndoTest, AnUndoThatIsCancelledKeepsItsPlace) {
  const Summary summary = import_items(named(0, 1000, "new"));
  auto made = undo_job(*connection, {summary.job_id});
  ASSERT_OK(made);
  EXPECT_FAILS(undo_job(*connection, {summary.job_id}), "being_undone");
  ASSERT_OK(cancel_job(*connection, {made->uuid}));
  EXPECT_EQ(status(made->uuid), "cancelled");
  EXPECT_EQ(record(made->uuid).rows[Outcome::unprocessed], 1000);
  EXPECT_TRUE(record(made->uuid).rows.conserved());
  ASSERT_OK(retry_job(*connection, {made->uuid}));
  run_worker();
  EXPECT_EQ(status(made->uuid), "succeeded") << record(made->uuid).error;
  EXPECT_EQ(items(), Lines());
  EXPECT_EQ(status(summary.job_id), "undone");
}

TEST_P(UndoTest, AFailedImportIsNotRetriedWhileItIsUndone) {
  ASSERT_OK(arm_failpoints("load=error:broken@2"));
  const std::string job = submit(named(0, 1000, "new"));
  run_worker();
  ASSERT_OK(arm_failpoints(""));
  ASSERT_EQ(status(job), "failed");
  const auto made = undo_job(*connection, {job});
  ASSERT_OK(made);
  EXPECT_FAILS(retry_job(*connection, {job}), "being_undone");
  run_worker();
  EXPECT_EQ(items(), Lines());
  EXPECT_EQ(status(job), "undone");
  undo(made->uuid);
  EXPECT_EQ(status(job), "failed");
  ASSERT_OK(retry_job(*connection, {job}));
  run_worker();
  EXPECT_EQ(status(job), "succeeded");
  EXPECT_EQ(integer("SELECT count(*) FROM item"), 1000);
}

TEST_P(UndoTest, AppendedRowsAreFoundAgainByTheirIds) {
  const std::string id = is_sqlite() ? "id INTEGER PRIMARY KEY" : "id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY";
  ASSERT_OK(connection->run("CREATE TABLE log (" + id +
                            ", what text, made text DEFAULT 'today'); INSERT INTO log (what) VALUES ('old')"));
  const std::string yaml = "columns: {what: }\nload: [{table: log, strategy: append}]\n";
  const auto log = [&] { return content("SELECT id, what, made FROM log"); };
  const Lines before = log();
  const Summary summary = import("what\na\nb\na\n", yaml);
  const Lines after = log();
  EXPECT_EQ(after.size(), 4u);
  const std::string undone = undo(summary.job_id);
  EXPECT_EQ(log(), before);
  undo(undone);
  EXPECT_EQ(log(), after);
}

TEST_P(UndoTest, RowsOfATableWithoutAKeyCannotBeTakenBack) {
  tables("CREATE TABLE log (what text)");
  const Summary summary = import("what\na\nb\n", "columns: {what: }\nload: [{table: log, strategy: append}]\n");
  EXPECT_FAILS(undo_job(*connection, {summary.job_id}), "cannot_undo");
  EXPECT_FAILS(preview_undo(*connection, record(summary.job_id)), "cannot_undo");
  EXPECT_EQ(integer("SELECT count(*) FROM log"), 2);
}

TEST_P(UndoTest, WithoutItsJournalAJobCannotBeTakenBack) {
  const Summary summary = import_items(named(0, 10, "new"));
  tables("DELETE FROM lade_journal");
  EXPECT_FAILS(undo_job(*connection, {summary.job_id}), "journal_gone");
}

TEST_P(UndoTest, WhatOthersReferToStays) {
  tables("CREATE TABLE note (code integer REFERENCES item (code), text text)");
  const Summary summary = import_items(named(0, 1000, "new"));
  tables("INSERT INTO note VALUES (17, 'mine'), (817, 'mine')");
  const std::string undone = undo(summary.job_id);
  EXPECT_EQ(status(undone), "succeeded");
  EXPECT_EQ(items(), (Lines{"17|new|3", "817|new|5"}));
  EXPECT_EQ(issues(undone), (Lines{"still_referenced|19|item|code=17", "still_referenced|819|item|code=817"}));
  EXPECT_EQ(integer("SELECT count(*) FROM note"), 2);
}

TEST_P(UndoTest, RowsThatGoWithOthersStayToo) {
  tables("CREATE TABLE note (code integer REFERENCES item (code) ON DELETE CASCADE, text text)");
  const Summary summary = import_items(named(0, 1000, "new"));
  tables("INSERT INTO note VALUES (17, 'mine')");
  const std::string undone = undo(summary.job_id);
  EXPECT_EQ(items(), (Lines{"17|new|3"}));
  EXPECT_EQ(issues(undone), (Lines{"still_referenced|19|item|code=17"}));
  EXPECT_EQ(integer("SELECT count(*) FROM note"), 1);
}

TEST_P(UndoTest, ParentsWaitForChildrenOfOtherBuckets) {
  tables("CREATE TABLE person (id integer PRIMARY KEY, boss integer REFERENCES person (id))");
  std::string csv = "id,boss\n";
  for (int i = 1; i <= 1000; ++i) csv += fmt::format("{},{}\n", i, i == 1 ? "" : std::to_string(1 + (i * 7) % (i - 1)));
  const std::string yaml = "columns: {id: {type: integer}, boss: {type: integer}}\nload: [{table: person, key: id}]\n";
  const Summary summary = import(csv, yaml);
  EXPECT_EQ(integer("SELECT count(*) FROM person"), 1000);
  const Lines after = content("SELECT id, boss FROM person");
  const std::string undone = undo(summary.job_id);
  EXPECT_EQ(integer("SELECT count(*) FROM person"), 0);
  EXPECT_EQ(record(undone).rows[Outcome::deleted], 1000);
  undo(undone);
  EXPECT_EQ(content("SELECT id, boss FROM person"), after);
}

TEST_P(UndoTest, AllOrNothingIsTakenBackAtOnce) {
  const Summary summary = import(named(0, 1000, "new"), kItems + "commit: all_or_nothing\n");
  ASSERT_OK(arm_failpoints("undone=error:broken@1"));
  const std::string broken = undo(summary.job_id);
  ASSERT_OK(arm_failpoints(""));
  EXPECT_EQ(status(broken), "failed");
  EXPECT_EQ(integer("SELECT count(*) FROM item"), 1000);
  undo(summary.job_id);
  EXPECT_EQ(integer("SELECT count(*) FROM item"), 0);
}

TEST_P(UndoTest, AProcessOfItsOwnDoesItToo) {
  const Summary summary = import_items(named(0, 1000, "new"));
  Progress progress;
  const auto undone = run_undo(summary.job_id, options, progress, {});
  ASSERT_OK(undone);
  EXPECT_EQ(undone->status(), "succeeded");
  EXPECT_EQ(progress.rows_loaded, 1000);
  EXPECT_EQ(items(), Lines());
}

TEST_P(UndoTest, ATableThatLacksAColumnCannotBeTakenBack) {
  const Summary summary = import_items(named(0, 10, "new"));
  tables("ALTER TABLE item DROP COLUMN amount");
  const std::string broken = undo(summary.job_id);
  EXPECT_EQ(status(broken), "failed");
  EXPECT_EQ(record(broken).error_code, "cannot_undo");
}

TEST_P(UndoTest, KeysOfSensitiveColumnsAreNotShown) {
  const Summary summary = import(named(0, 3, "new"),
                                 "columns: {code: {type: integer, sensitive: true}, name: , amount: {type: "
                                 "integer}}\nload: [{table: item, key: code}]\n");
  tables("UPDATE item SET name = 'by hand' WHERE code = 1");
  EXPECT_EQ(issues(undo(summary.job_id)), Lines{"changed_since|3|item|"});
}

}  // namespace
}  // namespace lade::jobs
