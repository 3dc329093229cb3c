#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "jobs/arm.h"
#include "jobs/job.h"
#include "jobs/open_source.h"
#include "storage/storage.h"
#include "store/job_list.h"

// A job between its rows in the database and what a process works with.
namespace lade::jobs {

// The options that every process working on the job must share, as kept with the job.
std::string to_text(const ImportOptions& options, const std::optional<LocalFile>& local);

// The options kept with a job that say how it was asked for: results, and for which time its rows hold.
ImportOptions options_of(const store::JobRecord& job);
// What the request said about how the file is read; empty: nothing.
std::string source_of(const store::JobRecord& job);
// What the request said about how the file is read, for which time it holds and who gets its rows: a part of what makes
// two jobs twins. Empty: nothing.
std::string reading_of(const ImportOptions& options);
std::string reading_of(const store::JobRecord& job);

// The same options; rows that later jobs have written are overwritten when the job is retried.
std::string with_overwrite(const std::string& options);
// The same options, but nothing is taken over from another job.
std::string without_corrections(const std::string& options);

// A job that takes another one back has no file: what needs one fails with not_an_import.
Result<void> check_is_import(const store::JobRecord& job);

// The queue that its definition names.
Result<std::string> queue_of(db::Connection& connection, const store::JobRecord& job);
// The definition as the job keeps it.
Result<definition::Definition> definition_of(db::Connection& connection, const store::JobRecord& job);
// The tables that a definition loads into, as the database calls them.
Result<std::vector<std::string>> target_tables(db::Connection& connection, const definition::Definition& definition);

// A job as the database has it, with its file opened, but not bound yet; its plan is empty before it is planned.
struct StoredJob {
  store::JobRecord record;
  definition::Definition definition;
  std::unique_ptr<Job> job;
  JobGroup group;
};
// `here` is what this process adds: database, folder, threads. Fails with stored_file_missing, file_changed and the
// like.
Result<StoredJob> load_job(db::Connection& connection, std::int64_t id, const ImportOptions& here,
                           const storage::Storage& storage);

// A job whose file was planned, bound to its file and the database's tables. Fails as load_job(), and with
// results_not_ready when it is not planned yet.
Result<std::unique_ptr<Job>> open_planned_job(db::Connection& connection, const store::JobRecord& record,
                                              const ImportOptions& here, const storage::Storage& storage);

// Reads a stored file through and compares it with its checksum, so that no row of a damaged one is loaded. A file that
// is imported where it lies has none.
Result<void> verify_file(db::Connection& connection, const StoredJob& stored, const storage::Storage& storage);

}  // namespace lade::jobs
