#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "db/connection.h"
#include "steps/entities.h"

// Single entities of reference tables, as those who decide about names need them.
namespace lade::jobs {

// What the entity is called; nullopt when the table has none with this id.
Result<std::optional<std::string>> find_entity(db::Connection& connection, const steps::EntityTable& table,
                                               const std::string& id);

// Inserts one, in the caller's transaction, and gives its id. `name` goes into the first column of names unless that is
// given. Fails with entity_column_unknown, with entity_incomplete when a column that must have a value has none, and
// with entity_refused, in the database's words.
Result<std::string> create_entity(db::Connection& connection, const steps::EntityTable& table, const std::string& name,
                                  const std::vector<std::pair<std::string, std::optional<std::string>>>& values);

}  // namespace lade::jobs
