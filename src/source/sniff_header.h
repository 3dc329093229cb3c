#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "source/sample_records.h"

namespace lade::source {

struct HeaderFinding {
  std::size_t record = 0;  // which one is the header, or the first of the data when there is none
  bool has_header = true;
  std::string evidence;
};

// Is record `first` a header? Judged column by column against the records below; yes when nothing speaks against it.
HeaderFinding sniff_header(const std::vector<SampleRecord>& records, std::size_t first = 0);

// Which record is the header? The one with most of the expected names; else the first that is as wide as the table and
// looks like one, when those above it are titles (a cell or two in a wide table); else the first.
HeaderFinding find_header(const std::vector<SampleRecord>& records, std::size_t fields,
                          const std::vector<std::string>& expected);

// How many of the expected names a record shows.
std::size_t names_shown(const SampleRecord& record, const std::vector<std::string>& expected);

}  // namespace lade::source
