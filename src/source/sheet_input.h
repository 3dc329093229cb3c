#pragma once

#include <filesystem>
#include <stop_token>

#include "base/file.h"
#include "base/result.h"
#include "source/input.h"

namespace lade::source {

// The dialect in which lade keeps the rows of a sheet.
csv::Dialect sheet_dialect();

// Makes `input` the rows of one sheet of the workbook in `file`, written to a nameless file in `spool_folder`: cells to
// the last that is not blank, blank rows as blank lines. Text is always in quotes; numbers, dates, booleans and errors
// never are. Refuses with sheet_not_found (naming those there are),
// file_empty, file_too_large, cancelled, and what xlsx refuses.
Result<void> read_sheet(const File& file, const Overrides& overrides, const std::filesystem::path& spool_folder,
                        std::uint64_t max_bytes, const std::stop_token& stop, Input& input);

}  // namespace lade::source
