#include "model/job_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace lade::model {
namespace {

constexpr std::array<std::string_view, kJobStates> kStateNames = {
    "waiting_for_upload", "upload_completed", "preparing_data",  "analysing_data", "waiting_for_review",
    "approved",           "rejected",         "processing_data", "finished"};
constexpr std::array<std::string_view, kJobOutcomes> kOutcomeNames = {"succeeded", "failed", "rejected", "cancelled",
                                                                      "undone"};
constexpr std::array<std::string_view, kJobEvents> kEventNames = {
    "file_stored",      "preparation_started", "planned",   "analysed", "review_needed", "approved",
    "rejected",         "processing_started",  "completed", "failed",   "cancelled",     "preparation_retried",
    "analysis_retried", "processing_retried",  "fixed",     "undone",   "redone",        "redone_failed",
    "redone_cancelled", "pages_retried"};

using enum JobState;
using Event = JobEvent;

constexpr JobStanding at(JobState state) {
  return {state, std::nullopt};
}
constexpr JobStanding ended(JobOutcome outcome) {
  return {finished, outcome};
}
constexpr JobStanding kSucceeded = ended(JobOutcome::succeeded);
constexpr JobStanding kFailed = ended(JobOutcome::failed);
constexpr JobStanding kRejected = ended(JobOutcome::rejected);
constexpr JobStanding kCancelled = ended(JobOutcome::cancelled);
constexpr JobStanding kUndone = ended(JobOutcome::undone);

// clang-format off
constexpr JobTransition kTransitions[] = {
    {at(waiting_for_upload), Event::file_stored,         at(upload_completed),   "the file lies in the storage and is not empty"},
    {at(waiting_for_upload), Event::cancelled,           kCancelled,             "nobody waits for the file any longer"},
    {at(upload_completed),   Event::preparation_started, at(preparing_data),     "a worker has taken the plan task"},
    {at(upload_completed),   Event::failed,              kFailed,                "the plan task could not even begin"},
    {at(upload_completed),   Event::cancelled,           kCancelled,             "cancelled before it began"},
    {at(preparing_data),     Event::planned,             at(analysing_data),     "chunks, buckets and totals are stored"},
    {at(preparing_data),     Event::failed,              kFailed,                "the file does not fit the definition, or planning was given up"},
    {at(preparing_data),     Event::cancelled,           kCancelled,             "cancelled while it was planned"},
    {at(preparing_data),     Event::fixed,               at(analysing_data),     "pages were fetched again: their rows are corrected"},
    {at(analysing_data),     Event::analysed,            at(processing_data),    "all rows are analysed and settled; nobody wants to see them first"},
    {at(analysing_data),     Event::review_needed,       at(waiting_for_review), "all rows are analysed and settled; somebody must look at them"},
    {at(analysing_data),     Event::failed,              kFailed,                "too many rows failed, or a chunk was given up; nothing was written"},
    {at(analysing_data),     Event::cancelled,           kCancelled,             "cancelled before a row was written"},
    {at(waiting_for_review), Event::fixed,               at(waiting_for_review), "a row was corrected; what is approved is a new revision"},
    {at(waiting_for_review), Event::approved,            at(approved),           "a reviewer accepts this revision"},
    {at(waiting_for_review), Event::rejected,            at(rejected),           "a reviewer refuses it"},
    {at(waiting_for_review), Event::cancelled,           kCancelled,             "cancelled instead of reviewed"},
    {at(approved),           Event::processing_started,  at(processing_data),    "a worker has taken the first bucket"},
    {at(approved),           Event::failed,              kFailed,                "no bucket could even begin"},
    {at(approved),           Event::cancelled,           kCancelled,             "cancelled before a row was written"},
    {at(rejected),           Event::completed,           kRejected,              "result files are written, the target is untouched"},
    {at(rejected),           Event::failed,              kFailed,                "the end of the job was given up"},
    {at(processing_data),    Event::completed,           kSucceeded,             "every bucket is loaded and the counts add up"},
    {at(processing_data),    Event::failed,              kFailed,                "a bucket was given up, or more rows failed than allowed"},
    {at(processing_data),    Event::cancelled,           kCancelled,             "cancelled between buckets; the counts say what landed"},
    {kSucceeded,             Event::fixed,               at(analysing_data),     "failed rows were corrected"},
    {kSucceeded,             Event::pages_retried,       at(preparing_data),     "pages that failed are fetched again"},
    {kSucceeded,             Event::undone,              kUndone,                "its undo job has ended"},
    {kFailed,                Event::preparation_retried, at(preparing_data),     "it ended before it was planned"},
    {kFailed,                Event::analysis_retried,    at(analysing_data),     "it ended before it was settled; only failed tasks run again"},
    {kFailed,                Event::processing_retried,  at(processing_data),    "it ended while buckets were loaded; only failed tasks run again"},
    {kFailed,                Event::fixed,               at(analysing_data),     "failed rows were corrected"},
    {kFailed,                Event::pages_retried,       at(preparing_data),     "pages that failed are fetched again"},
    {kFailed,                Event::undone,              kUndone,                "its undo job has ended"},
    {kCancelled,             Event::preparation_retried, at(preparing_data),     "it ended before it was planned"},
    {kCancelled,             Event::analysis_retried,    at(analysing_data),     "it ended before it was settled; only cancelled tasks run again"},
    {kCancelled,             Event::processing_retried,  at(processing_data),    "it ended while buckets were loaded; only cancelled tasks run again"},
    {kCancelled,             Event::fixed,               at(analysing_data),     "failed rows were corrected"},
    {kCancelled,             Event::pages_retried,       at(preparing_data),     "pages that failed are fetched again"},
    {kCancelled,             Event::undone,              kUndone,                "its undo job has ended"},
    {kUndone,                Event::redone,              kSucceeded,             "its undo was undone: what it had loaded is there again"},
    {kUndone,                Event::redone_failed,       kFailed,                "the same, and it had failed: it can be retried again"},
    {kUndone,                Event::redone_cancelled,    kCancelled,             "the same, and it had been cancelled: it can be retried again"},
};
// clang-format on

template <class Name, std::size_t count>
std::optional<Name> find_name(const std::array<std::string_view, count>& names, std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<Name>(found - names.begin());
}

Error refusal(const JobStanding& from, JobEvent event) {
  std::string accepted;
  for (const JobTransition& transition : kTransitions)
    if (transition.from == from)
      accepted += fmt::format("{}{}", accepted.empty() ? "" : ", ", to_string(transition.event));
  return {"transition_refused", fmt::format("a job that is {} does not take '{}'", to_string(from), to_string(event)),
          accepted.empty() ? "nothing moves this job any more" : "accepted: " + accepted, ErrorKind::invalid};
}

}  // namespace

