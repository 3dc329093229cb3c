#pragma once

#include "base/result.h"

namespace lade::csv {

// How a file writes its records. `quote` 0 means that nothing is quoted. `escape` equal to `quote` means doubled
// quotes; any other escape (a backslash, say) makes the next character literal inside quotes; 0 means that there is
// none.
struct Dialect {
  char delimiter = ',';
  char quote = '"';
  char escape = '"';
  bool lone_cr =
      false;            // records end with CR alone (old Macintosh files), LF or CRLF; otherwise LF or CRLF, also mixed
  char comment = '\0';  // lines that begin with it are no records; 0: there are none
  bool rows_are_lines = false;  // line ends inside quotes do not count as lines: lines are rows of a sheet

  bool operator==(const Dialect&) const = default;
};

// Refuses with dialect_invalid what cannot be told apart: a delimiter, quote, escape or comment that is a line end, or
// two of them that are the same byte (an escape may be the quote).
Result<void> validate(const Dialect& dialect);

}  // namespace lade::csv
