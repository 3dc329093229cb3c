#include "jobs/valid_time.h"

#include <fmt/format.h>

#include "db/values.h"
#include "definition/bounds.h"

namespace lade::jobs {
namespace {

using definition::ValidTimeFrom;

std::optional<definition::Ordinal> day_of(std::string_view text) {
  return definition::parse_bound({definition::TypeKind::date, 0, 0}, text);
}

Error invalid(std::string message) {
  return {"valid_time_invalid", std::move(message), "write days as 2024-12-31", ErrorKind::usage};
}

Result<void> check_dates(const std::string& from, const std::string& to) {
  const auto first = day_of(from), last = day_of(to);
  if (!first) return fail(invalid(fmt::format("default_valid_from: '{}' is not a day", from)));
  if (to == "infinity") return {};
  if (!last) return fail(invalid(fmt::format("default_valid_to: '{}' is neither a day nor infinity", to)));
  if (*first > *last) return fail(invalid(fmt::format("default_valid_from {} is after default_valid_to {}", from, to)));
  return {};
}

Result<void> check_job_provided(const ImportOptions& options) {
  const bool has_context = !options.time_context_ident.empty();
  const bool has_from = !options.default_valid_from.empty(), has_to = !options.default_valid_to.empty();
  if (has_context && (has_from || has_to))
    return fail("valid_time_ambiguous", "both a time context and dates are given", "give one of the two",
                ErrorKind::usage);
  if (has_context) return {};
  if (!has_from || !has_to)
    return fail("valid_time_missing",
                fmt::format("the definition leaves to the job for which time its rows hold, and {}",
                            has_from ? "default_valid_to is missing"
                            : has_to ? "default_valid_from is missing"
                                     : "nothing is given"),
                "give --time-context, or both --valid-from and --valid-to", ErrorKind::usage);
  return check_dates(options.default_valid_from, options.default_valid_to);
}

}  // namespace

Result<void> check_valid_time(const definition::Definition& definition, const ImportOptions& options) {
  if (definition.valid_time_from == ValidTimeFrom::job_provided) return check_job_provided(options);
  for (const auto& [name, value] : {std::pair("a time context", &options.time_context_ident),
                                    std::pair("default_valid_from", &options.default_valid_from),
                                    std::pair("default_valid_to", &options.default_valid_to)})
    if (!value->empty())
      return fail("valid_time_unexpected",
                  fmt::format("{} is given ('{}'), and {}", name, *value,
                              definition.valid_time_from ? "the definition takes the time from columns of the file"
                                                         : "the definition knows no time"),
                  "leave it out, or say valid_time_from: job_provided in the definition", ErrorKind::usage);
  return {};
}

Result<TimeContext> find_time_context(db::Connection& connection, std::string_view ident) {
  const auto missing = [&](std::string_view why) {
    return fail("time_context_not_found", fmt::format("there is no time context '{}': {}", ident, why),
                "add it to the table time_context, or give both dates", ErrorKind::invalid);
  };
  LADE_ASSIGN(const auto table, connection.describe("time_context"));
  if (!table) return missing("the database has no table time_context");
  const db::Value values[] = {std::string(ident)};
  LADE_ASSIGN(const auto rows, connection.query("SELECT name, CAST(valid_from AS text), CAST(valid_to AS text) FROM " +
                                                    table->quoted + " WHERE ident = $1",
                                                values));
  if (rows.empty()) return missing("the table time_context has no such ident");
  return TimeContext{std::string(ident), db::text_of(rows[0][0]), db::text_of(rows[0][1]), db::text_of(rows[0][2])};
}

Result<std::optional<TimeContext>> valid_time_of(db::Connection& connection, const definition::Definition& definition,
                                                 const ImportOptions& options) {
  LADE_TRY(check_valid_time(definition, options));
  if (definition.valid_time_from != ValidTimeFrom::job_provided) return std::nullopt;
  if (options.time_context_ident.empty())
    return TimeContext{"", "", options.default_valid_from, options.default_valid_to};
  LADE_ASSIGN(TimeContext context, find_time_context(connection, options.time_context_ident));
  return context;
}

}  // namespace lade::jobs