std::span<const JobTransition> job_transitions() {
  return kTransitions;
}

Result<JobStanding> next(const JobStanding& from, JobEvent event) {
  for (const JobTransition& transition : kTransitions)
    if (transition.from == from && transition.event == event) return transition.to;
  return fail(refusal(from, event));
}

std::optional<JobEvent> retry_event(JobState ended_in) {
  switch (ended_in) {
    case upload_completed:
    case preparing_data: return Event::preparation_retried;
    case analysing_data:
    case waiting_for_review:
    case rejected: return Event::analysis_retried;
    case approved:
    case processing_data: return Event::processing_retried;
    case waiting_for_upload:
    case finished: break;
  }
  return std::nullopt;
}

std::string_view to_string(JobState state) {
  return kStateNames[static_cast<std::size_t>(state)];
}

std::string_view to_string(JobOutcome outcome) {
  return kOutcomeNames[static_cast<std::size_t>(outcome)];
}

std::string_view to_string(JobEvent event) {
  return kEventNames[static_cast<std::size_t>(event)];
}

std::string to_string(const JobStanding& standing) {
  if (!standing.outcome) return std::string(to_string(standing.state));
  return fmt::format("{} ({})", to_string(standing.state), to_string(*standing.outcome));
}

std::optional<JobState> job_state_of(std::string_view name) {
  return find_name<JobState>(kStateNames, name);
}

std::optional<JobOutcome> job_outcome_of(std::string_view name) {
  return find_name<JobOutcome>(kOutcomeNames, name);
}

std::string_view job_status(const JobStanding& standing, bool paused) {
  if (standing.outcome) return to_string(*standing.outcome);
  // Nobody works on a job in review anyway, and what it waits for is a person.
  if (standing.state == waiting_for_review) return "waiting_for_review";
  if (paused) return "paused";
  return standing.state == waiting_for_upload || standing.state == upload_completed ? "queued" : "running";
}

int job_progress(JobState state, std::int64_t done, std::int64_t total) {
  switch (state) {
    case waiting_for_upload:
    case upload_completed: return 0;
    case preparing_data: return 5;
    case finished: return 100;
    default: break;
  }
  constexpr int kPlanned = 10, kBeforeEnd = 99;
  if (total <= 0) return kPlanned;
  const double share = static_cast<double>(std::clamp<std::int64_t>(done, 0, total)) / static_cast<double>(total);
  return kPlanned + static_cast<int>((kBeforeEnd - kPlanned) * share);
}

}  // namespace lade::model
