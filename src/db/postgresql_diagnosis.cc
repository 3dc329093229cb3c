#include "db/postgresql_diagnosis.h"

#include <charconv>

namespace lade::db {
namespace {

std::string field(const PGresult* answer, int code) {
  const char* text = PQresultErrorField(answer, code);
  return text == nullptr ? std::string() : std::string(text);
}

// N of a context "COPY table, line N…"; the word for "line" is in the server's language.
std::int64_t row_of_context(std::string_view context, std::string_view table) {
  const std::string beginning = std::string("COPY ").append(table).append(", ");
  const std::size_t found = context.find(beginning);
  if (found == std::string_view::npos) return 0;
  const std::size_t digits = context.find_first_of("0123456789", found + beginning.size());
  if (digits == std::string_view::npos) return 0;
  std::int64_t row = 0;
  std::from_chars(context.data() + digits, context.data() + context.size(), row);
  return row;
}

}  // namespace

Diagnosis diagnosis_of(const PGresult* answer, std::string_view copied_table) {
  Diagnosis diagnosis;
  diagnosis.sqlstate = field(answer, PG_DIAG_SQLSTATE);
  diagnosis.constraint = field(answer, PG_DIAG_CONSTRAINT_NAME);
  diagnosis.table = field(answer, PG_DIAG_TABLE_NAME);
  diagnosis.column = field(answer, PG_DIAG_COLUMN_NAME);
  diagnosis.message = field(answer, PG_DIAG_MESSAGE_PRIMARY);
  diagnosis.detail = field(answer, PG_DIAG_MESSAGE_DETAIL);
  if (!copied_table.empty()) diagnosis.copy_row = row_of_context(field(answer, PG_DIAG_CONTEXT), copied_table);
  return diagnosis;
}

std::string plain_name(std::string_view quoted) {
  std::string name;
  bool inside = false;
  for (std::size_t i = 0; i < quoted.size(); ++i) {
    const char c = quoted[i];
    if (c == '"' && inside && quoted.substr(i + 1).starts_with('"')) {
      name.push_back(quoted[++i]);
    } else if (c == '"') {
      inside = !inside;
    } else if (c == '.' && !inside) {
      name.clear();
    } else {
      name.push_back(c);
    }
  }
  return name;
}

}  // namespace lade::db
