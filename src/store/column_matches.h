#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "db/connection.h"
#include "db/migrations.h"

// Which columns of files people have said to be which columns of a definition: by the file's whole header, so that the
// next file of the same sender is read alike.
namespace lade::store {

// The twelfth migration.
db::Migration column_matches_migration();

struct SavedMatch {
  std::string signature;  // of the header
  std::string source_column;
  std::string data_column;
  std::string saved_by = {};
  std::string saved_at = {};
  // How its dates are written, as somebody said because the file does not tell: DD/MM/YYYY; empty: nobody did.
  std::string format = {};
};

struct MatchesToSave {
  std::int64_t company = 0;
  std::string definition;  // slug: they outlive its versions
  std::string signature;
  std::vector<SavedMatch> matches;
  std::string saved_by;
};
// Replaces what was said of that header. In one transaction.
Result<void> save_column_matches(db::Connection& connection, const MatchesToSave& saved);

// All of a definition, newest first; none in a database that has no such table yet.
Result<std::vector<SavedMatch>> column_matches(db::Connection& connection, std::int64_t company,
                                               std::string_view definition);

// The definitions by which somebody has matched such a header, the one matched last first.
Result<std::vector<std::string>> definitions_matched(db::Connection& connection, std::int64_t company,
                                                     std::string_view signature);

}  // namespace lade::store
