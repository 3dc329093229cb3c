// How a batch stands, over all combinations of how its jobs can stand.
#include "model/batch_status.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace lade::model {
namespace {

// Jobs that a batch may have or not.
struct Kind {
  std::string status;
  std::int64_t JobTally::*count;
};
const Kind kKinds[] = {{"queued", &JobTally::queued},
                       {"running", &JobTally::running},
                       {"paused", &JobTally::paused},
                       {"waiting_for_review", &JobTally::waiting_for_review},
                       {"succeeded", &JobTally::succeeded},
                       {"failed", &JobTally::failed},
                       {"ended_by_people", &JobTally::ended_by_people}};
constexpr unsigned kCombinations = 1u << std::size(kKinds);

// The rule, written down a second time in its own words.
std::string expected(const std::set<std::string>& present, bool started) {
  const auto has = [&](const char* status) { return present.contains(status); };
  const bool works_or_will = has("queued") || has("running");
  const bool ended = !works_or_will && !has("paused") && !has("waiting_for_review");
  if (present.empty()) return "pending";
  if (ended && has("succeeded")) return "succeeded";
  if (ended && has("failed")) return "failed";
  if (ended) return "cancelled";
  if (has("paused") && !works_or_will) return "paused";
  return started ? "running" : "pending";
}

TEST(BatchStatus, HoldsOverAllCombinations) {
  for (unsigned combination = 0; combination < kCombinations; ++combination)
    for (const std::int64_t jobs : {1, 10'000})
      for (const bool started : {false, true}) {
        JobTally tally;
        std::set<std::string> present;
        for (unsigned i = 0; i < std::size(kKinds); ++i) {
          if ((combination >> i & 1u) == 0) continue;
          tally.*kKinds[i].count = jobs;
          present.insert(kKinds[i].status);
        }
        tally.started = started ? 1 : 0;
        SCOPED_TRACE(testing::Message() << combination << " started " << started);
        EXPECT_EQ(batch_status(tally), expected(present, started));
        EXPECT_TRUE(is_batch_status(batch_status(tally)));
      }
}

TEST(BatchStatus, IsOneOfSixWords) {
  for (const char* status : {"pending", "running", "paused", "succeeded", "failed", "cancelled"})
    EXPECT_TRUE(is_batch_status(status)) << status;
  for (const char* status : {"", "queued", "rejected", "waiting_for_review", "Failed"})
    EXPECT_FALSE(is_batch_status(status)) << status;
}

TEST(BatchStatus, EveryStandingOfAJobIsCountedOnce) {
  JobTally tally;
  std::int64_t jobs = 0;
  for (const bool paused : {false, true}) {
    for (std::size_t i = 0; i < kJobStates; ++i)
      if (const auto state = static_cast<JobState>(i); state != JobState::finished) {
        tally.add({state, {}}, paused, 2);
        jobs += 2;
      }
    for (std::size_t i = 0; i < kJobOutcomes; ++i) {
      tally.add({JobState::finished, static_cast<JobOutcome>(i)}, paused, 1);
      jobs += 1;
    }
  }
  EXPECT_EQ(tally.total(), jobs);
  EXPECT_EQ(tally.queued, 4) << "two states before a worker begins";
  EXPECT_EQ(tally.waiting_for_review, 4) << "paused or not";
  EXPECT_EQ(tally.paused, 14);
  EXPECT_EQ(tally.succeeded, 2);
  EXPECT_EQ(tally.failed, 2);
  EXPECT_EQ(tally.ended_by_people, 6) << "rejected, cancelled, undone";
}

}  // namespace
}  // namespace lade::model
