#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/program.h"
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

// Of the rows with these keys (tuples of the key columns of the entry), the keys of those to which a reference leads
// from a row that is not one of them.
Result<void> read_referred(db::Connection& connection, const analysis::EntryProgram& entry,
                           std::span<const Reference> references, db::TupleSource& keys,
                           const std::function<Result<void>(std::string_view key)>& on_key);

// Those that lead to the table.
Result<std::vector<Reference>> references_to(db::Connection& connection, const db::Table& table);

}  // namespace lade::load
