#include "store/drafts.h"

#include <fmt/format.h>

#include "base/id.h"
#include "queue/schema.h"
#include "store/schema_text.h"
#include "store/sql.h"

namespace lade::store {
namespace {

using db::Value;

// Counts by status are read from the index alone.
constexpr std::string_view kDashboard = R"sql(
CREATE TABLE lade_draft (
  id         @id,
  uuid       @uuid NOT NULL UNIQUE,
  company_id integer NOT NULL REFERENCES lade_company (id),
  owner_id   integer NOT NULL,
  created_by text NOT NULL,
  name       text NOT NULL,
  file_id    integer REFERENCES lade_file (id) ON DELETE SET NULL,
  definition text NOT NULL,
  step       text NOT NULL,
  reading    text NOT NULL,
  mapping    text NOT NULL,
  choices    text NOT NULL,
  version    bigint NOT NULL DEFAULT 1,
  created_at @time NOT NULL,
  updated_at @time NOT NULL
);
CREATE INDEX lade_draft_owner ON lade_draft (company_id, owner_id);
CREATE INDEX lade_job_standing ON lade_job (company_id, state, outcome, paused);
CREATE INDEX lade_job_file ON lade_job (file_id);
)sql";

constexpr std::string_view kRemembered = R"sql(
ALTER TABLE lade_draft ADD corrections_of text NOT NULL DEFAULT '';
ALTER TABLE lade_column_match ADD format text NOT NULL DEFAULT '';
)sql";

std::string select_drafts(const db::Connection& connection) {
  return fmt::format(
      "SELECT id, CAST(uuid AS text), company_id, owner_id, created_by, name, coalesce(file_id, 0), definition, step, "
      "reading, mapping, choices, corrections_of, version, {}, {} FROM lade_draft WHERE company_id = $1 AND owner_id = "
      "$2 ",
      time_sql(connection, "created_at"), time_sql(connection, "updated_at"));
}

Draft draft_of(const db::Row& row) {
  return {.id = integer_of(row[0]),
          .uuid = text_of(row[1]),
          .company = integer_of(row[2]),
          .owner = integer_of(row[3]),
          .created_by = text_of(row[4]),
          .name = text_of(row[5]),
          .file_id = integer_of(row[6]),
          .definition = text_of(row[7]),
          .step = text_of(row[8]),
          .read = text_of(row[9]),
          .mapping = text_of(row[10]),
          .values = text_of(row[11]),
          .corrections_of = text_of(row[12]),
          .version = integer_of(row[13]),
          .created_at = text_of(row[14]),
          .updated_at = text_of(row[15])};
}

}  // namespace

db::Migration dashboard_migration() {
  static const std::string nodes(queue::node_schema()), sqlite = for_sqlite(kDashboard) + nodes,
                                                        postgresql = for_postgresql(kDashboard) + nodes;
  return {24, "drafts", sqlite, postgresql};
}

db::Migration remembered_migration() {
  return {26, "corrections of drafts, orders of dates", kRemembered, kRemembered};
}

Result<Draft> create_draft(db::Connection& connection, const Draft& draft) {
  const Value whose[] = {draft.company, draft.owner};
  LADE_ASSIGN(const auto count,
              connection.query("SELECT count(*) FROM lade_draft WHERE company_id = $1 AND owner_id = $2", whose));
  if (integer_of(count[0][0]) >= kMostDrafts)
    return fail("too_many_drafts", fmt::format("there are {} drafts already", kMostDrafts),
                "finish or discard some of them", ErrorKind::invalid);
  const std::string uuid = new_uuid();
  const Value values[] = {uuid,
                          draft.company,
                          draft.owner,
                          draft.created_by,
                          draft.name,
                          id_or_null(draft.file_id),
                          draft.definition,
                          draft.step,
                          draft.read,
                          draft.mapping,
                          draft.values,
                          draft.corrections_of};
  LADE_TRY(connection.execute(
      fmt::format("INSERT INTO lade_draft (uuid, company_id, owner_id, created_by, name, file_id, definition, step, "
                  "reading, mapping, choices, corrections_of, created_at, updated_at) "
                  "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, {0}, {0})",
                  now_sql(connection)),
      values));
  LADE_ASSIGN(auto made, find_draft(connection, draft.company, draft.owner, uuid));
  return std::move(*made);
}

Result<std::vector<Draft>> list_drafts(db::Connection& connection, std::int64_t company, std::int64_t owner) {
  const Value values[] = {company, owner};
  LADE_ASSIGN(const auto rows,
              connection.query(select_drafts(connection) + "ORDER BY lade_draft.updated_at DESC, id DESC", values));
  std::vector<Draft> drafts;
  for (const db::Row& row : rows) drafts.push_back(draft_of(row));
  return drafts;
}

Result<std::optional<Draft>> find_draft(db::Connection& connection, std::int64_t company, std::int64_t owner,
                                        std::string_view uuid) {
  const Value values[] = {company, owner, std::string(uuid)};
  LADE_ASSIGN(const auto rows, connection.query(select_drafts(connection) + "AND CAST(uuid AS text) = $3", values));
  if (rows.empty()) return std::nullopt;
  return draft_of(rows.front());
}

Result<std::optional<Draft>> save_draft(db::Connection& connection, const Draft& draft) {
  const Value values[] = {draft.id,         draft.version, draft.name, id_or_null(draft.file_id),
                          draft.definition, draft.step,    draft.read, draft.mapping,
                          draft.values};
  LADE_ASSIGN(
      const std::int64_t saved,
      connection.execute(fmt::format("UPDATE lade_draft SET version = version + 1, name = $3, file_id = $4, "
                                     "definition = $5, step = $6, reading = $7, mapping = $8, choices = $9, "
                                     "corrections_of = CASE WHEN coalesce(file_id, 0) = coalesce($4, 0) THEN "
                                     "corrections_of ELSE '' END, updated_at = {} WHERE id = $1 AND version = $2",
                                     now_sql(connection)),
                         values));
  if (saved == 0) return std::nullopt;
  return find_draft(connection, draft.company, draft.owner, draft.uuid);
}

Result<void> remove_draft(db::Connection& connection, std::int64_t id) {
  const Value values[] = {id};
  LADE_TRY(connection.execute("DELETE FROM lade_draft WHERE id = $1", values));
  return {};
}

}  // namespace lade::store
