#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "db/connection.h"

// What people have decided that names mean, to be used again.
namespace lade::store {

// What a decision is about: a name as it is normalised by certain rules, looked for in a table.
struct NameKey {
  std::int64_t company = 0;
  std::string table;
  std::string rules;  // steps::EntityTable::rules_mark()
  std::string name;
};

struct NameDecision {
  std::string decision;     // pick, create, reject
  std::string entity = {};  // its id; empty: the name means nobody
  std::string entity_name = {};
  std::string decided_by = {};
  std::string decided_at = {};
};

// Replaces what was decided before. `written` is the name as somebody has written it.
Result<void> remember_name(db::Connection& connection, const NameKey& key, const std::string& written,
                           const NameDecision& decision);
Result<void> forget_name(db::Connection& connection, const NameKey& key);
Result<std::optional<NameDecision>> find_name_decision(db::Connection& connection, const NameKey& key);

struct RememberedName {
  std::string name;
  std::string entity;
};
// All about one table; none in a database that has no such decisions yet.
Result<std::vector<RememberedName>> remembered_names(db::Connection& connection, std::int64_t company,
                                                     const std::string& table, const std::string& rules);

}  // namespace lade::store
