#pragma once

#include <cstdint>
#include <map>
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

// In which order people said that the dates of a column stand, in files with this header: DD/MM/YYYY.
struct KnownFormat {
  std::string source_column;
  std::string data_column;
  std::string format;
};
Result<std::vector<KnownFormat>> known_formats(db::Connection& connection, std::int64_t company,
                                               const std::string& definition, const std::vector<std::string>& header);

using DateFormats = std::map<std::string, std::string, std::less<>>;  // by data column
bool is_date_format(std::string_view text);

// Keeps all matches for files with this header; imports follow them from then on. Formats are only proposed again.
struct MatchesToKeep {
  std::int64_t company = 0;
  std::string definition;
  const std::vector<std::string>& header;
  const definition::HeaderMatch& match;
  std::string user;
  DateFormats formats = {};
};
Result<void> keep_matches(db::Connection& connection, const MatchesToKeep& kept);

}  // namespace lade::jobs
