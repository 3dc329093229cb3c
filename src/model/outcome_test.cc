#include "model/outcome.h"

#include <gtest/gtest.h>

#include <set>

#include "testing/results.h"

namespace lade::model {
namespace {

TEST(Outcome, EveryOutcomeHasItsOwnName) {
  std::set<std::string_view> names;
  for (const Outcome outcome : kOutcomes) names.insert(to_string(outcome));
  EXPECT_EQ(names, (std::set<std::string_view>{"skipped", "unchanged", "updated", "inserted", "failed", "unprocessed",
                                               "deleted"}));
}

TEST(Outcome, TheStrongestOfSeveralTablesCounts) {
  EXPECT_LT(Outcome::skipped, Outcome::unchanged);
  EXPECT_LT(Outcome::unchanged, Outcome::updated);
  EXPECT_LT(Outcome::updated, Outcome::inserted);
  EXPECT_LT(Outcome::inserted, Outcome::failed);
}

TEST(RowCounts, AreConservedOnlyWhenEveryRowHasOneOutcome) {
  RowCounts counts;
  EXPECT_OK(counts.check_conserved());
  counts.read = 6;
  for (const Outcome outcome : kOutcomes) {
    if (outcome == Outcome::unprocessed) continue;
    EXPECT_FAILS(counts.check_conserved(), "not_conserved");
    ++counts[outcome];
  }
  EXPECT_OK(counts.check_conserved());
  counts.removed = 3;
  EXPECT_OK(counts.check_conserved()) << "rows removed from the target were not read";
  ++counts[Outcome::failed];
  EXPECT_FAILS(counts.check_conserved(), "not_conserved");
}

TEST(RowCounts, OfAnEndLeaveNoRowOver) {
  RowCounts counts;
  counts.read = 3;
  counts[Outcome::inserted] = 1;
  EXPECT_EQ(counts.missing(), 2);
  counts.fill_missing();
  EXPECT_EQ(counts[Outcome::unprocessed], 2);
  EXPECT_TRUE(counts.conserved());
  EXPECT_FAILS(counts.check_conserved(), "not_conserved");
  counts[Outcome::inserted] = 2;
  counts.fill_missing();
  EXPECT_EQ(counts.missing(), -1) << "a row that counts twice is not made up for";
}

TEST(RowCounts, AddUp) {
  RowCounts left, right;
  left.read = 1;
  left[Outcome::inserted] = 2;
  right.read = 3;
  right.removed = 4;
  right[Outcome::inserted] = 5;
  right[Outcome::skipped] = 6;
  left += right;
  EXPECT_EQ(left.read, 4);
  EXPECT_EQ(left.removed, 4);
  EXPECT_EQ(left[Outcome::inserted], 7);
  EXPECT_EQ(left[Outcome::skipped], 6);
  EXPECT_EQ(left.accounted(), 13);
}

}  // namespace
}  // namespace lade::model
