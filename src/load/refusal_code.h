#pragma once

#include <string_view>

namespace lade::load {

// The code of the issue of a row that the database refuses.
inline std::string_view refusal_code(std::string_view sqlstate) {
  if (sqlstate == "23505" || sqlstate == "23P01") return "unique_violation";
  if (sqlstate == "23503") return "foreign_key_violation";
  if (sqlstate == "23502") return "not_null_violation";
  if (sqlstate == "23514") return "check_violation";
  return "database_refused";
}

}  // namespace lade::load
