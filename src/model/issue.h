#pragma once

#include <cstdint>
#include <string>

namespace lade::model {

// error: the row fails. warning: the row goes on, the value concerned is left out (Statbus calls these invalid_codes).
enum class Severity : std::uint8_t { error, warning };

// One finding about one row. `code` is stable and documented in docs/errors.md.
struct Issue {
  Severity severity = Severity::error;
  std::string code;
  std::string column;   // data columns concerned, joined by ", " when several; empty: the whole row
  std::string value;    // the cell as it stands in the file, shortened; masked for sensitive columns
  std::string message;  // what is wrong
  std::string hint;     // what would be accepted
  // Of a question that a person can answer (jobs/questions.h): what is asked, as JSON. Empty: it is none.
  std::string question = {};
};

}  // namespace lade::model
