#include "analysis/step.h"

#include <xxhash.h>

#include "analysis/entity_key.h"

namespace lade::analysis {

using model::Severity;

StepRows::StepRows(const Program& program, const RawRows& raw, std::vector<TypedColumn>& columns, RowIssues& issues,
                   TextArena& arena, db::Connection* connection, std::int64_t job, std::stop_token stop)
    : program_(program),
      raw_(raw),
      columns_(columns),
      issues_(issues),
      arena_(arena),
      connection_(connection),
      job_(job),
      stop_(std::move(stop)),
      entities_(program.step_names_entities ? raw.rows : 0) {
  // Columns of later steps have nothing yet, also not of the batch before: findings may be told under them.
  if (program.stages.size() > 1)
    for (TypedColumn& column : columns_) column.resize(raw.rows);
}

void StepRows::set(int column, std::size_t row, Cell cell) {
  TypedColumn& filled = columns_[static_cast<std::size_t>(column)];
  filled.cells[row] = cell;
  filled.states[row] = CellState::value;
}

void StepRows::set_text(int column, std::size_t row, std::string_view text) {
  Cell cell;
  cell.text = text;
  set(column, row, cell);
}

void StepRows::convert(int column, std::size_t row, std::string_view text) {
  const auto index = static_cast<std::size_t>(column);
  convert_cell(program_.columns[index], text, row, columns_[index].cells[row], columns_[index].states[row], issues_,
               arena_);
}

void StepRows::add(std::size_t row, std::span<const int> columns, model::Issue issue) {
  if (columns.empty()) return issues_.add(row, std::move(issue));
  for (const int index : columns) {
    const ColumnProgram& column = program_.columns[static_cast<std::size_t>(index)];
    CellState& state = columns_[static_cast<std::size_t>(index)].states[row];
    issue.column = column.column.name;
    issue.value.clear();
    if (state == CellState::value)
      issue.value = column.column.sensitive ? "***" : to_text(cell(index, row), column.type);
    state = issue.severity == Severity::error ? CellState::bad : CellState::null;
    issues_.add(row, issue);
  }
}

void StepRows::error(std::size_t row, std::span<const int> columns, std::string_view code, std::string message,
                     std::string hint) {
  add(row, columns, {Severity::error, std::string(code), {}, {}, std::move(message), std::move(hint)});
}

void StepRows::warning(std::size_t row, std::span<const int> columns, std::string_view code, std::string message,
                       std::string hint) {
  add(row, columns, {Severity::warning, std::string(code), {}, {}, std::move(message), std::move(hint)});
}

void StepRows::ask(std::size_t row, int column, model::Issue issue) {
  const int columns[] = {column};
  add(row, columns, std::move(issue));
}

void StepRows::set_entity(std::size_t row, int kind, std::int64_t id) {
  key_.assign(1, kKnownEntity);
  key_.push_back(static_cast<char>(kind));
  db::append_big_endian(key_, id);
  entities_[row] = arena_.keep(key_);
}

void StepRows::set_entity(std::size_t row, std::span<const Name> names) {
  key_.clear();
  for (const Name& name : names) {
    key_.push_back(static_cast<char>(name.type));
    key_.append(name.value);
    key_.push_back('\0');
  }
  const std::uint64_t hash = XXH3_64bits(key_.data(), key_.size());
  key_.assign(1, kNewEntity);
  key_.push_back(static_cast<char>(names.front().type));
  key_.append(names.front().value);
  key_.push_back('\0');
  db::append_big_endian(key_, static_cast<std::int64_t>(hash));
  entities_[row] = arena_.keep(key_);
}

void StepRows::claim(std::size_t row, int column, std::string_view what) {
  claims_.push_back({static_cast<std::uint32_t>(row), column, what});
}

void StepRows::ask_first(std::size_t row, int column, std::string_view what) {
  claim(row, column, what);
}

int column_named(const Program& program, std::string_view name) {
  for (std::size_t i = 0; i < program.columns.size(); ++i)
    if (program.columns[i].column.name == name) return static_cast<int>(i);
  return -1;
}

}  // namespace lade::analysis
