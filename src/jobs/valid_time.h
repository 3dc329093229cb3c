#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "db/connection.h"
#include "definition/definition.h"
#include "jobs/import.h"

// For which time the rows of a job hold, where the file does not say it (S16).
namespace lade::jobs {

// Days as 2024-12-31, both included; the last one may be infinity.
struct TimeContext {
  std::string ident;  // empty: the dates were given themselves
  std::string name;
  std::string valid_from;
  std::string valid_to;
};

// Whether what the options say about time is what the definition wants. `job_provided` takes a time context or both
// dates: valid_time_missing, valid_time_ambiguous. Every other definition takes neither: valid_time_unexpected. Dates
// that are none, or in the wrong order: valid_time_invalid. Asks no database.
Result<void> check_valid_time(const definition::Definition& definition, const ImportOptions& options);

// The context of this name in the database's table time_context (ident, name, valid_from, valid_to). Fails with
// time_context_not_found.
Result<TimeContext> find_time_context(db::Connection& connection, std::string_view ident);

// Checks, and gives the time of the job's rows; nullopt when the file says it, or the definition has none.
Result<std::optional<TimeContext>> valid_time_of(db::Connection& connection, const definition::Definition& definition,
                                                 const ImportOptions& options);

}  // namespace lade::jobs
