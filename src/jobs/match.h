#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "db/connection.h"
#include "definition/match.h"

// The columns of files, matched with those of definitions, and what people have said about it.
namespace lade::jobs {

// What was said of files of this definition before, for a file with this header, newest first.
Result<std::vector<definition::KnownMatch>> known_matches(db::Connection& connection, std::int64_t company,
                                                          const std::string& definition,
                                                          const std::vector<std::string>& header);

// Keeps all matches for files with this header; imports follow them from then on.
struct MatchesToKeep {
  std::int64_t company = 0;
  std::string definition;
  const std::vector<std::string>& header;
  const definition::HeaderMatch& match;
  std::string user;
};
Result<void> keep_matches(db::Connection& connection, const MatchesToKeep& kept);

}  // namespace lade::jobs
