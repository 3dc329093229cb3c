#pragma once

#include "base/file.h"
#include "base/result.h"
#include "source/input.h"
#include "source/spool.h"

namespace lade::source {

// The dialect in which lade keeps the rows of a sheet.
csv::Dialect sheet_dialect();

// Makes `input`, a workbook, the rows of one of its sheets, copied aside: cells to
// the last that is not blank, blank rows as blank lines. Text is always in quotes; numbers, dates, booleans and errors
// never are. Refuses with sheet_not_found (naming those there are),
// file_empty, file_too_large, cancelled, and what xlsx refuses.
Result<void> read_sheet(const Overrides& overrides, const Spooling& spooling, Input& input);

}  // namespace lade::source
