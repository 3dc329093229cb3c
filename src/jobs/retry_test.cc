// Jobs that are tried again: with other limits, beside what others have loaded meanwhile, one at a time.
#include <thread>

#include "jobs/fetch_results.h"
#include "jobs/job.h"
#include "load/journal.h"
#include "storage/folder.h"
#include "store/job_ends.h"
#include "store/journal.h"
#include "store/target_lock.h"
#include "testing/durable.h"

namespace lade::jobs {
namespace {

using model::JobState;
using model::Outcome;

class RetryTest : public testing::DurableTest {
 protected:
  void retry(const std::string& job, const Retry& with = {}) {
    const auto retried = retry_job(*connection, {job, "ada"}, with);
    EXPECT_OK(retried);
    run_worker();
    EXPECT_TRUE(record(job).rows.conserved());
  }
  std::string quoted_table() { return connection->describe("item").value()->quoted; }
  // How many rows of the job's journal are new and changed ones.
  std::pair<int, int> journal(const std::string& job) {
    int added = 0, changed = 0;
    const auto blocks = store::journal_of(*connection, record(job).id, quoted_table());
    EXPECT_OK(blocks);
    for (const std::string& block : *blocks) {
      auto reader = load::JournalReader::open(block);
      EXPECT_OK(reader);
      load::JournalEntry entry;
      while (reader->next(entry).value()) ++(entry.before.empty() ? added : changed);
    }
    return {added, changed};
  }
  void take_target(const std::string& job) {
    const std::int64_t id = record(job).id;
    const std::vector<std::string> tables = {quoted_table()};
    auto transaction = db::Transaction::begin(*connection);
    ASSERT_OK(transaction);
    EXPECT_EQ(store::take_targets(*connection, id, tables).value(), std::nullopt);
    ASSERT_OK(transaction->commit());
  }
  // `rows` rows with codes from 0 on, all with this name.
  static std::string named(int rows, const std::string& name) {
    std::string csv = "code,name,amount\n";
    for (int i = 0; i < rows; ++i) csv += fmt::format("{},{},1\n", i, name);
    return csv;
  }
};
LADE_ON_BOTH_DATABASES(RetryTest);

TEST_P(RetryTest, WithOtherLimitsARefusedJobGoesOn) {
  const std::string job = submit(file(300), kItems + "max_errors: 5\n");
  run_worker();
  EXPECT_EQ(record(job).error_code, "too_many_errors");
  EXPECT_EQ(record(job).ended_in, JobState::analysing_data);
  retry(job);
  EXPECT_EQ(status(job), "failed") << "nothing has changed";
  retry(job, {.limits = {.max_errors = "10%"}});
  EXPECT_EQ(status(job), "succeeded") << record(job).error;
  EXPECT_EQ(integer("SELECT count(*) FROM item"), record(job).rows[Outcome::inserted]);
  EXPECT_EQ(content("SELECT data FROM lade_event WHERE data LIKE '%10!%%' ESCAPE '!'").size(), 1u);
}

TEST_P(RetryTest, LimitsThatMakeNoSenseAreRefusedAndChangeNothing) {
  const std::string job = submit(file(300), kItems + "max_errors: 5\n");
  run_worker();
  const std::string snapshot = store::job_snapshot(*connection, record(job).id).value();
  for (const definition::Limits& limits :
       {definition::Limits{"many", ""}, {"-1", ""}, {"101%", ""}, {"", "sometimes"}}) {
    EXPECT_FAILS(retry_job(*connection, {job}, {.limits = limits}), "limit_invalid") << limits.max_errors;
    EXPECT_EQ(status(job), "failed");
  }
  EXPECT_EQ(store::job_snapshot(*connection, record(job).id).value(), snapshot);
}

TEST_P(RetryTest, BucketsThatWereLeftOutAreLoadedWhenMoreErrorsAreAllowed) {
  ASSERT_OK(
      connection->run("DROP TABLE item; CREATE TABLE item (code integer PRIMARY KEY, name text, "
                      "amount integer CHECK (amount > 0))"));
  work.settings.concurrency = 1;
  std::string csv = "code,name,amount\n";
  for (int i = 0; i < 1000; ++i) csv += fmt::format("{},name,{}\n", i, i % 10);
  for (const char* commit : {"", "commit: all_or_nothing\n"}) {
    SCOPED_TRACE(commit);
    ASSERT_OK(connection->run("DELETE FROM item"));
    options.force = true;
    const std::string job = submit(csv, kItems + "max_errors: 10\n" + commit);
    run_worker();
    EXPECT_EQ(record(job).error_code, "too_many_errors");
    EXPECT_EQ(record(job).ended_in, JobState::processing_data);
    EXPECT_GT(record(job).rows[Outcome::unprocessed], 0);
    for (const char* still_too_few : {"20", "30"}) {
      retry(job, {.limits = {.max_errors = still_too_few}});
      EXPECT_EQ(status(job), "failed");
    }
    retry(job, {.limits = {.max_errors = "10%"}});
    EXPECT_EQ(status(job), "succeeded") << record(job).error;
    EXPECT_EQ(integer("SELECT count(*) FROM item"), 900);
    EXPECT_EQ(record(job).rows[Outcome::failed], 100);
    EXPECT_EQ(record(job).rows[Outcome::unchanged], 0) << "nothing is loaded twice";
    EXPECT_EQ(journal(job), std::pair(900, 0)) << "what was taken back is not in it";
  }
}

TEST_P(RetryTest, TheJournalKnowsAllThatTheJobHasWritten) {
  ASSERT_OK(connection->run("INSERT INTO item VALUES (1, 'old', 1), (2, 'new', 1), (5000, 'other', 1)"));
  const Summary summary = import(named(1000, "new"), kItems);
  EXPECT_EQ(counts(summary), "read 1000 inserted 998 updated 1 unchanged 1");
  EXPECT_EQ(journal(summary.job_id), std::pair(998, 1));
  EXPECT_EQ(store::expire_journals(*connection, 1).value(), 0);
  ASSERT_OK(connection->run(is_sqlite() ? "UPDATE lade_job SET finished_at = '2020-01-01T00:00:00.000Z'"
                                        : "UPDATE lade_job SET finished_at = '2020-01-01'"));
  EXPECT_GT(store::expire_journals(*connection, 30).value(), 0);
  EXPECT_EQ(journal(summary.job_id), std::pair(0, 0));
}

TEST_P(RetryTest, ResultFilesAreMadeAnewFromWhatIsKnownOfTheRows) {
  ASSERT_OK(connection->run("INSERT INTO item VALUES (9, 'stays', 1)"));
  options.results = Results::all;
  const std::string insert_only =
      "columns: {code: {type: integer}, name: , amount: {type: integer}}\n"
      "load: [{table: item, key: code, strategy: insert_only}]\n";
  const Summary summary = import(file(300), insert_only);
  const auto storage = storage::Folder::open(storage_path(options));
  ASSERT_OK(storage);
  const auto made = make_results(*connection, *storage, record(summary.job_id), options, folder / "again");
  ASSERT_OK(made);
  EXPECT_EQ(text_of(made->failed), text_of(summary.failed_file));
  EXPECT_EQ(records(made->succeeded), records(summary.succeeded_file));
  EXPECT_NE(text_of(made->succeeded).find(",10,exists,"), std::string::npos) << "skipped rows say why";
  EXPECT_EQ(made->unprocessed, "");
  const std::string waiting = submit(file(100), kItems + "review: always\n");
  EXPECT_FAILS(make_results(*connection, *storage, record(waiting), options, folder / "none"), "results_not_ready");
  EXPECT_FALSE(std::filesystem::exists(folder / "none"));
}

TEST_P(RetryTest, JobsWithATargetOfTheirOwnLoadOneAfterAnother) {
  const std::string alone = kItems + "lock: target\n";
  const std::string first = submit(named(300, "first"), alone);
  const std::string second = submit(named(400, "second"), alone), third = submit(named(500, "third"));
  take_target(first);
  ASSERT_OK(pause_job(*connection, {first, "ada"}));
  work.until_idle = false;
  std::stop_source stop;
  std::jthread worker([&] { EXPECT_OK(work_on_jobs(work, stop.get_token())); });
  const auto pause = [] { std::this_thread::sleep_for(std::chrono::milliseconds(5)); };
  while (record(second).waits_for.empty() || status(third) != "succeeded") pause();
  EXPECT_EQ(record(second).waits_for, record(first).slug);
  EXPECT_EQ(record(second).standing.state, JobState::analysing_data);
  ASSERT_OK(resume_job(*connection, {first, "ada"}));
  while (status(second) != "succeeded") {
    EXPECT_TRUE(record(second).standing.state == JobState::analysing_data || status(first) == "succeeded");
    pause();
  }
  stop.request_stop();
  EXPECT_EQ(status(first), "succeeded");
  EXPECT_EQ(record(second).waits_for, "");
  const auto waits = [&](const std::string& job) {
    const auto all = events(job);
    return std::count(all.begin(), all.end(), "waits_for_target");
  };
  EXPECT_EQ(waits(second), 1) << "it is told once";
  EXPECT_EQ(waits(third), 0) << "who does not ask for the lock does not wait";
}

#ifdef LADE_FAILPOINTS
TEST_P(RetryTest, UnprocessedRowsOfAFailedJobAreInResultsThatAreMadeAnew) {
  ASSERT_OK(arm_failpoints("load=error:broken@3"));
  const std::string job = submit(file(1000));
  run_worker();
  const auto storage = storage::Folder::open(storage_path(options));
  const auto made = make_results(*connection, *storage, record(job), options, folder / "made");
  ASSERT_OK(made);
  const model::RowCounts rows = record(job).rows;
  EXPECT_GT(rows[Outcome::unprocessed], 0);
  EXPECT_EQ(records(made->unprocessed).size(), static_cast<std::size_t>(rows[Outcome::unprocessed]));
  EXPECT_EQ(records(made->failed).size(), static_cast<std::size_t>(rows[Outcome::failed]));
  EXPECT_EQ(records(made->succeeded).size(),
            static_cast<std::size_t>(rows[Outcome::inserted] + rows[Outcome::skipped]));
}

TEST_P(RetryTest, RowsThatALaterJobHasWrittenStayAsTheyAre) {
  for (const bool overwrite : {false, true}) {
    SCOPED_TRACE(overwrite);
    ASSERT_OK(connection->run("DELETE FROM item; INSERT INTO item VALUES (7, 'first', 1)"));
    options.force = true;
    ASSERT_OK(arm_failpoints("load=error:broken"));
    const std::string early = submit(named(300, "early"));
    run_worker();
    EXPECT_EQ(status(early), "failed");
    ASSERT_OK(arm_failpoints(""));
    const std::string late = submit("code,name,amount\n7,late,1\n8,late,1\n299,late,1\n");
    run_worker();
    retry(early, {.overwrite = overwrite});
    EXPECT_EQ(status(early), "succeeded") << record(early).error;
    EXPECT_EQ(integer("SELECT count(*) FROM item WHERE name = 'late'"), overwrite ? 0 : 3);
    EXPECT_EQ(integer("SELECT count(*) FROM item WHERE name = 'early'"), overwrite ? 300 : 297);
    EXPECT_EQ(record(early).rows[Outcome::skipped], overwrite ? 0 : 3);
    EXPECT_EQ(content("SELECT code FROM lade_issue WHERE job_id = " + std::to_string(record(early).id)),
              std::vector<std::string>(overwrite ? 0 : 3, "superseded"));
  }
}

TEST_P(RetryTest, ARetryDoesNotTakeATargetThatAnotherJobHas) {
  const std::string alone = kItems + "lock: target\n";
  ASSERT_OK(arm_failpoints("load=error:broken"));
  const std::string failed = submit(named(300, "failed"), alone);
  run_worker();
  ASSERT_OK(arm_failpoints(""));
  const std::string holder = submit(named(400, "holder"), alone);
  take_target(holder);  // the other one has ended
  EXPECT_FAILS(retry_job(*connection, {failed}), "target_locked");
  EXPECT_EQ(status(failed), "failed");
  run_worker();
  EXPECT_EQ(status(holder), "succeeded");
  retry(failed, {.overwrite = true});
  EXPECT_EQ(status(failed), "succeeded");
  EXPECT_EQ(integer("SELECT count(*) FROM item WHERE name = 'failed'"), 300);
}
#endif

}  // namespace
}  // namespace lade::jobs
