#include "store/name_decisions.h"

#include <fmt/format.h>

#include "store/review_schema.h"
#include "store/schema.h"
#include "store/sql.h"

namespace lade::store {
namespace {

using db::Value;

constexpr std::string_view kOfKey = "company_id = $1 AND table_name = $2 AND rules = $3 AND name_key = $4";

}  // namespace

Result<void> remember_name(db::Connection& connection, const NameKey& key, const std::string& written,
                           const NameDecision& decision) {
  const Value values[] = {
      key.company,          key.table,          key.rules, key.name, written, decision.decision, decision.entity,
      decision.entity_name, decision.decided_by};
  LADE_TRY(connection.execute(
      fmt::format("INSERT INTO lade_name_decision (company_id, table_name, rules, name_key, name, decision, entity_id, "
                  "entity_name, decided_by, decided_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, {}) "
                  "ON CONFLICT (company_id, table_name, rules, name_key) DO UPDATE SET name = excluded.name, "
                  "decision = excluded.decision, entity_id = excluded.entity_id, entity_name = excluded.entity_name, "
                  "decided_by = excluded.decided_by, decided_at = excluded.decided_at",
                  now_sql(connection)),
      values));
  return {};
}

Result<void> forget_name(db::Connection& connection, const NameKey& key) {
  const Value values[] = {key.company, key.table, key.rules, key.name};
  LADE_TRY(connection.execute(fmt::format("DELETE FROM lade_name_decision WHERE {}", kOfKey), values));
  return {};
}

Result<std::optional<NameDecision>> find_name_decision(db::Connection& connection, const NameKey& key) {
  const Value values[] = {key.company, key.table, key.rules, key.name};
  LADE_ASSIGN(const auto rows,
              connection.query(fmt::format("SELECT decision, entity_id, entity_name, decided_by, {} FROM "
                                           "lade_name_decision WHERE {}",
                                           time_sql(connection, "decided_at"), kOfKey),
                               values));
  if (rows.empty()) return std::nullopt;
  const db::Row& row = rows.front();
  return NameDecision{text_of(row[0]), text_of(row[1]), text_of(row[2]), text_of(row[3]), text_of(row[4])};
}

Result<std::vector<RememberedName>> remembered_names(db::Connection& connection, std::int64_t company,
                                                     const std::string& table, const std::string& rules) {
  std::vector<RememberedName> names;
  // A dry run does not migrate: it may meet tables of an older lade, or none at all.
  LADE_ASSIGN(const db::SchemaState state, db::schema_state(connection, migrations()));
  if (state.version < kReviewSchema) return names;
  const Value values[] = {company, table, rules};
  LADE_ASSIGN(const auto rows, connection.query("SELECT name_key, entity_id FROM lade_name_decision WHERE company_id = "
                                                "$1 AND table_name = $2 AND rules = $3",
                                                values));
  for (const db::Row& row : rows) names.push_back({text_of(row[0]), text_of(row[1])});
  return names;
}

}  // namespace lade::store
