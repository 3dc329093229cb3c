#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "db/connection.h"
#include "model/issue.h"

// Rows that people have corrected while their job waits for review. Every correction appends a version; the newest one
// stands for the row.
namespace lade::store {

struct RowVersion {
  std::int64_t row_id = 0;
  std::int64_t version = 0;  // counted from 1; the source's own row is version 0
  std::string records = {};  // what is staged of it, as a range of the staging holds it
  std::int64_t line = 0;     // where the row stands in the source
  std::uint64_t position = 0;
  std::string changes = "{}";  // all cells that differ from the source's: an object, column → text
  std::string issues = "[]";   // what its analysis has found: a list of objects
};

// In the transaction of the correction.
Result<void> save_row_version(db::Connection& connection, std::int64_t job, const RowVersion& version,
                              const std::string& actor);
// The newest of a row; nullopt when nobody has corrected it.
Result<std::optional<RowVersion>> find_row_version(db::Connection& connection, std::int64_t job, std::int64_t row);
// The newest of all corrected rows, in the order of rows.
Result<std::vector<RowVersion>> newest_row_versions(db::Connection& connection, std::int64_t job);

// What is stored about one row, errors first.
Result<std::vector<model::Issue>> issues_of_row(db::Connection& connection, std::int64_t job, std::int64_t row);
// Takes it back: all of it, or the errors with one code.
Result<void> forget_issues(db::Connection& connection, std::int64_t job, std::int64_t row,
                           const std::string& code = {});

}  // namespace lade::store
