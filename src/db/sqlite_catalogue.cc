#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "db/sqlite_connection.h"
#include "db/sqlite_diagnosis.h"

namespace lade::db {
namespace {

constexpr const char* kFindTable = R"sql(
SELECT name, strict, wr,
  EXISTS (SELECT 1 FROM sqlite_schema t WHERE t.type = 'trigger' AND t.tbl_name = l.name COLLATE NOCASE)
FROM pragma_table_list l WHERE schema = 'main' AND type = 'table' AND name = $1)sql";

constexpr const char* kTableNames = R"sql(
SELECT name FROM pragma_table_list
WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite\_%' ESCAPE '\'
ORDER BY name)sql";

constexpr const char* kTablesBefore = R"sql(
SELECT name FROM pragma_table_list
WHERE schema = 'main' AND type = 'table' AND substr($1, 1, length(name) + 1) = name || '.')sql";

constexpr const char* kColumns = R"sql(
SELECT name, type, "notnull", dflt_value IS NOT NULL, pk, hidden FROM pragma_table_xinfo($1, 'main') ORDER BY cid)sql";

// cid is negative for an expression and for the rowid. Of partial indexes those are listed that leave out nothing but
// rows without a value in one of their own columns (NULLs are equal to nothing); their condition stands in their text.
constexpr const char* kUniqueIndexes = R"sql(
SELECT l.name, l.origin = 'pk', x.name, x.coll, x.cid
FROM pragma_index_list($1, 'main') l JOIN pragma_index_xinfo(l.name, 'main') x
WHERE l."unique" AND x.key
  AND (NOT l.partial OR EXISTS (
         SELECT 1 FROM sqlite_schema m, pragma_index_xinfo(l.name, 'main') k
         WHERE m.type = 'index' AND m.name = l.name AND k.key
           AND lower(substr(m.sql, -length(k.name) - 20)) = ') where ' || lower(k.name) || ' is not null'))
ORDER BY l.origin <> 'pk', l.name, x.seqno)sql";

const std::string& text_of(const Value& value) {
  return std::get<std::string>(value);
}
bool flag_of(const Value& value) {
  return std::get<std::int64_t>(value) != 0;
}

std::string upper_case(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

// SQLite's rules of column affinity, in their order.
WireType wire_of(const std::string& declared, bool strict) {
  const std::string type = upper_case(declared);
  const auto holds = [&](const char* part) { return type.find(part) != std::string::npos; };
  if (strict && type == "ANY") return WireType::sqlite_any;
  if (holds("INT")) return WireType::sqlite_integer;
  if (holds("CHAR") || holds("CLOB") || holds("TEXT")) return WireType::sqlite_text;
  if (type.empty() || holds("BLOB")) return WireType::sqlite_any;
  if (holds("REAL") || holds("FLOA") || holds("DOUB")) return WireType::sqlite_real;
  return WireType::sqlite_numeric;
}

// The n of VARCHAR(n). SQLite itself does not hold anybody to it, but whoever wrote it meant it.
int declared_length(const std::string& declared) {
  const std::string type = upper_case(declared);
  const auto open = type.find('(');
  if (type.find("CHAR") == std::string::npos || open == std::string::npos) return 0;
  int length = 0;
  std::from_chars(type.data() + open + 1, type.data() + type.size(), length);
  return length;
}

std::string collation_of(sqlite3* database, const Table& table, const std::string& column) {
  const char* collation = nullptr;
  const int code = sqlite3_table_column_metadata(database, "main", table.name.c_str(), column.c_str(), nullptr,
                                                 &collation, nullptr, nullptr, nullptr);
  return code == SQLITE_OK && collation != nullptr ? upper_case(collation) : "BINARY";
}

std::string joined_as_in_words(const std::string& table, const std::vector<std::string>& columns) {
  std::string joined;
  for (const std::string& column : columns) joined += fmt::format("{}{}.{}", joined.empty() ? "" : ", ", table, column);
  return joined;
}

}  // namespace

Result<std::vector<Column>> SqliteConnection::describe_columns(const Table& table, bool strict) {
  LADE_ASSIGN(const std::vector<Row> rows, query(kColumns, std::vector<Value>{table.name}));
  std::vector<Column> columns;
  for (const Row& row : rows) {
    constexpr std::int64_t kHiddenOfVirtualTable = 1;
    const std::int64_t hidden = std::get<std::int64_t>(row[5]);
    if (hidden == kHiddenOfVirtualTable) continue;
    Column& column = columns.emplace_back();
    column.name = text_of(row[0]);
    column.type = text_of(row[1]);
    column.length = declared_length(column.type);
    column.wire = wire_of(column.type, strict);
    column.not_null = flag_of(row[2]);
    column.has_default = flag_of(row[3]);
    column.generated = hidden != 0;
    const std::string collation = collation_of(database_.get(), table, column.name);
    column.order_is_bytes = collation == "BINARY";
    column.folds_case = collation == "NOCASE";
    column.deterministic = collation == "BINARY" || collation == "NOCASE";
  }
  return columns;
}

