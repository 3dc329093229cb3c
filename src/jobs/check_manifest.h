#pragma once

#include "base/result.h"
#include "jobs/import.h"
#include "storage/storage.h"
#include "store/definitions.h"
#include "store/files.h"

namespace lade::jobs {

// A quick look at a file whose rows name pages, before a job is made of it: it has a header with the column of
// addresses, rows, and at least one of the first ten names an address that can be asked for. Files of definitions that
// fetch nothing pass. Fails with manifest_empty, manifest_ingest_failed and as reading the file does.
Result<void> check_manifest(const storage::Storage& storage, const store::FileRecord& file,
                            const store::StoredDefinition& stored, const ImportOptions& options);

}  // namespace lade::jobs
