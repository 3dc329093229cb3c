#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "db/connection.h"
#include "store/job_list.h"

// How the work on a job is cut and how far each part is, and how it went over time. Both come from the job's tasks and
// what they have published: nothing is written for them.
namespace lade::jobs {

// A chunk or a bucket; or several neighbours, when there are very many.
struct JobPart {
  std::int64_t number = 0;
  std::int64_t first_row = 0;  // of chunks; 0: not known
  std::int64_t rows = 0;
  std::int64_t failed = 0;
  std::string status = "pending";  // as tasks have it
  std::int64_t attempts = 0;
  std::int64_t duration = 0;     // microseconds
  std::int64_t task = 0;         // 0: there is none yet
  std::int64_t finished_at = 0;  // microseconds since 1970
};

struct JobParts {
  std::vector<JobPart> chunks;
  std::vector<JobPart> buckets;
};
Result<JobParts> job_parts(db::Connection& connection, const store::JobRecord& job);

// At most `most` of them: `group_size` neighbours are one then, which is as far as the last of them.
std::vector<JobPart> grouped(const std::vector<JobPart>& parts, std::size_t group_size);

struct ProgressPoint {
  std::int64_t second = 0;  // since the series' beginning
  // Up to then.
  std::int64_t analysed = 0, loaded = 0, failed = 0;
};
struct JobPhase {
  std::string phase;  // upload, plan, analyse, review, process
  std::string started_at;
  std::string finished_at;  // empty: it goes on
};
struct JobSeries {
  std::int64_t step = 1;  // seconds
  std::string from;       // empty: nothing was done yet
  std::vector<ProgressPoint> points;
  std::vector<JobPhase> phases;
};
inline constexpr std::int64_t kMostPoints = 600;
Result<JobSeries> job_series(db::Connection& connection, const store::JobRecord& job);

}  // namespace lade::jobs
