#pragma once

#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace lade::xlsx {

// What the main part of a workbook says.
struct WorkbookPart {
  struct Tab {
    std::string name;
    std::string relation;  // id of the relation that leads to its part
    bool hidden = false;
  };
  std::vector<Tab> tabs;
  bool from_1904 = false;
};

Result<WorkbookPart> read_workbook_part(ByteSource& source, const std::string& part);

}  // namespace lade::xlsx
