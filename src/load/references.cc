#include "load/references.h"

#include <algorithm>

#include "db/values.h"

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

}  // namespace lade::load
