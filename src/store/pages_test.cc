// Pages that jobs fetch: each attempt is written down before it begins, and only its own result is taken.
#include "store/pages.h"

#include "store/job_ends.h"
#include "testing/stored_jobs.h"

namespace lade::store {
namespace {

using std::chrono::seconds;

class Pages : public testing::StoredJobsTest {
 protected:
  Pages() : job(created(new_job())) {}

  NewPage page(std::int64_t row, const std::string& host = "a.example") {
    const std::string url = "http://" + host + "/" + std::to_string(row);
    return {.row_id = row, .key = "k" + std::to_string(row), .url = url, .host = host, .idempotency_key = url};
  }
  void insert(std::int64_t count) {
    std::vector<NewPage> pages;
    for (std::int64_t row = 1; row <= count; ++row)
      pages.push_back(page(row, row % 2 == 0 ? "b.example" : "a.example"));
    ASSERT_OK(insert_pages(*connection, job, pages));
  }
  void begin(std::vector<std::int64_t> rows) { ASSERT_OK(begin_attempts(*connection, job, 7, rows)); }
  std::int64_t record(const std::vector<PageResult>& results) {
    const auto count = record_results(*connection, job, results);
    EXPECT_OK(count);
    return count.value_or(-1);
  }
  PageResult failure(std::int64_t row, std::int64_t attempt, std::string_view status = page_status::kFailed) {
    return {.row_id = row,
            .attempt = attempt,
            .status = status,
            .error = {.code = "scrape_failed", .message = "no", .reason = "http_500", .http_status = 500}};
  }
  PageRecord of(std::int64_t row) {
    const auto found = find_page(*connection, job, row);
    EXPECT_OK(found);
    return found && *found ? **found : PageRecord();
  }
  std::vector<std::int64_t> rows(const PageFilter& filter) {
    const auto pages = list_pages(*connection, job, filter);
    EXPECT_OK(pages);
    std::vector<std::int64_t> found;
    for (const PageRecord& each : *pages) found.push_back(each.row_id);
    return found;
  }
  using Rows = std::vector<std::int64_t>;

  const std::int64_t job;
};
LADE_ON_BOTH_DATABASES(Pages);

TEST_P(Pages, AnAttemptIsWrittenDownBeforeItBeginsAndItsResultAfterwards) {
  insert(3);
  begin({1, 3});
  PageRecord first = of(1);
  EXPECT_EQ(first.status, "running");
  EXPECT_EQ(first.attempt, 1);
  EXPECT_EQ(first.task_id, 7);
  EXPECT_GT(first.started_at, 0);
  EXPECT_EQ(of(2).status, "pending");
  PageResult result{.row_id = 1, .attempt = 1, .http_status = 200, .duration_ms = 12, .enrich_ms = 3};
  result.content_type = "text/html";
  result.checksum = "abc";
  result.evidence = {"01890000-0000-7000-8000-000000000001", 5, 10, R"({"final_url":"x"})"};
  result.source_format = "HTML";
  result.fields = R"({"fields":{"title":["ĕé \" \\"]},"issues":[]})";
  EXPECT_EQ(record({result, failure(3, 1)}), 2);
  first = of(1);
  EXPECT_EQ(first.status, "succeeded");
  EXPECT_EQ(first.http_status, 200);
  EXPECT_EQ(first.duration_ms, 12);
  EXPECT_EQ(first.enrich_ms, 3);
  EXPECT_EQ(first.content_type, "text/html");
  EXPECT_EQ(first.checksum, "abc");
  EXPECT_EQ(first.evidence, result.evidence);
  EXPECT_EQ(first.source_format, "HTML");
  EXPECT_EQ(first.fields, result.fields);
  EXPECT_GE(first.completed_at, first.started_at);
  EXPECT_TRUE(first.error.empty());
  EXPECT_EQ(of(3).error, R"({"code":"scrape_failed","message":"no","reason":"http_500","http_status":500})");
  EXPECT_TRUE(*is_evidence(*connection, result.evidence.file));
  EXPECT_TRUE(*is_file_wanted(*connection, result.evidence.file));
  EXPECT_EQ(*evidence_files(*connection, job), std::vector{result.evidence.file});
}

