#pragma once

#include <string_view>

#include "base/bytes.h"
#include "base/result.h"
#include "db/connection.h"
#include "store/batches.h"

// A batch as a file for people. Rows are read page by page: memory does not grow with the batch.
namespace lade::jobs {

// What failed or is blocked: pages with their URLs, then rows with their issues. CSV; text that a spreadsheet would run
// is guarded, secrets in addresses are left out.
Result<void> write_batch_errors(db::Connection& connection, const store::BatchRecord& batch, ByteSink& to);

// Every row task with what was taken out of its page and what became of it, for those who check quality. `format` is
// csv or json (a list).
Result<void> write_batch_export(db::Connection& connection, const store::BatchRecord& batch, std::string_view format,
                                ByteSink& to);

}  // namespace lade::jobs
