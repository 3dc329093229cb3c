#include "db/postgresql_connection.h"

#include <fmt/format.h>

#include <charconv>

#include "base/assert.h"
#include "db/diagnosis.h"
#include "db/postgresql_diagnosis.h"

namespace lade::db {
namespace {

constexpr std::size_t kPreparedStatements = 64;

// Object ids of built-in types never change between versions.
enum TypeId : Oid { kBool = 16, kInt8 = 20, kInt2 = 21, kInt4 = 23, kOid = 26, kFloat4 = 700, kFloat8 = 701 };

template <class Number>
Number parse_number(std::string_view text) {
  Number number{};
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  LADE_ASSERT(fault == std::errc{} && end == text.data() + text.size());
  return number;
}

Value value_of(const PGresult* answer, int row, int column) {
  if (PQgetisnull(answer, row, column) != 0) return std::monostate{};
  const std::string_view text(PQgetvalue(answer, row, column),
                              static_cast<std::size_t>(PQgetlength(answer, row, column)));
  switch (PQftype(answer, column)) {
    case kBool: return std::int64_t{text == "t"};
    case kInt2:
    case kInt4:
    case kInt8:
    case kOid: return parse_number<std::int64_t>(text);
    case kFloat4:
    case kFloat8: return parse_number<double>(text);
    default: return std::string(text);
  }
}

// Parameters in text format, bytes as they are; the server infers the types.
class Parameters {
 public:
  static Result<Parameters> from(std::span<const Value> values) {
    Parameters parameters;
    parameters.texts_.reserve(values.size());
    for (const Value& value : values) LADE_TRY(parameters.add(value));
    return parameters;
  }
  int count() const { return static_cast<int>(pointers_.size()); }
  const char* const* pointers() const { return pointers_.data(); }
  const int* lengths() const { return lengths_.data(); }
  const int* formats() const { return formats_.data(); }

 private:
  Result<void> add(const Value& value) {
    const char* pointer = nullptr;
    lengths_.push_back(0);  // only asked for in binary format
    formats_.push_back(0);
    if (const auto* text = std::get_if<std::string>(&value)) {
      if (text->find('\0') != std::string::npos) return fail(nul_in_text());
      pointer = text->c_str();
    } else if (const auto* integer = std::get_if<std::int64_t>(&value)) {
      pointer = texts_.emplace_back(fmt::format("{}", *integer)).c_str();
    } else if (const auto* real = std::get_if<double>(&value)) {
      pointer = texts_.emplace_back(fmt::format("{}", *real)).c_str();
    } else if (const auto* bytes = std::get_if<Bytes>(&value)) {
      pointer = bytes->bytes.c_str();
      lengths_.back() = static_cast<int>(bytes->bytes.size());
      formats_.back() = 1;
    }
    pointers_.push_back(pointer);
    return {};
  }

