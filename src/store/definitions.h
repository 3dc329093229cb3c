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

  // One step of its company as this definition uses it.
  struct Step {
    std::string code;
    std::string name;
    std::int64_t priority = 0;
    std::string kind;
    std::optional<std::string> analyse_procedure;
    std::optional<std::string> process_procedure;
    std::string options = "{}";  // JSON
  };
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
    std::string step = {};  // the code of the step that it belongs to; empty: none
  };
  std::vector<std::string> source_columns = {};  // in the order of their priority
  std::vector<DataColumn> data_columns = {};
  std::vector<Mapping> mappings = {};
  std::int64_t company = kDefaultCompany;
  std::string created_at = {};
  std::string mode = {};             // empty: it has none
  std::string valid_time_from = {};  // empty: it has none
  std::vector<Step> steps = {};      // by priority
};

// Stores the definition as the next version of its slug, unless the newest version has the same text. Fills in id and
// version. An invalid one is stored too, with its faults. Fails with step_conflict when the company has one of its
// steps already, with another priority or doing something else, and another definition uses that.
Result<void> save_definition(db::Connection& connection, StoredDefinition& definition);

// The newest version, or the one asked for; nullopt when there is none.
Result<std::optional<StoredDefinition>> find_definition(db::Connection& connection, std::string_view slug,
                                                        std::optional<std::int64_t> version = std::nullopt,
                                                        std::int64_t company = kDefaultCompany);
// The newest version of each slug, by slug. Steps, columns and mappings are not read.
Result<std::vector<StoredDefinition>> list_definitions(db::Connection& connection,
                                                       std::int64_t company = kDefaultCompany);
// All versions of a slug, newest first. Steps, columns and mappings are not read.
Result<std::vector<StoredDefinition>> list_versions(db::Connection& connection, std::string_view slug,
                                                    std::int64_t company = kDefaultCompany);

}  // namespace lade::store
