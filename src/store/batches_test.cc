// Batches: found by name, listed page by page, and always as their jobs are.
#include "store/batches.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "store/batch_events.h"
#include "store/pages.h"
#include "testing/stored_jobs.h"

namespace lade::store {
namespace {

using model::JobEvent;
using model::JobOutcome;
using model::JobState;

class Batches : public testing::StoredJobsTest {
 protected:
  std::int64_t batch(const std::string& name, std::int64_t company = kDefaultCompany) {
    const auto id = find_or_create_batch(*connection, {new_uuid(), name, "", "ada", company});
    EXPECT_OK(id);
    return id.value_or(0);
  }
  std::int64_t add_job(std::int64_t batch, const model::JobStanding& standing, bool paused = false) {
    NewJob job = new_job();
    job.batch_id = batch;
    const std::int64_t id = created(job);
    place(id, standing);
    const db::Value values[] = {std::int64_t{paused}, id};
    EXPECT_OK(connection->execute("UPDATE lade_job SET paused = $1 WHERE id = $2", values));
    return id;
  }
  BatchRecord record(const std::string& reference) {
    const auto found = find_batch(*connection, reference);
    EXPECT_OK(found);
    EXPECT_TRUE(found && *found) << reference;
    return found && *found ? **found : BatchRecord();
  }
  std::vector<std::string> names(const BatchFilter& filter, std::int64_t* next = nullptr) {
    const auto page = list_batches(*connection, filter);
    EXPECT_OK(page);
    std::vector<std::string> found;
    for (const BatchRecord& each : page->batches) found.push_back(each.name);
    if (next != nullptr) *next = page->next;
    return found;
  }
};
LADE_ON_BOTH_DATABASES(Batches);

TEST_P(Batches, ANameIsOneBatchOfItsCompany) {
  ASSERT_OK(connection->run("INSERT INTO lade_company (id, name, created_at) VALUES (2, 'other', '2024-01-01')"));
  const std::int64_t first = batch("monday");
  EXPECT_EQ(batch("monday"), first);
  EXPECT_NE(batch("tuesday"), first);
  EXPECT_NE(batch("monday", 2), first);
  const BatchRecord found = record("monday");
  EXPECT_EQ(found.id, first);
  EXPECT_EQ(found.created_by, "ada");
  EXPECT_FALSE(found.created_at.empty());
  EXPECT_EQ(record(found.uuid).id, first);
  EXPECT_EQ(record(std::to_string(first)).id, first);
  EXPECT_FALSE(*find_batch(*connection, "monday", 3));
  EXPECT_FALSE(*find_batch(*connection, "nobody"));
}

TEST_P(Batches, ANameThatLooksLikeAnIdIsAName) {
  const std::int64_t first = batch("monday");
  const std::int64_t second = batch(std::to_string(first));
  EXPECT_EQ(record(std::to_string(first)).id, second);
}

TEST_P(Batches, AnEmptyOneIsPending) {
  batch("monday");
  const BatchRecord found = record("monday");
  EXPECT_EQ(found.status(), "pending");
  EXPECT_EQ(found.jobs.total(), 0);
  EXPECT_EQ(found.progress, 0);
  EXPECT_EQ(found.started_at + found.completed_at, "");
}

TEST_P(Batches, CountsJobsAndRows) {
  const std::int64_t id = batch("monday");
  add_job(batch("other"), {JobState::finished, JobOutcome::failed});
  const std::int64_t done = add_job(id, {JobState::processing_data, {}});
  ASSERT_OK(save_plan(*connection, done, {.rows_total = 10, .chunks = 2, .buckets = 1}));
  JobAdvance advance{.chunks_done = 2, .buckets_settled = 1, .buckets_processed = 1};
  advance.rows.by_outcome = {1, 2, 3, 4, 0, 0};
  ASSERT_OK(advance_job(*connection, done, advance));
  ASSERT_OK(change(done, JobEvent::completed));
  const std::int64_t half = add_job(id, {JobState::upload_completed, {}});
  ASSERT_OK(change(half, JobEvent::preparation_started));
  ASSERT_OK(save_plan(*connection, half, {.rows_total = 100, .chunks = 2, .buckets = 1}));
  ASSERT_OK(change(half, JobEvent::planned));
  ASSERT_OK(advance_job(*connection, half, {.chunks_done = 2}));
  add_job(id, {JobState::upload_completed, {}});

  BatchRecord found = record("monday");
  EXPECT_EQ(found.status(), "running");
  EXPECT_EQ(found.jobs.total(), 3);
  EXPECT_EQ(found.jobs.finished(), 1);
  EXPECT_EQ(found.jobs.succeeded, 1);
  EXPECT_EQ(found.jobs.started, 1) << "the first was never begun by a worker of this test";
  EXPECT_EQ(found.rows_total, 110);
  EXPECT_EQ(found.rows_processed, 10);
  EXPECT_EQ(found.rows_failed, this->found(done).rows[model::Outcome::failed]);
  EXPECT_EQ(found.progress, (100 + this->found(half).progress() + 0) / 3);
  EXPECT_EQ(found.started_at, this->found(half).started_at);
  EXPECT_EQ(found.completed_at, "") << "jobs are live";

  ASSERT_OK(change(half, JobEvent::failed));
  ASSERT_OK(connection->run("DELETE FROM lade_job WHERE state = 'upload_completed'"));
  found = record("monday");
  EXPECT_EQ(found.status(), "succeeded") << "one job has";
  EXPECT_EQ(found.jobs.failed, 1);
  EXPECT_EQ(found.progress, 100);
  EXPECT_EQ(found.completed_at, std::max(this->found(half).finished_at, this->found(done).finished_at));
}

TEST_P(Batches, StandAsTheirJobsStand) {
  const model::JobStanding queued{JobState::upload_completed, {}}, review{JobState::waiting_for_review, {}},
      failed{JobState::finished, JobOutcome::failed}, cancelled{JobState::finished, JobOutcome::cancelled},
      rejected{JobState::finished, JobOutcome::rejected};
  add_job(batch("pending"), queued);
  add_job(batch("paused"), queued, true);
  add_job(batch("paused"), review);
  add_job(batch("failed"), failed);
  add_job(batch("failed"), cancelled);
  add_job(batch("cancelled"), cancelled);
  add_job(batch("cancelled"), rejected);
  for (const char* name : {"pending", "paused", "failed", "cancelled"}) {
    EXPECT_EQ(record(name).status(), name);
    EXPECT_EQ(names({.status = name}), std::vector<std::string>{name});
  }
  EXPECT_EQ(names({.status = "succeeded"}), std::vector<std::string>{});
  EXPECT_FAILS(list_batches(*connection, {.status = "queued"}), "status_unknown");
}

TEST_P(Batches, AreListedPageByPage) {
  for (const char* name : {"a", "b", "c", "d"}) batch(name);
  add_job(batch("b"), {JobState::finished, JobOutcome::failed});
  add_job(batch("b"), {JobState::finished, JobOutcome::succeeded});
  std::int64_t next = 0;
  EXPECT_EQ(names({.limit = 3}, &next), (std::vector<std::string>{"d", "c", "b"}));
  EXPECT_EQ(names({.before = next, .limit = 3}, &next), (std::vector<std::string>{"a"}));
  EXPECT_EQ(next, 0);
  EXPECT_EQ(names({.status = "pending", .limit = 2}, &next), (std::vector<std::string>{"d", "c"}));
  EXPECT_EQ(names({.status = "pending", .before = next, .limit = 2}, &next), (std::vector<std::string>{"a"}));
  EXPECT_EQ(next, 0);
  EXPECT_EQ(names({.status = "succeeded", .limit = 1}, &next), (std::vector<std::string>{"b"}));
  EXPECT_EQ(next, 0);
  EXPECT_EQ(names({.company = 2}), std::vector<std::string>{});
}

TEST_P(Batches, KnowTheirJobsOldestFirst) {
  const std::int64_t id = batch("monday");
  const std::int64_t first = add_job(id, {JobState::upload_completed, {}});
  add_job(batch("tuesday"), {JobState::upload_completed, {}});
  const std::int64_t second = add_job(id, {JobState::finished, JobOutcome::failed});
  EXPECT_EQ(jobs_of_batch(*connection, id).value(), (std::vector<std::int64_t>{first, second}));
}

TEST_P(Batches, ManyAskForANameAtOnce) {
  std::vector<std::int64_t> ids(8);
  {
    std::vector<std::jthread> threads;
    for (std::int64_t& id : ids)
      threads.emplace_back([&] {
        const auto own = database.connect();
        const auto found = find_or_create_batch(*own, {new_uuid(), "monday"});
        EXPECT_OK(found);
        id = found.value_or(0);
      });
  }
  for (const std::int64_t id : ids) EXPECT_EQ(id, ids.front());
  EXPECT_EQ(integer("SELECT count(*) FROM lade_batch"), 1);
}

TEST_P(Batches, TellNewcomersToWait) {
  const std::int64_t id = batch("monday");
  EXPECT_FALSE(do_newcomers_wait(*connection, id).value());
  ASSERT_OK(let_newcomers_wait(*connection, id, true));
  EXPECT_TRUE(do_newcomers_wait(*connection, id).value());
  EXPECT_TRUE(record("monday").newcomers_wait);
  EXPECT_EQ(record("monday").status(), "pending") << "it is its jobs that are paused";
  ASSERT_OK(let_newcomers_wait(*connection, id, false));
  EXPECT_FALSE(do_newcomers_wait(*connection, id).value());
}

// Who pauses a batch waits for a job that is joining it, and then finds it.
TEST_P(Batches, AJobThatIsJoiningIsNotMissed) {
  const std::int64_t id = batch("monday");
  std::jthread other;
  {
    auto transaction = db::Transaction::begin(*connection);
    ASSERT_OK(transaction);
    EXPECT_FALSE(do_newcomers_wait(*connection, id).value());
    other = std::jthread([&] {
      const auto own = database.connect();
      EXPECT_OK(let_newcomers_wait(*own, id, true));
      EXPECT_EQ(jobs_of_batch(*own, id).value().size(), 1u);
    });
    add_job(id, {JobState::upload_completed, {}});
    ASSERT_OK(transaction->commit());
  }
}

class BatchHistory : public Batches {
 protected:
  std::vector<std::string> history(const std::string& uuid) {
    const auto events = batch_events(*connection, uuid);
    EXPECT_OK(events);
    std::vector<std::string> types;
    for (const BatchEvent& event : *events) types.push_back(event.ref_type + " " + event.type);
    return types;
  }
};
LADE_ON_BOTH_DATABASES(BatchHistory);

TEST_P(BatchHistory, TellsWhatBecameOfItsJobsAndWhenTheLastEnded) {
  const std::int64_t id = batch("monday");
  EXPECT_EQ(batch("monday"), id);
  const std::int64_t first = add_job(id, {JobState::preparing_data, {}}),
                     second = add_job(id, {JobState::preparing_data, {}});
  add_job(batch("tuesday"), {JobState::upload_completed, {}});
  const std::string uuid = record("monday").uuid;
  ASSERT_OK(change(first, JobEvent::planned));
  ASSERT_OK(change(first, JobEvent::analysed));
  ASSERT_OK(change(first, JobEvent::completed));
  ASSERT_OK(change(second, JobEvent::failed));
  EXPECT_EQ(history(uuid),
            (std::vector<std::string>{"batch BATCH_CREATED", "job MANIFEST_INGEST_SUCCEEDED", "job JOB_SUCCEEDED",
                                      "job MANIFEST_INGEST_FAILED", "batch BATCH_COMPLETED"}));
  const auto events = batch_events(*connection, uuid).value();
  EXPECT_EQ(events[0].actor, "ada");
  EXPECT_EQ(events[0].ref_id, uuid);
  EXPECT_EQ(events[2].ref_id, found(first).uuid);
  EXPECT_NE(events[4].data.find(R"("status":"succeeded")"), std::string::npos) << events[4].data;
  EXPECT_NE(events[4].data.find(R"("failed":1)"), std::string::npos) << "final totals are kept: " << events[4].data;
  EXPECT_FALSE(events[4].created_at.empty());
  EXPECT_EQ(batch_events(*connection, uuid, events[3].id).value().size(), 1u);
  ASSERT_OK(retry_job(*connection, second, "eve"));
  ASSERT_OK(change(second, JobEvent::failed));
  EXPECT_EQ(history(uuid).back(), "batch BATCH_COMPLETED") << "it has ended once more";
  EXPECT_EQ(history(uuid).size(), 7u);
}

TEST_P(BatchHistory, NobodyChangesOrDeletesIt) {
  const std::int64_t id = batch("monday");
  const std::string uuid = record("monday").uuid;
  EXPECT_FALSE(connection->run("UPDATE lade_batch_event SET actor = 'mallory'"));
  EXPECT_FALSE(connection->run("DELETE FROM lade_batch_event"));
  ASSERT_OK(remove_batch(*connection, id, "eve"));
  EXPECT_EQ(history(uuid), (std::vector<std::string>{"batch BATCH_CREATED", "batch BATCH_DELETED"}));
  EXPECT_FALSE(*find_batch(*connection, "monday"));
}

// Whoever is last must see that the others have ended.
TEST_P(BatchHistory, JobsThatEndAtOnceCompleteItOnce) {
  const std::int64_t id = batch("monday");
  std::vector<std::int64_t> jobs;
  for (int i = 0; i < 6; ++i) jobs.push_back(add_job(id, {JobState::processing_data, {}}));
  {
    std::vector<std::jthread> threads;
    for (const std::int64_t job : jobs)
      threads.emplace_back([&, job] {
        const auto own = database.connect();
        EXPECT_OK(change_job(*own, job, {.event = JobEvent::completed}));
      });
  }
  const auto all = history(record("monday").uuid);
  EXPECT_EQ(std::ranges::count(all, "batch BATCH_COMPLETED"), 1);
  EXPECT_EQ(all.back(), "batch BATCH_COMPLETED");
}

TEST_P(Batches, AreFoundByOwnerAndTime) {
  batch("old");
  ASSERT_OK(connection->run("UPDATE lade_batch SET created_at = '2024-01-31T12:00:00.000Z'"));
  batch("new");
  ASSERT_OK(find_or_create_batch(*connection, {new_uuid(), "bob's", "", "bob"}));
  EXPECT_EQ(names({.created_by = "bob"}), std::vector<std::string>{"bob's"});
  EXPECT_EQ(names({.until = "2024-02-01T00:00:00.000Z"}), std::vector<std::string>{"old"});
  EXPECT_EQ(names({.until = "2024-01-31T12:00:00.000Z"}), std::vector<std::string>{}) << "until is not included";
  EXPECT_EQ(names({.since = "2024-01-31T12:00:00.000Z", .until = "2024-02-01T00:00:00.000Z"}),
            std::vector<std::string>{"old"});
  EXPECT_EQ(names({.since = "2024-02-01T00:00:00.000Z"}), (std::vector<std::string>{"bob's", "new"}));
}

TEST_P(Batches, AreFinalizedOnceAllHasEnded) {
  const std::int64_t id = batch("monday");
  const std::int64_t job = add_job(id, {JobState::processing_data, {}});
  EXPECT_FALSE(*finalize_batch(*connection, id, "eve"));
  ASSERT_OK(change(job, JobEvent::completed));
  EXPECT_FALSE(*is_finalized(*connection, id));
  EXPECT_TRUE(*finalize_batch(*connection, id, "eve"));
  EXPECT_FALSE(*finalize_batch(*connection, id, "eve"));
  EXPECT_TRUE(*is_finalized(*connection, id));
  EXPECT_EQ(record("monday").finalized_by, "eve");
  EXPECT_FALSE(record("monday").finalized_at.empty());
  EXPECT_FALSE(*remove_batch(*connection, id, "eve")) << "it has a job";
}

TEST_P(Batches, ANewOneIsNobodyElses) {
  ASSERT_OK(create_batch(*connection, {new_uuid(), "monday", "list.csv", "ada"}));
  EXPECT_EQ(record("monday").source_manifest, "list.csv");
  EXPECT_FAILS(create_batch(*connection, {new_uuid(), "monday"}), "batch_exists");
}

TEST_P(Batches, CountPagesAsTheirTasks) {
  const std::int64_t job = add_job(batch("monday"), {JobState::analysing_data, {}});
  std::vector<NewPage> pages;
  for (int i = 1; i <= 5; ++i)
    pages.push_back({.row_id = i,
                     .key = fmt::format("k{}", i),
                     .url = "http://x",
                     .host = "x",
                     .idempotency_key = fmt::format("i{}", i)});
  ASSERT_OK(insert_pages(*connection, job, pages));
  const auto set = [&](int row, const char* status) {
    ASSERT_OK(connection->run(fmt::format("UPDATE lade_page SET status = '{}' WHERE row_id = {}", status, row)));
  };
  for (const auto& [row, status] : {std::pair(1, "succeeded"), {2, "failed"}, {3, "blocked"}, {4, "running"}})
    set(row, status);
  RowTaskCounts tasks = record("monday").tasks;
  EXPECT_EQ(tasks.total, 5);
  EXPECT_EQ(tasks.succeeded, 1);
  EXPECT_EQ(tasks.failed, 1);
  EXPECT_EQ(tasks.blocked, 1);
  EXPECT_EQ(tasks.processed(), 3);
  EXPECT_EQ(names({.status = "running"}), std::vector<std::string>{}) << "no worker has begun it";
  // Retried pages are counted once.
  ASSERT_OK(reset_pages(*connection, job, {.rows = {2, 3}, .limit = 0}));
  tasks = record("monday").tasks;
  EXPECT_EQ(tasks.processed(), 1);
  EXPECT_EQ(tasks.total, 5);
  for (int row = 1; row <= 5; ++row) set(row, "failed");
  place(job, {JobState::finished, JobOutcome::succeeded});
  EXPECT_EQ(record("monday").status(), "failed") << "the job has ended well, but all its pages have failed";
  EXPECT_EQ(names({.status = "failed"}), std::vector<std::string>{"monday"});
  set(5, "succeeded");
  EXPECT_EQ(record("monday").status(), "succeeded") << "one page has succeeded";
}

TEST_P(Batches, AListOfTenThousandIsFast) {
  const bool sqlite = connection->backend() == db::Backend::sqlite;
  const std::int64_t sample = add_job(batch("sample"), {JobState::finished, JobOutcome::succeeded});
  ASSERT_OK(
      connection->run(fmt::format("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000) "
                                  "INSERT INTO lade_batch (uuid, company_id, name, created_by, created_at) "
                                  "SELECT {}, 1, 'b' || i, 'ada', '2024-01-31T12:00:00.000Z' FROM n",
                                  sqlite ? "'u' || i" : "gen_random_uuid()")));
  ASSERT_OK(connection->run(fmt::format(
      "INSERT INTO lade_job (uuid, company_id, definition_id, snapshot, file_name, file_bytes, state, outcome, slug, "
      "batch_id, created_at, error) SELECT {}, 1, j.definition_id, '', 'f', 1, 'finished', "
      "CASE WHEN b.id % 1000 = 0 THEN 'failed' ELSE 'succeeded' END, 's' || b.id, b.id, b.created_at, 'e' "
      "FROM lade_batch b, lade_job j WHERE j.id = {} AND b.name <> 'sample'",
      sqlite ? "'j' || b.id" : "gen_random_uuid()", sample)));
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(names({.limit = 50}).size(), 50u);
  EXPECT_EQ(names({.status = "failed", .limit = 50}).size(), 10u) << "all of them are looked at";
  EXPECT_EQ(names({.status = "running", .limit = 50}).size(), 0u);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5)) << "with sanitizers; 0.1 s without";
}

}  // namespace
}  // namespace lade::store
