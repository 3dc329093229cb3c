#pragma once

#include <optional>
#include <string>

#include "definition/definition.h"
#include "jobs/arm.h"
#include "jobs/stored_job.h"
#include "storage/storage.h"
#include "store/files.h"

// How a job comes into being.
namespace lade::jobs {

// A file that is to be imported: where it lies, or as it was stored.
struct Submission {
  std::string name;  // as shown to people
  std::uint64_t bytes = 0;
  std::optional<LocalFile> local = {};
  std::optional<storage::StoredFile> stored = {};
  std::optional<storage::StoredFile> records = {};  // made of it already
};

struct NewImport {
  const definition::Definition& definition;
  const std::string& definition_text;
  const ImportOptions& options;
  const Submission& file;
  const storage::Storage& storage;
  std::string uuid;
  bool forced = false;  // also beside a live twin
};

// Stores the definition, unless its newest version is the same, and makes a job that is planned already and whose tasks
// only the node `boot` may take while it lives: file, job, plan and all analyse tasks in one transaction. Fails with
// job_exists.
Result<JobGroup> submit_planned(db::Connection& connection, const NewImport& import, const Plan& plan,
                                const std::string& boot);
// Makes a job whose plan task is for whoever comes first, or for the node `boot` while it lives.
Result<JobGroup> submit(db::Connection& connection, const NewImport& import, const std::string& boot = {});

// The hash by which the same import is found again; its definition must be stored.
Result<std::string> twin_hash(db::Connection& connection, const NewImport& import);

}  // namespace lade::jobs
