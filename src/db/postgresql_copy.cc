#include "base/assert.h"
#include "db/postgresql_connection.h"
#include "db/postgresql_diagnosis.h"

// The binary COPY format: a header, per row an int16 number of fields and the tuple, and -1 as trailer.
namespace lade::db {
namespace {

constexpr std::string_view kSignature{"PGCOPY\n\377\r\n\0", 11};
constexpr std::size_t kFlagsAndExtension = 8;
constexpr std::size_t kBufferBytes = 64 * 1024;

}  // namespace

Result<void> PostgresqlConnection::send_tuples(TupleSource& rows, std::size_t columns) {
  std::string buffer(kSignature);
  buffer.append(kFlagsAndExtension, '\0');
  std::string count;
  append_big_endian(count, static_cast<std::int16_t>(columns));
  const auto flush = [&]() -> Result<void> {
    if (PQputCopyData(session_.get(), buffer.data(), static_cast<int>(buffer.size())) != 1)
      return fail(refusal(nullptr));
    buffer.clear();
    return {};
  };
  while (const auto tuple = rows.next()) {
    buffer.append(count).append(*tuple);
    if (buffer.size() >= kBufferBytes) LADE_TRY(flush());
  }
  append_big_endian<std::int16_t>(buffer, -1);
  return flush();
}

Result<std::int64_t> PostgresqlConnection::copy_in(const std::string& quoted_table,
                                                   std::span<const std::string> columns, TupleSource& rows) {
  LADE_ASSERT(!columns.empty());
  std::string sql = "COPY " + quoted_table + " (";
  for (const std::string& column : columns)
    sql.append(quote_name(column)).append(&column == &columns.back() ? ")" : ", ");
  sql += " FROM STDIN (FORMAT BINARY)";
  const Answer answer(PQexec(session_.get(), sql.c_str()));
  if (PQresultStatus(answer.get()) != PGRES_COPY_IN) return fail(refusal(answer.get()));
  const Result<void> sent = send_tuples(rows, columns.size());
  // The server's own reason comes after the end of the data and is better than libpq's "no COPY in progress".
  if (PQstatus(session_.get()) == CONNECTION_OK) PQputCopyEnd(session_.get(), sent ? nullptr : "broken off");
  Result<std::int64_t> copied = finish(plain_name(quoted_table));
  if (copied && !sent) return fail(sent.error());
  return copied;
}

void PostgresqlConnection::drop_tuples() {
  char* bytes = nullptr;
  while (PQgetCopyData(session_.get(), &bytes, 0) >= 0) PQfreemem(bytes);
}

Result<void> PostgresqlConnection::receive_tuples(const std::function<Result<void>(std::string_view)>& row) {
  bool first = true;
  while (true) {
    char* bytes = nullptr;
    const int length = PQgetCopyData(session_.get(), &bytes, 0);
    const std::unique_ptr<char, Free> owned(bytes);
    if (length == -1) return {};
    if (length < 0) return fail(refusal(nullptr));
    std::string_view message(bytes, static_cast<std::size_t>(length));
    if (std::exchange(first, false)) {
      LADE_ASSERT(message.starts_with(kSignature));
      message.remove_prefix(kSignature.size() + kFlagsAndExtension);
    }
    if (message.empty() || read_big_endian<std::int16_t>(message.data()) < 0) continue;
    message.remove_prefix(sizeof(std::int16_t));
    if (Result<void> taken = row(message); !taken) {
      interrupt();
      drop_tuples();
      return taken;
    }
  }
}

Result<void> PostgresqlConnection::copy_out(std::string_view select,
                                            const std::function<Result<void>(std::string_view)>& row) {
  const std::string sql = std::string("COPY (").append(select).append(") TO STDOUT (FORMAT BINARY)");
  const Answer answer(PQexec(session_.get(), sql.c_str()));
  if (PQresultStatus(answer.get()) != PGRES_COPY_OUT) return fail(refusal(answer.get()));
  Result<void> received = receive_tuples(row);
  const Result<std::int64_t> finished = finish();
  if (!received) return received;
  if (!finished) return fail(finished.error());
  return {};
}

}  // namespace lade::db
