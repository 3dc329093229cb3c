#include <fmt/format.h>

#include <algorithm>

#include "base/assert.h"
#include "db/postgresql_connection.h"

namespace lade::db {
namespace {

// Parameters are cast to text: as a `name` a long one would be cut to another table's name.
constexpr const char* kFindTable = R"sql(
SELECT c.oid, n.nspname, c.relname,
  EXISTS (SELECT FROM pg_trigger t WHERE t.tgrelid = c.oid AND NOT t.tgisinternal)::integer
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p') AND c.relpersistence <> 't'
  AND ((n.nspname = $1::text AND c.relname = $2::text) OR (c.relname = $3::text AND pg_table_is_visible(c.oid)))
ORDER BY (n.nspname = $1::text AND c.relname = $2::text) DESC
LIMIT 1)sql";

constexpr const char* kTableNames = R"sql(
SELECT CASE WHEN pg_table_is_visible(c.oid) THEN c.relname::text ELSE n.nspname || '.' || c.relname END
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p') AND c.relpersistence <> 't'
  AND n.nspname <> 'information_schema' AND n.nspname !~ '^pg_')sql";

// A domain hands its base type's modifier, its default and its NOT NULL down to the column.
constexpr const char* kColumns = R"sql(
WITH RECURSIVE resolved AS (
  SELECT a.attnum, a.atttypid AS type, a.atttypmod AS modifier, a.attnotnull AS not_null,
         a.atthasdef AND a.attgenerated = '' OR a.attidentity <> '' AS has_default
  FROM pg_attribute a
  WHERE a.attrelid = $1 AND a.attnum > 0 AND NOT a.attisdropped
  UNION ALL
  SELECT r.attnum, t.typbasetype, t.typtypmod, r.not_null OR t.typnotnull,
         r.has_default OR t.typdefault IS NOT NULL
  FROM resolved r JOIN pg_type t ON t.oid = r.type AND t.typtype = 'd')
SELECT a.attname, format_type(r.type, r.modifier), t.typname, t.typtype::text,
       t.typnamespace = 'pg_catalog'::regnamespace AS built_in, r.modifier, r.not_null, r.has_default,
       a.attgenerated <> '' AS generated,
       coalesce(pg_get_serial_sequence(format('%I.%I', n.nspname, c.relname), a.attname), '') AS sequence,
       coalesce(CASE WHEN l.collprovider = 'd' THEN d.datlocprovider = 'b' OR
                            (d.datlocprovider = 'c' AND d.datcollate IN ('C', 'POSIX', 'C.UTF-8', 'C.utf8'))
                     ELSE l.collprovider = 'b' OR
                            (l.collprovider = 'c' AND l.collcollate IN ('C', 'POSIX', 'C.UTF-8', 'C.utf8'))
                END, false) AS order_is_bytes,
       coalesce(l.collisdeterministic, true) AS deterministic
FROM resolved r
JOIN pg_type t ON t.oid = r.type AND t.typtype <> 'd'
JOIN pg_attribute a ON a.attrelid = $1 AND a.attnum = r.attnum
JOIN pg_class c ON c.oid = a.attrelid
JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_database d ON d.datname = current_database()
LEFT JOIN pg_collation l ON l.oid = a.attcollation
ORDER BY r.attnum)sql";

// Full means: valid, checked at once, on plain columns alone, and with the collation of the column, so that the
// uniqueness it guards is the equality of the column. An index that leaves out rows without a value in one of its own
// columns guards as much: NULLs are equal to nothing.
constexpr const char* kUniqueIndexes = R"sql(
SELECT c.relname, i.indisprimary, a.attname
FROM pg_index i
JOIN pg_class c ON c.oid = i.indexrelid
CROSS JOIN LATERAL generate_series(0, i.indnkeyatts - 1) AS k(position)
JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[k.position]
WHERE i.indrelid = $1 AND i.indisunique AND i.indisvalid AND i.indimmediate
  AND i.indexprs IS NULL
  AND (i.indpred IS NULL OR EXISTS (
         SELECT FROM generate_series(0, i.indnkeyatts - 1) AS x(position)
         JOIN pg_attribute b ON b.attrelid = i.indrelid AND b.attnum = i.indkey[x.position]
         WHERE pg_get_expr(i.indpred, i.indrelid) = format('(%I IS NOT NULL)', b.attname)))
  AND NOT EXISTS (SELECT FROM generate_series(0, i.indnkeyatts - 1) AS x(position)
                  JOIN pg_attribute b ON b.attrelid = i.indrelid AND b.attnum = i.indkey[x.position]
                  WHERE i.indcollation[x.position] <> b.attcollation)
ORDER BY i.indisprimary DESC, c.relname, k.position)sql";

const std::string& text_of(const Value& value) {
  return std::get<std::string>(value);
}
bool flag_of(const Value& value) {
  return std::get<std::int64_t>(value) != 0;
}

struct TypeWire {
  std::string_view name;
  WireType wire;
};

