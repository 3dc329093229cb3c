#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "db/connection.h"

// Packs: tables, reference data and definitions for one field of work. They are part of the program; packs/ in the
// source tree is where they are written.
namespace lade::cli {

struct Pack {
  std::string slug;
  std::string name;
  std::string note;
  std::string sqlite_schema, postgresql_schema;  // paths of files, as all others here
  std::vector<std::string> definitions;
  std::vector<std::pair<std::string, std::string>> references;  // file of rows, definition that loads it

  const std::string& schema(db::Backend backend) const {
    return backend == db::Backend::sqlite ? sqlite_schema : postgresql_schema;
  }
  // The text of one of its files; empty when there is none of that path.
  std::string_view text(std::string_view path) const;
  std::vector<std::string_view> paths() const;
};

// All of them, sorted by slug.
std::vector<Pack> packs();
// Fails with pack_not_found.
Result<Pack> find_pack(const std::string& slug);

// The tables that a schema makes, in its order: those behind CREATE TABLE IF NOT EXISTS.
std::vector<std::string> tables_of(std::string_view schema);

}  // namespace lade::cli
