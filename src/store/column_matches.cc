#include "store/column_matches.h"

#include <fmt/format.h>

#include "store/schema.h"
#include "store/schema_text.h"
#include "store/sql.h"

namespace lade::store {
namespace {

using db::Value;

constexpr int kVersion = 12;
constexpr int kFormats = 26;  // since then they have formats

constexpr std::string_view kColumnMatches = R"sql(
CREATE TABLE lade_column_match (
  id            @id,
  company_id    integer NOT NULL REFERENCES lade_company (id),
  definition    text NOT NULL,
  signature     text NOT NULL,
  source_column text NOT NULL,
  data_column   text NOT NULL,
  saved_by      text NOT NULL,
  saved_at      @time NOT NULL,
  UNIQUE (company_id, definition, signature, data_column)
);
CREATE INDEX lade_column_match_signature ON lade_column_match (company_id, signature);
)sql";

// A dry run and the planning of a job do not migrate: they may meet tables of an older lade, or none at all.
Result<int> schema_version(db::Connection& connection) {
  LADE_ASSIGN(const db::SchemaState state, db::schema_state(connection, migrations()));
  return state.version;
}

}  // namespace

db::Migration column_matches_migration() {
  static const std::string sqlite = for_sqlite(kColumnMatches), postgresql = for_postgresql(kColumnMatches);
  return {kVersion, "column matches", sqlite, postgresql};
}

Result<void> save_column_matches(db::Connection& connection, const MatchesToSave& saved) {
  return in_transaction(connection, [&]() -> Result<void> {
    const Value header[] = {saved.company, saved.definition, saved.signature};
    LADE_TRY(connection.execute(
        "DELETE FROM lade_column_match WHERE company_id = $1 AND definition = $2 AND signature = $3", header));
    for (const SavedMatch& match : saved.matches) {
      const Value values[] = {saved.company,     saved.definition, saved.signature, match.source_column,
                              match.data_column, saved.saved_by,   match.format};
      LADE_TRY(connection.execute(
          fmt::format("INSERT INTO lade_column_match "
                      "(company_id, definition, signature, source_column, data_column, saved_by, format, saved_at) "
                      "VALUES ($1, $2, $3, $4, $5, $6, $7, {})",
                      now_sql(connection)),
          values));
    }
    return {};
  });
}

Result<std::vector<SavedMatch>> column_matches(db::Connection& connection, std::int64_t company,
                                               std::string_view definition) {
  std::vector<SavedMatch> matches;
  LADE_ASSIGN(const int version, schema_version(connection));
  if (version < kVersion) return matches;
  const Value values[] = {company, std::string(definition)};
  LADE_ASSIGN(const auto rows,
              connection.query(fmt::format("SELECT signature, source_column, data_column, saved_by, {}, {} "
                                           "FROM lade_column_match WHERE company_id = $1 AND definition = $2 "
                                           "ORDER BY id DESC",
                                           time_sql(connection, "saved_at"), version < kFormats ? "''" : "format"),
                               values));
  for (const db::Row& row : rows)
    matches.push_back(
        {text_of(row[0]), text_of(row[1]), text_of(row[2]), text_of(row[3]), text_of(row[4]), text_of(row[5])});
  return matches;
}

Result<std::vector<std::string>> definitions_matched(db::Connection& connection, std::int64_t company,
                                                     std::string_view signature) {
  std::vector<std::string> definitions;
  LADE_ASSIGN(const int version, schema_version(connection));
  if (version < kVersion) return definitions;
  const Value values[] = {company, std::string(signature)};
  LADE_ASSIGN(const auto rows, connection.query("SELECT definition FROM lade_column_match "
                                                "WHERE company_id = $1 AND signature = $2 "
                                                "GROUP BY definition ORDER BY max(id) DESC",
                                                values));
  for (const db::Row& row : rows) definitions.push_back(text_of(row[0]));
  return definitions;
}

}  // namespace lade::store
