#pragma once

#include <span>
#include <string>
#include <vector>

#include "analysis/step.h"
#include "base/result.h"
#include "db/connection.h"

namespace lade::steps {

// The table <job's slug>_data, in which procedures of a user find the rows of a job (PostgreSQL). It has every data
// column, those of the file as text, and operation, action, state, error, invalid_codes, last_completed_priority.
class JobTable {
 public:
  // For a step of this priority.
  JobTable(const analysis::Program& program, int priority);

  // Makes it unless it is there; gives its quoted name.
  Result<std::string> create(db::Connection& connection, std::int64_t job) const;
  static Result<std::string> name_of(db::Connection& connection, std::int64_t job);

  // Puts the rows of a batch that nobody has refused into it; a second attempt takes the place of the first.
  Result<void> put(db::Connection& connection, const std::string& name, const analysis::StepRows& rows) const;
  // Takes over what a procedure has left for these rows: the columns `filled`, errors and invalid codes.
  Result<void> read_back(db::Connection& connection, const std::string& name, std::span<const int> filled,
                         analysis::StepRows& rows) const;
  // The rows that a procedure has put into the state error, with its words.
  static Result<std::vector<analysis::Step::RefusedRow>> refused_rows(db::Connection& connection,
                                                                      const std::string& name,
                                                                      std::span<const std::int64_t> row_ids);
  // The ids as an array of PostgreSQL.
  static std::string array_of(std::span<const std::int64_t> row_ids);

 private:
  const analysis::Program& program_;
  const int priority_;
};

}  // namespace lade::steps
