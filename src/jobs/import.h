#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "definition/definition.h"
#include "handlers/registry.h"
#include "jobs/harvest_options.h"
#include "mirror/options.h"
#include "model/outcome.h"
#include "staging/issue_log.h"
#include "storage/bucket.h"
#include "store/definitions.h"

// The use case of this program: one file through one definition into one database.
namespace lade::jobs {

enum class Results { none, failed, all };

struct ImportOptions {
  std::string database;                               // sqlite:PATH or postgresql://…
  std::filesystem::path data = "lade-data";           // staging, spools and results live here
  std::optional<storage::BucketOptions> bucket = {};  // where files are stored instead of the data folder
  std::optional<mirror::Options> mirror = {};         // the Redis that shows how far jobs are
  std::filesystem::path temp = {};                    // what is written aside while working; empty: data
  std::filesystem::path results_folder;               // default: data/imports/<job id>
  std::filesystem::path issues_file;                  // every finding as NDJSON; empty: not written
  Results results = Results::failed;
  bool store_results = true;                      // false: no result file is stored, whatever `results` says
  std::string output_format = {};                 // of result files: csv, xlsx; empty: the source's own
  std::string result_file_prefix = {};            // of their names
  std::string results_path = "uploads/imports/";  // in the storage, before the job's UUID; empty, or ends with a slash
  bool result_bom = false;                        // CSV begins with a byte order mark, whatever the source has
  unsigned workers = 0;                           // 0: one per core
  std::size_t block_bytes = 256 * 1024;           // what a reader takes at once
  std::size_t batch_rows = 4096;                  // what analysis takes at once
  std::uint64_t chunk_bytes = 8 * 1024 * 1024;    // what a worker analyses at once
  std::uint64_t bucket_bytes = 4 * 1024 * 1024;   // what is loaded in one transaction
  std::size_t staging_memory = 64 * 1024 * 1024;  // staged rows beyond it go to a file
  std::int64_t lookup_rows = 500'000;             // larger reference tables are probed by query
  std::uint64_t max_bytes = 10'000'000'000;
  bool dry_run = false;
  std::int64_t first_changes = 0;   // of a dry run: so many records of the diff are in the summary
  std::filesystem::path diff_file;  // and all of them are written here, as NDJSON; empty: they are not
  bool force = false;               // also beside a job that does the same at the moment
  std::string user;                 // who imports, for people
  std::int64_t user_id = 0;         // 0: nobody who has an account
  std::int64_t company = store::kDefaultCompany;
  std::int64_t project = 0;  // 0: none
  bool delete_file = false;  // the upload goes when the job has succeeded
  std::string source = {};   // how this file is read, over what the definition says: keys of `source` as JSON
  // For which time its rows hold, where the definition leaves that to the job: a row of the table time_context, or days
  // as 2024-12-31; jobs/valid_time.h has the rule.
  std::string time_context_ident = {};
  std::string default_valid_from = {};
  std::string default_valid_to = {};
  // What a person has chosen for this file, over what the definition says (jobs/choices.h); empty: nothing.
  std::string mapping = {};      // {"data column": "source column" or null}
  std::string values = {};       // {"data column": {"text": {"use": "text"} or {"empty": true} or {"fail": true}}}
  std::string review = {};       // never, on_issues, always
  bool may_relax_review = true;  // false: a review may only become stricter than the definition wants it
  // UUID of another import of the file, whose corrections its preview takes over; empty: none. How the file is read
  // does not depend on it.
  std::string corrections_of = {};
  // The row handlers that steps may name; null: none. Shared by all jobs of the process.
  std::shared_ptr<const handlers::Registry> handlers = nullptr;
  // For the handler that gets the rows, over what the definition says: another one, some of its options as a JSON
  // object, rows at once (0: as the definition says).
  std::string handler = {};
  std::string handler_options = {};
  std::int64_t handler_batch = 0;
  HarvestOptions harvest = {};  // what this process may fetch, and how
  unsigned flush_batches = 5;   // of a handler: after so many, what became of their rows is stored
  std::string batch = {};       // the name of the one that the job joins, which is made when there is none; empty: none

  // Fills in what was left open; refuses what cannot work.
  Result<void> validate();
  // The part of it that is about result files: their format and the prefix of their names. Fails with option_invalid.
  Result<void> validate_results() const;
  // A folder of this machine for files that nobody sees.
  const std::filesystem::path& scratch() const { return temp.empty() ? data : temp; }
};

enum class Phase { preparing, fetching, analysing, settling, waiting, processing, finishing, finished };
std::string_view to_string(Phase phase);

// What is going on, readable from any thread at any time.
struct Progress {
  std::atomic<Phase> phase = Phase::preparing;
  std::atomic<std::int64_t> pages_total = 0;  // 0: the job has none
  std::atomic<std::int64_t> pages_done = 0;
  std::atomic<std::int64_t> pages_failed = 0;
  std::atomic<std::int64_t> rows_total = 0;
  std::atomic<std::int64_t> rows_analysed = 0;
  std::atomic<std::int64_t> rows_loaded = 0;
  std::atomic<std::int64_t> rows_failed = 0;
};

struct Summary {
  std::string job_id;
  std::string definition;
  std::int64_t definition_version = 0;
  std::string file;
  std::string outcome;  // succeeded, failed, cancelled, waiting_for_review
  Error error;          // when failed
  bool dry_run = false;
  bool resumed = false;  // went on with what an earlier process had begun
  model::RowCounts rows;
  staging::IssueCounts issues;
  std::vector<std::string> first_changes;  // records of the diff (load/diff.h), of a dry run
  std::vector<std::string> remarks;        // of a dry run: what would keep it from being loaded at once
  std::vector<std::string> unmapped_columns;
  std::vector<std::string> absent_columns;
  std::vector<std::string> remembered_columns;  // "File column=data column", as people have said before
  std::vector<std::string> keyless_tables;      // what is appended to them cannot be undone
  std::string succeeded_file, failed_file, unprocessed_file;
  double seconds = 0;
  std::int64_t peak_rss_bytes = 0;
};

std::string to_json(const Summary& summary);
std::int64_t rows_per_second(const Summary& summary);
// Of design section 11: 0 all rows in, 2 finished with failed rows, 3 failed, 5 cancelled, 7 waiting for review.
int exit_code(const Summary& summary);

// Runs the import to its end. An error means that the job could not start (bad file, definition, target, connection);
// once it has started, what went wrong is in the summary, with all counts.
Result<Summary> run_import(const std::string& file, const definition::Definition& definition,
                           const std::string& definition_text, ImportOptions options, Progress& progress,
                           std::stop_token stop);

// Stores the file and makes a job of it, for whoever works on this database: `lade worker` or `lade serve`. Fails with
// job_exists while a job that does the same is live, and with batch_name_invalid.
struct SubmittedJob {
  std::int64_t id = 0;
  std::string uuid;
  std::string slug;
  std::string status;  // queued, or paused when it has joined a paused batch
};
Result<SubmittedJob> submit_import(const std::string& file, const definition::Definition& definition,
                                   const std::string& definition_text, ImportOptions options,
                                   const std::stop_token& stop);

}  // namespace lade::jobs
