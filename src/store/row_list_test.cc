#include "store/row_list.h"

#include <map>

#include "store/outcome_blob.h"
#include "store/outcomes.h"
#include "testing/stored_jobs.h"

namespace lade::store {
namespace {

using model::JobOutcome;
using model::JobState;
using model::Outcome;
using model::RowState;

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

TEST_P(RowList, StatesFollowFromJobChunkBucketAndOutcome) {
  place(id, {JobState::processing_data, {}});
  EXPECT_EQ(listed({RowState::error}), "3not_a_number 3required 5check_violation");
  EXPECT_EQ(listed({RowState::processed}), "1 2exists 4 7 8duplicate_in_file 9");
  EXPECT_EQ(listed({RowState::processing}), "6") << "its bucket is loaded, but it waits for its parent";
  EXPECT_EQ(listed({RowState::pending}), "10") << "its chunk is not analysed";
  ASSERT_OK(advance_job(*connection, id, {.chunks_done = 1}));
  EXPECT_EQ(listed({RowState::processing}), "6 10");
  EXPECT_EQ(listed({RowState::pending}), "");
  place(id, {JobState::finished, JobOutcome::cancelled});
  EXPECT_EQ(listed({RowState::analysed}), "6 10") << "nobody is going to process them";
  EXPECT_EQ(listed({RowState::processed, 2, 2}), "4 7");
}

TEST_P(RowList, RowsArePendingUntilTheirChunkIsAnalysed) {
  const std::int64_t other = created(new_job());
  ASSERT_OK(save_plan(*connection, other, {.rows_total = 4, .chunks = 2, .buckets = 1}));
  const auto rows = [&](RowState state) {
    std::vector<std::int64_t> ids;
    RowFilter filter{state};
    filter.is_analysed = [](std::int64_t row) { return row >= 3; };
    EXPECT_OK(list_rows(*connection, found(other), filter, [&](const ListedRow& row) {
      EXPECT_EQ(row.state, state);
      EXPECT_EQ(row.last_completed_priority, row.row_id >= 3 ? 100 : 0);
      EXPECT_EQ(row.outcome, Outcome::unprocessed);
      ids.push_back(row.row_id);
    }));
    return ids;
  };
  using Ids = std::vector<std::int64_t>;
  place(other, {JobState::analysing_data, {}});
  EXPECT_EQ(rows(RowState::analysing), (Ids{1, 2}));
  EXPECT_EQ(rows(RowState::analysed), (Ids{3, 4})) << "not only when all are";
  EXPECT_EQ(rows(RowState::pending), Ids{});
  place(other, {JobState::finished, JobOutcome::failed});
  EXPECT_EQ(rows(RowState::pending), (Ids{1, 2}));
}

// Also of rows with errors, and of those that were skipped: whoever looks for work by it comes to an end.
TEST_P(RowList, PrioritiesTellTheLastPhase) {
  std::map<std::int64_t, int> priorities;
  for (const RowState state : {RowState::error, RowState::processed, RowState::analysed, RowState::pending})
    ASSERT_OK(list_rows(*connection, found(id), {state},
                        [&](const ListedRow& row) { priorities[row.row_id] = row.last_completed_priority; }));
  EXPECT_EQ(priorities,
            (std::map<std::int64_t, int>{
                {1, 200}, {2, 200}, {3, 100}, {4, 200}, {5, 200}, {6, 100}, {7, 200}, {8, 200}, {9, 200}, {10, 0}}));
}

TEST_P(RowList, ASettledBucketIsNotLoaded) {
  OutcomePacker packer;
  packer.add({10, Outcome::unprocessed});
  packer.add({3, Outcome::failed, "duplicate_in_file"});
  ASSERT_OK(save_outcomes(*connection, id, {2, {}, packer.finish(), true}));
  std::map<std::int64_t, int> priorities;
  for (const RowState state : {RowState::error, RowState::analysed})
    ASSERT_OK(list_rows(*connection, found(id), {state},
                        [&](const ListedRow& row) { priorities[row.row_id] = row.last_completed_priority; }));
  EXPECT_EQ(priorities, (std::map<std::int64_t, int>{{3, 110}, {5, 200}, {6, 100}, {10, 110}}));
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
  EXPECT_FAILS(list_rows(*connection, found(other), {RowState::processed}, ignore), "outcomes_not_kept");
  EXPECT_OK(list_rows(*connection, found(other), {RowState::error}, ignore));
  EXPECT_OK(list_rows(*connection, found(other), {Outcome::updated}, ignore));
  EXPECT_OK(list_rows(*connection, found(other), {Outcome::failed}, ignore));
}

TEST_P(RowList, IsNarrowedByIssueAndColumn) {
  ASSERT_OK(save_plan(*connection, id, {.rows_total = 10, .chunks = 1, .buckets = 3}));
  const auto by = [](WantedRows wanted, std::string code, std::string column = {}) {
    RowFilter filter{wanted};
    filter.code = std::move(code);
    filter.column = std::move(column);
    return filter;
  };
  EXPECT_EQ(listed(by(Outcome::failed, "required")), "3required");
  EXPECT_EQ(listed(by(Outcome::failed, "", "price")), "3not_a_number");
  EXPECT_EQ(listed(by(Outcome::failed, "required", "price")), "");
  EXPECT_EQ(listed(by(Outcome::failed, "check_violation")), "5check_violation");
  EXPECT_EQ(listed(by(Outcome::skipped, "exists")), "2exists");
  EXPECT_EQ(listed(by(Outcome::inserted, "too_long", "note")), "4too_long") << "a warning of a row that went in";
  EXPECT_EQ(listed(by(Outcome::inserted, "too_long", "other")), "");
  add_issue(10, "error", "check_failed", "price, amount");
  EXPECT_EQ(listed(by(Outcome::failed, "", "amount")), "10check_failed");
  EXPECT_EQ(listed(by(Outcome::failed, "", "amoun")), "");
}

}  // namespace
}  // namespace lade::store
