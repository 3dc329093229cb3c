#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "db/connection.h"

// Tables that show the rows of a job to SQL. They are made beside the user's own: lade keeps a list of those that it
// has made, and touches no other.
namespace lade::store {

// Makes the table for the job, in place of one that was made for it before; in the caller's transaction. `declaration`
// is what stands between the brackets of CREATE TABLE. Gives the name, quoted. Fails with table_name_taken when
// something of that name is there that was not made for this job, with table_name_too_long, and with schema_not_found.
struct NewJobTable {
  std::string schema;  // empty: the database's default
  std::string name;
  std::string declaration;
};
Result<std::string> make_job_table(db::Connection& connection, std::int64_t job, const NewJobTable& table);

// Drops all tables of the job, in the caller's transaction.
Result<void> drop_job_tables(db::Connection& connection, std::int64_t job);

}  // namespace lade::store
