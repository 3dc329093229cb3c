#include "db/url.h"

#include <fmt/format.h>
#include <libpq-fe.h>

#include <memory>
#include <string_view>

#include "db/connection.h"

namespace lade::db {
namespace {

constexpr std::string_view kSqliteScheme = "sqlite:";

using Options = std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)>;

bool is_postgresql_uri(const std::string& url) {
  return url.starts_with("postgresql://") || url.starts_with("postgres://");
}

bool is_secret(std::string_view keyword) {
  return keyword == "password" || keyword == "sslpassword";
}

bool is_plain_host(std::string_view host) {
  return host.find_first_of(",/") == std::string_view::npos;
}

// In the key=value form a value with blanks or quotes stands in single quotes.
std::string quoted_value(std::string_view value) {
  if (!value.empty() && value.find_first_of(" '\\\t\n") == std::string_view::npos) return std::string(value);
  std::string quoted = "'";
  for (const char c : value) {
    if (c == '\'' || c == '\\') quoted.push_back('\\');
    quoted.push_back(c);
  }
  return quoted + "'";
}

std::string shown_as_pairs(const PQconninfoOption* options) {
  std::string shown;
  for (const PQconninfoOption* option = options; option->keyword != nullptr; ++option) {
    if (option->val == nullptr || is_secret(option->keyword)) continue;
    if (!shown.empty()) shown += ' ';
    shown += fmt::format("{}={}", option->keyword, quoted_value(option->val));
  }
  return shown;
}

std::string shown_as_uri(const PQconninfoOption* options) {
  std::string user, host, port, database, rest;
  bool plain_host = true;
  for (const PQconninfoOption* option = options; option->keyword != nullptr; ++option)
    if (option->val != nullptr && std::string_view(option->keyword) == "host") plain_host = is_plain_host(option->val);
  for (const PQconninfoOption* option = options; option->keyword != nullptr; ++option) {
    if (option->val == nullptr || is_secret(option->keyword)) continue;
    const std::string_view keyword = option->keyword;
    const std::string_view value = option->val;
    if (keyword == "user") {
      user = fmt::format("{}@", value);
    } else if (keyword == "host" && plain_host) {
      host = value.find(':') == std::string_view::npos ? std::string(value) : fmt::format("[{}]", value);
    } else if (keyword == "port" && plain_host) {
      port = fmt::format(":{}", value);
    } else if (keyword == "dbname") {
      database = fmt::format("/{}", value);
    } else {
      rest += fmt::format("{}{}={}", rest.empty() ? '?' : '&', keyword, value);
    }
  }
  if (!rest.empty() && database.empty()) database = "/";
  return fmt::format("postgresql://{}{}{}{}{}", user, host, port, database, rest);
}

}  // namespace

bool is_sqlite_url(const std::string& url) {
  return url.starts_with(kSqliteScheme);
}

bool is_postgresql_url(const std::string& url) {
  return is_postgresql_uri(url) ||
         (url.find('=') != std::string::npos && url.find("://") == std::string::npos && !is_sqlite_url(url));
}

Error database_url_invalid(const std::string& why) {
  return Error{"database_url_invalid", fmt::format("the database URL is not valid: {}", why),
               "give sqlite:PATH or postgresql://USER@HOST:PORT/DATABASE", ErrorKind::usage};
}

Result<SqliteLocation> parse_sqlite_url(const std::string& url) {
  SqliteLocation location{.path = url.substr(kSqliteScheme.size())};
  if (location.path.find('\0') != std::string::npos) return fail(database_url_invalid("it holds a NUL byte"));
  if (const std::size_t question = location.path.rfind('?'); question != std::string::npos) {
    const std::string query = location.path.substr(question + 1);
    location.path.resize(question);
    if (query == "mode=ro") {
      location.mode = SqliteLocation::Mode::read_only;
    } else if (query == "mode=rw") {
      location.mode = SqliteLocation::Mode::read_write;
    } else if (query != "mode=rwc") {
      return fail(
          database_url_invalid(fmt::format("'?{}' in '{}'; accepted: ?mode=ro, ?mode=rw, ?mode=rwc", query, url)));
    }
  }
  if (location.path.empty()) return fail(database_url_invalid(fmt::format("'{}' names no file", url)));
  return location;
}

std::string limited_to(Access access, const std::string& url) {
  if (!is_sqlite_url(url)) return url;
  const Result<SqliteLocation> location = parse_sqlite_url(url);
  if (!location || location->in_memory()) return url;
  const bool read_only = access == Access::read || location->mode == SqliteLocation::Mode::read_only;
  return fmt::format("{}{}?mode={}", kSqliteScheme, location->path, read_only ? "ro" : "rw");
}

Backend backend_of(const std::string& url) {
  return is_sqlite_url(url) ? Backend::sqlite : Backend::postgresql;
}

std::string without_password(const std::string& url) {
  if (is_sqlite_url(url)) return url;
  const Options options(PQconninfoParse(url.c_str(), nullptr), PQconninfoFree);
  // What libpq cannot read may hide a password anywhere.
  if (options == nullptr) return is_postgresql_uri(url) ? "postgresql://…" : "…";
  return is_postgresql_uri(url) ? shown_as_uri(options.get()) : shown_as_pairs(options.get());
}

}  // namespace lade::db
