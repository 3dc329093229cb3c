#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "db/connection.h"

namespace lade::steps {

// A unit that is stored: its kind (its place in the list of kinds) and its id there.
struct Unit {
  int kind = 0;
  std::int64_t id = 0;
  bool operator==(const Unit&) const = default;
};

// An identifier: its type and its text.
struct Ident {
  std::int64_t type = 0;
  std::string_view text;
};

// Where identifiers are stored: one row each, with the unit that it names in the column of the unit's kind.
struct IdentTable {
  db::Table table;
  std::vector<std::string> units;  // kinds; the columns are <kind>_id

  std::string unit_columns() const;
};

// Whose identifiers are which. Tables up to `max_rows` are held as hashes of 128 bits, which take 24 to 48 bytes a row;
// of larger ones only what is asked for is read. Never changed once it is loaded, so all workers share it.
class IdentMap {
 public:
  static Result<IdentMap> load(IdentTable table, db::Connection& connection, std::size_t max_rows);

  // The units of these identifiers, in their order; nullopt where there is none. One query at most.
  Result<std::vector<std::optional<Unit>>> find(std::span<const Ident> idents, db::Connection& connection) const;
  // Of these units, those that have an identifier of this type: the text of it; nullopt: none.
  Result<std::vector<std::optional<std::string>>> stored_texts(std::span<const Unit> units,
                                                               std::span<const std::int64_t> types,
                                                               db::Connection& connection) const;
  const IdentTable& table() const { return table_; }

 private:
  struct Entry {
    std::uint64_t hash[2] = {0, 0};
    std::int64_t unit = 0;  // id, with the kind in the highest bits; 0: the place is free
  };
  explicit IdentMap(IdentTable table) : table_(std::move(table)) {}
  void insert(const Ident& ident, const Unit& unit);
  const Entry* lookup(const Ident& ident) const;
  void grow();
  Result<std::vector<std::optional<Unit>>> probe(std::span<const Ident> idents, db::Connection& connection) const;

  IdentTable table_;
  bool whole_ = false;  // all of the table is here
  std::vector<Entry> entries_;
  std::size_t used_ = 0;
};

}  // namespace lade::steps
