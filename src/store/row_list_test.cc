#include "store/row_list.h"

#include "store/outcome_blob.h"
#include "store/outcomes.h"
#include "testing/stored_jobs.h"

namespace lade::store {
namespace {

using model::Outcome;

// A job of ten rows in two buckets:
//   row      1  2  3  4  5  6  7  8  9  10
//   outcome  i  s  F  i  f  u  i  s  i  -      F failed in analysis, f in its bucket, - and one more unprocessed
class RowList : public testing::StoredJobsTest {
 protected:
  void SetUp() override {
    id = created(new_job());
    ASSERT_OK(save_plan(*connection, id, {.rows_total = 10, .chunks = 1, .buckets = 3}));
    pack(0, {{9, Outcome::inserted}, {1, Outcome::inserted}, {5, Outcome::failed, "check_violation"}});
    pack(1, {{2, Outcome::skipped, "exists"},
             {4, Outcome::inserted},
             {6, Outcome::unprocessed},
             {7, Outcome::inserted},
             {8, Outcome::skipped, "duplicate_in_file"}});
    add_issue(5, "error", "check_violation", "");
    add_issue(3, "error", "required", "code");
    add_issue(3, "error", "not_a_number", "price");
    add_issue(3, "warning", "too_long", "note");
    add_issue(4, "warning", "too_long", "note");
  }
  void pack(std::int64_t bucket, const std::vector<RowOutcome>& rows) {
    OutcomePacker packer;
    for (const RowOutcome& row : rows) packer.add(row);
    ASSERT_OK(save_outcomes(*connection, id, {bucket, {}, packer.finish()}));
  }
  void add_issue(std::int64_t row, const std::string& severity, const std::string& code, const std::string& column) {
    const db::Value values[] = {id, row, row + 1, severity, code, column};
    ASSERT_OK(connection->execute("INSERT INTO lade_issue VALUES ($1, 1, $2, $3, $4, $5, $6, 'v', 'm', 'h')", values));
  }
  std::string listed(const RowFilter& filter) {
    std::string text;
    const auto done = list_rows(*connection, found(id), filter, [&](const ListedRow& row) {
      text += (text.empty() ? "" : " ") + std::to_string(row.row_id) + row.issue.code;
    });
    EXPECT_OK(done);
    return text;
  }
  std::int64_t id = 0;
};
LADE_ON_BOTH_DATABASES(RowList);

TEST_P(RowList, GoesThroughAllBucketsInTheOrderOfRows) {
  EXPECT_EQ(listed({Outcome::inserted}), "1 4 7 9");
  EXPECT_EQ(listed({Outcome::skipped}), "2exists 8duplicate_in_file");
  EXPECT_EQ(listed({Outcome::updated}), "");
}

TEST_P(RowList, FailedRowsComeWithEachOfTheirErrors) {
  EXPECT_EQ(listed({Outcome::failed}), "3not_a_number 3required 5check_violation");
  std::vector<ListedRow> rows;
  ASSERT_OK(list_rows(*connection, found(id), {}, [&](const ListedRow& row) { rows.push_back(row); }));
  EXPECT_EQ(rows[1].line, 4);
  EXPECT_EQ(rows[1].issue.column, "code");
  EXPECT_EQ(rows[1].issue.value + rows[1].issue.message + rows[1].issue.hint, "vmh");
}

TEST_P(RowList, UnprocessedIsWhatHasNoOtherFate) {
  EXPECT_EQ(listed({Outcome::unprocessed}), "6 10");
}

TEST_P(RowList, LimitsCountRowsAndPagesGoOn) {
  EXPECT_EQ(listed({Outcome::inserted, 0, 2}), "1 4");
  EXPECT_EQ(listed({Outcome::inserted, 4, 2}), "7 9");
  EXPECT_EQ(listed({Outcome::inserted, 0, 0}), "1 4 7 9");
  EXPECT_EQ(listed({Outcome::failed, 0, 1}), "3not_a_number 3required");
  EXPECT_EQ(listed({Outcome::failed, 3, 1}), "5check_violation");
  EXPECT_EQ(listed({Outcome::unprocessed, 6, 1}), "10");
}

TEST_P(RowList, SaysWhenOnlyCountsWereKept) {
  const std::int64_t other = created(new_job());
  ASSERT_OK(save_bill(*connection, other, {{.read = 1, .by_outcome = {0, 0, 0, 1}}}));
  place(other, {model::JobState::finished, model::JobOutcome::succeeded});
  const auto ignore = [](const ListedRow&) {};
  EXPECT_FAILS(list_rows(*connection, found(other), {Outcome::inserted}, ignore), "outcomes_not_kept");
  EXPECT_FAILS(list_rows(*connection, found(other), {Outcome::unprocessed}, ignore), "outcomes_not_kept");
  EXPECT_OK(list_rows(*connection, found(other), {Outcome::updated}, ignore));
  EXPECT_OK(list_rows(*connection, found(other), {Outcome::failed}, ignore));
}

}  // namespace
}  // namespace lade::store
