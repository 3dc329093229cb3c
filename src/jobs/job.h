#pragma once

#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "analysis/analyser.h"
#include "analysis/program.h"
#include "csv/split.h"
#include "db/connection.h"
#include "jobs/import.h"
#include "load/loader.h"
#include "source/input.h"
#include "staging/issue_log.h"
#include "staging/segment.h"

namespace lade::jobs {

// What one pass over the file finds: the chunks, and records spread over it.
struct Scan {
  csv::Split split;
  std::string sample;  // whole records, one after another
};

// The pass over the file, on a thread of its own. Whoever no longer wants it drops it: it stops and is waited for.
class Scanning {
 public:
  Scanning() = default;
  Scanning(std::stop_source stop, std::future<Result<Scan>> result)
      : stop_(std::move(stop)), result_(std::move(result)) {}
  Scanning(Scanning&&) = default;
  Scanning& operator=(Scanning&&) = default;
  ~Scanning() { stop_.request_stop(); }
  Result<Scan> get() { return result_.get(); }

 private:
  std::stop_source stop_;
  std::future<Result<Scan>> result_;
};

// All that the phases of one job share. Filled front to back: plan, analyse, settle, process, finalise.
struct Job {
  Job(ImportOptions o, Progress& p, std::stop_token s) : options(std::move(o)), progress(p), stop(std::move(s)) {}

  const ImportOptions options;
  Progress& progress;
  const std::stop_token stop;

  std::string uuid;
  std::int64_t id = 0;  // 0 for a dry run: nothing is stored
  std::int64_t definition_version = 0;
  std::unique_ptr<db::Connection> connection;  // of the thread that runs the job
  source::Input input;
  source::Layout layout;
  Scanning scanning;
  std::shared_ptr<const analysis::Program> program;
  analysis::LookupMaps maps;
  std::unique_ptr<staging::Area> area;
  std::unique_ptr<staging::IssueLog> log;

  csv::Split split;                                  // plan: the chunks
  std::vector<std::string> splitters;                // plan: the buckets' upper bounds
  std::vector<std::vector<staging::Range>> buckets;  // analyse: each bucket's ranges, by chunk

  std::mutex mutex;  // guards what follows while workers run
  model::RowCounts counts;
  staging::IssueCounts issues;
  std::vector<staging::Range> orphans;                // process: rows whose parents may still come
  model::Outcome untold = model::Outcome::unchanged;  // what rows without a finding became: loaded, or not reached
  std::optional<Error> error;                         // why the job failed

  csv::ReaderOptions reader_options(const csv::ChunkStart& start) const;
  std::uint64_t chunk_end(std::size_t chunk) const;
  std::int64_t failed_rows() const { return counts[model::Outcome::failed]; }
};

// Begins the pass over the file as soon as its layout is known; the definition and the database can wait meanwhile.
Scanning begin_scan(const Job& job, definition::Partition partition);
// Takes the chunks from that pass and chooses the key ranges of the buckets.
Result<void> plan(Job& job);
// All chunks through all analysis steps, staged by bucket.
Result<void> analyse(Job& job);
// Decides whether the job may write at all: max_errors, fail_when, all_or_nothing. Sets job.error when not.
Result<void> settle(Job& job);
// Loads all buckets (or rehearses it), and counts every row's outcome.
Result<void> process(Job& job);
// When nothing is written after all: takes over from `log` and `counts` only the staged rows that failed; the caller
// counts all staged rows as unprocessed.
Result<void> keep_failures(Job& job, const staging::IssueLog& log, const model::RowCounts& counts);
// Counts staged rows that were not loaded.
Result<void> count_unprocessed(Job& job, std::span<const staging::Range> ranges);
// Whether that many failed rows stop the job, and why.
std::optional<Error> too_many_errors(const definition::Definition& definition, std::int64_t failed, std::int64_t read);
// Result files, issue file and issue table.
Result<void> write_results(Job& job, Summary& summary);
Result<void> store_issues(Job& job);

// Runs body() on up to `workers` threads; each takes items by calling next() until it gives nullopt. The first error,
// or a stop, ends the giving out of items.
using NextItem = std::function<std::optional<std::size_t>()>;
Result<void> run_workers(unsigned workers, std::size_t items, const std::stop_token& stop,
                         const std::function<Result<void>(const NextItem&)>& body);

}  // namespace lade::jobs
