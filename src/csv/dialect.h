#pragma once

namespace lade::csv {

// How a file writes its records. `quote` 0 means that nothing is quoted. `escape` equal to `quote` means doubled quotes;
// any other escape (a backslash, say) makes the next character literal inside quotes.
struct Dialect {
  char delimiter = ',';
  char quote = '"';
  char escape = '"';
  bool lone_cr = false;  // records end with CR alone (old Macintosh files); otherwise LF or CRLF, also mixed

  bool operator==(const Dialect&) const = default;
};

}  // namespace lade::csv
