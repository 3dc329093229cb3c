#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "db/connection.h"

namespace lade::load {

// A foreign key by which rows of some table refer to rows of another one.
struct Reference {
  std::string table;                 // that refers: schema and name, quoted
  bool changes = false;              // when a row goes, those that refer to it go or change with it
  std::vector<std::string> columns;  // quoted
  std::vector<std::string> to;       // the columns referred to, quoted
};

// Those that lead to the table.
Result<std::vector<Reference>> references_to(db::Connection& connection, const db::Table& table);

}  // namespace lade::load
