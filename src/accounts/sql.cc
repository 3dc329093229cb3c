#include "accounts/sql.h"

#include <fmt/format.h>

#include <charconv>

namespace lade::accounts {

std::string moment_sql(const db::Connection& connection, std::chrono::seconds from_now) {
  if (connection.backend() == db::Backend::sqlite)
    return fmt::format("strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '{:+} seconds')", from_now.count());
  return fmt::format("(now() + interval '{} seconds')", from_now.count());
}

std::int64_t id_of(std::string_view reference) {
  std::int64_t id = 0;
  const char* end = reference.data() + reference.size();
  const auto parsed = std::from_chars(reference.data(), end, id);
  return parsed.ptr == end && parsed.ec == std::errc() ? id : 0;
}

}  // namespace lade::accounts
