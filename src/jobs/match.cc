#include "jobs/match.h"

#include "analysis/cast.h"
#include "definition/header_name.h"
#include "store/column_matches.h"

namespace lade::jobs {

Result<std::vector<definition::KnownMatch>> known_matches(db::Connection& connection, std::int64_t company,
                                                          const std::string& definition,
                                                          const std::vector<std::string>& header) {
  LADE_ASSIGN(const auto saved, store::column_matches(connection, company, definition));
  std::vector<definition::KnownMatch> known;
  if (saved.empty()) return known;
  const std::string signature = definition::header_signature(header);
  for (const store::SavedMatch& match : saved)
    known.push_back({match.source_column, match.data_column, match.signature == signature});
  return known;
}

Result<std::vector<KnownFormat>> known_formats(db::Connection& connection, std::int64_t company,
                                               const std::string& definition, const std::vector<std::string>& header) {
  LADE_ASSIGN(const auto saved, store::column_matches(connection, company, definition));
  const std::string signature = definition::header_signature(header);
  std::vector<KnownFormat> formats;
  for (const store::SavedMatch& match : saved)
    if (match.signature == signature && !match.format.empty())
      formats.push_back({match.source_column, match.data_column, match.format});
  return formats;
}

bool is_date_format(std::string_view text) {
  return analysis::DateFormat::parse(text).has_value();
}

Result<void> keep_matches(db::Connection& connection, const MatchesToKeep& kept) {
  store::MatchesToSave saved{kept.company, kept.definition, definition::header_signature(kept.header), {}, kept.user};
  for (const definition::ColumnMatch& match : kept.match.matches) {
    const auto format = kept.formats.find(match.data_column);
    saved.matches.push_back({.signature = saved.signature,
                             .source_column = match.source_column,
                             .data_column = match.data_column,
                             .format = format == kept.formats.end() ? std::string() : format->second});
  }
  return store::save_column_matches(connection, saved);
}

}  // namespace lade::jobs
