#pragma once

#include <optional>
#include <string>

#include "db/connection.h"
#include "definition/definition.h"
#include "jobs/import.h"
#include "jobs/plan.h"
#include "source/input.h"
#include "storage/storage.h"
#include "store/files.h"
#include "store/job_list.h"

// From a job's file to the records that its tasks read.
namespace lade::jobs {

// A file that is imported where it lies: recognised again by its size and the time of its last change.
struct LocalFile {
  std::string path;
  std::int64_t bytes = 0;
  std::int64_t modified = 0;  // nanoseconds
};
Result<LocalFile> local_file(const std::string& path);

// The definition of one job: that which is stored, with what its request says about the file. Fails with
// source_invalid.
Result<definition::Definition> for_request(definition::Definition definition, const ImportOptions& options);

// What the definition says about how its files are read.
source::Overrides overrides_of(const definition::Definition& definition);

// A file that cannot be read in place (a workbook, compressed, of another encoding) is read once: the records made of
// it go into the storage, where all processes find them. Nullopt when the file is its own records.
Result<std::optional<storage::StoredFile>> keep_records(source::Input& input, const storage::Storage& storage);
// Names them as those of the job, in the caller's transaction.
Result<void> record_records(db::Connection& connection, std::int64_t job, const storage::StoredFile& records);

// The records of a stored job: those kept, or made from its file again. `plan` is empty before it is planned.
Result<source::Input> open_source(db::Connection& connection, const store::JobRecord& job,
                                  const definition::Definition& definition, const std::optional<LocalFile>& local,
                                  const Plan& plan, const ImportOptions& here, const storage::Storage& storage);

}  // namespace lade::jobs