Result<std::vector<UniqueIndex>> SqliteConnection::describe_unique_indexes(const Table& table) {
  LADE_ASSIGN(const std::vector<Row> rows, query(kUniqueIndexes, std::vector<Value>{table.name}));
  std::vector<UniqueIndex> indexes;
  std::vector<std::string> unfit;
  for (const Row& row : rows) {
    const std::string& name = text_of(row[0]);
    if (indexes.empty() || indexes.back().name != name) indexes.push_back({.name = name, .primary = flag_of(row[1])});
    const bool plain = std::get<std::int64_t>(row[4]) >= 0 &&
                       upper_case(text_of(row[3])) == collation_of(database_.get(), table, text_of(row[2]));
    if (plain) {
      indexes.back().columns.push_back(text_of(row[2]));
    } else {
      unfit.push_back(name);
    }
  }
  std::erase_if(indexes, [&](const UniqueIndex& index) { return std::ranges::count(unfit, index.name) != 0; });
  return indexes;
}

Result<std::optional<Table>> SqliteConnection::describe(std::string_view name) {
  constexpr std::string_view kSchema = "main.";
  std::vector<Row> found;
  if (name.starts_with(kSchema)) {
    LADE_ASSIGN(found, query(kFindTable, std::vector<Value>{std::string(name.substr(kSchema.size()))}));
  }
  if (found.empty()) {
    LADE_ASSIGN(found, query(kFindTable, std::vector<Value>{std::string(name)}));
  }
  if (found.empty()) return std::nullopt;
  Table table{.schema = "main", .name = text_of(found[0][0])};
  table.quoted = quote_name(table.schema) + "." + quote_name(table.name);
  table.has_triggers = flag_of(found[0][3]);
  LADE_ASSIGN(table.columns, describe_columns(table, flag_of(found[0][1])));
  LADE_ASSIGN(table.unique_indexes, describe_unique_indexes(table));
  if (flag_of(found[0][2])) return table;
  LADE_TRY(describe_rowid(table));
  return table;
}

// A lone INTEGER PRIMARY KEY of a table with rowids is the rowid itself and has no index of its own.
Result<void> SqliteConnection::describe_rowid(Table& table) {
  LADE_ASSIGN(const std::vector<Row> keys, query("SELECT name, type FROM pragma_table_xinfo($1, 'main') WHERE pk > 0",
                                                 std::vector<Value>{table.name}));
  LADE_ASSIGN(const std::vector<Row> own,
              query("SELECT 1 FROM pragma_index_list($1, 'main') WHERE origin = 'pk'", std::vector<Value>{table.name}));
  if (keys.size() != 1 || !own.empty() || upper_case(text_of(keys[0][1])) != "INTEGER") return {};
  const auto column = std::ranges::find(table.columns, text_of(keys[0][0]), &Column::name);
  column->not_null = true;
  column->has_default = true;
  column->sequence = "rowid";
  table.unique_indexes.insert(table.unique_indexes.begin(),
                              {.name = "rowid", .primary = true, .columns = {column->name}});
  return {};
}

Result<std::vector<std::string>> SqliteConnection::table_names() {
  LADE_ASSIGN(const std::vector<Row> rows, query(kTableNames, {}));
  std::vector<std::string> names;
  names.reserve(rows.size());
  for (const Row& row : rows) names.push_back(text_of(row[0]));
  return names;
}

void SqliteConnection::name_constraint(Diagnosis& diagnosis) {
  const std::string violated(violated_columns(diagnosis.message));
  if (violated.empty()) return;
  // Names may hold dots and commas: the words are compared with what each table would give.
  const Result<std::vector<Row>> tables = query(kTablesBefore, std::vector<Value>{violated});
  if (!tables) return;
  for (const Row& row : *tables) {
    const Result<std::optional<Table>> table = describe(text_of(row[0]));
    if (!table || !*table) continue;
    for (const UniqueIndex& index : (*table)->unique_indexes)
      if (diagnosis.sqlstate == "23505" && joined_as_in_words((*table)->name, index.columns) == violated)
        diagnosis.constraint = index.name;
    for (const Column& column : (*table)->columns)
      if (joined_as_in_words((*table)->name, {column.name}) == violated) diagnosis.column = column.name;
    if (!diagnosis.constraint.empty() || !diagnosis.column.empty()) diagnosis.table = (*table)->name;
  }
}

}  // namespace lade::db