constexpr TypeWire kBuiltInTypes[] = {
    {"int2", WireType::int2},           {"int4", WireType::int4},
    {"int8", WireType::int8},           {"float4", WireType::float4},
    {"float8", WireType::float8},       {"numeric", WireType::numeric},
    {"text", WireType::text},           {"varchar", WireType::text},
    {"bpchar", WireType::text},         {"name", WireType::text},
    {"bool", WireType::boolean},        {"date", WireType::date},
    {"timestamp", WireType::timestamp}, {"timestamptz", WireType::timestamptz},
    {"uuid", WireType::uuid},           {"json", WireType::json},
    {"jsonb", WireType::jsonb},         {"bytea", WireType::bytea},
};

WireType wire_of(std::string_view name, std::string_view kind, bool built_in) {
  if (kind == "e" || (name == "citext" && !built_in)) return WireType::text;
  const auto* found = std::ranges::find(kBuiltInTypes, name, &TypeWire::name);
  return built_in && found != std::end(kBuiltInTypes) ? found->wire : WireType::unsupported;
}

// The type modifier as PostgreSQL packs it: characters + 4; precision and an 11-bit signed scale, + 4; fraction digits.
void apply_modifier(Column& column, std::string_view type_name, int modifier) {
  constexpr int kHeader = 4;
  constexpr int kFullFraction = 6;
  if (type_name == "varchar" || type_name == "bpchar") {
    if (modifier >= kHeader) column.length = modifier - kHeader;
  } else if (column.wire == WireType::numeric) {
    if (modifier < kHeader) return;
    column.precision = ((modifier - kHeader) >> 16) & 0xffff;
    column.scale = (((modifier - kHeader) & 0x7ff) ^ 1024) - 1024;
  } else if (column.wire == WireType::timestamp || column.wire == WireType::timestamptz) {
    column.scale = modifier < 0 ? kFullFraction : modifier;
  }
}

Column column_of(const Row& row) {
  Column column;
  column.name = text_of(row[0]);
  column.type = text_of(row[1]);
  const std::string& type_name = text_of(row[2]);
  const std::string& kind = text_of(row[3]);
  column.wire = wire_of(type_name, kind, flag_of(row[4]));
  apply_modifier(column, type_name, static_cast<int>(std::get<std::int64_t>(row[5])));
  column.not_null = flag_of(row[6]);
  column.has_default = flag_of(row[7]);
  column.generated = flag_of(row[8]);
  column.sequence = text_of(row[9]);
  column.folds_case = column.wire == WireType::text && type_name == "citext";
  // char(n) ignores blanks at the end, an enum sorts as it was declared.
  column.order_is_bytes =
      column.wire == WireType::text && !column.folds_case && type_name != "bpchar" && kind != "e" && flag_of(row[10]);
  column.deterministic = flag_of(row[11]);
  return column;
}

}  // namespace

Result<std::vector<Column>> PostgresqlConnection::describe_columns(std::int64_t table) {
  LADE_ASSIGN(const std::vector<Row> rows, query(kColumns, std::vector<Value>{table}));
  std::vector<Column> columns;
  columns.reserve(rows.size());
  for (const Row& row : rows) columns.push_back(column_of(row));
  return columns;
}

Result<std::vector<UniqueIndex>> PostgresqlConnection::describe_unique_indexes(std::int64_t table) {
  LADE_ASSIGN(const std::vector<Row> rows, query(kUniqueIndexes, std::vector<Value>{table}));
  std::vector<UniqueIndex> indexes;
  for (const Row& row : rows) {
    if (indexes.empty() || indexes.back().name != text_of(row[0]))
      indexes.push_back({.name = text_of(row[0]), .primary = flag_of(row[1])});
    indexes.back().columns.push_back(text_of(row[2]));
  }
  return indexes;
}

Result<std::optional<Table>> PostgresqlConnection::describe(std::string_view name) {
  const std::size_t dot = name.find('.');
  const bool qualified = dot != std::string_view::npos;
  const std::string schema(qualified ? name.substr(0, dot) : "");
  const std::string rest(qualified ? name.substr(dot + 1) : name);
  LADE_ASSIGN(const std::vector<Row> found, query(kFindTable, std::vector<Value>{schema, rest, std::string(name)}));
  if (found.empty()) return std::nullopt;
  Table table;
  table.schema = text_of(found[0][1]);
  table.name = text_of(found[0][2]);
  table.quoted = quote_name(table.schema) + "." + quote_name(table.name);
  table.has_triggers = std::get<std::int64_t>(found[0][3]) != 0;
  const std::int64_t id = std::get<std::int64_t>(found[0][0]);
  LADE_ASSIGN(table.columns, describe_columns(id));
  LADE_ASSIGN(table.unique_indexes, describe_unique_indexes(id));
  return table;
}

Result<std::vector<std::string>> PostgresqlConnection::table_names() {
  LADE_ASSIGN(const std::vector<Row> rows, query(kTableNames, {}));
  std::vector<std::string> names;
  names.reserve(rows.size());
  for (const Row& row : rows) names.push_back(text_of(row[0]));
  std::ranges::sort(names);
  return names;
}

}  // namespace lade::db
