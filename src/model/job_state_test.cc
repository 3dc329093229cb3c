// The life of a job: every pair of standing and event, names, status and progress.
#include "model/job_state.h"

#include <map>
#include <set>

#include "testing/results.h"

namespace lade::model {
namespace {

std::vector<JobStanding> all_standings() {
  std::vector<JobStanding> standings;
  for (std::size_t i = 0; i < kJobStates; ++i)
    if (const auto state = static_cast<JobState>(i); state != JobState::finished) standings.push_back({state, {}});
  for (std::size_t i = 0; i < kJobOutcomes; ++i) standings.push_back({JobState::finished, static_cast<JobOutcome>(i)});
  return standings;
}

// Written down a second time, on purpose: from → events and where they lead.
const std::map<std::string, std::map<std::string, std::string>> kExpected = {
    {"waiting_for_upload", {{"file_stored", "upload_completed"}, {"cancelled", "finished (cancelled)"}}},
    {"upload_completed",
     {{"preparation_started", "preparing_data"},
      {"failed", "finished (failed)"},
      {"cancelled", "finished (cancelled)"}}},
    {"preparing_data",
     {{"planned", "analysing_data"},
      {"fixed", "analysing_data"},
      {"failed", "finished (failed)"},
      {"cancelled", "finished (cancelled)"}}},
    {"analysing_data",
     {{"analysed", "processing_data"},
      {"review_needed", "waiting_for_review"},
      {"failed", "finished (failed)"},
      {"cancelled", "finished (cancelled)"}}},
    {"waiting_for_review",
     {{"fixed", "waiting_for_review"},
      {"approved", "approved"},
      {"rejected", "rejected"},
      {"cancelled", "finished (cancelled)"}}},
    {"approved",
     {{"processing_started", "processing_data"},
      {"failed", "finished (failed)"},
      {"cancelled", "finished (cancelled)"}}},
    {"rejected", {{"completed", "finished (rejected)"}, {"failed", "finished (failed)"}}},
    {"processing_data",
     {{"completed", "finished (succeeded)"}, {"failed", "finished (failed)"}, {"cancelled", "finished (cancelled)"}}},
    {"finished (succeeded)",
     {{"fixed", "analysing_data"}, {"pages_retried", "preparing_data"}, {"undone", "finished (undone)"}}},
    {"finished (failed)",
     {{"preparation_retried", "preparing_data"},
      {"analysis_retried", "analysing_data"},
      {"processing_retried", "processing_data"},
      {"fixed", "analysing_data"},
      {"pages_retried", "preparing_data"},
      {"undone", "finished (undone)"}}},
    {"finished (cancelled)",
     {{"preparation_retried", "preparing_data"},
      {"analysis_retried", "analysing_data"},
      {"processing_retried", "processing_data"},
      {"fixed", "analysing_data"},
      {"pages_retried", "preparing_data"},
      {"undone", "finished (undone)"}}},
    {"finished (undone)",
     {{"redone", "finished (succeeded)"},
      {"redone_failed", "finished (failed)"},
      {"redone_cancelled", "finished (cancelled)"}}},
};

TEST(JobState, EveryPairLeadsWhereItShouldOrIsRefused) {
  int pairs = 0;
  for (const JobStanding& from : all_standings())
    for (std::size_t i = 0; i < kJobEvents; ++i, ++pairs) {
      const auto event = static_cast<JobEvent>(i);
      SCOPED_TRACE(to_string(from) + " + " + std::string(to_string(event)));
      const auto events = kExpected.find(to_string(from));
      const bool accepted = events != kExpected.end() && events->second.contains(std::string(to_string(event)));
      const Result<JobStanding> to = next(from, event);
      if (!accepted) {
        EXPECT_FAILS(to, "transition_refused");
        continue;
      }
      ASSERT_OK(to);
      EXPECT_EQ(to_string(*to), events->second.at(std::string(to_string(event))));
      EXPECT_EQ(to->state == JobState::finished, to->outcome.has_value());
    }
  EXPECT_EQ(pairs, 13 * 20);
}

TEST(JobState, ThePairsOfTheTableAreUniqueAndSayWhy) {
  std::set<std::pair<std::string, JobEvent>> seen;
  for (const JobTransition& transition : job_transitions()) {
    EXPECT_TRUE(seen.emplace(to_string(transition.from), transition.event).second) << to_string(transition.from);
    EXPECT_FALSE(transition.why.empty());
  }
}

TEST(JobState, EveryUnfinishedStateCanEnd) {
  for (const JobStanding& from : all_standings()) {
    if (from.outcome) continue;
    bool ends = false;
    for (const JobTransition& transition : job_transitions())
      ends |= transition.from == from && transition.to.state == JobState::finished;
    EXPECT_TRUE(ends) << to_string(from);
  }
}

TEST(JobState, ARefusalNamesStateEventAndWhatWouldBeAccepted) {
  const auto refused = next({JobState::waiting_for_review, {}}, JobEvent::planned);
  ASSERT_FAILS(refused, "transition_refused");
  EXPECT_EQ(refused.error().message, "a job that is waiting_for_review does not take 'planned'");
  EXPECT_EQ(refused.error().hint, "accepted: fixed, approved, rejected, cancelled");
  const auto over = next({JobState::finished, JobOutcome::rejected}, JobEvent::fixed);
  ASSERT_FAILS(over, "transition_refused");
  EXPECT_EQ(over.error().message, "a job that is finished (rejected) does not take 'fixed'");
  EXPECT_EQ(over.error().hint, "nothing moves this job any more");
}

TEST(JobState, ARetryIsAcceptedByWhatFailed) {
  for (std::size_t i = 0; i < kJobStates; ++i) {
    const auto state = static_cast<JobState>(i);
    const auto event = retry_event(state);
    EXPECT_EQ(event.has_value(), state != JobState::waiting_for_upload && state != JobState::finished);
    if (!event) continue;
    EXPECT_OK(next({JobState::finished, JobOutcome::failed}, *event));
    EXPECT_OK(next({JobState::finished, JobOutcome::cancelled}, *event));
    EXPECT_FAILS(next({JobState::finished, JobOutcome::succeeded}, *event), "transition_refused");
  }
  EXPECT_EQ(retry_event(JobState::upload_completed), JobEvent::preparation_retried);
  EXPECT_EQ(retry_event(JobState::waiting_for_review), JobEvent::analysis_retried);
  EXPECT_EQ(retry_event(JobState::approved), JobEvent::processing_retried);
}

TEST(JobState, NamesAreUniqueAndReadBack) {
  std::set<std::string_view> events;
  for (std::size_t i = 0; i < kJobEvents; ++i) events.insert(to_string(static_cast<JobEvent>(i)));
  EXPECT_EQ(events.size(), kJobEvents);
  EXPECT_FALSE(events.contains(""));
  for (std::size_t i = 0; i < kJobStates; ++i)
    EXPECT_EQ(job_state_of(to_string(static_cast<JobState>(i))), static_cast<JobState>(i));
  for (std::size_t i = 0; i < kJobOutcomes; ++i)
    EXPECT_EQ(job_outcome_of(to_string(static_cast<JobOutcome>(i))), static_cast<JobOutcome>(i));
  EXPECT_EQ(job_state_of("Finished"), std::nullopt);
  EXPECT_EQ(job_outcome_of(""), std::nullopt);
}

TEST(JobState, StatusIsOneWordForPeople) {
  const std::map<std::string, std::pair<std::string, std::string>> expected = {
      {"waiting_for_upload", {"queued", "paused"}},
      {"upload_completed", {"queued", "paused"}},
      {"preparing_data", {"running", "paused"}},
      {"analysing_data", {"running", "paused"}},
      {"waiting_for_review", {"waiting_for_review", "waiting_for_review"}},
      {"approved", {"running", "paused"}},
      {"rejected", {"running", "paused"}},
      {"processing_data", {"running", "paused"}},
      {"finished (succeeded)", {"succeeded", "succeeded"}},
      {"finished (failed)", {"failed", "failed"}},
      {"finished (rejected)", {"rejected", "rejected"}},
      {"finished (cancelled)", {"cancelled", "cancelled"}},
      {"finished (undone)", {"undone", "undone"}},
  };
  for (const JobStanding& standing : all_standings()) {
    EXPECT_EQ(job_status(standing, false), expected.at(to_string(standing)).first) << to_string(standing);
    EXPECT_EQ(job_status(standing, true), expected.at(to_string(standing)).second) << to_string(standing);
  }
}

TEST(JobState, ProgressGrowsFromZeroToHundred) {
  EXPECT_EQ(job_progress(JobState::waiting_for_upload, 0, 0), 0);
  EXPECT_EQ(job_progress(JobState::upload_completed, 0, 0), 0);
  EXPECT_EQ(job_progress(JobState::preparing_data, 0, 0), 5);
  EXPECT_EQ(job_progress(JobState::analysing_data, 0, 20), 10);
  EXPECT_EQ(job_progress(JobState::analysing_data, 0, 0), 10);
  EXPECT_EQ(job_progress(JobState::waiting_for_review, 10, 20), 54);
  EXPECT_EQ(job_progress(JobState::processing_data, 19, 20), 94);
  EXPECT_EQ(job_progress(JobState::processing_data, 20, 20), 99);
  EXPECT_EQ(job_progress(JobState::processing_data, 30, 20), 99);
  EXPECT_EQ(job_progress(JobState::processing_data, INT64_MAX, INT64_MAX), 99);
  EXPECT_EQ(job_progress(JobState::finished, 3, 20), 100);
}

}  // namespace
}  // namespace lade::model
