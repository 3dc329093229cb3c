#pragma once

#include <string>

#include "base/result.h"

namespace lade::db {

// Where a sqlite: URL points.
struct SqliteLocation {
  enum class Mode { read_only, read_write, create };
  std::string path;  // ":memory:" for a database without a file
  Mode mode = Mode::create;
  bool in_memory() const { return path == ":memory:"; }
};

Result<SqliteLocation> parse_sqlite_url(const std::string& url);
bool is_sqlite_url(const std::string& url);
// postgresql://, postgres:// or key=value pairs.
bool is_postgresql_url(const std::string& url);
Error database_url_invalid(const std::string& why);

}  // namespace lade::db
