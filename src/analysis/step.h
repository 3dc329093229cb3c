#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/convert.h"
#include "analysis/program.h"
#include "base/result.h"

// The analyse half of a step: what it does with a batch of rows in memory. All steps run over the batch in the order of
// their priority, then its rows are staged once.
namespace lade::analysis {

// The rows of a batch as a step sees them. Columns are those of Program::columns, by index.
class StepRows {
 public:
  StepRows(const Program& program, std::vector<TypedColumn>& columns, RowIssues& issues, TextArena& arena,
           db::Connection* connection, std::size_t rows);
  std::size_t size() const { return rows_; }
  // An earlier step has refused the row: there is nothing to do.
  bool is_refused(std::size_t row) const { return issues_.failed(row); }

  CellState state(int column, std::size_t row) const { return at(column).states[row]; }
  bool has_value(int column, std::size_t row) const { return state(column, row) == CellState::value; }
  const Cell& cell(int column, std::size_t row) const { return at(column).cells[row]; }
  std::string_view text(int column, std::size_t row) const { return cell(column, row).text; }
  void set(int column, std::size_t row, Cell cell);
  // The text is copied.
  void set_text(int column, std::size_t row, std::string_view text);

  // What is wrong with a row, told under each column of the file concerned. An error ends the row; a warning leaves the
  // values of these columns out.
  void error(std::size_t row, std::span<const int> columns, std::string_view code, std::string message,
             std::string hint);
  void warning(std::size_t row, std::span<const int> columns, std::string_view code, std::string message,
               std::string hint);

  // Entities of rows, for the step that names them (below): bytes that are equal for rows of one entity, and their
  // order is that in which entities are loaded. `is_new`: an error in one of its rows concerns the others.
  void set_entity(std::size_t row, std::string_view key, bool is_new);
  // The row claims this for its entity; when another entity of the file claims it too, the rows of both fail.
  void claim(std::size_t row, int column, std::string_view what);

  db::Connection& connection() { return *connection_; }

 private:
  friend class Analyser;
  const TypedColumn& at(int column) const { return columns_[static_cast<std::size_t>(column)]; }
  void add(std::size_t row, std::span<const int> columns, model::Issue issue);

  struct Claim {
    std::size_t row;
    int column;
    std::string_view what;
  };
  const Program& program_;
  std::vector<TypedColumn>& columns_;
  RowIssues& issues_;
  TextArena& arena_;
  db::Connection* connection_;
  std::size_t rows_;
  std::vector<std::string_view> entities_;  // by row, empty: unknown
  std::vector<bool> new_entities_;
  std::vector<Claim> claims_;
};

// Bound to one definition and one database; shared by all workers and never changed.
class Step {
 public:
  virtual ~Step() = default;
  int priority = 0;
  virtual Result<void> analyse(StepRows& rows) const = 0;
};

// Makes the analyse half of a step of an expanded definition; null: it has none. Columns are bound already.
using StepMaker = std::function<Result<std::shared_ptr<const Step>>(const definition::Step& step,
                                                                    const Program& program, db::Connection&)>;

// The index of a data column, -1 when there is none.
int column_named(const Program& program, std::string_view name);

}  // namespace lade::analysis
