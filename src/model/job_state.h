#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

// The life of a job as one table. Everything that moves a job asks it: the store, the tests over all pairs, and
// docs/job-states.md, which is made from it.
namespace lade::model {

enum class JobState : std::uint8_t {
  waiting_for_upload,
  upload_completed,
  preparing_data,
  analysing_data,
  waiting_for_review,
  approved,
  rejected,
  processing_data,
  finished,
};
constexpr std::size_t kJobStates = 9;

// How a job ended.
enum class JobOutcome : std::uint8_t { succeeded, failed, rejected, cancelled, undone };
constexpr std::size_t kJobOutcomes = 5;

// What happens to a job. Each accepted one is also a line of its history.
enum class JobEvent : std::uint8_t {
  file_stored,
  preparation_started,
  planned,
  analysed,
  review_needed,
  approved,
  rejected,
  processing_started,
  completed,
  failed,
  cancelled,
  preparation_retried,
  analysis_retried,
  processing_retried,
  fixed,
  undone,
  redone,
  redone_failed,
  redone_cancelled,
  pages_retried,
};
constexpr std::size_t kJobEvents = 20;

// Where a job stands: its state, and how it ended when that is finished. Whether it is paused is a flag apart, honoured
// when tasks are claimed.
struct JobStanding {
  JobState state = JobState::waiting_for_upload;
  std::optional<JobOutcome> outcome = {};  // exactly when finished
  bool operator==(const JobStanding&) const = default;
};

struct JobTransition {
  JobStanding from;
  JobEvent event;
  JobStanding to;
  std::string_view why;
};

// The table. No two lines have the same `from` and `event`.
std::span<const JobTransition> job_transitions();

// Where the event leads. What is not in the table is refused with transition_refused, which names what would be
// accepted.
Result<JobStanding> next(const JobStanding& from, JobEvent event);

// The event by which a job that ended in this state is tried again; nullopt when it has nothing to begin with.
std::optional<JobEvent> retry_event(JobState ended_in);

std::string_view to_string(JobState state);
std::string_view to_string(JobOutcome outcome);
std::string_view to_string(JobEvent event);
// "processing_data", "finished (failed)".
std::string to_string(const JobStanding& standing);
std::optional<JobState> job_state_of(std::string_view name);
std::optional<JobOutcome> job_outcome_of(std::string_view name);

// One word for people: queued, running, paused, waiting_for_review, or the outcome.
std::string_view job_status(const JobStanding& standing, bool paused);

// 0 to 100: planning up to 10, then by the share of chunks and buckets that are done up to 99, and 100 when finished.
int job_progress(JobState state, std::int64_t done, std::int64_t total);

}  // namespace lade::model
