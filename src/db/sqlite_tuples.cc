#include "db/sqlite_tuples.h"

#include <fmt/format.h>

#include <bit>
#include <memory>

#include "base/assert.h"

namespace lade::db {
namespace {

struct TupleTable : sqlite3_vtab {
  TupleFeed* feed;
  std::size_t columns;
};

struct TupleCursor : sqlite3_vtab_cursor {};

TupleTable& table_of(sqlite3_vtab_cursor* cursor) {
  return static_cast<TupleTable&>(*cursor->pVtab);
}

int connect_table(sqlite3* database, void* feed, int count, const char* const* arguments, sqlite3_vtab** made, char**) {
  LADE_ASSERT(count >= 1);
  const std::string_view name = arguments[0];
  const std::size_t columns = std::stoul(std::string(name.substr(name.rfind('_') + 1)));
  std::string declaration = "CREATE TABLE tuples (";
  for (std::size_t i = 0; i < columns; ++i) declaration += fmt::format("{}c{}", i == 0 ? "" : ", ", i);
  if (const int code = sqlite3_declare_vtab(database, (declaration + ")").c_str()); code != SQLITE_OK) return code;
  // No trigger or view of the file may reach it.
  sqlite3_vtab_config(database, SQLITE_VTAB_DIRECTONLY);
  auto table = std::make_unique<TupleTable>();
  table->feed = static_cast<TupleFeed*>(feed);
  table->columns = columns;
  *made = table.release();
  return SQLITE_OK;
}

int disconnect_table(sqlite3_vtab* table) {
  std::unique_ptr<TupleTable>(static_cast<TupleTable*>(table)).reset();
  return SQLITE_OK;
}

int best_index(sqlite3_vtab*, sqlite3_index_info* info) {
  info->estimatedCost = 1e6;
  info->estimatedRows = 1'000'000;
  return SQLITE_OK;
}

int open_cursor(sqlite3_vtab*, sqlite3_vtab_cursor** made) {
  *made = std::make_unique<TupleCursor>().release();
  return SQLITE_OK;
}

int close_cursor(sqlite3_vtab_cursor* cursor) {
  std::unique_ptr<TupleCursor>(static_cast<TupleCursor*>(cursor)).reset();
  return SQLITE_OK;
}

int next_row(sqlite3_vtab_cursor* cursor) {
  table_of(cursor).feed->advance(table_of(cursor).columns);
  return SQLITE_OK;
}

int first_row(sqlite3_vtab_cursor* cursor, int, const char*, int, sqlite3_value**) {
  return next_row(cursor);
}

int at_end(sqlite3_vtab_cursor* cursor) {
  return table_of(cursor).feed->at_end() ? 1 : 0;
}

int give_column(sqlite3_vtab_cursor* cursor, sqlite3_context* context, int column) {
  table_of(cursor).feed->give(context, static_cast<std::size_t>(column));
  return SQLITE_OK;
}

int give_rowid(sqlite3_vtab_cursor* cursor, sqlite3_int64* rowid) {
  *rowid = table_of(cursor).feed->row();
  return SQLITE_OK;
}

// Without xCreate a table of the module's own name is simply there.
constexpr sqlite3_module module_of_tuples() {
  sqlite3_module module{};
  module.xConnect = connect_table;
  module.xBestIndex = best_index;
  module.xDisconnect = disconnect_table;
  module.xOpen = open_cursor;
  module.xClose = close_cursor;
  module.xFilter = first_row;
  module.xNext = next_row;
  module.xEof = at_end;
  module.xColumn = give_column;
  module.xRowid = give_rowid;
  return module;
}

constexpr sqlite3_module kModule = module_of_tuples();

}  // namespace

Result<std::string> TupleFeed::provide(sqlite3* database, std::size_t columns) {
  std::string name = fmt::format("lade_tuples_{}", columns);
  if (provided_.contains(columns)) return name;
  if (sqlite3_create_module_v2(database, name.c_str(), &kModule, this, nullptr) != SQLITE_OK)
    return fail("db_error",
                fmt::format("SQLite does not take the virtual table {}: {}", name, sqlite3_errmsg(database)));
  provided_.insert(columns);
  return name;
}

void TupleFeed::start(TupleSource& source) {
  source_ = &source;
  row_ = 0;
  at_end_ = true;
}

void TupleFeed::advance(std::size_t columns) {
  LADE_ASSERT(source_ != nullptr);
  std::optional<std::string_view> tuple = source_->next();
  at_end_ = !tuple;
  if (at_end_) return;
  ++row_;
  fields_.resize(columns);
  for (WireField& field : fields_) field = take_field(*tuple);
  LADE_ASSERT(tuple->empty());
}

void TupleFeed::give(sqlite3_context* context, std::size_t column) const {
  const WireField& field = fields_[column];
  // A result that is not set is NULL.
  if (field.length < 0) return;
  const char* value = field.data + 1;
  switch (field.data[0]) {
    case 't': return sqlite3_result_text(context, value, field.length - 1, SQLITE_STATIC);
    case 'i': return sqlite3_result_int64(context, read_big_endian<std::int64_t>(value));
    case 'r': return sqlite3_result_double(context, std::bit_cast<double>(read_big_endian<std::int64_t>(value)));
    case 'b': return sqlite3_result_blob(context, value, field.length - 1, SQLITE_STATIC);
    default: LADE_ASSERT(false && "a tag of SQLite's tuples");
  }
}

}  // namespace lade::db