TEST_P(Pages, AnOldAttemptTellsNothing) {
  insert(1);
  begin({1});
  begin({1});  // whoever had the first is gone
  EXPECT_EQ(record({failure(1, 1)}), 0);
  EXPECT_EQ(of(1).status, "running");
  EXPECT_EQ(record({failure(1, 2)}), 1);
  EXPECT_EQ(record({failure(1, 2)}), 0);
  EXPECT_EQ(of(1).attempt, 2);
}

TEST_P(Pages, ARetryablePageWaitsForItsTime) {
  insert(2);
  begin({1, 2});
  PageResult later = failure(1, 1, page_status::kRetryable);
  later.delay = seconds(60);
  EXPECT_EQ(record({later, failure(2, 1)}), 2);
  const auto open = open_pages(*connection, job, 1, 2);
  ASSERT_OK(open);
  ASSERT_EQ(open->size(), 1u);
  EXPECT_EQ(open->front().row_id, 1);
  EXPECT_EQ(open->front().attempt, 1);
  EXPECT_EQ(open->front().status, "retryable");
  EXPECT_GT(open->front().wait, seconds(50));
  EXPECT_LE(open->front().wait, seconds(60));
}

TEST_P(Pages, AreFoundByWhatTheyAre) {
  insert(4);
  begin({1, 2, 3});
  EXPECT_EQ(record({failure(1, 1), failure(2, 1)}), 2);
  EXPECT_EQ(rows({}), (Rows{1, 2, 3, 4}));
  EXPECT_EQ(rows({.statuses = {"failed"}}), (Rows{1, 2}));
  EXPECT_EQ(rows({.statuses = {"failed", "running"}}), (Rows{1, 2, 3}));
  EXPECT_EQ(rows({.source = "b.example"}), (Rows{2, 4}));
  EXPECT_EQ(rows({.source = "example/3"}), (Rows{3}));
  EXPECT_EQ(rows({.source = "%"}), Rows{});
  EXPECT_EQ(rows({.error_code = "scrape_failed", .key = "k2"}), (Rows{2}));
  EXPECT_EQ(rows({.after = 1, .limit = 2}), (Rows{2, 3}));
  EXPECT_EQ(rows({.first_row = 2, .last_row = 3}), (Rows{2, 3}));
  const auto unknown = list_pages(*connection, job, {.statuses = {"done"}});
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, "page_status_unknown");
  const auto counts = count_pages(*connection, job);
  ASSERT_OK(counts);
  EXPECT_EQ(counts->failed, 2);
  EXPECT_EQ(counts->running, 1);
  EXPECT_EQ(counts->pending, 1);
  EXPECT_EQ(counts->total(), 4);
}

TEST_P(Pages, ThoseThatOtherJobsOfTheCompanyHaveKeptAreKnown) {
  const auto with_job = [&](const char* name, std::int64_t number, NewPage each) {
    each.idempotency_key += name;
    ASSERT_OK(insert_pages(*connection, number, std::vector{each}));
  };
  const auto kept = [&](std::int64_t number, std::int64_t row, std::string_view status, std::string checksum) {
    ASSERT_OK(begin_attempts(*connection, number, 7, std::vector{row}));
    PageResult result{.row_id = row, .attempt = 1, .status = status, .checksum = std::move(checksum)};
    result.evidence = {"file " + result.checksum, row, 10, R"({"etag":"x"})"};
    ASSERT_OK(record_results(*connection, number, std::vector{result}));
  };
  const std::int64_t older = created(new_job("a")), newer = created(new_job("b")), theirs = created(new_job("c"));
  for (std::int64_t row = 1; row <= 5; ++row) {
    with_job("older", older, page(row));
    kept(older, row, row == 3 ? page_status::kFailed : page_status::kSucceeded, "old" + std::to_string(row));
  }
  NewPage moved = page(2);
  moved.url += "/elsewhere";
  with_job("newer", newer, moved);
  kept(newer, 2, page_status::kSucceeded, "moved");
  with_job("newer", newer, page(1));
  kept(newer, 1, page_status::kBlocked, "new1");
  ASSERT_OK(connection->run("INSERT INTO lade_company (id, name, created_at) VALUES (2, 'other', '2024-01-01')"));
  with_job("theirs", theirs, page(6));
  kept(theirs, 6, page_status::kSucceeded, "theirs");
  ASSERT_OK(connection->run("UPDATE lade_page SET company_id = 2 WHERE page_key = 'k6'"));

  std::vector<NewPage> pages;
  for (std::int64_t row = 1; row <= 7; ++row) pages.push_back(page(row));
  pages[6].key = "k5";  // another page of the same key
  ASSERT_OK(insert_pages(*connection, job, pages));
  begin({4});  // an attempt has been made
  auto open = open_pages(*connection, job, 1, 7);
  ASSERT_OK(open);
  ASSERT_OK(find_known_versions(*connection, job, *open));
  std::vector<std::string> known;
  for (const OpenPage& each : *open) known.push_back(each.known ? each.known->checksum : "");
  EXPECT_THAT(known, ::testing::ElementsAre("new1", "old2", "", "", "old5", "", ""));
  EXPECT_EQ(open->at(4).known->evidence, (Evidence{"file old5", 5, 10, R"({"etag":"x"})"}));
  auto nothing_new = std::vector{open->at(3)};
  ASSERT_OK(find_known_versions(*connection, job, nothing_new));
  EXPECT_FALSE(nothing_new[0].known);
}

