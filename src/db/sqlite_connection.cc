#include "db/sqlite_connection.h"

#include <fmt/format.h>
#include <poll.h>

#include <charconv>

#include "base/assert.h"
#include "db/diagnosis.h"
#include "db/sqlite_diagnosis.h"

namespace lade::db {
namespace {

constexpr std::size_t kPreparedStatements = 64;

Value value_of(sqlite3_stmt* statement, int column) {
  switch (sqlite3_column_type(statement, column)) {
    case SQLITE_NULL: return std::monostate{};
    case SQLITE_INTEGER: return std::int64_t{sqlite3_column_int64(statement, column)};
    case SQLITE_FLOAT: return sqlite3_column_double(statement, column);
    default: {
      // Also for texts: the database is UTF-8, and sqlite3_column_text() would copy to append a NUL.
      const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement, column));
      const auto length = static_cast<std::size_t>(sqlite3_column_bytes(statement, column));
      return bytes == nullptr ? std::string() : std::string(bytes, length);
    }
  }
}

// n of the parameter $n; 0 for any other.
std::size_t parameter_number(const char* name) {
  std::size_t number = 0;
  const std::string_view text = name == nullptr ? "" : name;
  if (text.starts_with('$')) std::from_chars(text.data() + 1, text.data() + text.size(), number);
  return number;
}

int bind_value(sqlite3_stmt* statement, int index, const Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return sqlite3_bind_int64(statement, index, *integer);
  if (const auto* real = std::get_if<double>(&value)) return sqlite3_bind_double(statement, index, *real);
  // The parameters outlive the statement's run.
  if (const auto* text = std::get_if<std::string>(&value))
    return sqlite3_bind_text64(statement, index, text->data(), text->size(), SQLITE_STATIC, SQLITE_UTF8);
  if (const auto* blob = std::get_if<Bytes>(&value))
    return sqlite3_bind_blob64(statement, index, blob->bytes.data(), blob->bytes.size(), SQLITE_STATIC);
  return sqlite3_bind_null(statement, index);
}

bool is_blank(std::string_view sql) {
  return sql.find_first_not_of(" \t\r\n;") == std::string_view::npos;
}

void append_column(std::string& tuple, sqlite3_stmt* statement, int column) {
  const auto bytes = [&] {
    const auto* data = static_cast<const char*>(sqlite3_column_blob(statement, column));
    return std::string_view(data,
                            data == nullptr ? 0 : static_cast<std::size_t>(sqlite3_column_bytes(statement, column)));
  };
  switch (sqlite3_column_type(statement, column)) {
    case SQLITE_NULL: return append_null(tuple);
    case SQLITE_INTEGER: return append_sqlite_integer(tuple, sqlite3_column_int64(statement, column));
    case SQLITE_FLOAT: return append_sqlite_real(tuple, sqlite3_column_double(statement, column));
    case SQLITE_TEXT: return append_sqlite_text(tuple, bytes());
    default: return append_sqlite_blob(tuple, bytes());
  }
}

}  // namespace

SqliteConnection::SqliteConnection(Database database)
    : database_(std::move(database)), statements_(kPreparedStatements) {}

Error SqliteConnection::refusal() {
  Diagnosis diagnosis = diagnosis_of(sqlite3_extended_errcode(database_.get()), sqlite3_errmsg(database_.get()));
  name_constraint(diagnosis);
  diagnosis_ = std::move(diagnosis);
  return error_of(diagnosis_);
}

