#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "db/connection.h"
#include "db/migrations.h"

// Imports that somebody has begun to prepare: the file, how it is read, which column is which, what values mean. The
// place is kept here, so that a reload or another device goes on.
namespace lade::store {

// The twenty-fourth migration: drafts, and what operators look at.
db::Migration dashboard_migration();
// The twenty-sixth: what drafts take along, and how remembered columns write their dates.
db::Migration remembered_migration();

struct Draft {
  std::int64_t id = 0;
  std::string uuid;
  std::int64_t company = 0;
  std::int64_t owner = 0;  // whose it is, and nobody else's
  std::string created_by;
  std::string name;
  std::int64_t file_id = 0;   // 0: none, or it was forgotten
  std::string definition;     // slug; empty: not chosen
  std::string step = "file";  // of the screen
  std::string read = "{}";    // objects in JSON, for whoever imports it
  std::string mapping = "{}";
  std::string values = "{}";
  // UUID of the import whose corrections the next preview takes over; empty: of none. Saving another file forgets it.
  std::string corrections_of = {};
  std::int64_t version = 1;  // raised by every change
  std::string created_at = {};
  std::string updated_at = {};
};

constexpr std::int64_t kMostDrafts = 100;  // of one person

// Gives it as it is stored. Fails with too_many_drafts.
Result<Draft> create_draft(db::Connection& connection, const Draft& draft);
// The owner's, the one changed last first.
Result<std::vector<Draft>> list_drafts(db::Connection& connection, std::int64_t company, std::int64_t owner);
// By its UUID; nullopt when the owner has none.
Result<std::optional<Draft>> find_draft(db::Connection& connection, std::int64_t company, std::int64_t owner,
                                        std::string_view uuid);
// Replaces all but its owner, if it still has this version; nullopt when it has another one.
Result<std::optional<Draft>> save_draft(db::Connection& connection, const Draft& draft);
Result<void> remove_draft(db::Connection& connection, std::int64_t id);

}  // namespace lade::store
