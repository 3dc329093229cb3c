#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "csv/dialect.h"

namespace lade::source {

struct SampleRecord {
  std::vector<std::string> fields;  // all of them, also of a ragged record
  std::uint64_t offset = 0;         // in the file
  std::int64_t line = 1;
};

// Where a sample stands in its file.
struct SamplePlace {
  std::uint64_t offset = 0;
  std::int64_t line = 1;
};

// The first records of a sample, at most `most`. A record that the sample cuts off may be the last of them.
std::vector<SampleRecord> sample_records(std::string_view sample, const csv::Dialect& dialect, const SamplePlace& place,
                                         std::size_t most);

}  // namespace lade::source
