#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/cell.h"
#include "analysis/program.h"
#include "analysis/suggestions.h"
#include "csv/batch.h"
#include "csv/dialect.h"
#include "model/issue.h"

namespace lade::analysis {

// The rows [begin, begin + rows) of a batch of records.
struct RawRows {
  const csv::Batch* batch = nullptr;
  std::size_t begin = 0;
  std::size_t rows = 0;
  csv::Dialect dialect;
  bool resubmitted = false;
};

// What analysis found in the rows of one batch. A row with a hard error is `failed`; one whose record could not be read
// right is also `broken`: its cells mean nothing, and nothing else is said about it.
class RowIssues {
 public:
  struct Entry {
    std::uint32_t row;
    model::Issue issue;
  };

  void reset(std::size_t rows);
  bool failed(std::size_t row) const { return failed_[row] != 0; }
  bool broken(std::size_t row) const { return failed_[row] == kBroken; }
  // All that is wrong with it so far are questions (model::Issue::question); further ones can be asked.
  bool may_ask(std::size_t row) const {
    return failed_[row] == 0 || failed_[row] == kAsked || failed_[row] == kAskedBefore;
  }
  // From now on nothing more is said about rows that have failed, but for further questions about those that have
  // failed by questions only: who answers wants to see all of them at once.
  void close_failed();
  void add_broken(std::size_t row, model::Issue issue) {
    add(row, std::move(issue));
    failed_[row] = kBroken;
  }
  void add(std::size_t row, model::Issue issue);
  // All entries, by row, those of one row in the order they were found.
  const std::vector<Entry>& sorted();

 private:
  static constexpr std::uint8_t kFailed = 1, kBroken = 2, kClosed = 3, kAsked = 4, kAskedBefore = 5;
  std::vector<std::uint8_t> failed_;  // 0 or one of these
  std::vector<Entry> entries_;
};

// How many characters a text of UTF-8 has.
std::int64_t characters(std::string_view text);

// Casts trimmed, non-blank text by the column's type. Text cells point to `text` itself.
CastFault cast_text(const ColumnProgram& column, std::string_view text, Cell& cell);

// Casts a cell that a workbook has as a number, date or truth value: it is plain whatever the column's locale and
// format say; only what is not plain is read by those.
CastFault cast_typed(const ColumnProgram& column, std::string_view text, Cell& cell);

// Fills one column from its source fields or its fixed text: trimming, blanks, defaults, enum map, cast, limits.
// Rows that failed structurally are left out. In a sheet (Dialect::rows_are_lines) fields that are not quoted are typed
// cells of the workbook.
void convert_column(const ColumnProgram& column, const RawRows& raw, TypedColumn& out, RowIssues& issues,
                    TextArena& arena, Suggestions& suggestions);

// Fills one cell of a column that a step fills, from plain text, as if it stood in the file: blanks, defaults, enum
// map, cast, limits. The text is kept in the arena.
void convert_cell(const ColumnProgram& column, std::string_view text, std::size_t row, Cell& cell, CellState& state,
                  RowIssues& issues, TextArena& arena);

// The limits of a value that is already typed (also used for looked-up values): min, max, length, pattern.
void check_limits(const ColumnProgram& column, std::size_t row, std::string_view text, const Cell& cell,
                  CellState& state, RowIssues& issues);

// An issue about one cell with message and hint for people; `value` is masked for sensitive columns and shortened.
model::Issue cell_issue(const ColumnProgram& column, std::string_view code, std::string_view value);

}  // namespace lade::analysis
