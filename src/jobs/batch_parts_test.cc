// What can be seen of a batch: row tasks, stages, metrics, files; and how it is acted on as it stands.
#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>

#include "jobs/batch_export.h"
#include "jobs/batch_metrics.h"
#include "jobs/batch_stages.h"
#include "jobs/batch_tasks.h"
#include "jobs/batches.h"
#include "queue/enqueue.h"
#include "store/batch_events.h"
#include "store/pages.h"
#include "testing/stored_jobs.h"

namespace lade::jobs {
namespace {

using model::JobOutcome;
using model::JobState;
using Texts = std::vector<std::string>;

class BatchParts : public testing::StoredJobsTest {
 protected:
  BatchParts() {
    batch_id = store::find_or_create_batch(*connection, {new_uuid(), "monday", "", "ada"}).value_or(0);
    fetching = add_job({JobState::analysing_data, {}});
    std::vector<store::NewPage> pages;
    for (int i = 1; i <= 6; ++i)
      pages.push_back({.row_id = i,
                       .key = fmt::format("k{}", i),
                       .url = fmt::format("http://{}.example/{}?token=abc", i % 2 == 0 ? "even" : "odd", i),
                       .host = i % 2 == 0 ? "even.example" : "odd.example",
                       .idempotency_key = fmt::format("key {}", i)});
    EXPECT_OK(store::insert_pages(*connection, fetching, pages));
    set(1, "succeeded", "", 10);
    set(2, "succeeded", "", 30);
    set(3, "failed", "scrape_failed", 20);
    set(4, "failed", "not_json", 40);
    set(5, "blocked", "resolution_failed", 50);
    plain = add_job({JobState::processing_data, {}});
  }

  std::int64_t add_job(const model::JobStanding& standing) {
    store::NewJob job = new_job();
    job.batch_id = batch_id;
    const std::int64_t id = created(job);
    place(id, standing);
    return id;
  }
  void set(int row, const std::string& status, const std::string& code, int milliseconds) {
    const std::string error = code.empty()
                                  ? "NULL"
                                  : fmt::format("'{}'", store::to_json({.code = code,
                                                                        .message = "see http://eve:pw@x.example/",
                                                                        .reason = "why",
                                                                        .http_status = 500,
                                                                        .url = "http://x.example/?password=p"}));
    EXPECT_OK(connection->run(fmt::format(
        "UPDATE lade_page SET status = '{}', error_code = '{}', error_reason = '{}', error = {}, duration_ms = {}, "
        "attempt = 1, tries = {}, started_at = 1700000000000000, completed_at = 1700000001000000 WHERE row_id = {}",
        status, code, code.empty() ? "" : "why", error, milliseconds, row == 2 ? 3 : 1, row)));
  }
  store::BatchRecord batch() { return store::batch_with_id(*connection, batch_id).value().value(); }
  Texts keys(const RowTaskFilter& filter) {
    const auto page = list_row_tasks(*connection, batch(), filter);
    EXPECT_OK(page);
    Texts found;
    if (page)
      for (const RowTask& task : page->tasks) found.push_back(task.key);
    return found;
  }
  void finish(std::int64_t job, JobOutcome outcome) { place(job, {JobState::finished, outcome}); }

