#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "db/wire.h"

namespace lade::db {

struct Column {
  std::string name;
  std::string type;  // as the database prints it, e.g. numeric(14,4); a domain shows its base type
  WireType wire = WireType::unsupported;
  int length = 0;     // characters of varchar(n) and char(n), 0 without limit (SQLite has none)
  int precision = 0;  // numeric(p,s); 0 when not declared
  int scale = 0;      // PostgreSQL's timestamps: digits kept of the fraction of a second
  bool not_null = false;
  bool has_default = false;     // also identity and SQLite's INTEGER PRIMARY KEY
  bool generated = false;       // GENERATED ALWAYS AS (expression): cannot be written
  std::string sequence;         // PostgreSQL: the sequence behind a serial or identity column; SQLite: "rowid"
  bool order_is_bytes = false;  // text only: sorting and equality are those of the bytes (C collation, BINARY)
  bool folds_case = false;      // citext, NOCASE
  bool deterministic = true;    // false: a nondeterministic collation decides equality
};

struct UniqueIndex {
  std::string name = {};  // as a Diagnosis names it; "rowid" for SQLite's INTEGER PRIMARY KEY
  bool primary = false;
  std::vector<std::string> columns = {};  // only full, not deferrable indexes on plain columns are listed
};

struct Table {
  std::string schema = {};  // PostgreSQL's schema; "main" for SQLite
  std::string name = {};
  std::string quoted = {};  // schema and name, quoted, ready for SQL
  std::vector<Column> columns = {};
  std::vector<UniqueIndex> unique_indexes = {};
  bool has_triggers = false;  // rows may be stored otherwise than they were written

  const Column* find(std::string_view column) const {
    for (const Column& candidate : columns)
      if (candidate.name == column) return &candidate;
    return nullptr;
  }
};

}  // namespace lade::db
