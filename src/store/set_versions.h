#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "db/connection.h"

// Versions of data sets that jobs have built beside what readers see. The user's own table of versions says which one
// is active; this is what lade remembers of those that it has made.
namespace lade::store {

struct SetVersion {
  std::int64_t id = 0;
  std::int64_t company = 0;
  std::int64_t job = 0;
  std::string job_slug = {};  // empty: the job was deleted
  std::string table = {};     // the target, schema and name, quoted
  std::string column = {};    // of the target: which version a row belongs to
  std::string version_table = {}, id_column = {}, flag_column = {};
  std::string scope = "{}";                   // column → value, as JSON
  std::int64_t version = 0;                   // the row of the table of versions
  std::optional<std::int64_t> based_on = {};  // the version that was active when this one was begun
  std::string state = "building";             // building, active, retired, abandoned, purged
  std::int64_t keep_days = 30;
  std::int64_t rows = 0;
  std::string error = {};  // why it could not be purged
  std::string created_at = {}, activated_at = {}, retired_at = {};
};

Result<std::int64_t> create_set_version(db::Connection& connection, const SetVersion& version);
// The version that the job builds or has built.
Result<std::optional<SetVersion>> set_version_of(db::Connection& connection, std::int64_t job);
Result<std::optional<SetVersion>> find_set_version(db::Connection& connection, std::int64_t company, std::int64_t id);
// Newest first; `table` as it is quoted, empty: all.
Result<std::vector<SetVersion>> list_set_versions(db::Connection& connection, std::int64_t company,
                                                  const std::string& table = {});
// Readers see the version with this id of the user's own table, or none; lade may not have made it. Whatever else was
// active in the set is retired.
Result<void> note_seen(db::Connection& connection, const SetVersion& set, std::optional<std::int64_t> version);
// Whether the rows of that version of the set are gone.
Result<bool> is_purged(db::Connection& connection, const SetVersion& set, std::optional<std::int64_t> version);
Result<void> note_rows(db::Connection& connection, std::int64_t id, std::int64_t rows);
Result<void> note_state(db::Connection& connection, std::int64_t id, const std::string& state,
                        const std::string& error = {});
// Versions of all companies that nobody will want again: retired longer ago than they are to be kept, and those whose
// job has ended so long ago without making them active.
Result<std::vector<SetVersion>> expired_versions(db::Connection& connection);

}  // namespace lade::store
