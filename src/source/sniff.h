#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "csv/dialect.h"

namespace lade::source {

// What the first bytes of a file suggest about it, and why. Nothing of it is enforced: whoever asks may overrule it.
struct Sniffed {
  csv::Dialect dialect;
  bool has_header = true;
  std::vector<std::string> header;  // the first record's fields when it is a header
  std::size_t columns = 0;          // fields of most records
  std::size_t records = 0;          // looked at
  bool bom = false;
  std::string encoding;               // "utf-8", or "unknown" when the bytes are no valid UTF-8
  std::vector<std::string> evidence;  // one finding a line, for people
};

// Looks at the start of a file (64 KB or more are a good sample; a record cut off at its end does no harm). Refuses
// with file_empty, unsupported_encoding (UTF-16, UTF-32) or not_a_csv (workbooks, archives, documents, binary content).
Result<Sniffed> sniff_csv(std::string_view sample);

}  // namespace lade::source