  std::int64_t batch_id = 0, fetching = 0, plain = 0;
  const BatchOrder order{"monday", "eve"};
};
LADE_ON_BOTH_DATABASES(BatchParts);

TEST_P(BatchParts, AKeyThatIsAnAddressIsShownWithoutSecretsToo) {
  ASSERT_OK(connection->run("UPDATE lade_page SET page_key = url"));
  ASSERT_OK(connection->run(fmt::format(
      "INSERT INTO lade_issue VALUES ({}, 1, 1, 2, 'error', 'required', 'URL', 'http://eve:pw@x.example/', 'm', '')",
      fetching)));
  const auto task = find_row_task(*connection, batch(), fmt::format("{}-3", fetching));
  ASSERT_OK(task);
  EXPECT_EQ(task->key, "http://odd.example/3?token=***");
  EXPECT_EQ(keys({.key = "http://odd.example/3?token=abc"}).size(), 1u) << "who knows it finds it";
  StringSink errors, table, list;
  ASSERT_OK(write_batch_errors(*connection, batch(), errors));
  ASSERT_OK(write_batch_export(*connection, batch(), "csv", table));
  ASSERT_OK(write_batch_export(*connection, batch(), "json", list));
  for (const StringSink* sink : {&errors, &table, &list})
    for (const char* secret : {"token=abc", "eve:pw"})
      EXPECT_EQ(sink->text.find(secret), std::string::npos) << sink->text;
}

TEST_P(BatchParts, RowTasksAreFilteredAndPaged) {
  EXPECT_EQ(keys({}), (Texts{"k1", "k2", "k3", "k4", "k5", "k6"}));
  EXPECT_EQ(keys({.status = "failed"}), (Texts{"k3", "k4"}));
  EXPECT_EQ(keys({.status = "blocked"}), Texts{"k5"});
  EXPECT_EQ(keys({.source = "even.example"}), (Texts{"k2", "k4", "k6"}));
  EXPECT_EQ(keys({.source = "/3"}), Texts{"k3"});
  EXPECT_EQ(keys({.error = "not_json"}), Texts{"k4"});
  EXPECT_EQ(keys({.key = "k6"}), Texts{"k6"});
  EXPECT_EQ(keys({.status = "ready_for_review"}), Texts{});
  place(fetching, {JobState::waiting_for_review, {}});
  EXPECT_EQ(keys({.status = "ready_for_review"}), (Texts{"k1", "k2"})) << "fetched, and their job waits for a reviewer";
  EXPECT_EQ(keys({.status = "succeeded"}), Texts{});
  const auto page = list_row_tasks(*connection, batch(), {.limit = 4});
  ASSERT_OK(page);
  EXPECT_EQ(page->next, fmt::format("{}-4", fetching));
  EXPECT_EQ(keys({.cursor = page->next, .limit = 4}), (Texts{"k5", "k6"}));
  EXPECT_FAILS(list_row_tasks(*connection, batch(), {.status = "lost"}), "status_unknown");
  for (const char* cursor : {"x", "1", "1-", "-1", "1-x", "0-1"})
    EXPECT_FAILS(list_row_tasks(*connection, batch(), {.cursor = cursor}), "cursor_invalid");
}

TEST_P(BatchParts, TasksOfTheQueueStandForRowsOfOtherJobs) {
  const std::string group = found(plain).uuid;
  ASSERT_OK(queue::enqueue(*connection, {.kind = "analyse", .payload = R"({"part":3})", .group = group}));
  const auto page = list_row_tasks(*connection, batch(), {.key = "analyse/3"});
  ASSERT_OK(page);
  ASSERT_EQ(page->tasks.size(), 1u);
  EXPECT_EQ(page->tasks[0].status, "pending");
  EXPECT_EQ(page->tasks[0].job, found(plain).slug);
  const auto same = find_row_task(*connection, batch(), page->tasks[0].id);
  ASSERT_OK(same);
  EXPECT_EQ(same->key, "analyse/3");
}

TEST_P(BatchParts, ARowTaskIsShownWithoutSecrets) {
  const auto task = find_row_task(*connection, batch(), fmt::format("{}-3", fetching));
  ASSERT_OK(task);
  EXPECT_EQ(task->source_url, "http://odd.example/3?token=***");
  for (const char* secret : {"eve", "pw", "=p"}) EXPECT_EQ(task->error.find(secret), std::string::npos) << task->error;
  EXPECT_NE(task->error.find(R"("code":"scrape_failed")"), std::string::npos);
  EXPECT_EQ(task->started_at, "2023-11-14T22:13:20.000Z");
  for (const std::string& id :
       {std::string("1"), std::string("x-1"), fmt::format("{}-99", fetching), std::string("999-1")})
    EXPECT_FAILS(find_row_task(*connection, batch(), id), "row_task_not_found");
  store::NewJob other = new_job();
  const std::int64_t elsewhere = created(other);
  EXPECT_FAILS(find_row_task(*connection, batch(), fmt::format("{}-1", elsewhere)), "row_task_not_found");
  EXPECT_FAILS(find_task_page(*connection, batch(), fmt::format("{}-99", fetching)), "row_task_not_found");
}

TEST_P(BatchParts, HowAPageWasAnsweredIsShownWithoutSecrets) {
  ASSERT_OK(connection->run(
      R"(UPDATE lade_page SET evidence_bytes = 12, evidence = '{"final_url":"https://eve:pw@x.example/?token=abc",)"
      R"("hops":["http://x.example/?password=p","https://x.example/"],"fetched_at":"2026-11-05T10:00:00.000Z",)"
      R"("address":"10.1.2.3","status":200,"headers":{"etag":"a","server":"see http://eve:pw@x.example/"},"etag":"a",)"
      R"("not_modified":true}' WHERE row_id < 3)"));
  const auto task = find_row_task(*connection, batch(), fmt::format("{}-1", fetching));
  ASSERT_OK(task);
  const auto fetched = boost::json::parse(task->fetched).as_object();
  EXPECT_EQ(fetched.at("url").as_string(), "https://***@x.example/?token=***");
  EXPECT_EQ(fetched.at("hops").as_array().size(), 2u);
  EXPECT_EQ(fetched.at("headers").at("etag").as_string(), "a");
  EXPECT_EQ(fetched.at("status").as_int64(), 200);
  EXPECT_EQ(fetched.at("bytes").as_int64(), 12);
  EXPECT_TRUE(fetched.at("not_modified").as_bool());
  EXPECT_FALSE(fetched.contains("address")) << "it tells how a network is laid out";
  StringSink table, list;
  ASSERT_OK(write_batch_export(*connection, batch(), "csv", table));
  ASSERT_OK(write_batch_export(*connection, batch(), "json", list));
  for (const std::string& text : {task->fetched, table.text, list.text})
    for (const char* secret : {"eve:", "=abc", "=p\"", "10.1.2.3"})
      EXPECT_EQ(text.find(secret), std::string::npos) << text;
  EXPECT_EQ(find_row_task(*connection, batch(), fmt::format("{}-3", fetching))->fetched, "") << "nothing has come";
}

TEST_P(BatchParts, RecordsAreJudgedOnceAllRowsWereAnalysed) {
  const auto tiers = [&] {
    Texts found;
    const auto page = list_row_tasks(*connection, batch(), {});
    EXPECT_OK(page);
    for (const RowTask& task : page->tasks) found.push_back(task.quality ? std::string(task.quality->tier()) : "-");
    return found;
  };
  ASSERT_OK(connection->run(
      R"(UPDATE lade_page SET gathered = 1, fields = '{"fields":{"title":["T"],"raga":[]},"issues":[]}', )"
      R"(evidence = '{"final_url":"http://odd.example/1"}')"));
  ASSERT_OK(connection->run(fmt::format(
      "INSERT INTO lade_issue VALUES ({}, 1, 2, 3, 'error', 'required', 'name', '', 'it is blank', '')", fetching)));
  EXPECT_EQ(tiers(), Texts(6, "-")) << "nobody knows yet what is wrong with them";
  ASSERT_OK(connection->run("UPDATE lade_job SET rows_total = 6, rows_analysed = 5"));
  EXPECT_EQ(tiers(), Texts(6, "-"));
  ASSERT_OK(connection->run("UPDATE lade_job SET rows_analysed = 6"));
  EXPECT_EQ(tiers(), (Texts{"good", "fair", "-", "-", "good", "-"})) << "the second: from another host, and wrong";
  const auto quality = find_row_task(*connection, batch(), fmt::format("{}-1", fetching))->quality;
  ASSERT_TRUE(quality);
  EXPECT_DOUBLE_EQ(quality->score(), 0.76);
  StringSink table;
  ASSERT_OK(write_batch_export(*connection, batch(), "csv", table));
  EXPECT_NE(table.text.find(",0.76,good,0.50,1.00,0.80,1.00\r\n"), std::string::npos) << table.text;
}

TEST_P(BatchParts, StagesFollowFromTasksAndPages) {
  const auto statuses = [&](std::int64_t job) {
    Texts all;
    const auto page = batch_stages(*connection, batch(), job - 1, 1);
    EXPECT_OK(page);
    for (const BatchStage& stage : page->stages) all.push_back(stage.type + " " + stage.status);
    return all;
  };
  EXPECT_EQ(statuses(fetching), (Texts{"manifest_ingest pending", "scrape running", "enrich running",
                                       "entity_resolution running", "review_prep pending", "load pending"}));
  const auto page = batch_stages(*connection, batch(), 0, 1);
  ASSERT_OK(page);
  EXPECT_EQ(page->next, fetching);
  const StageCounts scrape = page->stages[1].counts, enrich = page->stages[2].counts, resolve = page->stages[3].counts;
  EXPECT_EQ((std::vector{scrape.total(), scrape.succeeded, scrape.failed, scrape.pending}),
            (std::vector<std::int64_t>{6, 4, 1, 1}));
  EXPECT_EQ((std::vector{enrich.succeeded, enrich.failed, enrich.pending}), (std::vector<std::int64_t>{3, 1, 1}));
  EXPECT_EQ((std::vector{resolve.succeeded, resolve.blocked}), (std::vector<std::int64_t>{2, 1}));
  EXPECT_EQ(page->stages[1].retry_count, 2) << "one page was tried three times";
  EXPECT_EQ(page->stages[1].id, found(fetching).uuid + ":scrape");
  set(6, "succeeded", "", 10);
  finish(fetching, JobOutcome::succeeded);
  for (const std::string& status : statuses(fetching)) EXPECT_TRUE(status.ends_with(" succeeded")) << status;
  EXPECT_EQ(statuses(plain), (Texts{"manifest_ingest pending", "review_prep pending", "load pending"}));
  finish(plain, JobOutcome::failed);
  ASSERT_OK(connection->run(fmt::format("UPDATE lade_job SET ended_in = 'preparing_data' WHERE id = {}", plain)));
  EXPECT_EQ(statuses(plain), (Texts{"manifest_ingest failed", "review_prep cancelled", "load cancelled"}));
}

TEST_P(BatchParts, MetricsCountAndMeasure) {
  const auto metrics = batch_metrics(*connection, batch());
  ASSERT_OK(metrics);
  EXPECT_DOUBLE_EQ(metrics->success_rate, 0.5) << "two of four that succeeded or failed";
  EXPECT_EQ(metrics->failures, 3);
  ASSERT_EQ(metrics->reasons.size(), 3u);
  EXPECT_EQ(metrics->reasons[0].reason, "why");
  EXPECT_DOUBLE_EQ(metrics->reasons[0].share, 1.0 / 3);
  ASSERT_EQ(metrics->stages.size(), 3u);
  const StageMetrics& scrape = metrics->stages[0];
  EXPECT_EQ(scrape.type, "scrape");
  EXPECT_EQ(scrape.tasks, 5);
  EXPECT_EQ(scrape.durations.median_ms, 30);
  EXPECT_EQ(scrape.durations.p95_ms, 50);
  EXPECT_DOUBLE_EQ(scrape.retry_rate(), 0.2);
  EXPECT_DOUBLE_EQ(scrape.success_rate(), 0.8);
  EXPECT_EQ(metrics->stages[1].failed, 1) << "what could not be taken apart";
}

TEST_P(BatchParts, RowsThatFailThoughTheirPagesHaveComeCount) {
  ASSERT_OK(connection->run(
      fmt::format("INSERT INTO lade_issue VALUES ({0}, 1, 1, 2, 'error', 'field_missing', 'title', '', 'm', ''), "
                  "({0}, 1, 2, 3, 'warning', 'odd', 'title', '', '', ''), "
                  "({0}, 1, 3, 4, 'error', 'scrape_failed', '_page_error', '', 'm', '')",
                  fetching)));
  ASSERT_OK(connection->run(fmt::format("UPDATE lade_job SET rows_failed = 3 WHERE id = {}", fetching)));
  EXPECT_EQ(batch().tasks.failed, 2) << "what was analysed of a page that is fetched again counts no more";
  ASSERT_OK(connection->run("UPDATE lade_page SET gathered = 1"));
  EXPECT_EQ(batch().tasks.succeeded, 1);
  EXPECT_EQ(batch().tasks.failed, 3);
  const auto listed = [&](const RowTaskFilter& filter) {
    Texts found;
    const auto page = list_row_tasks(*connection, batch(), filter);
    EXPECT_OK(page);
    for (const RowTask& task : page->tasks) found.push_back(task.id + " " + task.status);
    return found;
  };
  const std::string broken = fmt::format("{}-1", fetching);
  EXPECT_EQ(listed({.error = "field_missing"}), Texts{broken + " failed"});
  EXPECT_TRUE(std::ranges::count(listed({.status = "failed"}), broken + " failed"));
  EXPECT_FALSE(std::ranges::count(listed({.status = "succeeded"}), broken + " succeeded"));
  const auto task = find_row_task(*connection, batch(), broken);
  ASSERT_OK(task);
  EXPECT_EQ(boost::json::parse(task->error).at("code").as_string(), "field_missing");
  const auto metrics = batch_metrics(*connection, batch());
  ASSERT_OK(metrics);
  EXPECT_DOUBLE_EQ(metrics->success_rate, 0.25);
  EXPECT_EQ(metrics->failures, 4) << "three pages, one row";
  EXPECT_TRUE(std::ranges::any_of(metrics->reasons, [](const auto& one) { return one.code == "field_missing"; }));
  set(2, "failed", "content_unsupported", 10);
  EXPECT_EQ(batch_metrics(*connection, batch())->stages[1].failed, 2) << "it came, and could not be taken apart";
  for (const int row : {5, 6}) set(row, "failed", "scrape_failed", 10);
  finish(fetching, JobOutcome::succeeded);
  finish(plain, JobOutcome::failed);
  EXPECT_EQ(batch().status(), "failed") << "none of its rows has come through";
}

TEST_P(BatchParts, ErrorsAreATableThatNoSpreadsheetRuns) {
  ASSERT_OK(connection->run(
      fmt::format("INSERT INTO lade_issue VALUES ({0}, 1, 3, 4, 'error', 'scrape_failed', '', '', 'm', ''), "
                  "({1}, 1, 7, 8, 'error', 'required', 'name', '=cmd()', 'it is blank', ''), "
                  "({1}, 1, 8, 9, 'warning', 'odd', 'name', '', '', '')",
                  fetching, plain)));
  StringSink sink;
  ASSERT_OK(write_batch_errors(*connection, batch(), sink));
  EXPECT_EQ(std::ranges::count(sink.text, '\n'), 5) << sink.text;
  EXPECT_NE(sink.text.find("k3,http://odd.example/3?token=***,failed,scrape_failed"), std::string::npos) << sink.text;
  EXPECT_NE(sink.text.find(",required,name,'=cmd(),it is blank"), std::string::npos) << sink.text;
  StringSink table, list;
  ASSERT_OK(write_batch_export(*connection, batch(), "csv", table));
  EXPECT_EQ(std::ranges::count(table.text, '\n'), 7);
  ASSERT_OK(write_batch_export(*connection, batch(), "json", list));
  EXPECT_TRUE(list.text.starts_with("[\n{\"task_id\":\"")) << list.text;
  EXPECT_FAILS(write_batch_export(*connection, batch(), "xml", list), "request_invalid");
}

TEST_P(BatchParts, ActionsCheckHowTheBatchStands) {
  finish(fetching, JobOutcome::succeeded);
  finish(plain, JobOutcome::failed);
  EXPECT_FAILS(pause_batch(*connection, order), "transition_refused");
  EXPECT_FAILS(resume_batch(*connection, order), "transition_refused");
  EXPECT_FAILS(cancel_batch(*connection, order), "transition_refused");
  EXPECT_FAILS(approve_batch(*connection, order), "transition_refused");
  EXPECT_FAILS(retry_batch(*connection, order, {.status = "running"}), "status_unknown");
  EXPECT_FAILS(retry_batch(*connection, order, {.ids = {"7"}}), "row_task_not_found");
  ASSERT_OK(finalize_batch(*connection, order));
  EXPECT_FAILS(finalize_batch(*connection, order), "transition_refused");
  EXPECT_FAILS(retry_batch(*connection, order), "transition_refused");
  store::NewJob late = new_job();
  late.batch_id = batch_id;
  EXPECT_FAILS(admit_job(*connection, late), "transition_refused");
}

TEST_P(BatchParts, DeletingTakesWhatHasEndedAndTellsTheRest) {
  finish(fetching, JobOutcome::succeeded);
  auto outcome = delete_batch(*connection, order);
  ASSERT_OK(outcome);
  EXPECT_FALSE(outcome->deleted);
  EXPECT_EQ(outcome->done, 1);
  EXPECT_EQ(outcome->refused, (std::map<std::string, std::int64_t>{{"transition_refused", 1}}));
  EXPECT_EQ(integer("SELECT count(*) FROM lade_page"), 0);
  const std::string uuid = outcome->batch.uuid;
  finish(plain, JobOutcome::cancelled);
  outcome = delete_batch(*connection, order);
  ASSERT_OK(outcome);
  EXPECT_TRUE(outcome->deleted);
  EXPECT_FAILS(require_batch(*connection, "monday"), "batch_not_found");
  EXPECT_EQ(store::batch_events(*connection, uuid).value().back().type, "BATCH_DELETED");
}

TEST_P(BatchParts, StuckPagesAreTriedAgain) {
  set(6, "running", "", 0);
  auto outcome = requeue_stuck(*connection, order, std::chrono::hours(24 * 365 * 100));
  ASSERT_OK(outcome);
  EXPECT_EQ(outcome->tasks, 0);
  outcome = requeue_stuck(*connection, order, std::chrono::minutes(30));
  ASSERT_OK(outcome);
  EXPECT_EQ(outcome->tasks, 1);
  EXPECT_EQ(keys({.status = "retryable"}), Texts{"k6"});
  const auto task = find_row_task(*connection, batch(), fmt::format("{}-6", fetching));
  EXPECT_NE(task->error.find("stuck_timeout"), std::string::npos);
  const auto last = store::batch_events(*connection, batch().uuid).value().back();
  EXPECT_EQ(last.type, "TASK_MARKED_RETRYABLE");
  EXPECT_EQ(last.ref_id, fmt::format("{}-6", fetching));
}

}  // namespace
}  // namespace lade::jobs
