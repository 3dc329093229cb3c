#include "db/sqlite_diagnosis.h"

#include <sqlite3.h>

#include <algorithm>
#include <array>

namespace lade::db {
namespace {

struct Mapping {
  int code;
  std::string_view sqlstate;
};

// Extended codes first, then the primary codes they belong to.
constexpr std::array kMappings = {
    Mapping{SQLITE_CONSTRAINT_UNIQUE, "23505"},
    Mapping{SQLITE_CONSTRAINT_PRIMARYKEY, "23505"},
    Mapping{SQLITE_CONSTRAINT_ROWID, "23505"},
    Mapping{SQLITE_CONSTRAINT_FOREIGNKEY, "23503"},
    Mapping{SQLITE_CONSTRAINT_NOTNULL, "23502"},
    Mapping{SQLITE_CONSTRAINT_CHECK, "23514"},
    Mapping{SQLITE_CONSTRAINT_DATATYPE, "22000"},
    Mapping{SQLITE_CONSTRAINT_TRIGGER, "P0001"},
    Mapping{SQLITE_CONSTRAINT_FUNCTION, "P0001"},
    Mapping{SQLITE_CONSTRAINT_VTAB, "P0001"},
    Mapping{SQLITE_BUSY_SNAPSHOT, "40001"},
    Mapping{SQLITE_CONSTRAINT, "23000"},
    Mapping{SQLITE_MISMATCH, "42804"},
    Mapping{SQLITE_TOOBIG, "54000"},
    Mapping{SQLITE_BUSY, "55P03"},
    Mapping{SQLITE_LOCKED, "55P03"},
    Mapping{SQLITE_FULL, "53100"},
    Mapping{SQLITE_NOMEM, "53200"},
    Mapping{SQLITE_IOERR, "58030"},
    Mapping{SQLITE_CORRUPT, "XX001"},
    Mapping{SQLITE_NOTADB, "XX001"},
    Mapping{SQLITE_INTERRUPT, "57014"},
    Mapping{SQLITE_CANTOPEN, "08001"},
    Mapping{SQLITE_PROTOCOL, "55P03"},
    Mapping{SQLITE_READONLY, "25006"},
    Mapping{SQLITE_PERM, "42501"},
    Mapping{SQLITE_AUTH, "42501"},
};

struct Wording {
  std::string_view begins;
  std::string_view sqlstate;
};

// SQLITE_ERROR alone says nothing; its words do.
constexpr std::array kWordings = {
    Wording{"no such table", "42P01"},
    Wording{"no such column", "42703"},
    Wording{"table ", "42703"},  // "table t has no column named c"
    Wording{"no such function", "42883"},
};

std::string_view sqlstate_of(int code, std::string_view words) {
  for (const int candidate : {code, code & 0xff}) {
    const auto* found = std::ranges::find(kMappings, candidate, &Mapping::code);
    if (found != kMappings.end()) return found->sqlstate;
  }
  if ((code & 0xff) != SQLITE_ERROR) return "XX000";
  const auto* found = std::ranges::find_if(kWordings, [&](const Wording& w) { return words.starts_with(w.begins); });
  return found != kWordings.end() ? found->sqlstate : "42601";
}

constexpr std::string_view kCheckFailed = "CHECK constraint failed: ";
constexpr std::string_view kIndexFailed = "UNIQUE constraint failed: index ";

// 'it''s' → it's
std::string unquoted(std::string_view literal) {
  std::string text;
  for (std::size_t i = 1; i + 1 < literal.size(); ++i) {
    text.push_back(literal[i]);
    if (literal[i] == '\'') ++i;
  }
  return text;
}

}  // namespace

Diagnosis diagnosis_of(int extended_code, std::string_view words) {
  Diagnosis diagnosis;
  diagnosis.sqlstate = sqlstate_of(extended_code, words);
  diagnosis.message = words;
  if (words.starts_with(kIndexFailed)) diagnosis.constraint = unquoted(words.substr(kIndexFailed.size()));
  if (diagnosis.sqlstate == "23514" && words.starts_with(kCheckFailed))
    diagnosis.constraint = words.substr(kCheckFailed.size());
  return diagnosis;
}

std::string_view violated_columns(std::string_view words) {
  for (const std::string_view beginning : {"UNIQUE constraint failed: ", "NOT NULL constraint failed: "})
    if (words.starts_with(beginning)) return words.substr(beginning.size());
  constexpr std::string_view kCannotStore = "cannot store ";
  constexpr std::string_view kColumn = " column ";
  if (words.starts_with(kCannotStore))
    if (const std::size_t at = words.find(kColumn); at != std::string_view::npos)
      return words.substr(at + kColumn.size());
  return {};
}

}  // namespace lade::db
