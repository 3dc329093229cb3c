#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
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
  // `job`: its id, 0 when there is none.
  StepRows(const Program& program, const RawRows& raw, std::vector<TypedColumn>& columns, RowIssues& issues,
           TextArena& arena, db::Connection* connection, std::int64_t job, std::stop_token stop = {});
  std::size_t size() const { return raw_.rows; }
  std::int64_t row_id(std::size_t row) const { return raw_.batch->row_id(raw_.begin + row); }
  std::int64_t job() const { return job_; }
  // An earlier step has refused the row: there is nothing to do.
  bool is_refused(std::size_t row) const { return issues_.failed(row); }
  // The row is fine, or nothing but questions stands against it.
  bool may_ask(std::size_t row) const { return issues_.may_ask(row); }
  const Program& program() const { return program_; }

  CellState state(int column, std::size_t row) const { return at(column).states[row]; }
  bool has_value(int column, std::size_t row) const { return state(column, row) == CellState::value; }
  const Cell& cell(int column, std::size_t row) const { return at(column).cells[row]; }
  std::string_view text(int column, std::size_t row) const { return cell(column, row).text; }
  void set(int column, std::size_t row, Cell cell);
  // The stored value stays.
  void keep(int column, std::size_t row) { columns_[static_cast<std::size_t>(column)].states[row] = CellState::keep; }
  // The text lives as long as the batch (a cell's, or what keep_text() gave).
  void set_text(int column, std::size_t row, std::string_view text);
  std::string_view keep_text(std::string_view text) { return arena_.keep(text); }
  // Fills a column from plain text as if it stood in the file: what is wrong with it is told under the column.
  void convert(int column, std::size_t row, std::string_view text);

  // What is wrong with a row, told under each column of the file concerned, or once when it is none's. An error ends
  // the row; a warning leaves the values of these columns out.
  void error(std::size_t row, std::span<const int> columns, std::string_view code, std::string message,
             std::string hint);
  void warning(std::size_t row, std::span<const int> columns, std::string_view code, std::string message,
               std::string hint);
  // The same for what a person can answer: an issue with its question.
  void ask(std::size_t row, int column, model::Issue issue);

  // Tells which entity a row is about: one that is stored, or a new one that these texts name together (type and value,
  // by type). Also for rows that are refused: an error in one row of a new entity concerns the others.
  void set_entity(std::size_t row, int kind, std::int64_t id);
  struct Name {
    std::uint8_t type;
    std::string_view value;
  };
  void set_entity(std::size_t row, std::span<const Name> names);
  // The row claims this for its entity (the text lives as long as the batch); when another entity of the file claims it
  // too, the rows of both fail.
  void claim(std::size_t row, int column, std::string_view what);
  // The row asks that a column, of truth values, be true for its entity: of all entities of the file that ask for the
  // same, that with the first row gets it. Not more than one column of a program is asked for.
  void ask_first(std::size_t row, int column, std::string_view what);

  db::Connection& connection() { return *connection_; }
  // A step that takes long fails with `cancelled` when it is asked to stop.
  const std::stop_token& stop() const { return stop_; }

 private:
  friend class Analyser;
  const TypedColumn& at(int column) const { return columns_[static_cast<std::size_t>(column)]; }
  void add(std::size_t row, std::span<const int> columns, model::Issue issue);

  struct Claim {
    std::uint32_t row;
    int column;
    std::string_view what;
  };
  const Program& program_;
  const RawRows& raw_;
  std::vector<TypedColumn>& columns_;
  RowIssues& issues_;
  TextArena& arena_;
  db::Connection* connection_;
  const std::int64_t job_;
  const std::stop_token stop_;
  std::vector<std::string_view> entities_;  // their keys, by row; empty: not known
  std::vector<Claim> claims_;
  std::string key_;
};

// Bound to one definition and one database; shared by all workers and never changed.
class Step {
 public:
  virtual ~Step() = default;
  virtual Result<void> analyse(StepRows& rows) const = 0;
  // It calls set_entity(), and claim().
  virtual bool names_entities() const { return false; }
  virtual bool makes_claims() const { return false; }
  // The column that it asks for by ask_first(); -1: none.
  virtual int asked_column() const { return -1; }
  // It works for a job only, not for a sample of its rows or a rehearsal.
  virtual bool needs_job() const { return false; }
  // What it does is too dear for rows of which only the keys are looked at; these do not come from it.
  virtual bool skips_samples() const { return false; }

  // A part of the process half that is no load entry: called in the bucket's transaction, once its rows are in the
  // target tables. Rows that it refuses are taken back and loaded no more.
  struct RefusedRow {
    std::int64_t row_id;
    model::Issue issue;
  };
  virtual bool processes() const { return false; }
  virtual Result<std::vector<RefusedRow>> process(db::Connection&, std::int64_t /*job*/,
                                                  std::span<const std::int64_t> /*row_ids*/) const {
    return std::vector<RefusedRow>();
  }
};

// The index of a data column, -1 when there is none.
int column_named(const Program& program, std::string_view name);

}  // namespace lade::analysis
