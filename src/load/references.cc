#include "load/references.h"

#include <fmt/format.h>

#include "db/values.h"
#include "load/target.h"

namespace lade::load {
namespace {

using db::Connection;
using db::integer_of;
using db::text_of;

constexpr std::string_view kPostgresql =
    "SELECT con.oid::bigint, n.nspname, c.relname, (con.confdeltype NOT IN ('a', 'r'))::integer, "
    "own.attname, other.attname FROM pg_constraint con JOIN pg_class c ON c.oid = con.conrelid JOIN pg_namespace n ON "
    "n.oid = c.relnamespace CROSS JOIN LATERAL unnest(con.conkey, con.confkey) WITH ORDINALITY AS part (own, other, "
    "place) JOIN pg_attribute own ON own.attrelid = con.conrelid AND own.attnum = part.own JOIN pg_attribute other ON "
    "other.attrelid = con.confrelid AND other.attnum = part.other WHERE con.contype = 'f' AND con.confrelid = "
    "$1::regclass ORDER BY con.oid, part.place";

// Without columns a foreign key of SQLite means the primary key.
constexpr std::string_view kSqlite =
    "SELECT dense_rank() OVER (ORDER BY m.name, f.id), 'main', m.name, f.on_delete NOT IN ('NO ACTION', 'RESTRICT'), "
    "f.\"from\", "
    "coalesce(f.\"to\", (SELECT p.name FROM pragma_table_info($1) p WHERE p.pk = f.seq + 1)) FROM sqlite_master m JOIN "
    "pragma_foreign_key_list(m.name) f WHERE m.type = 'table' AND f.\"table\" = $1 COLLATE NOCASE ORDER BY m.name, "
    "f.id, f.seq";

}  // namespace

Result<std::vector<Reference>> references_to(Connection& connection, const db::Table& table) {
  const bool sqlite = connection.backend() == db::Backend::sqlite;
  const db::Value values[] = {sqlite ? table.name : table.quoted};
  LADE_ASSIGN(const auto rows, connection.query(sqlite ? kSqlite : kPostgresql, values));
  std::vector<Reference> references;
  std::int64_t last = -1;
  for (const db::Row& row : rows) {
    if (references.empty() || integer_of(row[0]) != last) {
      last = integer_of(row[0]);
      const std::string name = Connection::quote_name(text_of(row[1])) + "." + Connection::quote_name(text_of(row[2]));
      references.push_back({name, integer_of(row[3]) != 0, {}, {}});
    }
    references.back().columns.push_back(Connection::quote_name(text_of(row[4])));
    references.back().to.push_back(Connection::quote_name(text_of(row[5])));
  }
  return references;
}

Result<void> read_referred(Connection& connection, const analysis::EntryProgram& entry,
                           std::span<const Reference> references, db::TupleSource& keys,
                           const std::function<Result<void>(std::string_view key)>& on_key) {
  const bool postgresql = connection.backend() == db::Backend::postgresql;
  std::vector<std::string> names;
  std::string list, shape = entry.table.quoted, join, stored;
  for (const analysis::KeyPart& part : entry.key) {
    const db::Column& column = entry.fields[static_cast<std::size_t>(part.field)].column;
    const std::string name = Connection::quote_name(column.name), comma = names.empty() ? "" : ", ";
    names.push_back(column.name);
    list += comma + name;
    stored += comma + "stored." + name;
    join += (join.empty() ? "" : " AND ") + fmt::format("stored.{0} = chosen.{0}", name);
    shape += fmt::format(", {} {}", name, column.type);
  }
  const std::string chosen = Connection::temporary_name("lade_chosen_", shape);
  LADE_TRY(connection.run(fmt::format("CREATE TEMP TABLE IF NOT EXISTS {} {} AS SELECT {} FROM {} LIMIT 0; {} {}",
                                      chosen, postgresql ? "ON COMMIT DELETE ROWS" : "", list, entry.table.quoted,
                                      postgresql ? "TRUNCATE" : "DELETE FROM", chosen)));
  LADE_TRY(connection.copy_in(chosen, names, keys));
  // How many rows refer, and whether they have an index for it, only the planner knows.
  LADE_TRY(free_planner(connection));
  for (const Reference& reference : references) {
    const bool to_itself = reference.table == entry.table.quoted;
    const std::string others =
        to_itself ? fmt::format(" WHERE (({0}) IN (SELECT {0} FROM {1})) IS NOT TRUE", list, chosen) : "";
    LADE_TRY(connection.copy_out(
        fmt::format("SELECT {} FROM {} AS chosen JOIN {} AS stored ON {} WHERE (stored.{}) IN (SELECT {} FROM {}{})",
                    stored, chosen, entry.table.quoted, join, fmt::join(reference.to, ", stored."),
                    fmt::join(reference.columns, ", "), reference.table, others),
        on_key));
  }
  return {};
}

}  // namespace lade::load
