// How good records are, by what is stored of their pages, names and issues.
#include "store/record_quality.h"

#include <fmt/format.h>

#include "store/pages.h"
#include "store/review_items.h"
#include "testing/stored_jobs.h"

namespace lade::store {
namespace {

using model::Quality;

TEST(Quality, TheScoreWeighsItsParts) {
  const Quality doubtful{.completeness = 0.5, .resolution = 0.8, .source = 0.6, .validation = 0.5};
  EXPECT_DOUBLE_EQ(doubtful.score(), 0.61);  // 0.20 + 0.24 + 0.12 + 0.05
  EXPECT_DOUBLE_EQ((Quality{.completeness = 1}.score()), 1);
  EXPECT_DOUBLE_EQ((Quality{.completeness = 0, .resolution = 0, .source = 0, .validation = 0}.score()), 0);
}

TEST(Quality, TiersBeginAtTheirNumbers) {
  EXPECT_EQ(model::quality_tier(0.90), "excellent");
  EXPECT_EQ(model::quality_tier(0.89), "good");
  EXPECT_EQ(model::quality_tier(0.75), "good");
  EXPECT_EQ(model::quality_tier(0.74), "fair");
  EXPECT_EQ(model::quality_tier(0.60), "fair");
  EXPECT_EQ(model::quality_tier(0.59), "poor");
  EXPECT_EQ((Quality{.completeness = 0.75}.tier()), "excellent") << "0.3 + 0.3 + 0.2 + 0.1, whatever floats make of it";
  EXPECT_EQ((Quality{.completeness = 0.74}.tier()), "excellent") << "0.896 is shown as 0.90";
}

TEST(Quality, ASourceIsTrustedByItsFinalAddress) {
  EXPECT_DOUBLE_EQ(source_quality_of("a.example", "https://a.example/1"), 1);
  EXPECT_DOUBLE_EQ(source_quality_of("a.example", "https://www.a.example"), 1);
  EXPECT_DOUBLE_EQ(source_quality_of("www.a.example", "https://a.example:8443/1"), 1);
  EXPECT_DOUBLE_EQ(source_quality_of("::1", "https://[::1]/1"), 1);
  EXPECT_DOUBLE_EQ(source_quality_of("a.example", "http://a.example/1"), 0.8);
  EXPECT_DOUBLE_EQ(source_quality_of("a.example", "https://a.example.org/1"), 0.6);
  EXPECT_DOUBLE_EQ(source_quality_of("a.example", "https://b.example/https://a.example"), 0.6);
  EXPECT_DOUBLE_EQ(source_quality_of("a.example", ""), 0.6);
}

class RecordQualityTest : public testing::StoredJobsTest {
 protected:
  RecordQualityTest() { job = created(new_job()); }

  void add_page(std::int64_t row, const std::string& fields = R"({"fields":{"title":["T"],"raga":["R"]},"issues":[]})",
                const std::string& url = "https://a.example/1") {
    const std::string key = fmt::format("{}-{}", job, row);
    ASSERT_OK(insert_pages(
        *connection, job,
        std::vector{NewPage{.row_id = row, .key = key, .url = url, .host = "a.example", .idempotency_key = key}}));
    ASSERT_OK(begin_attempts(*connection, job, 1, std::vector{row}));
    const PageResult result{.row_id = row,
                            .attempt = 1,
                            .http_status = 200,
                            .evidence = {.metadata = fmt::format(R"({{"final_url":"{}"}})", url)},
                            .fields = fields};
    ASSERT_OK(record_results(*connection, job, std::vector{result}));
    ASSERT_OK(mark_gathered(*connection, job, std::vector{row}));
  }
  void ask(std::int64_t row, double best, const std::string& step = "who", double completeness = 0.25) {
    const NewReviewItem item{.row = row,
                             .step = step,
                             .column = step,
                             .table = "t",
                             .key = "n",
                             .name = "n",
                             .tier = "suggested",
                             .best = best,
                             .completeness = completeness};
    ASSERT_OK(put_review_items(*connection, job, 1, std::vector{item}));
  }
  void add_issue(std::int64_t row, const std::string& severity, const std::string& code,
                 const std::string& column = "who") {
    ASSERT_OK(connection->run(fmt::format("INSERT INTO lade_issue VALUES ({}, 1, {}, 1, '{}', '{}', '{}', '', '', '')",
                                          job, row, severity, code, column)));
  }
  std::optional<Quality> quality(std::int64_t row) {
    const auto found = record_qualities(*connection, std::vector{RecordPlace{job, row}});
    EXPECT_OK(found);
    return found ? found->front() : std::nullopt;
  }
  void expect(std::int64_t row, double completeness, double resolution, double source, double validation) {
    const auto found = quality(row);
    ASSERT_TRUE(found);
    EXPECT_DOUBLE_EQ(found->completeness, completeness);
    EXPECT_DOUBLE_EQ(found->resolution, resolution);
    EXPECT_DOUBLE_EQ(found->source, source);
    EXPECT_DOUBLE_EQ(found->validation, validation);
  }

