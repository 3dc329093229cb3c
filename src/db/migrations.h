#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "db/connection.h"

namespace lade::db {

// One numbered step of a schema, forward only: versions count from 1 without gaps, and a published one never changes.
struct Migration {
  int version;
  std::string_view name;
  std::string_view sqlite;  // statements for each database, run in one transaction
  std::string_view postgresql;
};

struct SchemaState {
  int version = 0;                        // the newest migration that the database has; 0: none
  int known = 0;                          // the newest one that the program has
  std::vector<std::string> missing = {};  // names, in order
  bool is_current() const { return missing.empty() && version == known; }
};

constexpr std::string_view kVersionTable = "lade_schema_version";

// Runs the missing migrations in order, each in a transaction of its own together with its line in `version_table`
// (version, name, time, checksum). Several programs may do so at once: a lock lets one after the other. Gives the
// number of migrations run. Refused with schema_too_new when the database knows a later version, with schema_changed
// when a migration was run with another text; a migration that fails leaves nothing of itself.
Result<int> migrate(Connection& connection, std::span<const Migration> migrations,
                    std::string_view version_table = kVersionTable);

// The same comparison without changing anything; refuses what migrate() would refuse.
Result<SchemaState> schema_state(Connection& connection, std::span<const Migration> migrations,
                                 std::string_view version_table = kVersionTable);

}  // namespace lade::db
