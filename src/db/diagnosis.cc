#include "db/diagnosis.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace lade::db {
namespace {

struct Meaning {
  std::string_view sqlstate;  // its beginning
  std::string_view code;
  std::string_view what;
  std::string_view hint;
  ErrorKind kind = ErrorKind::failed;
};

// The first line that fits counts.
constexpr std::array kMeanings = {
    Meaning{"57014", "db_interrupted", "the statement was stopped", "", ErrorKind::cancelled},
    Meaning{"57P", "db_lost", "the database ended the session", "try again when the database is up"},
    Meaning{"08", "db_lost", "the connection to the database is gone", "try again when the database is up"},
    Meaning{"55P03", "db_busy", "the database is locked by somebody else", "try again, or end the other writer"},
    Meaning{"40", "db_busy", "the transaction met another one", "try again"},
    Meaning{"53100", "db_full", "the disk of the database is full", "free some space on the database's disk"},
    Meaning{"53300", "db_busy", "the database has no connection left", "try again, or raise max_connections"},
    Meaning{"42501", "db_denied", "the database does not permit it", "grant the role what is missing"},
    Meaning{"25006", "db_denied", "the database is open for reading only", "open it for writing"},
    Meaning{"22", "db_refused", "the database refused a value", ""},
    Meaning{"23", "db_refused", "the database refused a row", ""},
    Meaning{"44", "db_refused", "the database refused a row", ""},
    Meaning{"P0", "db_refused", "a trigger or function of the database refused it", ""},
    Meaning{"54", "db_refused", "a limit of the database is exceeded", ""},
    Meaning{"XX001", "db_corrupt", "the database is damaged", "check it with the database's own tools"},
    Meaning{"", "db_error", "the database reports an error", ""},
};

constexpr Meaning kLost{"", "db_lost", "the connection to the database is gone", "try again when the database is up"};

}  // namespace

Error error_of(const Diagnosis& diagnosis, bool lost) {
  const Meaning& meaning = lost ? kLost : *std::ranges::find_if(kMeanings, [&](const Meaning& candidate) {
    return diagnosis.sqlstate.starts_with(candidate.sqlstate);
  });
  std::string message = fmt::format("{}: {}", meaning.what, diagnosis.message);
  if (!diagnosis.sqlstate.empty()) message += fmt::format(" (SQLSTATE {})", diagnosis.sqlstate);
  return Error{std::string(meaning.code), std::move(message), std::string(meaning.hint), meaning.kind};
}

Error nul_in_text() {
  return Error{"nul_in_text", "a statement or parameter holds a NUL byte, which no text of a database can",
               "remove the byte", ErrorKind::invalid};
}

}  // namespace lade::db
