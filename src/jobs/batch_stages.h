#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "db/connection.h"
#include "store/batch_stats.h"
#include "store/batches.h"

// The way of a batch's jobs in the stages by which seed G names it. Nothing keeps them: they follow from tasks and
// pages.
namespace lade::jobs {

namespace stage {
constexpr std::string_view kIngest = "manifest_ingest";     // the file is planned and its rows are analysed
constexpr std::string_view kScrape = "scrape";              // pages are fetched
constexpr std::string_view kEnrich = "enrich";              // fields are taken out of them
constexpr std::string_view kResolve = "entity_resolution";  // names are resolved
constexpr std::string_view kPrepare = "review_prep";        // rows are settled and compared, for people to look at
constexpr std::string_view kLoad = "load";                  // they go into the target tables
}  // namespace stage

struct StageCounts {
  std::int64_t pending = 0;
  std::int64_t running = 0;
  std::int64_t succeeded = 0;
  std::int64_t failed = 0;
  std::int64_t blocked = 0;
  std::int64_t cancelled = 0;
  std::int64_t total() const { return pending + running + succeeded + failed + blocked + cancelled; }
};

struct BatchStage {
  std::string id;      // UUID of the job and name of the stage
  std::string job_id;  // UUID
  std::string job;     // slug
  std::string file;
  std::string definition;
  std::string type;              // one of stage::k…
  std::string status;            // pending, running, paused, succeeded, failed, cancelled
  std::int64_t retry_count = 0;  // attempts that failed
  StageCounts counts;            // tasks; of scrape, enrich and entity_resolution: pages
  std::string started_at;
  std::string completed_at;
};
struct BatchStagePage {
  std::vector<BatchStage> stages;  // by job, oldest first, in the order of the stages
  std::int64_t next = 0;           // `after` of the next page; 0: this is the last one
};
// Of at most `jobs` jobs with ids above `after`. Jobs that fetch nothing have no scrape, enrich and entity_resolution.
Result<BatchStagePage> batch_stages(db::Connection& connection, const store::BatchRecord& batch, std::int64_t after,
                                    std::int64_t jobs);

// Whether a stage counts pages instead of tasks.
bool is_of_pages(std::string_view name);
// The stage to which tasks of this kind report; load when it is another kind.
std::string_view stage_of_kind(std::string_view kind);
// The stage in which a page with this error failed.
std::string_view stage_of_code(std::string_view code);

}  // namespace lade::jobs
