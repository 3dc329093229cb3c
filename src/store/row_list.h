#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <variant>
#include <vector>

#include "base/result.h"
#include "db/connection.h"
#include "model/issue.h"
#include "model/outcome.h"
#include "model/row_state.h"
#include "store/job_list.h"

// The rows of a job by what became of them. A row is known by what was stored about it: outcomes of its bucket, issues
// of failed rows, and by neither of them when nothing has loaded it yet.
namespace lade::store {

struct ListedRow {
  std::int64_t row_id = 0;
  std::int64_t line = 0;  // 0: not known
  model::Issue issue;     // failed: one of its errors; otherwise only the code, when there is one
  model::Outcome outcome = model::Outcome::unprocessed;
  model::RowState state = model::RowState::pending;
  int last_completed_priority = 0;
};

// What became of rows, or how far they have come.
using WantedRows = std::variant<model::Outcome, model::RowState>;
// The words for both; failed, which is meant without one, is the first.
std::vector<std::pair<std::string, WantedRows>> row_words();

struct RowFilter {
  WantedRows wanted = model::Outcome::failed;
  std::int64_t after = 0;    // only rows with larger ids
  std::int64_t limit = 100;  // at most so many rows; 0: all
  // Whether the row's chunk is analysed. Without it all are, once every chunk is.
  std::function<bool(std::int64_t row)> is_analysed = {};
  // Only rows with such an issue, which they are listed with: also a warning of a row that has not failed.
  std::string code = {};    // empty: any
  std::string column = {};  // data column; empty: any, or none
  bool by_issue() const { return !code.empty() || !column.empty(); }
};

// Hands the rows over in the order of their ids; a failed row comes once for each of its errors. Memory is about two
// bytes a row of the job. Fails with outcomes_not_kept when the job's counts speak of rows whose outcomes were not
// stored, and with outcomes_damaged.
Result<void> list_rows(db::Connection& connection, const JobRecord& job, const RowFilter& filter,
                       const std::function<void(const ListedRow&)>& take);

// What became of each row of a job, for whoever reads them one after another.
class RowFates {
 public:
  // `is_analysed` as in RowFilter. Fails as list_rows() does.
  static Result<RowFates> of(db::Connection& connection, const JobRecord& job,
                             std::function<bool(std::int64_t row)> is_analysed);
  RowFates(RowFates&&) noexcept;
  ~RowFates();
  // Rows are asked for in ascending order. The row's issue has only a code, if any. Asks the connection now and then.
  Result<ListedRow> next(std::int64_t row);

 private:
  struct State;
  explicit RowFates(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace lade::store
