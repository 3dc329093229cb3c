#include "model/batch_status.h"

#include <algorithm>
#include <array>

namespace lade::model {
namespace {

constexpr std::array<std::string_view, 6> kStatuses = {"pending",   "running", "paused",
                                                       "succeeded", "failed",  "cancelled"};

}  // namespace

void JobTally::add(const JobStanding& standing, bool is_paused, std::int64_t jobs) {
  const std::string_view status = job_status(standing, is_paused);
  std::int64_t& count = status == "queued"               ? queued
                        : status == "running"            ? running
                        : status == "paused"             ? paused
                        : status == "waiting_for_review" ? waiting_for_review
                        : status == "succeeded"          ? succeeded
                        : status == "failed"             ? failed
                                                         : ended_by_people;
  count += jobs;
}

std::string_view batch_status(const JobTally& jobs) {
  if (jobs.live() > 0) {
    if (jobs.paused > 0 && jobs.queued == 0 && jobs.running == 0) return "paused";
    return jobs.started == 0 ? "pending" : "running";
  }
  if (jobs.succeeded > jobs.fruitless) return "succeeded";
  if (jobs.failed + jobs.fruitless > 0) return "failed";
  return jobs.ended_by_people > 0 ? "cancelled" : "pending";
}

bool is_batch_status(std::string_view status) {
  return std::ranges::find(kStatuses, status) != kStatuses.end();
}

}  // namespace lade::model
