#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/moment.h"

namespace lade::mirror {

// How far a job has come: rows that have their outcome, whether that was good or bad.
struct JobProgress {
  std::int64_t succeeded = 0;
  std::int64_t failed = 0;
  std::optional<std::int64_t> total = {};  // nullopt: not counted yet
  std::int64_t attempt = 0;                // how often the job was sent back after it had ended
  bool finished = false;
  Moment last_updated = {};

  std::int64_t processed() const { return succeeded + failed; }
  // Of all rows, with one decimal.
  double percentage() const;
  // Says the same, whenever.
  bool same_as(const JobProgress& other) const;
};

// {"processed_rows":2500,"total_rows":10000,"success_count":2480,"failure_count":20,"percentage":25.0,
// "last_updated":"2025-10-22T10:35:00.000Z","attempt":0,"finished":false}
std::string to_json(const JobProgress& progress);
// nullopt for anything that to_json() would not have written.
std::optional<JobProgress> read_progress(std::string_view json);

// Beyond this age nobody stands behind a value any more: who works on a job renews it more often.
constexpr std::chrono::seconds kFreshFor{30};

// The fresher of what is stored and what the mirror shows. The mirror counts only for the job as it stands: of the same
// attempt, while it is not finished, further than what is stored, within its total, and not older than kFreshFor.
JobProgress fresher(const JobProgress& stored, const std::optional<JobProgress>& mirrored, Moment now);

}  // namespace lade::mirror
