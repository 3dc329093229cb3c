#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "analysis/analyser.h"
#include "analysis/program.h"
#include "handlers/pool.h"
#include "jobs/import.h"
#include "jobs/plan.h"
#include "source/input.h"
#include "staging/issue_log.h"
#include "staging/segment.h"
#include "storage/storage.h"

namespace lade::jobs {

// A job as a process works on it: bound once, then shared by its tasks and never changed.
struct Job {
  std::int64_t id = 0;  // 0 for a dry run: nothing is stored
  std::string uuid;     // also the name of its group in the queue
  ImportOptions options;
  source::Input input;
  Plan plan;
  std::shared_ptr<const analysis::Program> program;
  analysis::LookupMaps maps;
  std::unique_ptr<staging::Area> area;      // for findings on their way
  std::shared_ptr<handlers::Pool> handler;  // that gets the rows; null: they go into tables, or there is none here
  std::int64_t retries = 0;
  bool gives_way = false;  // it is retried: rows that later jobs have written stay as they are

  const definition::Definition& definition() const { return program->definition; }
  csv::ReaderOptions reader_options(const csv::ChunkStart& start) const;
};

// Binds the definition to the file's header and the database's tables, and loads small reference tables.
Result<void> bind_job(Job& job, const definition::Definition& definition, db::Connection& connection);

Error cancelled();

// The storage of jobs' files: the bucket that the options name, or a folder in the data folder.
Result<std::unique_ptr<storage::Storage>> open_storage(const ImportOptions& options);
std::filesystem::path storage_path(const ImportOptions& options);
// Fails with `refusal`, completed by folder and reason.
Result<void> create_folder(const std::filesystem::path& folder, Error refusal);
// What is said when the data folder cannot be made.
Error data_folder();

// Whether that many failed rows stop the job, and why.
std::optional<Error> too_many_errors(const definition::Definition& definition, std::int64_t failed, std::int64_t read);
// Whether failed rows can stop the job, or somebody looks at it first.
bool is_judged(const definition::Definition& definition);
// Whether keys repeated in the file are then decided before anything is written: if that can make rows fail, or
// somebody wants to see it.
bool settles_before(const definition::Definition& definition);
// Whether buckets are also compared with the target then, so that people see what will be changed.
bool compares_before(const definition::Definition& definition);

// Runs body() on up to `workers` threads; each takes items by calling next() until it gives nullopt. The first error,
// or a stop, ends the giving out of items.
using NextItem = std::function<std::optional<std::size_t>()>;
Result<void> run_workers(unsigned workers, std::size_t items, const std::stop_token& stop,
                         const std::function<Result<void>(const NextItem&)>& body);

}  // namespace lade::jobs
