#include "store/job_progress.h"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <chrono>
#include <map>
#include <thread>

#include "model/row_state.h"
#include "store/outcomes.h"
#include "testing/stored_jobs.h"

namespace lade::store {
namespace {

namespace json = boost::json;
using model::JobEvent;
using model::JobState;
using model::Outcome;

class JobProgress : public testing::StoredJobsTest {
 protected:
  json::value progress(std::int64_t id) {
    const auto found = job_progress(*connection, id);
    EXPECT_OK(found);
    return found ? json::parse(*found) : json::value();
  }
  // "analysed 7 error 3": what is not zero.
  std::string states(std::int64_t id) {
    std::string text;
    const json::value told = progress(id);
    for (const auto& [state, count] : told.at("row_states").as_object())
      if (count.to_number<std::int64_t>() != 0)
        text +=
            fmt::format("{}{} {}", text.empty() ? "" : " ", std::string_view(state), count.to_number<std::int64_t>());
    return text;
  }
};
LADE_ON_BOTH_DATABASES(JobProgress);

TEST_P(JobProgress, FollowsAJobThroughItsStates) {
  const std::int64_t id = created(new_job());
  EXPECT_TRUE(progress(id).at("total_rows").is_null());
  EXPECT_EQ(progress(id).at("pct").to_number<int>(), 0);
  EXPECT_EQ(states(id), "");
  ASSERT_OK(change(id, JobEvent::preparation_started));
  ASSERT_OK(save_plan(*connection, id, {.rows_total = 10, .chunks = 2, .buckets = 2}));
  EXPECT_EQ(states(id), "pending 10");
  ASSERT_OK(change(id, JobEvent::planned));
  EXPECT_EQ(states(id), "analysing 10");
  std::this_thread::sleep_for(std::chrono::milliseconds(5));  // times are kept in milliseconds
  model::RowCounts failed;
  failed[Outcome::failed] = 1;
  ASSERT_OK(advance_job(*connection, id, {.chunks_done = 1, .rows_analysed = 4, .rows = failed}));
  EXPECT_EQ(states(id), "analysing 6 analysed 3 error 1");
  EXPECT_FALSE(progress(id).at("analysis_rows_per_sec").is_null());
  EXPECT_TRUE(progress(id).at("import_rows_per_sec").is_null());
  ASSERT_OK(advance_job(*connection, id, {.chunks_done = 1, .rows_analysed = 6}));
  BucketOutcomes settled{.bucket = 0, .settled = true};
  settled.counts[Outcome::failed] = 2;
  ASSERT_OK(save_outcomes(*connection, id, settled));
  ASSERT_OK(change(id, JobEvent::review_needed));
  EXPECT_EQ(states(id), "analysed 7 error 3") << "those that were refused for their keys, too";
  ASSERT_OK(change(id, JobEvent::approved));
  ASSERT_OK(change(id, JobEvent::processing_started));
  EXPECT_EQ(states(id), "processing 7 error 3");
  settled.settled = false;
  ASSERT_OK(save_outcomes(*connection, id, settled));
  model::RowCounts loaded = settled.counts;
  loaded[Outcome::inserted] = 4;
  ASSERT_OK(advance_job(*connection, id, {.buckets_processed = 1, .rows = loaded}));
  EXPECT_EQ(states(id), "processing 3 processed 4 error 3");
  EXPECT_EQ(progress(id).at("imported_rows").to_number<int>(), 4);
  EXPECT_EQ(progress(id).at("pct").to_number<int>(), found(id).progress());
  ASSERT_OK(change(id, JobEvent::failed));
  EXPECT_EQ(states(id), "analysed 3 processed 4 error 3");
  EXPECT_EQ(progress(id).at("pct").to_number<int>(), 100);
  EXPECT_EQ(progress(id).at("outcome").as_string(), "failed");
}

TEST_P(JobProgress, SaysTheSameAsTheRowsOfEveryState) {
  const std::int64_t id = created(new_job());
  ASSERT_OK(save_plan(*connection, id, {.rows_total = 10, .chunks = 2, .buckets = 2}));
  model::RowCounts counts;
  counts[Outcome::failed] = 1;
  counts[Outcome::skipped] = 2;
  ASSERT_OK(advance_job(*connection, id, {.chunks_done = 1, .rows_analysed = 6, .rows = counts}));
  for (const model::JobStanding& standing : testing::all_standings()) {
    place(id, standing);
    std::map<std::string_view, int> expected;
    for (int row = 1; row <= 10; ++row) {
      model::RowProgress known{.analysed = row <= 6, .loaded = row == 2 || row == 3};
      if (row == 1) known.outcome = Outcome::failed;
      if (known.loaded) known.outcome = Outcome::skipped;
      ++expected[to_string(model::row_state(standing, known))];
    }
    const json::value told = progress(id);
    for (const auto& [state, count] : told.at("row_states").as_object())
      EXPECT_EQ(count.to_number<int>(), expected[state]) << to_string(standing) << ": " << state;
    EXPECT_EQ(progress(id).at("pct").to_number<int>(), found(id).progress()) << to_string(standing);
  }
}

TEST_P(JobProgress, IsAFunctionOfPostgresql) {
  EXPECT_FAILS(job_progress(*connection, 77), "job_not_found");
  if (connection->backend() == db::Backend::sqlite) return;
  const std::int64_t id = created(new_job());
  const db::Value values[] = {id};
  const auto rows = connection->query("SELECT get_import_job_progress(CAST($1 AS integer)) ->> 'state'", values);
  ASSERT_OK(rows);
  EXPECT_EQ((*rows)[0][0], db::Value("upload_completed"));
}

}  // namespace
}  // namespace lade::store
