// Names that people decide about, as their tables keep them.
#include "store/review_items.h"

#include <fmt/format.h>

#include "store/blocked_pages.h"
#include "store/pages.h"
#include "store/schema.h"
#include "testing/database_test.h"

namespace lade::store {
namespace {

using Ids = std::vector<std::int64_t>;

class ReviewItemsTest : public testing::DatabaseTest {
 protected:
  ReviewItemsTest() {
    EXPECT_OK(migrate(*connection));
    EXPECT_OK(connection->run(
        "INSERT INTO lade_definition (company_id, slug, version, name, note, strategy, source_text, valid, created_at) "
        "VALUES (1, 'd', 1, 'd', '', 'append', '', true, '2026-01-01T00:00:00Z')"));
    for (const char* uuid : {"00000000-0000-7000-8000-000000000001", "00000000-0000-7000-8000-000000000002"})
      EXPECT_OK(connection->run(fmt::format(
          "INSERT INTO lade_job (uuid, company_id, definition_id, snapshot, file_name, file_bytes, state, created_at, "
          "slug) VALUES ('{}', 1, 1, '', 'f', 1, 'analysing_data', '2026-01-01T00:00:00Z', 'job-{}')",
          uuid, uuid[35])));
  }
  static NewReviewItem item(std::int64_t row, const std::string& name, double best = 80,
                            const std::string& step = "who") {
    return {.row = row,
            .line = row + 1,
            .step = step,
            .column = "composer",
            .table = "composer",
            .rules = "",
            .key = name,
            .name = name,
            .tier = "suggested",
            .best = best};
  }
  Result<void> put(std::int64_t job, const std::vector<NewReviewItem>& items) {
    return put_review_items(*connection, job, 1, items);
  }
  Ids rows(const ReviewFilter& filter) {
    const auto items = list_review_items(*connection, filter);
    EXPECT_OK(items);
    Ids found;
    if (items)
      for (const ReviewItem& one : *items) found.push_back(one.row);
    return found;
  }
  NameDecision decision(const std::string& entity) const { return {"pick", entity, "Name", "ada", ""}; }
};
LADE_ON_BOTH_DATABASES(ReviewItemsTest);

TEST_P(ReviewItemsTest, ListsAreFilteredAndPaged) {
  ASSERT_OK(put(1, {item(1, "a", 95), item(2, "b", 75), item(3, "c", 10), item(4, "d", 90)}));
  ASSERT_OK(put(2, {item(5, "a", 70)}));
  EXPECT_EQ(rows({.company = 1}), (Ids{1, 2, 3, 4, 5}));
  EXPECT_EQ(rows({.company = 2}), Ids());
  EXPECT_EQ(rows({.company = 1, .min = 90}), (Ids{1, 4}));
  EXPECT_EQ(rows({.company = 1, .min = 70, .below = 90}), (Ids{2, 5}));
  EXPECT_EQ(rows({.company = 1, .job = 2}), Ids{5});
  EXPECT_EQ(rows({.company = 1, .table = "raga"}), Ids());
  EXPECT_EQ(rows({.company = 1, .seen_by = 9}), Ids());
  const auto first = list_review_items(*connection, {.company = 1, .limit = 3});
  ASSERT_OK(first);
  EXPECT_EQ(rows({.company = 1, .after = first->back().id}), (Ids{4, 5}));
  const auto count = count_review_items(*connection, {.company = 1});
  ASSERT_OK(count);
  EXPECT_EQ(count->items, 5);
  EXPECT_EQ(count->names, 4);
}

TEST_P(ReviewItemsTest, AQuestionIsAskedOnceForARowAndStep) {
  ASSERT_OK(put(1, {item(1, "a"), item(1, "m", 60, "what")}));
  ASSERT_OK(decide_review_items(*connection, {1, "composer", "", "a"}, decision("7")));
  ASSERT_OK(put(1, {item(1, "b")}));
  const auto items = list_review_items(*connection, {.company = 1, .status = ""});
  ASSERT_OK(items);
  ASSERT_EQ(items->size(), 2u);
  EXPECT_EQ((*items)[0].name, "b") << "the same one, asked anew";
  EXPECT_EQ((*items)[0].status, "open");
  EXPECT_EQ((*items)[0].revision, 3);
  EXPECT_EQ((*items)[0].decision.entity, "");
}

TEST_P(ReviewItemsTest, ADecisionHoldsForAllItemsWithTheName) {
  ASSERT_OK(put(1, {item(1, "a"), item(2, "a"), item(3, "b")}));
  ASSERT_OK(put(2, {item(1, "a"), item(1, "m", 60, "what")}));
  NewReviewItem other = item(4, "a");
  other.rules = "other";
  ASSERT_OK(put(1, {other}));
  const NameKey key{1, "composer", "", "a"};
  EXPECT_EQ(jobs_that_ask(*connection, key), (Ids{1, 2}));
  EXPECT_EQ(decide_review_items(*connection, key, decision("7")), 3);
  EXPECT_EQ(jobs_to_send(*connection, key), Ids{1}) << "the row of the other job waits for something else";
  const auto found = rows_to_send(*connection, 1);
  ASSERT_OK(found);
  EXPECT_EQ(found->rows, (Ids{1, 2}));
  EXPECT_EQ(found->by, "ada");
  // Sent: analysed again.
  ASSERT_OK(settle_review_items(*connection, 1, Ids{1}));
  EXPECT_EQ(count_sent(*connection, key), 1);
  EXPECT_EQ(reopen_review_items(*connection, key), 2) << "what was sent stays decided";
  EXPECT_EQ(rows_to_send(*connection, 1)->rows, Ids());
}

TEST_P(ReviewItemsTest, RowsThatCannotBeSentSayWhy) {
  ASSERT_OK(put(1, {item(1, "a")}));
  const NameKey key{1, "composer", "", "a"};
  ASSERT_OK(decide_review_items(*connection, key, decision("7")));
  ASSERT_OK(refuse_rows(*connection, 1, Ids{1}, "the file is gone"));
  EXPECT_EQ(rows_to_send(*connection, 1)->rows, Ids());
  const auto items = list_review_items(*connection, {.company = 1, .status = "decided"});
  ASSERT_OK(items);
  EXPECT_EQ(items->front().send_error, "the file is gone");
}

TEST_P(ReviewItemsTest, PagesWaitWithTheirRows) {
  ASSERT_OK(
      insert_pages(*connection, 1,
                   std::vector<NewPage>{{.row_id = 1, .key = "one", .url = "http://a/1", .idempotency_key = "1"},
                                        {.row_id = 2, .key = "two", .url = "http://a/2", .idempotency_key = "2"},
                                        {.row_id = 3, .key = "three", .url = "http://a/3", .idempotency_key = "3"}}));
  ASSERT_OK(connection->run("UPDATE lade_page SET status = 'succeeded' WHERE row_id < 3"));
  const auto statuses = [&] {
    std::string text;
    const auto pages = list_pages(*connection, 1);
    EXPECT_OK(pages);
    for (const PageRecord& page : *pages) text += page.status + (page.error_code.empty() ? " " : "! ");
    return text;
  };
  ASSERT_OK(put(1, {item(1, "a"), item(2, "b"), item(3, "a")}));
  ASSERT_OK(mark_pages(*connection, 1, 1, 1));
  EXPECT_EQ(statuses(), "blocked! succeeded pending ");
  ASSERT_OK(mark_pages(*connection, 1));
  EXPECT_EQ(statuses(), "blocked! blocked! pending ") << "what was not fetched does not wait";
  ASSERT_OK(decide_review_items(*connection, {1, "composer", "", "b"}, {"reject", "", "", "ada", ""}));
  ASSERT_OK(decide_review_items(*connection, {1, "composer", "", "a"}, decision("7")));
  ASSERT_OK(mark_pages(*connection, 1));
  EXPECT_EQ(statuses(), "blocked! failed! pending ") << "decided, not sent";
  ASSERT_OK(settle_review_items(*connection, 1, Ids{1}));
  ASSERT_OK(reopen_review_items(*connection, {1, "composer", "", "b"}));
  ASSERT_OK(mark_pages(*connection, 1));
  EXPECT_EQ(statuses(), "succeeded blocked! pending ");
}

TEST_P(ReviewItemsTest, DecisionsAreRememberedByNameTableAndRules) {
  const NameKey key{1, "composer", "", "a"};
  ASSERT_OK(remember_name(*connection, key, "A", decision("7")));
  ASSERT_OK(remember_name(*connection, {1, "composer", "x", "a"}, "A", decision("8")));
  ASSERT_OK(remember_name(*connection, key, "A", decision("9")));
  const auto names = remembered_names(*connection, 1, "composer", "");
  ASSERT_OK(names);
  ASSERT_EQ(names->size(), 1u);
  EXPECT_EQ(names->front().entity, "9");
  EXPECT_EQ(find_name_decision(*connection, key).value()->decided_by, "ada");
  // Rows that were analysed before it was decided.
  ASSERT_OK(put(1, {item(1, "a"), item(2, "a"), item(3, "b")}));
  EXPECT_EQ(decide_remembered(*connection, 1, 1, 1), 1);
  EXPECT_EQ(decide_remembered(*connection, 1, 1, 3), 1);
  EXPECT_EQ(rows({.company = 1}), Ids{3});
  ASSERT_OK(forget_name(*connection, key));
  EXPECT_FALSE(find_name_decision(*connection, key).value());
}

}  // namespace
}  // namespace lade::store
