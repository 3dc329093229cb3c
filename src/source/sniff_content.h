#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace lade::source {

struct Content {
  bool bom = false;
  std::string encoding;
  std::string evidence;
};

// Is it text that a CSV reader can take? Errors as sniff_csv.
Result<Content> sniff_content(std::string_view sample);

}  // namespace lade::source
