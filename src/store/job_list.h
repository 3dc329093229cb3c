#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "db/connection.h"
#include "model/job_state.h"
#include "model/outcome.h"
#include "store/definitions.h"

// Jobs as their table has them.
namespace lade::store {

struct JobRecord {
  std::int64_t id = 0;
  std::string uuid;
  std::string slug;
  std::int64_t definition_id = 0;
  std::string definition;  // its slug
  std::int64_t definition_version = 0;
  std::int64_t file_id = 0;  // 0: none
  std::string file_uuid;     // of its file in the storage; empty: none (yet), or it lies elsewhere
  std::string file_name;
  std::int64_t file_bytes = 0;
  std::int64_t batch_id = 0;  // 0: none
  std::string batch;          // its name
  std::int64_t company = kDefaultCompany;
  std::int64_t project = 0;        // 0: none
  std::string created_by;          // as people call who made it
  std::int64_t created_by_id = 0;  // 0: nobody who has an account
  std::string options;
  std::string dedupe_hash;

  model::JobStanding standing;
  bool paused = false;
  bool cancel_requested = false;
  std::optional<model::JobState> ended_in;  // the state in which it finished
  std::string error_code;
  std::string error;
  std::string error_hint;
  std::string results_error;  // its rows are in, but result files could not be written
  std::int64_t retries = 0;
  std::int64_t review_revision = 0;  // raised by every correction
  std::string reviewed_by;
  std::string waits_for;          // slug of the job that loads into its target at the moment
  std::int64_t undoes_id = 0;     // the job that it takes back; 0: it is an import
  std::string undoes;             // its slug; empty also when that job was forgotten
  std::int64_t undone_by_id = 0;  // the newest job that takes it back, however that went; 0: there is none
  std::string undone_by;          // its slug

  std::optional<std::int64_t> rows_total;  // known when it is planned
  std::int64_t rows_analysed = 0;
  model::RowCounts rows;
  std::string issues;  // how often which, as JSON; known when it is finished
  std::int64_t chunks = 0;
  std::int64_t chunks_done = 0;
  std::int64_t buckets = 0;
  std::int64_t buckets_settled = 0;
  std::int64_t buckets_processed = 0;
  std::int64_t events = 0;  // the number of the newest

  std::string created_at;
  std::string started_at;
  std::string reviewed_at;
  std::string finished_at;

  std::string_view status() const { return model::job_status(standing, paused); }
  // Chunks count once, buckets when they are settled and when they are processed.
  int progress() const {
    return model::job_progress(standing.state, chunks_done + buckets_settled + buckets_processed, chunks + 2 * buckets);
  }
};

// By id, UUID or slug; nullopt when the company has no such job.
Result<std::optional<JobRecord>> find_job(db::Connection& connection, std::string_view reference,
                                          std::int64_t company = kDefaultCompany);

// Whosever it is: for lade's own work. Nullopt when there is none.
Result<std::optional<JobRecord>> job_with_id(db::Connection& connection, std::int64_t id);

// The definition as it was when the job was made.
Result<std::string> job_snapshot(db::Connection& connection, std::int64_t id);

struct JobFilter {
  std::string status = {};      // as job_status() has them, several with commas between; empty: all
  std::string definition = {};  // slug; empty: all
  std::int64_t batch_id = 0;    // 0: all
  std::int64_t seen_by = 0;     // only what this user made, or what belongs to `project`; 0: all
  std::int64_t project = 0;     // 0: none
  std::string file = {};        // part of the file's name; empty: all
  std::int64_t file_id = 0;     // only those of this file; 0: all
  std::string owner = {};       // who made them; empty: anybody
  std::string words = {};       // part of the file's name, the slug or the definition's name; empty: all
  std::string from = {};        // only those made then or later, 2024-12-31 or 2024-12-31T12:00:00Z; empty: all
  std::string to = {};          // only those made before; empty: all
  bool oldest_first = false;
  std::int64_t before = 0;  // where the last page ended (JobPage::next); 0: from the beginning on
  std::int64_t limit = 50;
  std::int64_t company = kDefaultCompany;
};
struct JobPage {
  std::vector<JobRecord> jobs;  // newest first, unless asked otherwise
  std::int64_t next = 0;        // `before` of the next page; 0: this is the last one
};
// Jobs created meanwhile do not shift the pages. Fails with status_unknown.
Result<JobPage> list_jobs(db::Connection& connection, const JobFilter& filter = {});

// How many jobs have which status, zeros included. Of the filter only company, definition, owner, seen_by and project
// count. Without them an index has the answer.
struct StatusCount {
  std::string_view status;
  std::int64_t jobs = 0;
};
Result<std::vector<StatusCount>> count_jobs(db::Connection& connection, const JobFilter& filter);

// The newest job with this hash that is live, or that succeeded within the window when one is given.
Result<std::optional<JobRecord>> find_twin(db::Connection& connection, std::string_view dedupe_hash,
                                           std::optional<std::chrono::seconds> window,
                                           std::int64_t company = kDefaultCompany);

}  // namespace lade::store
