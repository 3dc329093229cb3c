#pragma once

#include <optional>
#include <string>
#include <vector>

#include "definition/parse.h"
#include "jobs/control.h"
#include "jobs/import.h"
#include "storage/storage.h"
#include "store/definitions.h"
#include "store/files.h"

// How imports come in from outside, by stored definitions and uploaded files. Nothing of a file is loaded here; all
// work in the caller's transaction when there is one.
namespace lade::jobs {

// The definition by which a job is to run. Fails with definition_not_found, or with definition_invalid when its newest
// version was stored with faults.
Result<store::StoredDefinition> require_definition(db::Connection& connection, std::string_view slug,
                                                   std::int64_t company,
                                                   std::optional<std::int64_t> version = std::nullopt);

// The definition by which somebody has matched a file with the same header; else the only one of the company of which
// the file has all required columns, of several the one that knows more of its columns. Reads the file's beginning, of
// a compressed one all. Fails with definition_not_matched or definition_ambiguous, which name what was found, and as
// reading the file does.
Result<store::StoredDefinition> match_definition(db::Connection& connection, const storage::Storage& storage,
                                                 const store::FileRecord& file, const ImportOptions& options);

struct ImportRequest {
  const store::StoredDefinition& definition;
  const ImportOptions& options;  // who, results, batch, force, and how it is cut
  definition::Limits limits = {};
  const store::FileRecord* file = nullptr;  // null: it comes later, by give_file()
};
// A job in the queue, or one that waits for its file. Fails with job_exists, batch_name_invalid, limit_invalid and, for
// an empty file, file_empty.
Result<store::JobRecord> create_import(db::Connection& connection, const ImportRequest& request);
// Puts a job that waits for its file into the queue. Fails as create_import(), with job_not_found and with
// transition_refused when the job does not wait for one.
Result<store::JobRecord> give_file(db::Connection& connection, const JobOrder& order, const store::FileRecord& file);

// The live job that keeps the same import from being created; nullopt when it has ended since.
Result<std::optional<store::JobRecord>> twin_of(db::Connection& connection, const store::StoredDefinition& definition,
                                                const store::FileRecord& file, const ImportOptions& options);

}  // namespace lade::jobs
