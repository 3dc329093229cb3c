#pragma once

#include <string>
#include <vector>

#include "analysis/program.h"
#include "db/connection.h"

namespace lade::jobs {

// The columns of a job's tables, beside row_id. Their names are unique whatever their case: of two equal ones the
// second is called name_2.
struct UploadColumns {
  explicit UploadColumns(const std::vector<std::string>& header);
  std::vector<std::string> names;
  std::string declaration() const;  // for CREATE TABLE, with row_id
};

// One column of data in the table of data columns.
struct DataField {
  enum class Kind {
    cell,   // the text of the source's cell
    fixed,  // the same text in every row
    value,  // what analysis made of it
    none,   // filled by nothing that is known
  } kind = Kind::none;
  std::string name;
  int column = -1;  // of the program
  int slot = -1;    // of the staged tuple, for values
};

struct DataColumns {
  explicit DataColumns(const analysis::Program& program);
  std::vector<DataField> fields;
  // row_id, the fields, then what is known of the row: operation, action, state, error, invalid_codes,
  // last_completed_priority, merge_status.
  std::vector<std::string> names() const;
  std::string declaration(db::Backend backend) const;
};

}  // namespace lade::jobs
