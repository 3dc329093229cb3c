#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "db/connection.h"
#include "model/issue.h"

// Rows that people have corrected, while their job waits for review or after it has ended. Every correction appends a
// version; the newest one stands for the row.
namespace lade::store {

struct RowVersion {
  std::int64_t row_id = 0;
  std::int64_t version = 0;  // counted from 1; 0 is the source's own row, kept once a later one is made of it
  std::string records = {};  // what is staged of it, as a range of the staging holds it
  std::int64_t line = 0;     // where the row stands in the source
  std::uint64_t position = 0;
  std::string changes = "{}";  // all cells that differ from the source's: an object, column → text
  std::string issues = "[]";   // what its analysis has found: a list of objects
  std::int64_t revision = 0;   // of the job, that it came with
};

// In the transaction of the correction.
Result<void> save_row_versions(db::Connection& connection, std::int64_t job, std::span<const RowVersion> versions,
                               const std::string& actor);
// The newest of a row; nullopt when nobody has corrected it.
Result<std::optional<RowVersion>> find_row_version(db::Connection& connection, std::int64_t job, std::int64_t row);
// All versions of all corrected rows, in the order of rows and versions.
Result<std::vector<RowVersion>> row_versions(db::Connection& connection, std::int64_t job);

// What is stored about one row, errors first.
Result<std::vector<model::Issue>> issues_of_row(db::Connection& connection, std::int64_t job, std::int64_t row);
// The line of a row that an issue is stored of; 0: there is none.
Result<std::int64_t> line_of_issue(db::Connection& connection, std::int64_t job, std::int64_t row);
// Takes back all that is stored about these rows.
Result<void> forget_issues(db::Connection& connection, std::int64_t job, std::span<const std::int64_t> rows);
// Takes back what is stored about these rows with one code.
Result<void> forget_issues(db::Connection& connection, std::int64_t job, std::span<const std::int64_t> rows,
                           const std::string& code);

}  // namespace lade::store
