#pragma once

#include <string>
#include <vector>

namespace lade::source {

struct HeaderFinding {
  bool has_header = true;
  std::string evidence;
};

// Is the first record a header? Judged column by column against the records below; yes when nothing speaks against it.
HeaderFinding sniff_header(const std::vector<std::vector<std::string>>& records);

}  // namespace lade::source
