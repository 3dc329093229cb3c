#include "db/connection.h"

#include <fmt/format.h>

#include "db/postgresql_connection.h"
#include "db/sqlite_connection.h"
#include "db/url.h"

namespace lade::db {

std::string Connection::quote_name(std::string_view name) {
  std::string quoted = "\"";
  for (const char c : name) {
    if (c == '"') quoted.push_back('"');
    quoted.push_back(c);
  }
  quoted.push_back('"');
  return quoted;
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
