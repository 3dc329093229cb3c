#include "accounts/sql.h"

#include <fmt/format.h>

namespace lade::accounts {

std::string moment_sql(const db::Connection& connection, std::chrono::seconds from_now) {
  if (connection.backend() == db::Backend::sqlite)
    return fmt::format("strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '{:+} seconds')", from_now.count());
  return fmt::format("(now() + interval '{} seconds')", from_now.count());
}

}  // namespace lade::accounts