Result<void> SqliteConnection::run(std::string_view sql) {
  if (sql.find('\0') != std::string_view::npos) return fail(nul_in_text());
  if (sqlite3_exec(database_.get(), std::string(sql).c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
    return fail(refusal());
  return {};
}

Result<sqlite3_stmt*> SqliteConnection::prepare(std::string_view sql) {
  if (const Statement* statement = statements_.find(sql)) return statement->get();
  if (sql.find('\0') != std::string_view::npos) return fail(nul_in_text());
  sqlite3_stmt* prepared = nullptr;
  const char* rest = nullptr;
  if (sqlite3_prepare_v3(database_.get(), sql.data(), static_cast<int>(sql.size()), SQLITE_PREPARE_PERSISTENT,
                         &prepared, &rest) != SQLITE_OK)
    return fail(refusal());
  Statement statement(prepared);
  if (prepared == nullptr || !is_blank(sql.substr(static_cast<std::size_t>(rest - sql.data())))) {
    diagnosis_ = Diagnosis{.sqlstate = "42601", .message = "exactly one statement is expected"};
    return fail(error_of(diagnosis_));
  }
  return statements_.insert(sql, std::move(statement)).get();
}

Result<void> SqliteConnection::bind(sqlite3_stmt* statement, std::span<const Value> parameters) {
  for (const Value& value : parameters)
    if (const auto* text = std::get_if<std::string>(&value); text != nullptr && text->find('\0') != std::string::npos)
      return fail(nul_in_text());
  std::size_t highest = 0;
  const int count = sqlite3_bind_parameter_count(statement);
  for (int index = 1; index <= count; ++index) {
    const std::size_t number = parameter_number(sqlite3_bind_parameter_name(statement, index));
    highest = std::max(highest, number);
    if (number == 0 || number > parameters.size()) break;
    if (bind_value(statement, index, parameters[number - 1]) != SQLITE_OK) return fail(refusal());
  }
  if (highest != parameters.size()) {
    diagnosis_ = Diagnosis{
        .sqlstate = "08P01",
        .message = fmt::format("the statement takes {} parameters ($1, $2 …), {} were given",
                               std::max<std::size_t>(highest, static_cast<std::size_t>(count)), parameters.size())};
    return fail(Error{"db_error", diagnosis_.message});
  }
  return {};
}

Result<SqliteConnection::Running> SqliteConnection::start(std::string_view sql, std::span<const Value> parameters) {
  LADE_ASSIGN(sqlite3_stmt * statement, prepare(sql));
  Running running(statement);
  LADE_TRY(bind(statement, parameters));
  return running;
}

Result<bool> SqliteConnection::step(sqlite3_stmt* statement) {
  const int code = sqlite3_step(statement);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return fail(refusal());
}

Result<std::int64_t> SqliteConnection::complete(sqlite3_stmt* statement) {
  // sqlite3_changes() keeps the count of an earlier statement when this one changes no rows.
  const sqlite3_int64 before = sqlite3_total_changes64(database_.get());
  while (true) {
    LADE_ASSIGN(const bool row, step(statement));
    if (!row) break;
  }
  const bool changed = sqlite3_total_changes64(database_.get()) != before;
  return changed ? std::int64_t{sqlite3_changes64(database_.get())} : 0;
}

Result<std::int64_t> SqliteConnection::execute(std::string_view sql, std::span<const Value> parameters) {
  LADE_ASSIGN(const Running statement, start(sql, parameters));
  return complete(statement.get());
}

Result<std::vector<Row>> SqliteConnection::query(std::string_view sql, std::span<const Value> parameters) {
  LADE_ASSIGN(const Running statement, start(sql, parameters));
  std::vector<Row> rows;
  while (true) {
    LADE_ASSIGN(const bool found, step(statement.get()));
    if (!found) return rows;
    const int width = sqlite3_column_count(statement.get());
    Row& row = rows.emplace_back();
    row.reserve(static_cast<std::size_t>(width));
    for (int column = 0; column < width; ++column) row.push_back(value_of(statement.get(), column));
  }
}

Result<std::int64_t> SqliteConnection::copy_in(const std::string& quoted_table, std::span<const std::string> columns,
                                               TupleSource& rows) {
  LADE_ASSERT(!columns.empty());
  LADE_ASSIGN(const std::string source, tuples_.provide(database_.get(), columns.size()));
  std::string names, values;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    names += fmt::format("{}{}", i == 0 ? "" : ", ", quote_name(columns[i]));
    values += fmt::format("{}c{}", i == 0 ? "" : ", ", i);
  }
  const std::string sql = fmt::format("INSERT INTO {} ({}) SELECT {} FROM {}", quoted_table, names, values, source);
  LADE_ASSIGN(const Running statement, start(sql, {}));
  tuples_.start(rows);
  Result<std::int64_t> copied = complete(statement.get());
  // At the end of the statement or behind a trigger's materialised rows nobody knows which row it was.
  if (!copied) diagnosis_.copy_row = tuples_.current_row();
  tuples_.stop();
  return copied;
}

Result<void> SqliteConnection::copy_out(std::string_view select,
                                        const std::function<Result<void>(std::string_view)>& row) {
  LADE_ASSIGN(const Running statement, start(select, {}));
  std::string tuple;
  while (true) {
    LADE_ASSIGN(const bool found, step(statement.get()));
    if (!found) return {};
    tuple.clear();
    const int width = sqlite3_column_count(statement.get());
    for (int column = 0; column < width; ++column) append_column(tuple, statement.get(), column);
    LADE_TRY(row(tuple));
  }
}

Result<void> SqliteConnection::check_deferred() {
  int current = 0;
  int highest = 0;
  sqlite3_db_status(database_.get(), SQLITE_DBSTATUS_DEFERRED_FKS, &current, &highest, 0);
  if (current == 0) return {};
  diagnosis_ = diagnosis_of(SQLITE_CONSTRAINT_FOREIGNKEY, "FOREIGN KEY constraint failed");
  return fail(error_of(diagnosis_));
}

Result<std::vector<std::string>> SqliteConnection::wait_notified(std::chrono::milliseconds timeout, int descriptor) {
  pollfd awaited{descriptor, POLLIN, 0};
  (void)poll(&awaited, 1, static_cast<int>(timeout.count()));
  return std::vector<std::string>();
}

}  // namespace lade::db
