// The state of a row, over everything that can be known of it.
#include "model/row_state.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace lade::model {
namespace {

std::vector<RowProgress> all_rows() {
  std::vector<RowProgress> rows;
  for (unsigned i = 0; i < 8; ++i)
    for (unsigned outcome = 0; outcome < 6; ++outcome)
      rows.push_back({(i & 1) != 0, (i & 2) != 0, (i & 4) != 0, static_cast<Outcome>(outcome)});
  return rows;
}

std::string state_of(JobState job, const RowProgress& row) {
  const std::optional<JobOutcome> outcome =
      job == JobState::finished ? std::optional(JobOutcome::failed) : std::optional<JobOutcome>();
  return std::string(to_string(row_state({job, outcome}, row)));
}

// The rule in other words, for every state of the job.
TEST(RowState, HoldsOverAllCombinations) {
  for (std::size_t i = 0; i < kJobStates; ++i) {
    const auto job = static_cast<JobState>(i);
    for (const RowProgress& row : all_rows()) {
      const bool begun = row.analysed || row.settled || row.loaded;
      std::string expected = begun ? "analysed" : "pending";
      if (job == JobState::analysing_data && !begun) expected = "analysing";
      if (job == JobState::processing_data && begun) expected = "processing";
      if (row.loaded && row.outcome != Outcome::unprocessed) expected = "processed";
      if (row.outcome == Outcome::failed) expected = "error";
      EXPECT_EQ(state_of(job, row), expected) << to_string(job) << " " << to_string(row.outcome);
    }
  }
}

TEST(RowState, StartsAtNothingAndGoesForward) {
  RowProgress row;
  EXPECT_EQ(state_of(JobState::upload_completed, row), "pending");
  EXPECT_EQ(last_completed_priority(row), 0);
  EXPECT_EQ(state_of(JobState::analysing_data, row), "analysing");
  row.analysed = true;
  EXPECT_EQ(state_of(JobState::analysing_data, row), "analysed");
  EXPECT_EQ(last_completed_priority(row), 100);
  row.settled = true;
  EXPECT_EQ(state_of(JobState::waiting_for_review, row), "analysed");
  EXPECT_EQ(last_completed_priority(row), 110);
  EXPECT_EQ(state_of(JobState::processing_data, row), "processing");
  row.loaded = true;
  row.outcome = Outcome::inserted;
  EXPECT_EQ(state_of(JobState::processing_data, row), "processed");
  EXPECT_EQ(last_completed_priority(row), 200);
}

// Otherwise whoever looks for work by it would find the row for ever.
TEST(RowState, ThePriorityOfARefusedRowAdvancesToo) {
  EXPECT_EQ(last_completed_priority({.analysed = true, .outcome = Outcome::failed}), 100);
  EXPECT_EQ(last_completed_priority({.analysed = true, .settled = true, .outcome = Outcome::failed}), 110);
  EXPECT_EQ(last_completed_priority({.analysed = true, .loaded = true, .outcome = Outcome::failed}), 200);
  EXPECT_EQ(last_completed_priority({.analysed = true, .loaded = true, .outcome = Outcome::skipped}), 200);
}

TEST(RowState, ARowThatWaitsForItsParentIsStillBeingProcessed) {
  const RowProgress row{.analysed = true, .loaded = true};
  EXPECT_EQ(state_of(JobState::processing_data, row), "processing");
  EXPECT_EQ(last_completed_priority(row), 100);
}

TEST(RowState, ActionsFollowFromOutcomes) {
  EXPECT_EQ(row_action(Outcome::inserted), "insert");
  EXPECT_EQ(row_action(Outcome::updated), "update");
  for (const Outcome outcome : {Outcome::unchanged, Outcome::skipped, Outcome::failed})
    EXPECT_EQ(row_action(outcome), "skip");
  EXPECT_EQ(row_action(Outcome::unprocessed), "");
}

}  // namespace
}  // namespace lade::model
