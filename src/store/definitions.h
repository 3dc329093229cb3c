#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "db/connection.h"

namespace lade::store {

constexpr std::int64_t kDefaultCompany = 1;

// A definition as its tables hold it.
struct StoredDefinition {
  std::int64_t id = 0;
  std::string slug;
  std::int64_t version = 0;
  std::string name;
  std::string note;
  std::string strategy;
  std::string source_text;  // as its author wrote it
  std::string snapshot;     // canonical JSON; empty when invalid
  bool valid = false;
  std::string validation_error;

  // Where the value of a data column comes from: exactly one of the three.
  struct Mapping {
    std::optional<std::string> source_column;
    std::optional<std::string> source_value;
    std::optional<std::string> source_expression;
    std::string data_column;
  };
  struct DataColumn {
    std::string name;
    std::string type;
    std::string purpose;  // source_input, internal, pk_id, metadata
    bool nullable = true;
    std::optional<std::string> default_value;
    bool identifying = false;
  };
  std::vector<std::string> source_columns = {};  // in the order of their priority
  std::vector<DataColumn> data_columns = {};
  std::vector<Mapping> mappings = {};
  std::int64_t company = kDefaultCompany;
  std::string created_at = {};
};

// Stores the definition as the next version of its slug, unless the newest version has the same text. Fills in id and
// version. An invalid one is stored too, with its faults.
Result<void> save_definition(db::Connection& connection, StoredDefinition& definition);

// The newest version, or the one asked for; nullopt when there is none.
Result<std::optional<StoredDefinition>> find_definition(db::Connection& connection, std::string_view slug,
                                                        std::optional<std::int64_t> version = std::nullopt,
                                                        std::int64_t company = kDefaultCompany);
// The newest version of each slug, by slug. Columns and mappings are not read.
Result<std::vector<StoredDefinition>> list_definitions(db::Connection& connection,
                                                       std::int64_t company = kDefaultCompany);
// All versions of a slug, newest first. Columns and mappings are not read.
Result<std::vector<StoredDefinition>> list_versions(db::Connection& connection, std::string_view slug,
                                                    std::int64_t company = kDefaultCompany);

}  // namespace lade::store