  std::int64_t job = 0;
};
LADE_ON_BOTH_DATABASES(RecordQualityTest);

TEST_P(RecordQualityTest, APageSaysHowCompleteItsRecordIs) {
  add_page(1);
  add_page(2, R"({"fields":{"title":["T"],"raga":[],"tala":[],"parts":["1","2"]},"issues":[]})", "http://a.example/2");
  add_page(3, "", "https://b.example/3");
  expect(1, 1, 1, 1, 1);
  expect(2, 0.5, 1, 0.8, 1);
  expect(3, 1, 1, 0.6, 1);  // nothing was to be taken out of it
}

TEST_P(RecordQualityTest, WhereNoPageHasComeThereIsNoRecord) {
  add_page(1);
  ASSERT_OK(connection->run("UPDATE lade_page SET gathered = 0"));
  EXPECT_FALSE(quality(1)) << "the job's records do not have it yet";
  ASSERT_OK(connection->run("UPDATE lade_page SET gathered = 1, status = 'failed', error_code = 'not_json'"));
  EXPECT_FALSE(quality(1));
  EXPECT_FALSE(quality(2)) << "there is no such row";
}

TEST_P(RecordQualityTest, TheLeastSureNameCounts) {
  add_page(1);
  ask(1, 80);
  ask(1, 60, "what");
  add_issue(1, "error", "name_doubtful");
  ASSERT_OK(connection->run("UPDATE lade_page SET status = 'blocked', error_code = 'resolution_failed'"));
  expect(1, 1, 0.6, 1, 1);  // a doubtful name is not a fault, too
  ASSERT_OK(connection->run("UPDATE lade_review_item SET status = 'decided', decision = 'pick' WHERE step = 'what'"));
  expect(1, 1, 0.8, 1, 1);
  ASSERT_OK(connection->run("UPDATE lade_review_item SET decision = 'create', status = 'decided'"));
  expect(1, 1, 1, 1, 1);
  ASSERT_OK(connection->run("UPDATE lade_review_item SET decision = 'reject' WHERE step = 'who'"));
  ASSERT_OK(connection->run("UPDATE lade_page SET status = 'failed'"));
  expect(1, 1, 0, 1, 1);  // it means nobody
}

TEST_P(RecordQualityTest, ANameThatNobodyIsAskedAboutIsNotKnown) {
  add_page(1);
  add_issue(1, "error", "name_unknown");
  expect(1, 1, 0, 1, 1);
  ask(1, 70);
  expect(1, 1, 0.7, 1, 1);
  ASSERT_OK(connection->run("UPDATE lade_review_item SET status = 'withdrawn'"));
  expect(1, 1, 0, 1, 1);
}

TEST_P(RecordQualityTest, IssuesLowerIt) {
  for (std::int64_t row = 1; row <= 3; ++row) add_page(row);
  add_issue(1, "warning", "odd");
  add_issue(2, "warning", "odd");
  add_issue(2, "error", "field_missing");
  expect(1, 1, 1, 1, 0.5);
  expect(2, 1, 1, 1, 0);
  expect(3, 1, 1, 1, 1);
}

TEST_P(RecordQualityTest, QuestionsOfRowsWithoutPagesAreJudgedInTheSameWay) {
  ask(7, 80, "who", 0.75);
  add_issue(7, "warning", "odd", "title");
  const auto items = list_review_items(*connection, {.company = 1});
  ASSERT_OK(items);
  EXPECT_DOUBLE_EQ(items->front().quality.completeness, 0.75);
  EXPECT_DOUBLE_EQ(items->front().quality.validation, 0.5);
  EXPECT_DOUBLE_EQ(items->front().quality.score(), 0.79);  // 0.30 + 0.24 + 0.20 + 0.05
  add_page(8, R"({"fields":{"title":["T"],"raga":[]},"issues":[]})", "http://a.example/8");
  ask(8, 80, "who", 0.75);
  const auto one = find_review_item(*connection, 1, items->front().id + 1);
  ASSERT_OK(one);
  EXPECT_DOUBLE_EQ((*one)->quality.completeness, 0.5) << "of what was to be taken out of its page";
  EXPECT_DOUBLE_EQ((*one)->quality.source, 0.8);
}

TEST_P(RecordQualityTest, RowsOfManyJobsAreAnsweredInTheirOrder) {
  add_page(1, R"({"fields":{"title":["T"],"raga":[]},"issues":[]})");
  const std::int64_t first = job;
  job = created(new_job());
  add_page(1);
  std::vector<RecordPlace> places(1500, RecordPlace{job, 1});
  places[3] = places[1400] = {first, 1};
  places[4] = {first, 2};
  const auto found = record_qualities(*connection, places);
  ASSERT_OK(found);
  ASSERT_EQ(found->size(), places.size());
  EXPECT_DOUBLE_EQ((*found)[0]->completeness, 1);
  EXPECT_DOUBLE_EQ((*found)[3]->completeness, 0.5);
  EXPECT_DOUBLE_EQ((*found)[1400]->completeness, 0.5);
  EXPECT_FALSE((*found)[4]);
  EXPECT_EQ(record_qualities(*connection, {})->size(), 0u);
}

}  // namespace
}  // namespace lade::store
