#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "csv/dialect.h"
#include "source/input.h"

namespace lade::source {

// How a file is read, and why: what `lade sniff` and the API show. Nothing of it is enforced: overrides come first.
struct Sniffed {
  Origin origin;  // format, compression, encoding, bad bytes, sheets
  csv::Dialect dialect;
  std::int64_t skipped_lines = 0;  // above the header, or above the first record when there is none
  bool has_header = true;
  std::int64_t header_line = 1;     // 0 when there is none
  std::vector<std::string> header;  // empty when there is none
  std::size_t columns = 0;
  std::vector<std::vector<std::string>> rows;  // the first 20 behind the header, as text
  std::vector<std::string> evidence;           // one finding a line, for people; the origin's too
};

// As an import with these overrides would read it. Refuses with what recognise() refuses.
Result<Sniffed> sniff(const Input& input, const Overrides& overrides = {});

}  // namespace lade::source
