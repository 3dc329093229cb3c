#include "db/connection.h"

#include <fmt/format.h>

#include <atomic>

#include "db/postgresql_connection.h"
#include "db/sqlite_connection.h"
#include "db/url.h"

namespace lade::db {

Connection::Connection()
    : number_([] {
        static std::atomic<std::uint64_t> opened = 0;
        return ++opened;
      }()) {}

std::string Connection::quote_name(std::string_view name) {
  std::string quoted = "\"";
  for (const char c : name) {
    if (c == '"') quoted.push_back('"');
    quoted.push_back(c);
  }
  quoted.push_back('"');
  return quoted;
}

std::string Connection::temporary_name(std::string_view prefix, std::string_view shape) {
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const char c : shape) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return fmt::format("{}{:016x}", prefix, hash);
}

Result<std::unique_ptr<Connection>> connect(const std::string& url) {
  if (is_sqlite_url(url)) {
    LADE_ASSIGN(const SqliteLocation location, parse_sqlite_url(url));
    return SqliteConnection::open(location);
  }
  if (is_postgresql_url(url)) return PostgresqlConnection::open(url);
  const std::size_t scheme = url.find("://");
  return fail(database_url_invalid(scheme != std::string::npos
                                       ? fmt::format("lade does not know '{}'", url.substr(0, scheme + 3))
                                       : "it begins neither with sqlite: nor with postgresql://"));
}

}  // namespace lade::db