TEST_P(Pages, ThoseThatFailedCanBeTriedAgainFromTheBeginning) {
  insert(3);
  NewPage without = page(4);
  without.url = without.idempotency_key = "";
  without.error = {.code = "missing_source_url", .message = "no URL"};
  ASSERT_OK(insert_pages(*connection, job, std::vector{without}));
  EXPECT_EQ(of(4).status, "failed");
  EXPECT_EQ(of(4).error_code, "missing_source_url");
  begin({1, 2});
  EXPECT_EQ(record({failure(1, 1), failure(2, 1)}), 2);
  EXPECT_EQ(*reset_pages(*connection, job, {.source = "a.example"}), (Rows{1}));
  EXPECT_EQ(*reset_pages(*connection, job, {.limit = 0}), (Rows{2}));
  const PageRecord again = of(1);
  EXPECT_EQ(again.status, "pending");
  EXPECT_EQ(again.attempt, 0);
  EXPECT_EQ(again.tries, 1);
  EXPECT_TRUE(again.error.empty());
  EXPECT_TRUE(again.error_code.empty());
  EXPECT_EQ(of(4).status, "failed");
}

TEST_P(Pages, ThoseNobodyTellsOfAreReleased) {
  insert(2);
  begin({1});
  EXPECT_TRUE(release_stuck_pages(*connection, seconds(60))->empty());
  ASSERT_OK(connection->run("UPDATE lade_page SET started_at = started_at - 61000000"));
  const auto released = release_stuck_pages(*connection, seconds(60));
  ASSERT_OK(released);
  ASSERT_EQ(released->size(), 1u);
  EXPECT_EQ(released->front().job, job);
  EXPECT_EQ(released->front().row_id, 1);
  EXPECT_EQ(of(1).status, "retryable");
  EXPECT_EQ(of(1).error_code, "stuck_timeout");
  EXPECT_EQ(record({failure(1, 1)}), 0);
}

TEST_P(Pages, EndWithTheirJob) {
  insert(4);
  begin({1, 2});
  EXPECT_EQ(record({failure(1, 1)}), 1);
  ASSERT_OK(mark_gathered(*connection, job));
  EXPECT_TRUE(of(1).is_gathered);
  EXPECT_FALSE(of(2).is_gathered);
  EXPECT_EQ(*cancel_pages(*connection, job), 3);
  EXPECT_EQ(of(2).status, "cancelled");
  ASSERT_OK(mark_gathered(*connection, job, Rows{4}));
  EXPECT_TRUE(of(4).is_gathered);
  place(job, {model::JobState::finished, model::JobOutcome::cancelled});
  ASSERT_OK(remove_job(*connection, job));
  EXPECT_TRUE(rows({}).empty());
}

TEST_P(Pages, WhatNobodyTriesAnyMoreHasFailed) {
  insert(2);
  EXPECT_EQ(*fail_open_pages(*connection, job, {.code = "scrape_failed", .message = "given up", .reason = "given_up"}),
            2);
  EXPECT_EQ(of(2).status, "failed");
  EXPECT_EQ(of(2).error_reason, "given_up");
}

TEST_P(Pages, AreAsManyAsAManifestHas) {
  insert(2'500);
  EXPECT_EQ(count_pages(*connection, job)->pending, 2'500);
  EXPECT_FALSE(insert_pages(*connection, job, std::vector{page(1)}));
}

}  // namespace
}  // namespace lade::store