  std::vector<std::string> texts_;  // reserved beforehand: its elements do not move
  std::vector<const char*> pointers_;
  std::vector<int> lengths_;
  std::vector<int> formats_;
};

std::string trimmed(std::string text) {
  text.erase(text.find_last_not_of(" \n\r\t") + 1);
  return text;
}

std::int64_t changed_rows(PGresult* answer) {
  // CREATE TABLE AS and SELECT report rows that were not changed.
  if (std::string_view(PQcmdStatus(answer)).starts_with("SELECT")) return 0;
  const std::string_view count = PQcmdTuples(answer);
  return count.empty() ? 0 : parse_number<std::int64_t>(count);
}

bool succeeded(const PGresult* answer) {
  const ExecStatusType status = PQresultStatus(answer);
  return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK || status == PGRES_EMPTY_QUERY;
}

}  // namespace

PostgresqlConnection::PostgresqlConnection(Session session)
    : session_(std::move(session)), cancel_(PQgetCancel(session_.get())), statements_(kPreparedStatements) {}

namespace {

// What the server said has an SQLSTATE. The rest are libpq's own words; when a write fails it still believes in the
// connection and only says so.
bool is_loss(const Diagnosis& diagnosis) {
  if (!diagnosis.sqlstate.empty()) return false;
  for (const std::string_view word : {"server", "connection", "SSL"})
    if (diagnosis.message.find(word) != std::string::npos) return true;
  return false;
}

}  // namespace

Error PostgresqlConnection::refusal(const PGresult* answer, std::string_view copied_table) {
  if (answer != nullptr && PQresultErrorField(answer, PG_DIAG_MESSAGE_PRIMARY) != nullptr) {
    diagnosis_ = diagnosis_of(answer, copied_table);
  } else {
    diagnosis_ = Diagnosis{.message = trimmed(PQerrorMessage(session_.get()))};
  }
  return error_of(diagnosis_, PQstatus(session_.get()) == CONNECTION_BAD || is_loss(diagnosis_));
}

Result<std::int64_t> PostgresqlConnection::finish(std::string_view copied_table) {
  Result<std::int64_t> count = 0;
  while (const Answer answer{PQgetResult(session_.get())}) {
    if (!succeeded(answer.get())) {
      if (count) count = fail(refusal(answer.get(), copied_table));
    } else if (count) {
      count = changed_rows(answer.get());
    }
    if (PQstatus(session_.get()) == CONNECTION_BAD) break;
  }
  return count;
}

Result<void> PostgresqlConnection::run(std::string_view sql) {
  if (sql.find('\0') != std::string_view::npos) return fail(nul_in_text());
  const Answer answer(PQexec(session_.get(), std::string(sql).c_str()));
  if (answer == nullptr || !succeeded(answer.get())) return fail(refusal(answer.get()));
  // COMMIT of a spoilt transaction succeeds as a ROLLBACK.
  if (sql == "COMMIT" && std::string_view(PQcmdStatus(answer.get())) == "ROLLBACK") {
    diagnosis_ = Diagnosis{.sqlstate = "25P02", .message = "the transaction was rolled back by an earlier error"};
    return fail(error_of(diagnosis_));
  }
  return {};
}

Result<const PostgresqlConnection::Prepared*> PostgresqlConnection::prepare(std::string_view sql) {
  if (const Prepared* prepared = statements_.find(sql)) return prepared;
  if (sql.find('\0') != std::string_view::npos) return fail(nul_in_text());
  std::string name = fmt::format("lade_{}", ++prepared_count_);
  const Answer answer(PQprepare(session_.get(), name.c_str(), std::string(sql).c_str(), 0, nullptr));
  if (answer == nullptr || !succeeded(answer.get())) return fail(refusal(answer.get()));
  const Prepared* prepared = &statements_.insert(sql, Prepared(*this, std::move(name)));
  while (!forgotten_.empty()) {
    LADE_TRY(run("DEALLOCATE " + quote_name(forgotten_.back())));
    forgotten_.pop_back();
  }
  return prepared;
}

Result<PostgresqlConnection::Answer> PostgresqlConnection::perform_once(std::string_view sql,
                                                                        std::span<const Value> parameters) {
  LADE_ASSIGN(const Parameters values, Parameters::from(parameters));
  LADE_ASSIGN(const Prepared* prepared, prepare(sql));
  Answer answer(PQexecPrepared(session_.get(), prepared->name().c_str(), values.count(), values.pointers(),
                               values.lengths(), values.formats(), 0));
  if (answer == nullptr || !succeeded(answer.get())) return fail(refusal(answer.get()));
  return answer;
}

Result<PostgresqlConnection::Answer> PostgresqlConnection::perform(std::string_view sql,
                                                                   std::span<const Value> parameters) {
  Result<Answer> answer = perform_once(sql, parameters);
  // "cached plan must not change result type": the table was altered since the statement was prepared.
  if (!answer && diagnosis_.sqlstate == "0A000" && statements_.find(sql) != nullptr) {
    statements_.erase(sql);
    if (!in_transaction()) return perform_once(sql, parameters);
  }
  return answer;
}

Result<std::int64_t> PostgresqlConnection::execute(std::string_view sql, std::span<const Value> parameters) {
  LADE_ASSIGN(const Answer answer, perform(sql, parameters));
  return changed_rows(answer.get());
}

Result<std::vector<Row>> PostgresqlConnection::query(std::string_view sql, std::span<const Value> parameters) {
  LADE_ASSIGN(const Answer answer, perform(sql, parameters));
  const int width = PQnfields(answer.get());
  std::vector<Row> rows(static_cast<std::size_t>(PQntuples(answer.get())));
  for (std::size_t row = 0; row < rows.size(); ++row) {
    rows[row].reserve(static_cast<std::size_t>(width));
    for (int column = 0; column < width; ++column)
      rows[row].push_back(value_of(answer.get(), static_cast<int>(row), column));
  }
  return rows;
}

Result<void> PostgresqlConnection::check_deferred() {
  return run("SET CONSTRAINTS ALL IMMEDIATE");
}

bool PostgresqlConnection::in_transaction() const {
  const PGTransactionStatusType status = PQtransactionStatus(session_.get());
  return status == PQTRANS_INTRANS || status == PQTRANS_INERROR;
}

bool PostgresqlConnection::usable() {
  // A session that the server has closed has two things waiting: the server's last words, then the end of the stream.
  return PQconsumeInput(session_.get()) == 1 && PQconsumeInput(session_.get()) == 1 &&
         PQstatus(session_.get()) == CONNECTION_OK;
}

void PostgresqlConnection::interrupt() {
  char words[256];
  // A cancel request that does not arrive leaves the statement running; the caller asks again.
  (void)PQcancel(cancel_.get(), words, sizeof words);
}

}  // namespace lade::db
