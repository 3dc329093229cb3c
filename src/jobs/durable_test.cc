// Jobs that outlive the process that made them.
#include <fmt/format.h>

#include <fstream>
#include <thread>

#include "base/failpoint.h"
#include "base/id.h"
#include "db/ownership.h"
#include "jobs/analysed_rows.h"
#include "jobs/batches.h"
#include "jobs/control.h"
#include "jobs/desk.h"
#include "jobs/plan.h"
#include "jobs/retry_letters.h"
#include "jobs/submit.h"
#include "jobs/work.h"
#include "queue/dead_letters.h"
#include "queue/enqueue.h"
#include "storage/folder.h"
#include "store/events.h"
#include "store/files.h"
#include "store/job_changes.h"
#include "store/job_ends.h"
#include "store/outcome_blob.h"
#include "store/outcomes.h"
#include "store/row_list.h"
#include "store/schema.h"
#include "testing/durable.h"

namespace lade::jobs {
namespace {

using model::Outcome;

const std::string kItems = testing::DurableTest::kItems;

class Durable : public testing::DurableTest {};
LADE_ON_BOTH_DATABASES(Durable);

TEST_P(Durable, AQueuedJobComesToTheSameAsAnImport) {
  const std::string csv = file(1000);
  options.results = Results::all;
  const Summary imported = import(csv, kItems);
  const std::vector<std::string> expected = items();
  ASSERT_OK(connection->run("DELETE FROM item"));
  const std::string job = submit(csv);
  EXPECT_EQ(status(job), "queued");
  run_worker();
  const store::JobRecord done = record(job);
  EXPECT_EQ(done.status(), "succeeded");
  EXPECT_EQ(done.rows.by_outcome, imported.rows.by_outcome);
  EXPECT_EQ(done.rows.read, 1000);
  EXPECT_EQ(done.progress(), 100);
  EXPECT_EQ(items(), expected);
  EXPECT_EQ(events(job),
            (std::vector<std::string>{"created", "preparation_started", "planned", "analysed", "completed"}));
  EXPECT_EQ(store::results_of(*connection, done.id)->size(), 2u) << "failed and succeeded";
  EXPECT_FALSE(store::segments_of(*connection, done.id)->empty()) << "its failed rows may be fixed";
}

TEST_P(Durable, ADeletedJobLeavesNothingButWhatItLoaded) {
  const std::string job = submit(file(300));
  run_worker();
  const std::vector<std::string> loaded = items();
  const auto deleted = delete_job(*connection, {job, "ada"});
  ASSERT_OK(deleted);
  EXPECT_EQ(deleted->files.size(), 3u) << "the upload, the failed rows and the segment";
  for (const char* table :
       {"lade_job", "lade_file", "lade_task", "lade_stage", "lade_issue", "lade_outcome", "lade_event"})
    EXPECT_EQ(integer(fmt::format("SELECT count(*) FROM {}", table)), 0) << table;
  EXPECT_EQ(items(), loaded);
}

TEST_P(Durable, NothingIsWrittenBeforeSomebodyApproves) {
  const std::string csv = file(300);
  for (const char* review : {"review: always\n", "review: on_issues\n"}) {
    SCOPED_TRACE(review);
    ASSERT_OK(connection->run("DELETE FROM item"));
    const std::string job = submit(csv, kItems + review);
    run_worker();
    EXPECT_EQ(status(job), "waiting_for_review");
    EXPECT_EQ(integer("SELECT count(*) FROM item"), 0);
    EXPECT_EQ(record(job).rows[Outcome::failed], 6);
    ASSERT_OK(approve_job(*connection, {job, "ada"}));
    run_worker();
    EXPECT_EQ(status(job), "succeeded");
    EXPECT_EQ(record(job).reviewed_by, "ada");
    EXPECT_EQ(integer("SELECT count(*) FROM item"), record(job).rows[Outcome::inserted]);
    EXPECT_TRUE(record(job).rows.conserved());
  }
}

// Deciding about repeated keys is a pass of its own only where it can stop the job.
TEST_P(Durable, KeysAreDecidedBeforehandWhenThatCanMakeRowsFail) {
  const std::string csv = file(300);
  const auto is_settled_apart = [&](const std::string& rules) {
    EXPECT_OK(connection->run("DELETE FROM item"));
    const std::string job = submit(csv, kItems + rules);
    run_worker();
    EXPECT_EQ(status(job), "succeeded") << rules;
    return record(job).buckets_settled > 0;
  };
  EXPECT_FALSE(is_settled_apart(""));
  EXPECT_FALSE(is_settled_apart("max_errors: 100%\n"));
  EXPECT_FALSE(is_settled_apart("max_errors: 100%\nduplicates: first\n"));
  EXPECT_TRUE(is_settled_apart("max_errors: 100%\nduplicates: reject\n"));
  EXPECT_TRUE(is_settled_apart("max_errors: 100%\nduplicates: merge\n"));
  EXPECT_FALSE(is_settled_apart("duplicates: merge\n"));
}

TEST_P(Durable, RowsTellHowFarTheyHaveCome) {
  const std::string job = submit(file(1000), kItems + "review: always\n");
  const auto states = [&] {
    std::map<std::string, int> counts;
    const store::JobRecord found = record(job);
    const auto is_analysed = analysed_rows(*connection, found);
    EXPECT_OK(is_analysed);
    for (std::size_t i = 0; i < model::kRowStates; ++i) {
      const store::RowFilter filter{static_cast<model::RowState>(i), 0, 0, *is_analysed};
      EXPECT_OK(store::list_rows(*connection, found, filter, [&](const store::ListedRow& row) {
        ++counts[fmt::format("{} {}", model::to_string(row.state), row.last_completed_priority)];
      }));
    }
    return counts;
  };
  using Counts = std::map<std::string, int>;
  EXPECT_EQ(states(), Counts{}) << "before it is planned nobody knows its rows";
  run_worker();
  EXPECT_EQ(states(), (Counts{{"analysed 110", 980}, {"error 100", 20}}));
  // As if only its first chunk were analysed.
  const store::JobRecord reviewed = record(job);
  ASSERT_GT(reviewed.chunks, 1);
  ASSERT_OK(connection->run("UPDATE lade_job SET chunks_done = 1, state = 'analysing_data'"));
  const auto is_analysed = analysed_rows(*connection, record(job));
  ASSERT_OK(is_analysed);
  EXPECT_TRUE((*is_analysed)(1) && (*is_analysed)(1000)) << "the segments of all are there";
  ASSERT_OK(connection->run("CREATE TABLE aside AS SELECT * FROM lade_segment WHERE chunk > 0"));
  ASSERT_OK(connection->run("DELETE FROM lade_segment WHERE chunk > 0"));
  const auto partly = analysed_rows(*connection, record(job));
  ASSERT_OK(partly);
  EXPECT_TRUE((*partly)(1));
  EXPECT_FALSE((*partly)(1000));
  ASSERT_OK(connection->run("INSERT INTO lade_segment SELECT * FROM aside"));
  ASSERT_OK(connection->run(
      fmt::format("UPDATE lade_job SET chunks_done = {}, state = 'waiting_for_review'", reviewed.chunks)));
  ASSERT_OK(approve_job(*connection, {job, "ada"}));
  run_worker();
  EXPECT_EQ(states(), (Counts{{"processed 200", 980}, {"error 100", 20}}));
}

TEST_P(Durable, JobsOfABatchEndIt) {
  options.batch = "monday";
  const std::string good = submit(file(300)), bad = submit("code,name,amount\n", kItems + "fail_when: any_failed\n");
  const auto batch = [&] { return require_batch(*connection, "monday").value(); };
  EXPECT_EQ(batch().status(), "pending");
  EXPECT_EQ(record(good).batch, "monday");
  run_worker();
  EXPECT_EQ(batch().status(), "succeeded");
  EXPECT_EQ(batch().jobs.finished(), 2);
  EXPECT_EQ(batch().rows_total, 300);
  EXPECT_EQ(batch().rows_processed, 300);
  EXPECT_EQ(batch().rows_failed, 6);
  EXPECT_EQ(batch().started_at, std::min(record(good).started_at, record(bad).started_at));
  EXPECT_EQ(batch().completed_at, std::max(record(good).finished_at, record(bad).finished_at));
}

TEST_P(Durable, ARejectedJobWritesNothingAndSaysSo) {
  const std::string job = submit(file(300), kItems + "review: always\n");
  run_worker();
  ASSERT_OK(reject_job(*connection, {job, "ada"}));
  run_worker();
  EXPECT_EQ(status(job), "rejected");
  EXPECT_EQ(integer("SELECT count(*) FROM item"), 0);
  EXPECT_TRUE(record(job).rows.conserved());
  EXPECT_EQ(record(job).rows[Outcome::unprocessed], 294);
}

TEST_P(Durable, WithoutIssuesNobodyIsAsked) {
  const Summary summary = import("code,name,amount\n1,a,1\n2,b,2\n", kItems + "review: on_issues\n");
  EXPECT_EQ(summary.outcome, "succeeded");
  const Summary asked = import("code,name,amount\n1,a,1\n2,b,x\n", kItems + "review: on_issues\n");
  EXPECT_EQ(asked.outcome, "waiting_for_review");
  EXPECT_EQ(exit_code(asked), 7);
  EXPECT_EQ(counts(asked), "read 2 failed 1 unprocessed 1");
}

TEST_P(Durable, EveryRowHasAnOutcome) {
  const std::string job = submit(file(1000));
  run_worker();
  std::map<std::uint32_t, Outcome> outcomes;
  const auto stored = store::outcomes_of(*connection, record(job).id, 0, 1000);
  ASSERT_OK(stored);
  for (const auto& bucket : *stored) {
    store::OutcomeReader reader(bucket.packed);
    store::RowOutcome row;
    while (reader.next(row).value()) EXPECT_TRUE(outcomes.emplace(row.row_id, row.outcome).second) << row.row_id;
  }
  // 20 rows failed in analysis and belong to no bucket.
  EXPECT_EQ(outcomes.size(), 980u);
  EXPECT_EQ(outcomes.at(1), Outcome::skipped) << "row 996 has the same code and comes later";
  EXPECT_EQ(outcomes.at(996), Outcome::inserted);
}

TEST_P(Durable, ALiveTwinIsRefused) {
  const std::string csv = file(100);
  const std::string job = submit(csv);
  const auto again = submit_import(write("other_name.csv", csv), testing::definition_of(kItems), kItems, options, {});
  ASSERT_FAILS(again, "job_exists");
  EXPECT_NE(again.error().message.find(record(job).slug), std::string::npos) << again.error().message;
  options.force = true;
  const std::string forced = submit(csv);
  EXPECT_NE(forced, job);
  options.force = false;
  run_worker();
  EXPECT_EQ(status(job), "succeeded");
  EXPECT_EQ(status(forced), "succeeded");
  EXPECT_NE(submit(csv), job) << "the twin has ended";
}

TEST_P(Durable, ADefinitionThatChangesMeanwhileChangesNothing) {
  const std::string job = submit(file(100));
  const std::string other =
      "columns: {code: {type: integer}, name: {value: changed}}\nload: [{table: item, key: code}]\n";
  const std::string second = submit(file(100) + "999,x,1\n", other);
  run_worker();
  EXPECT_EQ(record(job).definition_version, 1);
  EXPECT_EQ(record(second).definition_version, 2);
  EXPECT_EQ(record(job).rows[Outcome::inserted] + record(job).rows[Outcome::updated], 93);
}

TEST_P(Durable, AFileThatDoesNotFitFailsTheJobAtOnce) {
  const std::string job = submit("number,title\n1,2\n");
  run_worker();
  EXPECT_EQ(status(job), "failed");
  EXPECT_EQ(record(job).error_code, "header_mismatch");
  EXPECT_EQ(integer("SELECT count(*) FROM item"), 0);
}

TEST_P(Durable, AStoredFileThatIsGoneOrDamagedFailsTheJobBeforeARowIsLoaded) {
  const auto stored = [&](const std::string& job) {
    const auto upload = store::find_file(*connection, record(job).file_id);
    return std::pair(upload->value().uuid, options.data / "storage" / upload->value().uuid);
  };
  const std::string gone = submit(file(100));
  std::filesystem::remove(stored(gone).second);
  const std::string damaged = submit(file(200));
  std::fstream(stored(damaged).second, std::ios::in | std::ios::out | std::ios::binary).seekp(500).put('!');
  run_worker();
  EXPECT_EQ(record(gone).error_code, "stored_file_missing");
  EXPECT_NE(record(gone).error.find(stored(gone).first), std::string::npos) << record(gone).error;
  EXPECT_EQ(record(damaged).error_code, "stored_file_damaged");
  EXPECT_EQ(integer("SELECT count(*) FROM item"), 0);
}

TEST_P(Durable, CancelledBeforeAnybodyBeginsItEndsAndCanBeRetried) {
  const std::string job = submit(file(300));
  ASSERT_OK(cancel_job(*connection, {job, "ada"}));
  EXPECT_EQ(status(job), "cancelled");
  run_worker();
  EXPECT_EQ(integer("SELECT count(*) FROM item"), 0);
  ASSERT_OK(retry_job(*connection, {job, "ada"}));
  run_worker();
  EXPECT_EQ(status(job), "succeeded");
  EXPECT_EQ(record(job).retries, 1);
}

TEST_P(Durable, APausedJobWaits) {
  const std::string job = submit(file(300));
  ASSERT_OK(pause_job(*connection, {job, "ada"}));
  work.until_idle = false;
  std::stop_source stop;
  std::jthread worker([&] { EXPECT_OK(work_on_jobs(work, stop.get_token())); });
  const std::string other = submit(file(400));
  while (status(other) != "succeeded") std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(status(job), "paused");
  ASSERT_OK(resume_job(*connection, {job, "ada"}));
  while (status(job) != "succeeded") std::this_thread::sleep_for(std::chrono::milliseconds(20));
  stop.request_stop();
}

#ifdef LADE_FAILPOINTS
TEST_P(Durable, ABucketThatIsGivenUpIsAllThatARetryDoesAgain) {
  const std::string csv = file(1000);
  options.results = Results::all;
  ASSERT_OK(arm_failpoints("load=error:broken@3"));
  const std::string job = submit(csv);
  run_worker();
  store::JobRecord failed = record(job);
  EXPECT_EQ(failed.status(), "failed");
  EXPECT_EQ(failed.error_code, "broken");
  EXPECT_TRUE(failed.rows.conserved());
  EXPECT_GT(failed.rows[Outcome::unprocessed], 0);
  EXPECT_EQ(integer("SELECT count(*) FROM item"), failed.rows[Outcome::inserted]);
  ASSERT_OK(arm_failpoints(""));
  ASSERT_OK(retry_job(*connection, {job, "ada"}));
  run_worker();
  const store::JobRecord done = record(job);
  EXPECT_EQ(done.status(), "succeeded");
  EXPECT_TRUE(done.rows.conserved());
  EXPECT_EQ(done.rows[Outcome::unprocessed], 0);
  EXPECT_EQ(done.rows[Outcome::unchanged], 0) << "what was loaded is not loaded again";
  EXPECT_EQ(integer("SELECT count(*) FROM item"), done.rows[Outcome::inserted]);
  EXPECT_EQ(content("SELECT row_id FROM lade_issue WHERE severity = 'error'").size(), 20u) << "each once";
}

TEST_P(Durable, RowsWithNoOutcomeOrWithTwoMakeItFail) {
  for (const char* change : {"- 1", "+ 1"}) {
    SCOPED_TRACE(change);
    ASSERT_OK(connection->run("DELETE FROM item"));
    options.force = true;
    ASSERT_OK(arm_failpoints("conclude=error:broken@1"));
    const std::string job = submit(file(1000));
    run_worker();
    EXPECT_EQ(record(job).error_code, "broken") << "all is loaded, but not concluded";
    ASSERT_OK(connection->run(
        fmt::format("UPDATE lade_outcome SET rows_inserted = rows_inserted {} WHERE bucket = 1", change)));
    ASSERT_OK(retry_job(*connection, {job, "ada"}));
    run_worker();
    EXPECT_EQ(record(job).error_code, "not_conserved");
    EXPECT_FALSE(record(job).rows.conserved());
  }
}

TEST_P(Durable, AJobWhoseEndIsGivenUpCountsWhatWasNotProcessed) {
  ASSERT_OK(arm_failpoints("load=error:broken;conclude=error:broken@1"));
  const std::string job = submit(file(1000));
  run_worker();
  const auto given_up = record(job);
  EXPECT_EQ(given_up.status(), "failed");
  EXPECT_EQ(given_up.rows[Outcome::failed], 20);
  EXPECT_EQ(given_up.rows[Outcome::unprocessed], 980);
  ASSERT_OK(arm_failpoints(""));
  ASSERT_OK(retry_job(*connection, {job, "ada"}));
  run_worker();
  EXPECT_EQ(status(job), "succeeded") << record(job).error;
  EXPECT_EQ(record(job).rows[Outcome::unprocessed], 0);
}

TEST_P(Durable, FailedRowsCountAlsoWhenTheirFindingsCannotBeRead) {
  ASSERT_OK(arm_failpoints("conclude=error:broken@1"));
  const std::string job = submit(file(1000));
  run_worker();
  EXPECT_EQ(record(job).error_code, "broken");
  const auto segments = store::segments_of(*connection, record(job).id);
  ASSERT_OK(segments);
  ASSERT_GT(segments->size(), 2u);
  ASSERT_OK(connection->execute("UPDATE lade_segment SET file_uuid = $1 WHERE file_uuid = $2",
                                std::vector<db::Value>{new_uuid(), segments->front().file_uuid}));
  ASSERT_OK(retry_job(*connection, {job, "ada"}));
  run_worker();
  EXPECT_EQ(status(job), "succeeded") << record(job).error;
  EXPECT_EQ(record(job).rows[Outcome::failed], 20);
  EXPECT_NE(record(job).results_error, "");
}

TEST_P(Durable, ADeadLetterOfAnEndedJobBringsTheJobBack) {
  ASSERT_OK(arm_failpoints("load=error:broken"));
  const std::string job = submit(file(1000));
  run_worker();
  EXPECT_EQ(status(job), "failed");
  const auto letters = queue::dead_letters(*connection, job);
  ASSERT_OK(letters);
  ASSERT_GT(letters->size(), 1u);
  ASSERT_OK(arm_failpoints(""));
  std::vector<std::int64_t> tasks;
  for (const queue::DeadLetter& letter : *letters) tasks.push_back(letter.task);
  const auto retried = retry_letters(*connection, tasks, {.actor = "ada"});
  ASSERT_OK(retried);
  EXPECT_EQ(retried->retried, static_cast<std::int64_t>(tasks.size()));
  EXPECT_TRUE(retried->refused.empty());
  EXPECT_EQ(events(job).back(), "processing_retried");
  run_worker();
  EXPECT_EQ(status(job), "succeeded") << record(job).error;
  EXPECT_EQ(integer("SELECT count(*) FROM item"), record(job).rows[Outcome::inserted]);
  EXPECT_TRUE(queue::dead_letters(*connection, job)->empty());
}

TEST_P(Durable, ADeadLetterOfAJobThatCannotComeBackStays) {
  ASSERT_OK(arm_failpoints("load=error:broken@1"));
  const std::string job = submit(file(300));
  run_worker();
  ASSERT_OK(store::mark_file_removed(*connection, record(job).file_id));
  const std::int64_t task = queue::dead_letters(*connection, job)->front().task;
  const std::vector<std::int64_t> tasks = {task, 4711};
  const auto retried = retry_letters(*connection, tasks, {.actor = "ada"});
  ASSERT_OK(retried);
  EXPECT_EQ(retried->retried, 0);
  ASSERT_EQ(retried->refused.size(), 2u);
  EXPECT_EQ(retried->refused[0].error.code, "file_gone");
  EXPECT_EQ(retried->refused[1].error.code, "dead_letter_not_found");
  EXPECT_EQ(status(job), "failed");
  EXPECT_EQ(queue::dead_letters(*connection, job)->size(), 1u);
}

TEST_P(Durable, AJobWhoseDeadLetterIsGoneSaysAtLeastThatATaskFailed) {
  ASSERT_OK(store::migrate(*connection));
  ASSERT_OK(
      connection->run(pick("CREATE TRIGGER t AFTER INSERT ON lade_dead_letter BEGIN DELETE FROM lade_dead_letter; END",
                           "CREATE FUNCTION t() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;"
                           "CREATE TRIGGER t BEFORE INSERT ON lade_dead_letter FOR EACH ROW EXECUTE FUNCTION t()")));
  ASSERT_OK(arm_failpoints("load=error:broken@1"));
  const std::string job = submit(file(300));
  run_worker();
  EXPECT_EQ(record(job).error_code, "task_failed");
}

TEST_P(Durable, StagedRowsOfAFailedJobAreKeptForAWhile) {
  ASSERT_OK(arm_failpoints("load=error:broken@1"));
  const std::string job = submit(file(1000));
  run_worker();
  const auto kept = static_cast<std::int64_t>(store::segments_of(*connection, record(job).id)->size());
  EXPECT_GT(kept, 1);
  EXPECT_EQ(store::expire_segments(*connection, 1).value(), 0);
  ASSERT_OK(connection->run(is_sqlite() ? "UPDATE lade_job SET finished_at = '2020-01-01T00:00:00.000Z'"
                                        : "UPDATE lade_job SET finished_at = '2020-01-01'"));
  EXPECT_EQ(store::expire_segments(*connection, 30).value(), kept);
}

TEST_P(Durable, ADeadChunkFailsTheJobWithNothingWritten) {
  ASSERT_OK(arm_failpoints("stage=error:broken@2"));
  const std::string job = submit(file(1000));
  run_worker();
  EXPECT_EQ(record(job).error_code, "broken");
  EXPECT_EQ(record(job).ended_in, model::JobState::analysing_data);
  EXPECT_EQ(integer("SELECT count(*) FROM item"), 0);
  ASSERT_OK(arm_failpoints(""));
  ASSERT_OK(retry_job(*connection, {job, "ada"}));
  run_worker();
  EXPECT_EQ(status(job), "succeeded");
}

TEST_P(Durable, AnErrorThatPassesCostsAnAttemptAndNothingElse) {
  work.settings.retry.base = std::chrono::milliseconds(10);
  for (const char* place : {"load=error:db_busy@2", "conclude=error:db_busy@1", "fence=error:db_busy@4",
                            "commit_sent=error:db_lost@3", "read=error:db_lost@2", "results=error:db_busy@1"}) {
    SCOPED_TRACE(place);
    ASSERT_OK(connection->run("DELETE FROM item"));
    ASSERT_OK(arm_failpoints(place));
    options.force = true;
    const std::string job = submit(file(500));
    run_worker();
    EXPECT_EQ(status(job), "succeeded") << record(job).error;
    EXPECT_EQ(integer("SELECT count(*) FROM item"), record(job).rows[Outcome::inserted]);
  }
}
#endif

TEST_P(Durable, AnUnknownKindOfTaskBecomesADeadLetter) {
  ASSERT_OK(store::migrate(*connection));
  ASSERT_OK(queue::enqueue(*connection, {.kind = "dance", .payload = "{}"}));
  run_worker();
  const auto letters = queue::dead_letters(*connection);
  ASSERT_OK(letters);
  ASSERT_EQ(letters->size(), 1u);
  EXPECT_EQ(letters->front().reason, "unknown_kind");
}

TEST_P(Durable, ATaskThatNamesNoJobBecomesADeadLetter) {
  ASSERT_OK(store::migrate(*connection));
  for (const char* payload : {"nonsense", "{}", "[]", "{\"job\": \"x\"}"})
    ASSERT_OK(queue::enqueue(*connection, {.kind = "analyse", .payload = payload}));
  run_worker();
  const auto letters = queue::dead_letters(*connection);
  ASSERT_OK(letters);
  ASSERT_EQ(letters->size(), 4u);
  for (const queue::DeadLetter& letter : *letters) EXPECT_EQ(letter.reason, "payload_invalid");
}

TEST_P(Durable, AnEndedJobTakesNothingMore) {
  const Summary summary = import(file(100), kItems);
  const store::JobRecord job = record(summary.job_id);
  EXPECT_FAILS(store::advance_job(*connection, job.id, {.rows_analysed = 5}), "job_finished");
  const auto storage = storage::Folder::open(storage_path(options));
  db::Pool sessions(options.database, 1);
  Progress progress;
  Desk desk(options, *storage, sessions, progress);
  const auto open = desk.open(job.id);
  ASSERT_OK(open);
  ASSERT_OK(store::forget_segments(*connection, job.id)) << "they were kept, since its failed rows may be fixed";
  EXPECT_FAILS((*open)->staged.open(*connection), "staging_incomplete") << "they are gone";
  write("input.csv", file(101));
  desk.close(job.id);
  const auto changed = desk.open(job.id);
  ASSERT_FAILS(changed, "file_changed");
  EXPECT_NE(changed.error().message.find("input.csv"), std::string::npos);
}

TEST(PlanText, GivesThePlanBack) {
  Plan plan;
  plan.layout.dialect = {';', '\'', '\\', true, '#', true};
  plan.layout.origin.format = "xlsx";
  plan.layout.origin.sheet = "Prices";
  plan.layout.origin.compression = "gzip";
  plan.layout.header = {"a", "ü\"", ""};
  plan.layout.data_offset = 1'000'000'000'000;
  plan.layout.data_line = 7;
  plan.split.chunks = {{1, 2, 3}, {4'000'000'000'000, 5, 6}};
  plan.split.end = {7, 8, 9};
  plan.split.rows = 10;
  plan.split.columns = 3;
  plan.splitters = {std::string("\0\xff\x01", 3), "b"};
  plan.now = "2026-11-15 12:00:00+00";
  const auto read = read_plan(to_text(plan));
  ASSERT_OK(read);
  EXPECT_EQ(read->layout.dialect, plan.layout.dialect);
  EXPECT_EQ(read->layout.origin.format, "xlsx");
  EXPECT_EQ(read->layout.header, plan.layout.header);
  EXPECT_EQ(read->layout.data_offset, plan.layout.data_offset);
  EXPECT_EQ(read->split.chunks, plan.split.chunks);
  EXPECT_EQ(read->split.end, plan.split.end);
  EXPECT_EQ(read->splitters, plan.splitters);
  EXPECT_EQ(to_text(*read), to_text(plan));
  EXPECT_FAILS(read_plan("{}"), "plan_damaged");
  EXPECT_FAILS(read_plan("nonsense"), "plan_damaged");
}

}  // namespace
}  // namespace lade::jobs
